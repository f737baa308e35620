"""Seeds from cores, beside the literal procedure in SciPy: 60 rounds of HITS from scratch for every seed.

python benchmarks/cores.py                      5 million pages, 100 seeds
python benchmarks/cores.py --growth             1 to 20 million pages: seconds against links
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measure import Row, machine, peak_bytes, timed
from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.seeds.cores.core_seeds import cores
from seedbed.seeds.problem import Problem
from seedbed.synth import make_web

PAGES = 5_000_000
SEEDS = 100
LITERAL_SEEDS = 3


def rows(pages: int = PAGES, seeds: int = SEEDS) -> list[Row]:
    """Seconds a seed, ours and literal; the first seeds must be the same."""
    with tempfile.TemporaryDirectory() as folder:
        make_web(Path(folder) / "web", pages=pages)
        web = open_store(Path(folder) / "web")
        ours, picked = our_seeds(web, seeds)
        theirs, literal = literal_seeds(web, LITERAL_SEEDS)
    if literal != picked[:LITERAL_SEEDS]:
        raise RuntimeError(f"seeds differ: {literal} and {picked[:LITERAL_SEEDS]}")
    return [
        Row(
            f"{seeds} seeds from cores, {pages // 10**6} M pages, 2 cores",
            ours / seeds,
            "s/seed",
            f"{theirs / 10:.3f}",
            "the literal procedure in SciPy",
            theirs,
        ),
        Row("  peak memory", peak_bytes() / 2**30, "GiB"),
    ]


def our_seeds(web: Web, seeds: int) -> tuple[float, list[int]]:
    """(seconds, seeds) of cores, after a run that compiles."""
    problem = Problem(web, np.ones(web.page_count), threads=2)
    cores(problem, 1)
    seconds, picks = timed(lambda: cores(problem, seeds))
    return seconds, [pick.page for pick in picks]


def literal_seeds(web: Web, seeds: int) -> tuple[float, list[int]]:
    """(seconds a seed, seeds) of the three figures with sparse matrices."""
    arrays = web.without_links_inside().links.to_csr().arrays()
    links = scipy.sparse.csr_array(
        (np.ones(len(arrays.out_idx)), arrays.out_idx, arrays.out_ptr), shape=(web.page_count,) * 2
    )
    found = []
    start = time.perf_counter()
    for _ in range(seeds):
        back = links.T.tocsr()
        hub = np.ones(web.page_count)
        for _ in range(60):
            authority = back @ hub
            authority /= np.linalg.norm(authority)
            hub = links @ authority
            hub /= np.linalg.norm(hub)
        hubs, authorities = literal_core(links, back, hub, authority)
        found.append(max(hubs, key=lambda page: (hub[page], -page)))
        keep = np.ones(web.page_count)
        keep[[*hubs, *authorities]] = 0
        mask = scipy.sparse.diags_array(keep)
        links = (mask @ links @ mask).tocsr()
        links.eliminate_zeros()
    return (time.perf_counter() - start) / seeds, found


def literal_core(links: Any, back: Any, hub: Any, authority: Any) -> tuple[list[int], list[int]]:
    """Figure 2 at a density of 100: all hubs link to all authorities."""
    hubs: list[int] = []
    authorities = [int(authority.argmax())]
    stuck, at_hub = 0, True
    while stuck < 2:
        side, other, lists, scores = (hubs, authorities, back, hub) if at_hub else (authorities, hubs, links, authority)
        near: set[int] = set()
        for page in other:
            near.update(lists.indices[lists.indptr[page] : lists.indptr[page + 1]].tolist())
        near -= {*hubs, *authorities}
        at_hub = not at_hub
        if not near:
            stuck += 1
            continue
        best = max(near, key=lambda page: (scores[page], -page))
        own = links if side is hubs else back
        if not set(other) <= set(own.indices[own.indptr[best] : own.indptr[best + 1]].tolist()):
            break
        stuck = 0
        side.append(best)
    return hubs, authorities


def growth() -> None:
    """Seconds before the first seed's ranking and for each seed, against links between sites, 1 to 20 million pages."""
    print("| pages | links between hosts | set-up, s | s a seed | ns a seed and link |\n|---:|---:|---:|---:|---:|")
    for pages in (1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000):
        with tempfile.TemporaryDirectory() as folder:
            make_web(Path(folder) / "web", pages=pages)
            web = open_store(Path(folder) / "web")
            one, (eleven, _) = our_seeds(web, 1)[0], our_seeds(web, 11)
            links = web.without_links_inside().link_count
        seed = (eleven - one) / 10
        print(f"| {pages:,} | {links:,} | {one - seed:.2f} | {seed:.3f} | {seed / links * 1e9:.1f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    options = parser.parse_args()
    print(machine())
    if options.growth:
        growth()
    else:
        for row in rows(options.pages, options.seeds):
            print(f"{row.what}: {row.value:.4g} {row.unit}  {row.peer} {row.peer_value or ''}  ratio {row.ratio or ''}")

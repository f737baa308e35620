"""Simulated crawls of a synthetic web of 10 million pages, 15 links a page: speed, memory, and Figure 3 remade.

A crawl is sequential: each pick depends on the page before, so one core works. The peer is FPR@100 as one would write
it in Python, with heapq, and must fetch the same pages. Memory is sampled while the crawl goes: all of it, with the
part of the web that is mapped; and what the crawl itself holds, in bytes for each page of the web.

python benchmarks/crawl.py --pages 1000000         on a smaller web
"""

from __future__ import annotations

import argparse
import heapq
import math
import statistics
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import numpy as np  # noqa: E402

from benchmarks.measure import Row, machine, timed  # noqa: E402
from benchmarks.run import write_between_markers  # noqa: E402
from seedbed.crawling.run import Run  # noqa: E402
from seedbed.crawling.simulator import crawl  # noqa: E402
from seedbed.graph.native_store import open_store, write_store  # noqa: E402
from seedbed.graph.web import Web  # noqa: E402
from seedbed.ranking.pagerank import pagerank  # noqa: E402
from seedbed.synth import make_web  # noqa: E402

PAGES, LINKS = 10_000_000, 15.0
SEEDS = 160  # of the highest PageRank, as in the paper
SHARE = 80 / 106  # of the web, fetched in Figure 3: the paper's
POINTS = 10
FIGURE = ("fpr", "fpr@2", "fpr@100", "windowed-rankmass@5")
PEER_BUDGET = 200_000
LIVE = "live-pagerank"
AIMS = {"bfs": 3.0, "fpr@100": 0.5, LIVE: 0.5 / 1.5}  # million pages a second


@dataclass(frozen=True)
class Measured:
    """A crawl, the most memory there was, and the most that the crawl itself held, in bytes."""

    run: Run
    peak: float
    own: float

    @property
    def speed(self) -> float:
        """Million pages a second."""
        return len(self.run) / self.run.seconds / 1e6


def rows(pages: int = PAGES) -> list[Row]:
    """Speed and memory on both link stores; Figure 3 goes into README.md by itself."""
    with tempfile.TemporaryDirectory() as folder:
        csr, packed = made(Path(folder), pages)
        seeds = pagerank(csr, tolerance=1e-3, threads=2).top(SEEDS).tolist()
        found = {(order, "csr"): measured(csr, seeds, order) for order in ("bfs", "fpr@100", LIVE)}
        found |= {(order, "bvgraph"): measured(packed, seeds, order) for order in ("bfs", "fpr@100", LIVE)}
        table = [row for case, one in found.items() for row in crawl_rows(*case, one, pages)]
        table += peer_rows(csr, seeds, min(PEER_BUDGET, pages // 2))
        table += figure_rows({order: measured(csr, seeds, order, int(pages * SHARE)).run for order in FIGURE}, pages)
    return table


def made(folder: Path, pages: int) -> tuple[Web, Web]:
    """The web with its links as CSR and as BVGraph."""
    make_web(folder / "csr", pages=pages, links_per_page=LINKS, threads=2)
    web = open_store(folder / "csr")
    write_store(web, folder / "bvgraph", links="bvgraph")
    return web, open_store(folder / "bvgraph")


def measured(web: Web, seeds: list[int], order: str, budget: int | None = None) -> Measured:
    """A crawl after a short one that compiles; bfs, which is quick, is the median of three."""
    crawl(web, seeds, order, 1000)
    for _ in web.links.blocks():  # so that no crawl waits for the disk
        pass
    found = []
    for _ in range(3 if order == "bfs" else 1):
        with Memory() as memory:
            run = crawl(web, seeds, order, budget)
        found.append(Measured(run, memory.peak, memory.own))
    return sorted(found, key=lambda one: one.run.seconds)[len(found) // 2]


class Memory:
    """What this process holds while it works, looked at 50 times a second."""

    def __enter__(self) -> Memory:
        self.peak, self.base = held()
        self.own = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            everything, own = held()
            self.peak, self.own = max(self.peak, everything), max(self.own, own - self.base)

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()


def held() -> tuple[float, float]:
    """Bytes: all, and those that are not a file's."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    everything, own = (float(lines[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon"))
    return everything, own


def crawl_rows(order: str, store: str, one: Measured, pages: int) -> list[Row]:
    """Speed and memory of a whole crawl. On BVGraph a third of the speed is aimed at."""
    aim = AIMS[order] / (3 if store == "bvgraph" else 1)
    what = f"{order}, {store}, {len(one.run):,} of {pages:,} pages fetched"
    return [
        Row(what, one.speed, "M pages/s", f"{aim:.2g}"),
        Row("  peak memory", one.peak / 2**30, "GiB"),
        Row("  beside the web", one.own / pages, "bytes/page", "" if order == LIVE else "40"),
    ]


def peer_rows(web: Web, seeds: list[int], budget: int) -> list[Row]:
    """FPR@100 beside the same in Python."""
    ours = [crawl(web, seeds, "fpr@100", budget) for _ in range(3)]
    seconds, fetched = timed(lambda: in_python(web, seeds, budget, 100.0))
    if fetched != ours[0].pages.tolist():
        raise RuntimeError("the peer fetched other pages")
    speed = budget / statistics.median(run.seconds for run in ours) / 1e6
    what = f"fpr@100, csr, {budget:,} pages fetched"
    return [Row(what, speed, "M pages/s", "", "Python's heapq, the same pages", budget / seconds / 1e6)]


def in_python(web: Web, seeds: list[int], budget: int, inter: float, damping: float = 0.85) -> list[int]:
    """Algorithm 2 with dictionaries and a heap, ties as ours; entries whose score has risen since are skipped."""
    arrays: Any = web.links.arrays()
    host = web.sites("host").of_page
    score = {seed: (1 - damping) * (1 / len(seeds)) for seed in seeds}
    number = {seed: k for k, seed in enumerate(seeds)}
    heap = [(-first_bits(score[seed]), number[seed], seed, score[seed]) for seed in seeds]
    heapq.heapify(heap)
    fetched: list[int] = []
    while heap and len(fetched) < budget:
        _, _, page, held = heapq.heappop(heap)
        if score[page] != held:
            continue
        fetched.append(page)
        score[page] = -1.0
        targets = arrays.out_idx[arrays.out_ptr[page] : arrays.out_ptr[page + 1]]
        across = host[targets] != host[page]
        count = int(across.sum())
        unit = damping * held / max(1.0, len(targets) - count + inter * count)
        for target, leaves in zip(targets.tolist(), across.tolist(), strict=True):
            before = score.get(target, 0.0)
            if before >= 0:
                score[target] = risen = before + (unit * inter if leaves else unit)
                heapq.heappush(heap, (-first_bits(risen), number.setdefault(target, len(number)), target, risen))
    return fetched


def first_bits(score: float) -> float:
    """A score by its first 32 bits, by which orders compare: what is equal on paper is tied."""
    mantissa, exponent = math.frexp(score)
    return math.ldexp(round(math.ldexp(mantissa, 32)), exponent - 32)


def figure_rows(runs: dict[str, Run], pages: int) -> list[Row]:
    """Figure 3, written into README.md where the web has its full size, and how far apart its lines end."""
    text = figure(runs)
    print(text, file=sys.stderr)
    if pages == PAGES:
        write_between_markers("figure 3", f"Measured on: {machine()}.\n\n{text}")
    slow, quick = runs["windowed-rankmass@5"].seconds, runs["fpr"].seconds
    return [Row("Figure 3: windowed-rankmass@5 over fpr (the paper: 4.5)", slow / quick, "times")]


def figure(runs: dict[str, Run]) -> str:
    """Seconds against pages fetched, and at the end those of the first order as 1."""
    budget = min(len(run) for run in runs.values())
    lines = [f"| M pages fetched | {' | '.join(f'{order}, s' for order in runs)} |", "|---:" * (len(runs) + 1) + "|"]
    for point in range(1, POINTS + 1):
        pages = budget * point // POINTS
        times = (np.interp(pages, run.samples.fetched, run.samples.seconds) for run in runs.values())
        lines.append(f"| {pages / 1e6:.2f} | {' | '.join(f'{seconds:.2f}' for seconds in times)} |")
    first = next(iter(runs.values()))
    lines.append(
        f"| times {first.order} | {' | '.join(f'{run.seconds / first.seconds:.2f}' for run in runs.values())} |"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=PAGES)
    options = parser.parse_args()
    print(machine())
    for row in rows(options.pages):
        print(f"{row.what}: {row.value:.4g} {row.unit}  aim {row.aim}  {row.peer} {row.peer_value or ''}")

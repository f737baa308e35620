"""How often carried seeds are right, on pairs of synthetic snapshots, which know: a page has the same key in both.

python benchmarks/refresh.py --pages 20000 --webs 11 12              as the pairs are: some names are kept
python benchmarks/refresh.py --pages 20000 --webs 11 12 --names file    pages that are not kept are in other folders
python benchmarks/refresh.py --pages 20000 --webs 11 12 --names none    and have other names too: links alone tell

Prints, for each step and confidence, the rows, their mean confidence, and the share of them that is the same page, or
its successor: another page in its place, that others link to as they did to the old one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.seeds.refresh.refresh import refresh
from seedbed.seeds.refresh.refreshed_seeds import HUB, KEPT, MOVED, RENAMED, SIMILAR
from seedbed.synth import make_web
from seedbed.urls.url_table import UrlTable

BINS = (0.0, 0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.01)
SAME, SUCCESSOR, NEITHER = range(3)
Table = list[tuple[str, float, int, bool]]


def other_names(old: Web, new: Web, names: str) -> Web:
    """The new snapshot with other URLs for the pages whose URL the old one does not have."""
    if old.urls is None or new.urls is None:
        raise ValueError("both snapshots need URLs")
    urls = new.urls.many(np.arange(new.page_count))
    fresh = np.flatnonzero(old.urls.find_many(urls) < 0).tolist()
    for page in fresh:
        scheme, _, host, *folders, file = urls[page].split("/")
        urls[page] = "/".join([scheme, "", host, *(f"{folder}x" for folder in folders), file])
        if names == "none":
            urls[page] = f"{scheme}//{host}/{page * 2654435761 % 2**32:x}.html"
    return Web(new.links, urls=UrlTable.from_strings(urls), columns=new.columns)


def judged(old: Web, new: Web, seeds: list[int]) -> Table:
    """(step, confidence, truth, whether the page is still there) of every row."""
    before, after = old.columns["key"], new.columns["key"]
    there = np.isin(before, after)
    table: Table = []
    for row in refresh(old, new, seeds, strategy="outdegree").rows:
        if row.old_page is not None and row.page is not None:
            one, other = int(before[row.old_page]), int(after[row.page])
            truth = SAME if one == other else SUCCESSOR if one >> 1 == other >> 1 else NEITHER
            table.append((row.how, row.confidence, truth, bool(there[row.old_page])))
    return table


def seeds_of(old: Web, kind: str, count: int) -> list[int]:
    """Pages of the old snapshot that stand in for seeds."""
    which = {
        "random": np.arange(old.page_count),
        "links": np.flatnonzero(old.links.out_degrees() >= 10),
        "hubs": np.flatnonzero(old.columns["core_hub"]),
    }[kind]
    return sorted(np.random.default_rng(1).choice(which, min(count, len(which)), replace=False).tolist())


def show(table: Table) -> None:
    """Print the table."""
    print("| how | confidence | rows | mean confidence | same page | successor | neither |")
    print("|---|---|---|---|---|---|---|")
    for step in (KEPT, RENAMED, MOVED, SIMILAR, HUB):
        rows = [row for row in table if row[0] == step]
        for low, high in pairwise(BINS):
            part = [row for row in rows if low <= row[1] < high]
            if part:
                mean = np.mean([row[1] for row in part])
                shares = [np.mean([row[2] == truth for row in part]) for truth in (SAME, SUCCESSOR, NEITHER)]
                words = " | ".join(f"{share:.0%}" for share in shares)
                print(f"| {step} | {low:g} to {min(high, 1):g} | {len(part):,} | {mean:.2f} | {words} |")
    lost = [row for row in table if row[3] and row[0] not in (KEPT, RENAMED)]
    found = {how: sum(row[0] == how and row[2] == SAME for row in lost) for how in (MOVED, SIMILAR)}
    print(f"\n{len(lost):,} pages are there under another URL; found by moved {found[MOVED]:,}, by similar", end=" ")
    print(f"{found[SIMILAR]:,}")


def main() -> None:
    """Make pairs, carry seeds over, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--webs", type=int, nargs="+", default=[1, 2], help="the seeds of the synthetic webs")
    parser.add_argument("--count", type=int, default=3_000, help="seeds to carry over, of each web")
    parser.add_argument("--kind", choices=["random", "links", "hubs"], default="random")
    parser.add_argument("--names", choices=["kept", "file", "none"], default="kept")
    asked = parser.parse_args()
    table: Table = []
    for seed in asked.webs:
        with tempfile.TemporaryDirectory() as folder:
            old, new = map(open_store, make_web(Path(folder) / "pair", pages=asked.pages, snapshots=2, seed=seed))
            if asked.names != "kept":
                new = other_names(old, new, asked.names)
            table += judged(old, new, seeds_of(old, asked.kind, asked.count))
    print(f"python benchmarks/{Path(__file__).name} {' '.join(sys.argv[1:])}\n")
    show(table)


if __name__ == "__main__":
    main()

"""What the live scheduler gains over Scrapy's own: PageRank fetched in as many fetches, in real crawls of made webs.

    python -m benchmarks.live_gain --webs 5 --pages 20000 --orders fpr@100 opic --share 0.2
    python -m benchmarks.live_gain --webs 5 --pages 20000 --orders fpr@100 opic --share 0.1 --delay 1
    python -m benchmarks.live_gain --webs 5 --pages 20000 --orders live-pagerank live-pagerank+last --survival 0.5

Each web is served on loopback under all its host names and crawled once by each scheduler, from the same seeds, with
Scrapy's default settings, or with a download delay. The ratios of several webs have 95 % intervals. With --survival
webs come in two snapshots: the newer is crawled, and an order with +last is given the PageRank of the older, by URL.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tests.graphs import lists_of
from tests.live import numbers, put_web, scrapy, server

from seedbed.evaluation.intervals import mean_interval
from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.ranking.pagerank import pagerank
from seedbed.synth import make_web

OURS, THEIRS = "seedbed.integrations.scrapy.ImportanceScheduler", "scrapy.core.scheduler.Scheduler"
SEEDS = 20
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


LAST = "+last"


def reached(
    seed: int, pages: int, orders: list[str], share: float, delay: float, survival: float | None
) -> dict[str, list[float]]:
    """The PageRank that each order has after some shares of all pages, on the web of this seed."""
    budget = int(share * pages)
    with tempfile.TemporaryDirectory() as folder, server() as served:
        pair = {} if survival is None else {"snapshots": 2, "survival": survival}
        *old, path = make_web(Path(folder) / "web", pages=pages, links_per_page=8, seed=seed, threads=1, **pair)
        made = open_store(path)
        pages = made.page_count
        web = put_web(served, lists_of(made.links), made.sites("host").of_page.tolist())
        rank = pagerank(web).scores
        start = [web.urls[page] for page in range(0, pages, pages // SEEDS)]  # type: ignore[index]
        last = Path(folder) / "last.csv"
        for one in old:
            write_last(last, open_store(one), dict(zip(made.urls, web.urls, strict=True)))
        found = {}
        for order in ["Scrapy", *orders]:
            served.asked.clear()
            mine: dict[str, Any] = (
                {"SCHEDULER": THEIRS}
                if order == "Scrapy"
                else {"SCHEDULER": OURS, "SEEDBED_ORDER": order.removesuffix(LAST)}
            )
            mine |= {"SEEDBED_LAST": str(last)} if order.endswith(LAST) else {}
            mine |= {"CLOSESPIDER_PAGECOUNT": budget, "DOWNLOAD_DELAY": delay, "LOG_LEVEL": "ERROR"}
            scrapy(start, Path(folder), "OwnSeeds", **mine)
            sums = np.cumsum(rank[numbers(served)])
            found[order] = [float(sums[min(int(s * pages), len(sums)) - 1]) for s in SHARES if s <= share]
    return found


def write_last(path: Path, old: Web, served: dict[str, str]) -> None:
    """What the older snapshot knew, as a ranking file; pages that the newer has too are under the URLs served."""
    rows = zip(old.urls, pagerank(old).scores.tolist(), strict=True)  # type: ignore[arg-type]
    path.write_text("url,score\n" + "".join(f"{served.get(url, url)},{score}\n" for url, score in rows))


def main() -> int:
    """Crawl, and print a table: fetched share, Scrapy's PageRank, and each order's ratio to it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--orders", nargs="+", default=["fpr@100"])
    parser.add_argument("--share", type=float, default=0.2, help="how much of a web to fetch")
    parser.add_argument("--delay", type=float, default=0.0, help="DOWNLOAD_DELAY")
    parser.add_argument("--survival", type=float, help="the share of pages that the older snapshot has too")
    options = parser.parse_args()
    given = (options.pages, options.orders, options.share, options.delay, options.survival)
    found = [reached(seed, *given) for seed in range(1, options.webs + 1)]
    print("| fetched | PageRank, Scrapy's order |", *(f"{order}, times that |" for order in options.orders))
    print("|---|---|" + "---|" * len(options.orders))
    for row, share in enumerate(one for one in SHARES if one <= options.share):
        theirs = np.array([one["Scrapy"][row] for one in found])
        ratios = [mean_interval(np.array([one[order][row] for one in found]) / theirs) for order in options.orders]
        print(f"| {100 * share:g} % | {theirs.mean():.3f} |", *(f"{ratio} |" for ratio in ratios))
    return 0


if __name__ == "__main__":
    sys.exit(main())

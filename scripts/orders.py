"""The table and the picture of docs/crawl.md: what every order has fetched of a web's PageRank, and what none can.

python scripts/orders.py WEB docs/pictures/orders.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import seedbed as sb
from seedbed.crawling.bound import bound
from seedbed.evaluation.tables_and_figures import Figure, Series
from seedbed.report.svg_figures import draw

ORDERS = (
    "oracle",
    "live-pagerank",
    "pagerank",
    "fpr@100",
    "opic",
    "fpr@20",
    "fpr@2",
    "rankmass",
    "windowed-rankmass@5",
    "fpr",
    "windowed-rankmass@20",
    "random",
    "backlink",
    "bfs",
    "dfs",
    "largest-site-first",
)
PAGES = (1000, 5000, 10_000, 20_000, 40_000, 80_000)
POINTS = 60
SEEDS = 20


def main(web_path: Path, picture: Path) -> None:
    """Crawl in every order from the pages with the highest PageRank."""
    web = sb.open(web_path)
    scores = sb.rank(web).scores
    seeds = sb.select(web, "pagerank", SEEDS)
    print(f"| order | {' | '.join(f'{pages:,}' for pages in PAGES)} | average |\n|---|{'---:|' * (len(PAGES) + 1)}")
    series = [told("bound: no order can fetch more", bound(web, seeds, scores)[1:])]
    for order in ORDERS:
        run = sb.crawl(web, seeds, order, scores=scores)
        series.append(told(order, np.cumsum(scores[run.pages])))
    title = f"PageRank fetched, from the {SEEDS} pages with most of it"
    picture.write_text(draw(Figure("orders", title, "pages fetched", "PageRank, %", tuple(series), ())))


def told(name: str, mass: NDArray[np.float64]) -> Series:
    """A row of the table, printed, and the same as a line."""
    percent = 100 * mass
    cells = " | ".join(f"{percent[min(pages, len(percent)) - 1]:.1f}" for pages in PAGES)
    print(f"| {name} | {cells} | {percent.mean():.1f} |", flush=True)
    at = np.linspace(0, len(percent), POINTS + 1)[1:].astype(np.int64)
    return Series(name, (0.0, *map(float, at)), (0.0, *map(float, percent[at - 1])))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

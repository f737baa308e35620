"""The table and the picture of docs/crawl.md: what every order has fetched of a web's PageRank, page by page.

python scripts/orders.py WEB docs/pictures/orders.svg
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import seedbed as sb
from seedbed.evaluation.experiments.result import Figure, Series
from seedbed.report.svg import draw

ORDERS = (
    "oracle",
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
    scores = sb.pagerank(web).scores
    seeds = sb.select(web, "pagerank", SEEDS)
    series = []
    print(f"| order | {' | '.join(f'{pages:,}' for pages in PAGES)} | average |\n|---|{'---:|' * (len(PAGES) + 1)}")
    for order in ORDERS:
        run = sb.crawl(web, seeds, order, scores=scores)
        mass = 100 * np.cumsum(scores[run.pages])
        cells = " | ".join(f"{mass[min(pages, len(run)) - 1]:.1f}" for pages in PAGES)
        print(f"| {order} | {cells} | {mass.mean():.1f} |", flush=True)
        at = np.linspace(0, len(run), POINTS + 1)[1:].astype(np.int64)
        series.append(Series(order, (0.0, *map(float, at)), (0.0, *map(float, mass[at - 1]))))
    title = f"PageRank fetched, from the {SEEDS} pages with most of it"
    picture.write_text(draw(Figure("orders", title, "pages fetched", "PageRank, %", tuple(series), ())))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

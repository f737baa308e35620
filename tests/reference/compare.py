"""The comparison of crawls in plain Python: what a pair holds of PageRank, page by page."""

from __future__ import annotations

from collections.abc import Sequence


def held(pages: Sequence[int], pagerank: Sequence[float], budget: int) -> list[float]:
    """PageRank of the first 1, 2, … budget pages; a crawl that ends early stays where it is."""
    sums, total = [], 0.0
    for fetched in range(budget):
        if fetched < len(pages):
            total += pagerank[pages[fetched]]
        sums.append(total)
    return sums


def average_height(sums: Sequence[float]) -> float:
    """The area under straight lines from 0 through the sums, over their number."""
    area, before = 0.0, 0.0
    for one in sums:
        area += (before + one) / 2
        before = one
    return area / len(sums)


def mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)

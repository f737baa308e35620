"""What no crawl can beat, by trying everything; for webs of a few pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from tests.reference.crawl_orders import Graph, Limits, chance


def can_be_fetched(page: int, limits: Limits) -> bool:
    """Whether a page is neither barred nor bound to fail."""
    if limits.barred and limits.barred[page]:
        return False
    return not limits.failure or chance(limits.salt, page) >= limits.failure[limits.hosts[page]]


def crawls(graph: Graph, seeds: Sequence[int], limits: Limits) -> Iterator[list[int]]:
    """Every list of pages that some crawl fetches, one after the other; each as long as it can be, and cut short.

    At any moment any page that waits may be next. A page's depth is that of the link that discovered it.
    """

    def go_on(fetched: list[int], depth: dict[int, int], waiting: list[int]) -> Iterator[list[int]]:
        yield fetched
        for page in waiting:
            rest = [other for other in waiting if other != page]
            of_host = sum(limits.hosts[other] == limits.hosts[page] for other in fetched) if limits.per_host else 0
            if not can_be_fetched(page, limits) or (limits.per_host and of_host >= limits.per_host):
                continue
            found = {target: depth[page] + 1 for target in graph[page] if target not in depth}
            if limits.max_depth is not None:
                found = {target: steps for target, steps in found.items() if steps <= limits.max_depth}
            yield from go_on([*fetched, page], {**depth, **found}, [*rest, *found])

    yield from go_on([], dict.fromkeys(seeds, 0), list(dict.fromkeys(seeds)))


def most_of_all_crawls(crawled: Iterator[list[int]], values: Sequence[float], budget: int) -> list[float]:
    """The most that 0, 1, 2, … pages fetched are worth in any of these crawls; one that ends early stays as it is."""
    most = [0.0] * (budget + 1)
    for fetched in crawled:
        worth = sum(values[page] for page in fetched)
        for at in range(len(fetched), budget + 1):
            most[at] = max(most[at], worth)
    return most


def depths(graph: Graph, seeds: Sequence[int], limits: Limits) -> dict[int, int]:
    """Links from the nearest seed, over pages that can be fetched, for each page that can be."""
    found: dict[int, int] = {}
    layer, steps = list(seeds), 0
    while layer and (limits.max_depth is None or steps <= limits.max_depth):
        layer = [page for page in dict.fromkeys(layer) if page not in found and can_be_fetched(page, limits)]
        found |= dict.fromkeys(layer, steps)
        layer, steps = [target for page in layer for target in graph[page]], steps + 1
    return found


def bound(graph: Graph, seeds: Sequence[int], values: Sequence[float], budget: int, limits: Limits) -> list[float]:
    """The most that any list of pages is worth whose t-th page has a depth below t."""
    least = depths(graph, seeds, limits)
    if limits.per_host is not None:
        kept = {}
        for host in set(limits.hosts):
            own = sorted((page for page in least if limits.hosts[page] == host), key=lambda page: -values[page])
            kept |= dict.fromkeys(own[: limits.per_host], min((least[page] for page in own), default=0))
        least = kept
    budget = min(budget, len(least))
    lists = (
        list(pages)
        for count in range(budget + 1)
        for pages in permutations(least, count)
        if all(least[page] < place for place, page in enumerate(pages, 1))
    )
    return most_of_all_crawls(lists, values, budget)

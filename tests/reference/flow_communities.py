"""Flow communities by trying every set of pages."""

from __future__ import annotations

from itertools import combinations

from tests.graphs import Lists


def within_two_links(lists: Lists, seeds: set[int]) -> set[int]:
    """The pages at most two links from a seed, links followed both ways."""
    around = set(seeds)
    for _ in range(2):
        around |= {other for pair in undirected(lists) if pair & around for other in pair}
    return around


def undirected(lists: Lists) -> set[frozenset[int]]:
    """The pairs of different pages that a link joins."""
    return {frozenset((page, target)) for page, row in enumerate(lists) for target in row if target != page}


def flow_community(lists: Lists, seeds: set[int]) -> tuple[set[int], int]:
    """The smallest set with the least cut, and that cut; smaller sets are tried first."""
    around = within_two_links(lists, seeds)
    pairs = [pair for pair in undirected(lists) if pair <= around]
    others = sorted(around - seeds)
    best, least = set(seeds), float("inf")
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            inside = seeds | set(chosen)
            cut = size + len(seeds) * sum(len(pair & inside) == 1 for pair in pairs)
            if cut < least:
                best, least = inside, cut
    return best, int(least)

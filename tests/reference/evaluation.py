"""Naive twins of the measures: plain Python, written for reading."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Lists = Sequence[Sequence[int]]


def distance(lists: Lists, sources: set[int], targets: set[int]) -> int | None:
    """Links on the shortest way from any of the sources to any of the targets; None where there is none."""
    seen, front, steps = set(sources), set(sources), 0
    while front:
        if front & targets:
            return steps
        front = {target for page in front for target in lists[page]} - seen
        seen |= front
        steps += 1
    return None


def core_distances(lists: Lists, cores: Sequence[set[int]]) -> list[list[int | None]]:
    return [[distance(lists, one, other) for other in cores] for one in cores]


def within(lists: Lists, seeds: Sequence[int], hops: int) -> set[int]:
    """The pages within so many links of a seed."""
    reached = set(seeds)
    for _ in range(hops):
        reached |= {target for page in reached for target in lists[page]}
    return reached


def by_depth(lists: Lists, seeds: Sequence[int], score: Sequence[float]) -> list[tuple[int, float]]:
    """(pages, their average score) at each depth of a breadth-first crawl."""
    levels = []
    seen, front = set(seeds), set(seeds)
    while front:
        levels.append((len(front), sum(score[page] for page in front) / len(front)))
        front = {target for page in front for target in lists[page]} - seen
        seen |= front
    return levels


def height(fetched: Sequence[float], mass: Sequence[float], x: float) -> float:
    """A cumulative curve at x: straight between its points and (0, 0), level after the last."""
    points = [(0.0, 0.0), *zip(fetched, mass, strict=True)]
    for (left, low), (right, high) in pairwise(points):
        if left <= x <= right:
            return low + (high - low) * (x - left) / (right - left)
    return points[-1][1]

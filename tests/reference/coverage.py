"""Seeds by coverage, written for reading: every page is weighed anew for every seed, with sets and queues.

A problem is a graph, the value of each page, how many links a seed covers, the pages that may be chosen, seeds that are
there already, and at most so many seeds a site.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tests.reference.shape import Graph, distances_from, strong, turned


@dataclass
class Task:
    graph: Graph
    values: Sequence[float]
    hops: int
    allowed: set[int] | None = None
    taken: tuple[int, ...] = ()
    sites: Sequence[int] | None = None
    max_per_site: int | None = None
    chosen: list[int] = field(default_factory=list)
    covered: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for page in self.taken:
            self.covered |= within(self.graph, page, self.hops)

    def may_pick(self, page: int) -> bool:
        if page in self.taken or page in self.chosen or (self.allowed is not None and page not in self.allowed):
            return False
        if self.sites is None or self.max_per_site is None:
            return True
        seeds_of = Counter(self.sites[seed] for seed in (*self.taken, *self.chosen))
        return seeds_of[self.sites[page]] < self.max_per_site

    def left(self, page: int) -> float:
        return 0 if page in self.covered else self.values[page]

    def weight(self, page: int, depth: int) -> float:
        return sum(self.left(other) for other in within(self.graph, page, depth))

    def choose(self, page: int) -> None:
        self.chosen.append(page)
        self.covered |= within(self.graph, page, self.hops)

    def open_pages(self) -> list[int]:
        return [page for page in range(len(self.graph)) if self.may_pick(page)]


def within(graph: Graph, source: int, links: int) -> set[int]:
    """The pages at most so many links away."""
    away = {source: 0}
    queue = deque([source])
    while queue:
        page = queue.popleft()
        if away[page] == links:
            continue
        for target in graph[page]:
            if target not in away:
                away[target] = away[page] + 1
                queue.append(target)
    return set(away)


def best_of(pages: Iterable[int], score: Callable[[int], float]) -> int | None:
    """The page with the largest score, of several the smallest."""
    return min(pages, key=lambda page: (-score(page), page), default=None)


def maxweight(task: Task, k: int, depth: int) -> list[int]:
    while len(task.chosen) < k:
        page = best_of(task.open_pages(), lambda page: task.weight(page, depth))
        if page is None or task.weight(page, depth) <= 0:
            break
        task.choose(page)
    return task.chosen


def greedy(task: Task, k: int) -> list[int]:
    return maxweight(task, k, task.hops)


def maxout(task: Task, k: int) -> list[int]:
    while len(task.chosen) < k and any(task.left(page) != 0 for page in range(len(task.graph))):
        pages = [page for page in task.open_pages() if page not in task.covered]
        page = best_of(pages, lambda page: len(task.graph[page] - task.covered))
        if page is None:
            break
        task.choose(page)
    return task.chosen


def value_of(task: Task, part: frozenset[int]) -> float:
    return sum(task.left(page) for page in part)


def heaviest_first(task: Task, parts: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    return sorted(parts, key=lambda part: (-value_of(task, part), min(part)))


def best_in(task: Task, part: frozenset[int], depth: int) -> int | None:
    page = best_of([page for page in part if task.may_pick(page)], lambda page: task.weight(page, depth))
    return page if page is not None and task.weight(page, depth) > 0 else None


def first_offer(task: Task, parts: Iterable[frozenset[int]], depth: int) -> int | None:
    return next((page for part in parts if (page := best_in(task, part, depth)) is not None), None)


def maxscc(task: Task, k: int, depth: int) -> list[int]:
    parts = strong(task.graph)
    while len(task.chosen) < k and any(task.left(page) != 0 for page in range(len(task.graph))):
        page = first_offer(task, heaviest_first(task, parts), depth)
        if page is None:
            break
        task.choose(page)
    return task.chosen


def rootscc(task: Task, k: int, depth: int) -> list[int]:
    parts = strong(task.graph)
    back = turned(task.graph)
    roots = {part for part in parts if all(back[page] <= part for page in part)}

    def reaching(part: frozenset[int]) -> list[frozenset[int]]:
        reached = distances_from(back, min(part))
        return heaviest_first(task, [root for root in roots if root & reached.keys()])

    while len(task.chosen) < k and any(task.left(page) != 0 for page in range(len(task.graph))):
        offers = [root for part in heaviest_first(task, parts) for root in reaching(part)]
        page = first_offer(task, offers, depth)
        if page is None:
            break
        task.choose(page)
    return task.chosen


def gain(graph: Graph, seeds: Sequence[int], values: Sequence[float], hops: int) -> list[tuple[int, float]]:
    """(pages, value) covered after each seed."""
    covered: set[int] = set()
    found = []
    for seed in seeds:
        covered |= within(graph, seed, hops)
        found.append((len(covered), sum(values[page] for page in covered)))
    return found


def best_value(graph: Graph, values: Sequence[float], hops: int, k: int) -> float:
    """The most value that k seeds can cover, by trying all sets."""
    from itertools import combinations

    balls = [within(graph, page, hops) for page in range(len(graph))]
    return max(
        sum(values[page] for page in set().union(*(balls[seed] for seed in seeds)))
        for seeds in combinations(range(len(graph)), min(k, len(graph)))
    )

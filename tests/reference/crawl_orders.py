"""Crawls and orders, written for reading: in every step each page that waits is looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Graph = Sequence[Sequence[int]]
Number = float | Fraction
WORD = 2**64


def chance(salt: int, number: int) -> float:
    """A number from 0 to 1: 64 bits, mixed by two multiplications, of which the upper 53 count."""
    word = (number * 0x9E3779B97F4A7C15 + salt * 0xC2B2AE3D27D4EB4F) % WORD
    for _ in range(2):
        word = (word ^ word >> 32) * 0xD6E8FEB86659FD93 % WORD
    return ((word ^ word >> 32) >> 11) / 2**53


def to_32_bits(score: Number) -> Number:
    """What scores are compared by: floats rounded to 32 significant bits, fractions as they are."""
    if isinstance(score, Fraction):
        return score
    mantissa, exponent = math.frexp(score)
    return math.ldexp(round(mantissa * 2**32), exponent - 32)


@dataclass
class Limits:
    """What a crawl may not do; `failure` has a probability for each host."""

    hosts: Sequence[int] = ()
    per_host: int | None = None
    max_depth: int | None = None
    failure: Sequence[float] = ()
    barred: Sequence[bool] = ()
    fetches_per_tick: int | None = None
    salt: int = 1


@dataclass
class Seen:
    """What the crawl knows; `known` and `waiting` in the order discovered, `fetched` as fetched."""

    seeds: Sequence[int]
    graph: Graph
    known: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    fetched: list[int] = field(default_factory=list)
    parent: dict[int, int] = field(default_factory=dict)
    depth: dict[int, int] = field(default_factory=dict)
    scores: list[Number] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)
    failed: int = 0
    refused: int = 0


class Order:
    """The highest score first; of those that are equal to 32 bits the page discovered first."""

    def enter(self, seen: Seen) -> None:
        """The seeds are known."""

    def score(self, page: int, seen: Seen) -> Number:
        return 0.0

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        """One of some pages that wait."""
        best = max(pages, key=lambda page: to_32_bits(self.score(page, seen)))
        return best, self.score(best, seen)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        """A page was fetched, and some of its links are new."""


def simulate(graph: Graph, seeds: Sequence[int], order: Order, budget: int, limits: Limits) -> Seen:
    """Crawl."""
    seen = Seen(seeds, graph)
    discover(seeds, -1, seen, limits)
    order.enter(seen)
    tick, used, asked = 0, set[int](), 0
    while seen.waiting and len(seen.fetched) < budget:
        if limits.fetches_per_tick is not None and (
            asked == limits.fetches_per_tick or all(limits.hosts[page] in used for page in seen.waiting)
        ):
            tick, used, asked = tick + 1, set(), 0
        page, score = order.pick([page for page in seen.waiting if not used or limits.hosts[page] not in used], seen)
        seen.waiting.remove(page)
        if limits.fetches_per_tick is not None:
            used.add(limits.hosts[page])
        if not allowed(page, seen, limits):
            seen.refused += 1
            continue
        asked += 1
        if limits.failure and chance(limits.salt, page) < limits.failure[limits.hosts[page]]:
            seen.failed += 1
            continue
        seen.fetched.append(page)
        seen.scores.append(score)
        seen.ticks.append(tick)
        order.learn(page, discover(graph[page], page, seen, limits), seen)
    return seen


def allowed(page: int, seen: Seen, limits: Limits) -> bool:
    """Whether the page's host is below its limit."""
    if limits.per_host is None:
        return True
    return sum(limits.hosts[other] == limits.hosts[page] for other in seen.fetched) < limits.per_host


def discover(pages: Sequence[int], source: int, seen: Seen, limits: Limits) -> list[int]:
    """Make pages known; those that are new and can be fetched."""
    new = []
    for page in pages:
        depth = 0 if source < 0 else seen.depth[source] + 1
        if page in seen.known or (limits.max_depth is not None and depth > limits.max_depth):
            continue
        seen.known.append(page)
        seen.parent[page], seen.depth[page] = source, depth
        if not (limits.barred and limits.barred[page]):
            seen.waiting.append(page)
            new.append(page)
    return new


class Latest(Order):
    """dfs."""

    def score(self, page: int, seen: Seen) -> Number:
        return seen.known.index(page)


class Lot(Order):
    """random, in polite crawls."""

    def __init__(self, key: int) -> None:
        self.key = key

    def score(self, page: int, seen: Seen) -> Number:
        return chance(self.key, seen.known.index(page) + 1)


class Random(Order):
    """random: the last page of the line takes the place of the one drawn."""

    def __init__(self, key: int) -> None:
        self.key = key
        self.line: list[int] = []
        self.draws = 0

    def enter(self, seen: Seen) -> None:
        self.line += seen.waiting

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        self.draws += 1
        at = int(len(self.line) * chance(self.key, self.draws))
        page, last = self.line[at], self.line.pop()
        if at < len(self.line):
            self.line[at] = last
        return page, 0.0

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        self.line += new


class Given(Order):
    """oracle."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = scores

    def score(self, page: int, seen: Seen) -> Number:
        return self.scores[page]


class Backlink(Order):
    """backlink: a link counts where its target is known, or becomes so by it."""

    def __init__(self) -> None:
        self.links: dict[int, int] = {}

    def score(self, page: int, seen: Seen) -> Number:
        return self.links.get(page, 0)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        for target in seen.graph[page]:
            if target in seen.known:
                self.links[target] = self.links.get(target, 0) + 1


class Opic(Order):
    """opic; with a Fraction for all the cash no share of it is rounded."""

    def __init__(self, cash: Number = 1.0) -> None:
        self.all = cash
        self.cash: dict[int, Number] = {}

    def enter(self, seen: Seen) -> None:
        self.cash = {page: self.all / len(seen.seeds) for page in seen.waiting}

    def score(self, page: int, seen: Seen) -> Number:
        return self.cash[page]

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        for target in seen.graph[page]:
            if target in seen.waiting:
                self.cash[target] = self.cash.get(target, 0) + self.cash[page] / len(seen.graph[page])


class LargestSite(Order):
    """largest-site-first."""

    def __init__(self, hosts: Sequence[int]) -> None:
        self.hosts = hosts
        self.found: list[int] = []

    def enter(self, seen: Seen) -> None:
        self.found += [self.hosts[page] for page in seen.waiting]

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        sizes = [sum(self.hosts[other] == self.hosts[page] for other in seen.waiting) for page in pages]
        largest = [page for page, size in zip(pages, sizes, strict=True) if size == max(sizes)]
        return min(largest, key=lambda page: self.found.index(self.hosts[page])), max(sizes)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        self.found += [self.hosts[target] for target in new]


class PageRank(Order):
    """pagerank@growth."""

    def __init__(self, growth: float = 10, damping: float = 0.85) -> None:
        self.growth, self.damping = growth, damping
        self.x: dict[int, float] = {}
        self.base, self.due = 0.0, 1

    def enter(self, seen: Seen) -> None:
        self.x = {page: 1 / len(seen.seeds) for page in seen.waiting}

    def score(self, page: int, seen: Seen) -> Number:
        return self.x[page]

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        fetched = len(seen.fetched)
        if fetched >= self.due:
            self.compute(seen)
            self.due = fetched + math.ceil(fetched * self.growth / 100)
        return super().pick(pages, seen)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        for target in new:
            self.x[target] = self.base + self.damping * (self.x[page] / len(seen.graph[page]))

    def compute(self, seen: Seen) -> None:
        for _ in range(50):
            coming = dict.fromkeys(seen.known, 0.0)
            came = 0.0
            for page in seen.fetched:
                targets = [target for target in seen.graph[page] if target in coming]
                for target in targets:
                    coming[target] += self.x[page] / len(seen.graph[page])
                if targets:
                    came += self.x[page] / len(seen.graph[page]) * len(targets)
            self.base = (1 - self.damping * came) / len(seen.known)
            x = {page: self.base + self.damping * coming[page] for page in seen.known}
            change = 0.0
            for page in seen.known:
                change += abs(x[page] - self.x.get(page, 0.0))
            self.x = x
            if change <= 1e-4:
                break

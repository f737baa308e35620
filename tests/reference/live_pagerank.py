"""live-pagerank written for reading, and the PageRank that it estimates, solved exactly."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from tests.reference.crawl_orders import Order, Seen, to_32_bits


class LivePageRank(Order):
    """`old`: what the last crawl knew of each page, nan where it is new, negative where it was gone."""

    def __init__(
        self, hosts: Sequence[int], inter: float = 1, damping: float = 0.85, old: Sequence[float] = ()
    ) -> None:
        self.hosts, self.inter, self.damping, self.old = hosts, inter, damping, old
        self.received: dict[int, float] = {}
        self.depth: dict[int, int] = {}
        self.own_part: dict[int, float] = {}
        self.passed: dict[int, float] = {}
        self.place: dict[int, float] = {}
        self.queue: deque[int] = deque()
        self.trust, self.due, self.given = 0.2, 50, 0.0

    def enter(self, seen: Seen) -> None:
        self.given = 0.1 * len(seen.seeds)
        for seed in seen.waiting:
            self.received[seed] = 1.0 + 0.1
            self.depth[seed], self.own_part[seed] = 0, 1.0
            self.place[seed] = self.place_of(seed)

    def place_of(self, page: int) -> float:
        if not self.old:
            return self.received[page]
        if self.old[page] < 0:
            return self.received[page] * 1e-12
        return self.received[page] + self.trust * (1.0 if math.isnan(self.old[page]) else self.old[page])

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, float]:
        if self.old and len(seen.fetched) >= self.due:
            self.due = int(len(seen.fetched) * 1.5) + 1
            self.trust = 0.2 * self.learnt()
            for page in seen.waiting:
                self.place[page] = self.place_of(page)
        best = max(pages, key=lambda page: to_32_bits(self.place[page]))
        return best, self.received[best]

    def learnt(self) -> float:
        both = sorted(page for page in self.received if self.old[page] > 0)
        if len(both) < 50:
            return 1.0
        now, then = ([math.log(scores[page]) for page in both] for scores in (self.received, self.old))
        if len(set(now)) == 1 or len(set(then)) == 1:
            return 1.0
        return min(1.0, max(0.0, float(np.corrcoef(now, then)[0, 1]) / 0.4))

    def receive(self, page: int, mass: float, seen: Seen) -> None:
        before = self.received[page]
        self.received[page] += mass
        if page in seen.waiting:
            self.place[page] += mass * 1e-12 if self.old and self.old[page] < 0 else mass
        elif before < 1.5 * self.passed.get(page, 0) <= self.received[page]:
            self.queue.append(page)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        self.give(page, seen)
        part = 0.1 * len(seen.known)
        if part >= 1.5 * self.given:
            each, self.given = (part - self.given) / len(seen.seeds), part
            for seed in seen.seeds:
                if seed in self.received:
                    self.receive(seed, each, seen)
        while self.queue:
            self.give(self.queue.popleft(), seen)

    def give(self, page: int, seen: Seen) -> None:
        """A page passes on what it has not passed on yet."""
        mass = self.received[page] - self.passed.get(page, 0)
        self.passed[page] = self.received[page]
        links = seen.graph[page]
        across = sum(self.hosts[target] != self.hosts[page] for target in links)
        for target in links:
            if target in seen.known:
                part = self.damping * mass / (len(links) - across + self.inter * across)
                part *= self.inter if self.hosts[target] != self.hosts[page] else 1
                depth = self.depth[page] + 1
                if target in self.received:
                    self.depth[target] = min(self.depth[target], depth)
                    self.receive(target, part, seen)
                else:
                    self.depth[target], self.own_part[target] = depth, min(1.0, (40 / depth) ** 2)
                    self.received[target] = self.own_part[target] + part
                    self.place[target] = self.place_of(target)


def exact(order: LivePageRank, seen: Seen) -> dict[int, float]:
    """x = v + d·xP solved for the part of the web seen, v being what the pages were given so far."""
    at = {page: k for k, page in enumerate(order.received)}
    given = np.array([order.own_part[page] for page in at])
    for seed in seen.seeds:
        if seed in at:
            given[at[seed]] += order.given / len(seen.seeds)
    flow = np.zeros((len(at), len(at)))
    for page in seen.fetched:
        weights = [order.inter if order.hosts[target] != order.hosts[page] else 1.0 for target in seen.graph[page]]
        for target, weight in zip(seen.graph[page], weights, strict=True):
            if target in at:
                flow[at[page], at[target]] = order.damping * weight / sum(weights)
    scores = np.linalg.solve(np.eye(len(at)) - flow.T, given)
    return {page: float(scores[k]) for page, k in at.items()}

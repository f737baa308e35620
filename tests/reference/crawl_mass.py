"""Orders that pass scores on, written for reading: FPR, RankMass and Windowed RankMass.

With a damping that is a Fraction all scores are, and none is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.crawl_orders import Number, Order, Seen, to_32_bits


class Passing(Order):
    """Seeds start with (1 − d)·t; what a page holds is given to its links."""

    def __init__(self, damping: Number = 0.85) -> None:
        self.damping = damping
        self.held: dict[int, Number] = {}
        self.bound: Number = 0.0 * damping

    def enter(self, seen: Seen) -> None:
        for seed in seen.waiting:
            self.held[seed] = (1 - self.damping) * (self.damping**0 / len(seen.seeds))

    def largest_first(self, seen: Seen) -> list[int]:
        """Pages that hold something; of equal ones the page discovered first."""
        return sorted((page for page in seen.known if page in self.held), key=lambda page: -to_32_bits(self.held[page]))

    def pass_on(self, page: int, seen: Seen) -> None:
        """To all links that wait or are fetched; a fetched page does not wait again for nothing."""
        held = self.held.pop(page)
        self.bound += held
        for target in seen.graph[page]:
            part = self.damping * held / len(seen.graph[page])
            if target in seen.waiting or (target in seen.fetched and part > 0):
                self.held[target] = self.held.get(target, 0) + part


class Fpr(Order):
    """Algorithm 2; with inter = 1 it is Algorithm 1."""

    def __init__(self, hosts: Sequence[int], inter: float = 1, damping: Number = 0.85) -> None:
        self.hosts, self.inter, self.damping = hosts, inter, damping
        self.fpr: dict[int, Number] = {}

    def enter(self, seen: Seen) -> None:
        for seed in seen.waiting:
            self.fpr[seed] = (1 - self.damping) * (self.damping**0 / len(seen.seeds))

    def score(self, page: int, seen: Seen) -> Number:
        return self.fpr[page]

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        across = [target for target in seen.graph[page] if self.hosts[target] != self.hosts[page]]
        weight = len(seen.graph[page]) - len(across) + self.inter * len(across)
        for target in seen.graph[page]:
            if target in seen.waiting:
                part = self.damping * self.fpr[page] / weight
                self.fpr[target] = self.fpr.get(target, 0) + (self.inter * part if target in across else part)


class RankMass(Passing):
    """As FPR, but fetched pages that receive wait again."""

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        self.held = {page: held for page, held in self.held.items() if page in seen.waiting or page in seen.fetched}
        while True:
            page = self.largest_first(seen)[0]
            if page in seen.waiting:
                return page, self.held[page]
            self.pass_on(page, seen)

    def learn(self, page: int, new: list[int], seen: Seen) -> None:
        self.pass_on(page, seen)


class Windowed(Passing):
    """The largest in a window are fetched, then all of it passes on."""

    def __init__(self, per_cent: float, damping: Number = 0.85) -> None:
        super().__init__(damping)
        self.per_cent = per_cent
        self.window: list[int] = []

    def pick(self, pages: list[int], seen: Seen) -> tuple[int, Number]:
        while not any(page in seen.waiting for page in self.window):
            self.close(seen)
            size = max(1, int(len(self.held) * self.per_cent / 100))
            self.window = self.largest_first(seen)[:size]
        page = next(page for page in self.window if page in seen.waiting)
        return page, self.held[page]

    def close(self, seen: Seen) -> None:
        """The window passes on; what a page holds that could not be fetched is lost."""
        for page in self.window:
            if page in seen.fetched:
                self.pass_on(page, seen)
            else:
                del self.held[page]
        self.window = []

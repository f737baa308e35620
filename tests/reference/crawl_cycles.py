"""Crawl cycles, written to be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit


class Cycles:
    """A crawl that is told after each batch what was fetched."""

    def __init__(self, order: str, seeds: Iterable[str], damping: float = 0.85, tolerance: float = 1e-6) -> None:
        self.order, self.damping, self.tolerance = order, damping, tolerance
        self.seeds = sorted(set(seeds))
        self.links: dict[str, set[str]] = {}
        self.fetched: set[str] = set()
        self.known = set(self.seeds)
        self.score = {} if order == "live-pagerank" else dict.fromkeys(self.seeds, (1 - damping) / len(self.seeds))
        self.window: list[str] = []
        self.guaranteed = 0.0

    def next(
        self, fetched: Iterable[str], links: Iterable[tuple[str, str]], n: int, per_host: int | None
    ) -> list[tuple[str, float]]:
        for source, target in links:
            self.known |= {source, target}
            if source != target:
                self.fetched.add(source)
                self.links.setdefault(source, set()).add(target)
        self.fetched |= set(fetched)
        self.known |= set(fetched)
        if self.order == "live-pagerank":
            self.iterate()
        else:
            self.pass_on()
        return self.batch(n, per_host)

    def iterate(self) -> None:
        seed_part = 0.1 * len(self.known) / len(self.seeds)
        self.score = {page: self.score.get(page, 1.0) for page in self.known}
        own = {page: 1.0 if depth <= 40 else (40 / depth) ** 2 for page, depth in self.depths().items()}
        moved = True
        while moved:
            new = {
                page: own[page] + seed_part * (page in self.seeds) + self.damping * self.received(page, self.score)
                for page in self.known
            }
            moved = any(abs(new[page] - self.score[page]) > self.tolerance * new[page] for page in self.known)
            self.score = new

    def depths(self) -> dict[str, int]:
        """Links from a seed; 0 for pages that no seed leads to."""
        found, reached = dict.fromkeys(self.known, 0), set(self.seeds)
        front, depth = list(self.seeds), 0
        while front:
            depth += 1
            front = [
                page for page in {page for one in front for page in self.links.get(one, ())} if page not in reached
            ]
            reached |= set(front)
            found |= dict.fromkeys(front, depth)
        return found

    def received(self, page: str, held: dict[str, float]) -> float:
        sources = sorted((one for one in held if page in self.links.get(one, ())), key=place)
        return sum(held[one] * (1 / len(self.links[one])) for one in sources)

    def pass_on(self) -> None:
        passing = {page: self.score[page] for page in self.window if page in self.fetched}
        self.guaranteed += sum(passing.values())
        kept = {page: 0.0 if page in passing else self.score.get(page, 0.0) for page in self.known}
        self.score = {page: kept[page] + self.damping * self.received(page, passing) for page in self.known}

    def batch(self, n: int, per_host: int | None) -> list[tuple[str, float]]:
        found: list[tuple[str, float]] = []
        on_host: Counter[str] = Counter()
        self.window = []
        for page in sorted(self.known, key=lambda page: (-self.score[page], *place(page))):
            if len(found) == n or self.score[page] == 0:
                break
            self.window.append(page)
            host = urlsplit(page).netloc
            if page not in self.fetched and (per_host is None or on_host[host] < per_host):
                on_host[host] += 1
                found.append((page, self.score[page]))
        return found


def place(page: str) -> tuple[list[str], str]:
    """By host, its labels from the last one on, then by URL."""
    return urlsplit(page).netloc.split(".")[::-1], page

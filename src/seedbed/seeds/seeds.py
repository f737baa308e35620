"""Seeds: the pages a crawl starts from, each with the reason why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Core:
    """Hubs and authorities with links from the first to the second. `density`: 100 · links / (hubs · authorities)."""

    hubs: NDArray[np.int64]
    authorities: NDArray[np.int64]
    density: float
    round: int
    hub_scores: NDArray[np.float64]
    authority_scores: NDArray[np.float64]


@dataclass(frozen=True)
class Pick:
    """A page that a strategy chose, before it has a rank."""

    page: int
    score: float = 0.0
    reason: str = ""
    core: Core | None = None


@dataclass(frozen=True)
class Seed:
    """A page that a crawl starts from: its place among the seeds, from 1 on, and why it is there."""

    rank: int
    page: int
    score: float
    strategy: str
    reason: str
    core: Core | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Gain:
    """Pages and value covered after each seed, of so many in all; `held`: by seeds that were there before them."""

    pages: NDArray[np.int64]
    value: NDArray[np.float64]
    total_pages: int
    total_value: float
    held_pages: int = 0
    held_value: float = 0.0

    @property
    def covered_pages(self) -> int:
        """Pages that all seeds cover together."""
        return int(self.pages[-1]) if len(self.pages) else self.held_pages

    @property
    def covered_value(self) -> float:
        """What those are worth."""
        return float(self.value[-1]) if len(self.value) else self.held_value

    def first(self, count: int) -> Gain:
        """The curve of the first seeds alone."""
        return replace(self, pages=self.pages[:count], value=self.value[:count])


@dataclass(frozen=True, eq=False)
class Seeds:
    """Seeds in the order in which they were chosen, and how."""

    strategy: str
    seeds: tuple[Seed, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    gain: Gain | None = None
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.seeds)

    def __iter__(self) -> Iterator[Seed]:
        return iter(self.seeds)

    @overload
    def __getitem__(self, at: int) -> Seed: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Seed, ...]: ...
    def __getitem__(self, at: int | slice) -> Seed | tuple[Seed, ...]:
        return self.seeds[at]

    @property
    def pages(self) -> NDArray[np.int64]:
        """The ids of the seeds."""
        return np.array([seed.page for seed in self.seeds], np.int64)

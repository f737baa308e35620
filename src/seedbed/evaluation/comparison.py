"""A comparison of strategies and orders: what each pair fetched, how sure that is, and which to use.

Every pair was crawled several times. The i-th crawls of all pairs belong together: the same pages failed in them, so
pairs are compared by the differences of what belongs together (`lead`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.areas import area
from seedbed.evaluation.intervals import Interval, mean_interval, paired_interval

if TYPE_CHECKING:
    from seedbed.evaluation.core_distances import CoreDistances
    from seedbed.graph.web import Web
    from seedbed.seeds.result import Seeds
    from seedbed.shape.result import Shape

Floats = NDArray[np.float64]

CHOSEN_BY_PAGERANK = frozenset({"pagerank"})
CHOSEN_BY_COVERAGE = frozenset({"cover", "greedy", "maxweight", "maxout", "maxscc", "rootscc"})
"""Strategies that choose seeds by what is measured afterwards; the measure is marked for them."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What a strategy chose, once for each draw of its chance; `seeds` is the first."""

    strategy: str
    draws: tuple[Seeds, ...]

    @property
    def seeds(self) -> Seeds:
        """The seeds to use and to show."""
        return self.draws[0]

    @property
    def has_chance(self) -> bool:
        """Whether other draws were made."""
        return len(self.draws) > 1

    @cached_property
    def covered(self) -> Floats:
        """draws × seeds: the share of the web's value covered after each seed; a draw that ends early stays."""
        longest = max((len(seeds) for seeds in self.draws), default=0)
        rows = np.zeros((len(self.draws), longest))
        for draw, seeds in enumerate(self.draws):
            gain = seeds.gain
            if gain is not None and len(gain.value):
                shares = gain.value / (gain.total_value or 1.0)
                rows[draw, : len(shares)] = shares
                rows[draw, len(shares) :] = shares[-1]
        return rows


@dataclass(frozen=True, eq=False)
class Crawls:
    """The crawls of a pair: `order` from the seeds of `strategy`. Curves are crawls × places in `fetched`.

    `pagerank`: a share of the web's; `hosts`, `communities`, `spam_share`: None where the web does not know them.
    `depth_pages`, `depth_pagerank`: pages a crawl and their average PageRank, by links from a seed. `seconds`: of a
    crawl. `exhausted`: in all crawls nothing was left to fetch before the budget.
    """

    strategy: str
    order: str
    oracle: bool
    fetched: NDArray[np.int64]
    pagerank: Floats
    hosts: Floats | None
    communities: Floats | None
    spam_share: Floats | None
    depth_pages: Floats
    depth_pagerank: Floats
    pages: Floats
    seconds: float
    exhausted: bool

    @property
    def name(self) -> str:
        """As people say it."""
        return f"{self.strategy} with {self.order}"

    @property
    def count(self) -> int:
        """How many crawls."""
        return len(self.pagerank)

    @property
    def mass(self) -> Interval:
        """The share of PageRank fetched at the end."""
        return mean_interval(self.pagerank[:, -1])

    @cached_property
    def areas(self) -> Floats:
        """For each crawl the average share of PageRank held on the way: the area under its curve, over the budget."""
        budget = float(self.fetched[-1])
        return np.array([area(self.fetched, curve, budget) / budget for curve in self.pagerank])

    @property
    def area(self) -> Interval:
        """The same, over all crawls."""
        return mean_interval(self.areas)

    @property
    def used_pagerank(self) -> bool:
        """Whether PageRank, which is measured, also chose the seeds or the order."""
        return self.oracle or self.strategy in CHOSEN_BY_PAGERANK


def lead(one: Crawls, other: Crawls, measure: str = "areas") -> Interval:
    """How far a pair is ahead of another: the interval of differences. `measure`: 'areas' or 'mass'."""
    mine, theirs = ((pair.areas if measure == "areas" else pair.pagerank[:, -1]) for pair in (one, other))
    # Without chance and failures a pair is crawled once, for every crawl would be the same.
    if len(mine) != len(theirs):
        mine, theirs = np.broadcast_arrays(mine, theirs)
    return paired_interval(mine, theirs)


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The pair to use, the next best, the lead over it, and the pairs that cannot be told from the best."""

    best: Crawls
    next_best: Crawls | None
    ahead: Interval | None
    level: tuple[Crawls, ...]
    best_unmarked: Crawls | None
    """The best pair whose seeds were not chosen by PageRank, where the best pair's were."""

    @property
    def sure(self) -> bool | None:
        """Whether the best is better than the next best beyond chance; None where that cannot be said."""
        if self.ahead is None or self.ahead.low is None:
            return None
        return self.ahead.above_zero


def recommend(crawls: tuple[Crawls, ...]) -> Recommendation:
    """The pair that holds the most PageRank on the way; never an oracle. Equal ones: the first."""
    ranked = sorted((one for one in crawls if not one.oracle), key=lambda one: -one.area.mean)
    best, *others = ranked
    level = tuple(one for one in others if not ahead_of(best, one))
    unmarked = next((one for one in others if not one.used_pagerank), None) if best.used_pagerank else None
    if not others:
        return Recommendation(best, None, None, (), None)
    return Recommendation(best, others[0], lead(best, others[0]), level, unmarked)


def ahead_of(one: Crawls, other: Crawls) -> bool:
    """Whether a pair is ahead of another, beyond chance; where each was crawled once, whether it is at all."""
    ahead = lead(one, other)
    return ahead.mean > 0 if ahead.low is None else ahead.above_zero


@dataclass(frozen=True, eq=False)
class Comparison:
    """All that a report says. `facts`: what the comparison was asked; `seconds`: what its parts took."""

    web: Web
    shape: Shape
    choices: tuple[Choice, ...]
    crawls: tuple[Crawls, ...]
    cores: Mapping[str, CoreDistances]
    facts: Mapping[str, Any]
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    recommendation: Recommendation = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "recommendation", recommend(self.crawls))

    def choice(self, strategy: str) -> Choice:
        """What a strategy chose."""
        return next(choice for choice in self.choices if choice.strategy == strategy)

    def pair(self, strategy: str, order: str) -> Crawls:
        """The crawls of a pair."""
        return next(one for one in self.crawls if (one.strategy, one.order) == (strategy, order))

    @cached_property
    def oracle(self) -> Crawls | None:
        """The best oracle, which is the upper bound; None where none was asked for."""
        return max((one for one in self.crawls if one.oracle), key=lambda one: one.area.mean, default=None)

    def share_of_oracle(self, pair: Crawls) -> float | None:
        """The area under a pair's curve as a share of the best oracle's."""
        if self.oracle is None:
            return None
        bound = self.oracle.area.mean
        return pair.area.mean / bound if bound else 1.0

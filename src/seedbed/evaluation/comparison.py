"""A comparison of strategies and orders: what each pair fetched, how sure that is, and which to use.

Every pair was crawled several times. The i-th crawls of all pairs belong together: the same pages failed in them, so
pairs are compared by the differences of what belongs together (`lead`). The best is held against all others at once, so
intervals of its leads are those that hold together (`intervals.together`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.common.results import Line, Picture, Plottable
from seedbed.evaluation.areas import area
from seedbed.evaluation.fill import chosen_by_strategy
from seedbed.evaluation.intervals import CONFIDENCE, Interval, mean_interval, together
from seedbed.evaluation.marks import own_measure

if TYPE_CHECKING:
    from seedbed.evaluation.core_distances import CoreDistances
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds
    from seedbed.shape.web_shape import Shape

Floats = NDArray[np.float64]

CHOSEN_BY_COVERAGE = frozenset({"cover", "greedy", "maxweight", "maxout", "maxscc", "rootscc"})
"""Strategies that choose seeds by what is measured afterwards; the measure is marked for them."""
TIE = 1e-9
"""Smaller differences are none: PageRank is computed to this, and sums are rounded."""


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

    @property
    def chosen(self) -> int:
        """How many of the seeds the strategy chose itself; the others fill up, see fill.py. Of draws, the fewest."""
        return min(chosen_by_strategy(seeds) for seeds in self.draws)

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
        return self.oracle or own_measure(self.strategy, "pagerank")


def lead(one: Crawls, other: Crawls, confidence: float = CONFIDENCE) -> Interval:
    """How far a pair is ahead of another in PageRank held on the way: the interval of differences."""
    mine, theirs = one.areas, other.areas
    # Without chance and failures a pair is crawled once, for every crawl would be the same.
    if len(mine) != len(theirs):
        mine, theirs = np.broadcast_arrays(mine, theirs)
    ahead = mine - theirs
    return mean_interval(np.where(np.abs(ahead) < TIE, 0.0, ahead), confidence)


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The pair to use, the next best, the lead over it, and the pairs that cannot be told from the best.

    `best_unmarked`: the best pair whose seeds were not chosen by PageRank, where the best pair's were. `once`: pairs
    that were crawled once, as the best was, so that no interval can be given. `rivals`: how many the best was held
    against; all intervals hold together.
    """

    best: Crawls
    next_best: Crawls | None
    ahead: Interval | None
    level: tuple[Crawls, ...]
    best_unmarked: Crawls | None
    once: tuple[Crawls, ...] = ()
    rivals: int = 1

    @property
    def sure(self) -> bool | None:
        """Whether the best is better than every other pair beyond chance; None where that cannot be said."""
        if self.ahead is None or self.ahead.low is None:
            return None
        if self.level:
            return False
        return None if self.once else self.ahead.above_zero


def recommend(crawls: tuple[Crawls, ...]) -> Recommendation:
    """The pair that holds the most PageRank on the way; never an oracle. Equal ones: the first."""
    ranked = sorted((one for one in crawls if not one.oracle), key=lambda one: -one.area.mean)
    best, *others = ranked
    if not others:
        return Recommendation(best, None, None, (), None)
    leads = [lead(best, one, together(len(others))) for one in others]
    level = tuple(one for one, ahead in zip(others, leads, strict=True) if not _is_ahead(ahead))
    once = tuple(one for one, ahead in zip(others, leads, strict=True) if ahead.low is None)
    unmarked = next((one for one in others if not one.used_pagerank), None) if best.used_pagerank else None
    return Recommendation(best, others[0], leads[0], level, unmarked, once, len(others))


def ahead_of(one: Crawls, other: Crawls) -> bool:
    """Whether a pair is ahead of another, beyond chance; where each was crawled once, whether it is at all."""
    return _is_ahead(lead(one, other))


def _is_ahead(ahead: Interval) -> bool:
    return ahead.mean > 0 if ahead.low is None else ahead.above_zero


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Plottable):
    """All that a report says. `facts`: what the comparison was asked; `seconds`: what its parts took.

    `bounds`: for each strategy the most PageRank that any order can hold from its seeds (crawling/bound.py), as curves.

    >>> import seedbed as sb
    >>> web = sb.make_web(pages=200)
    >>> found = sb.compare(web, strategies=["cover", "random"], orders=["fpr", "bfs"], k=3, repeats=3)
    >>> found.recommendation.best.strategy in ("cover", "random")
    True
    >>> found.to_arrow().num_rows
    4
    """

    web: Web
    shape: Shape
    choices: tuple[Choice, ...]
    crawls: tuple[Crawls, ...]
    bounds: Mapping[str, Floats]
    cores: Mapping[str, CoreDistances]
    facts: Mapping[str, Any]
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    recommendation: Recommendation = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "recommendation", recommend(self.crawls))

    def __repr__(self) -> str:
        best = self.recommendation.best
        held = f"{100 * best.mass.mean:.1f} % of PageRank after {counted(int(best.fetched[-1]), 'page')}"
        return f"Comparison({counted(len(self.crawls), 'pair')}, best: {best.name}, {held})"

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write all numbers and the recommended seeds into a folder. `sb.load` reads it."""
        from seedbed.evaluation.comparison_files import save_comparison

        save_comparison(self, Path(path), overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        from seedbed.evaluation.comparison_files import pair_row

        pairs = sorted(self.crawls, key=lambda pair: (pair.oracle, -pair.area.mean))[:rows]
        found = [pair_row(self, pair) for pair in pairs]
        return {name: [row[name] for row in found] for name in found[0]}

    def _picture(self, *, quick: bool = False) -> Picture:
        """The orders from the recommended seeds, and what no order can beat."""
        best = self.recommendation.best.strategy
        held = [(one.order, one.fetched, one.pagerank) for one in self.crawls if one.strategy == best]
        held.append(("bound", held[0][1], self.bounds[best]))
        lines = [Line(name, np.append(0, at), np.append(0.0, curve.mean(axis=0))) for name, at, curve in held]
        return Picture("pages fetched", f"share of PageRank held, seeds by {best}", lines)

    def choice(self, strategy: str) -> Choice:
        """What a strategy chose."""
        return next(choice for choice in self.choices if choice.strategy == strategy)

    def pair(self, strategy: str, order: str) -> Crawls:
        """The crawls of a pair."""
        return next(one for one in self.crawls if (one.strategy, one.order) == (strategy, order))

    def against_best(self, pair: Crawls) -> Interval:
        """How far a pair is ahead of the recommended one (below 0: behind); all such intervals hold together."""
        return lead(pair, self.recommendation.best, together(self.recommendation.rivals))

    def behind_best(self, pair: Crawls) -> Interval:
        """The same the other way round."""
        return lead(self.recommendation.best, pair, together(self.recommendation.rivals))

    @cached_property
    def bound(self) -> Floats:
        """The most that any order can hold from any of the seeds compared: at each place the highest bound."""
        return np.maximum.reduce(np.broadcast_arrays(*self.bounds.values()))

    @cached_property
    def bound_area(self) -> float:
        """What no pair can hold more of, averaged over the whole crawl."""
        fetched = self.crawls[0].fetched
        return float(np.mean([area(fetched, curve, float(fetched[-1])) for curve in self.bound]) / fetched[-1])

    def how_early(self, pair: Crawls) -> float:
        """PageRank held on the way as a share of the most that is possible: the areas under the curve and the bound."""
        return pair.area.mean / self.bound_area if self.bound_area else 1.0

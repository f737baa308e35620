"""A comparison of strategies and orders: what each pair fetched, how certain that is, and which to use.

Every pair of a strategy and an order was crawled several times. The same pages failed in the i-th crawls of all pairs,
so pairs are compared by the differences of their i-th crawls (`Pair.lead_over`). The best pair is compared with all
others, so the intervals of its leads are wide enough to hold simultaneously (`intervals.joint_confidence`).
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
from seedbed.evaluation.crawl_measures import area
from seedbed.evaluation.intervals import CONFIDENCE, Interval, joint_confidence, mean_interval

if TYPE_CHECKING:
    from seedbed.evaluation.comparison_seeds import Choice
    from seedbed.evaluation.core_distances import CoreDistances
    from seedbed.graph.web import Web
    from seedbed.shape.web_shape import Shape

Floats = NDArray[np.float64]
CURVES = ("pagerank", "hosts", "communities", "spam_share")
TIE = 1e-9
"""Smaller differences count as zero: PageRank is computed to this precision."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The crawls of a strategy's seeds in an order. Curves have a row per crawl and a column per entry of `fetched`.

    `pagerank`: a share of the web's. `hosts`, `communities`, `spam_share`: None if the web does not know them.
    `depth_pages`, `depth_pagerank`: pages and their average PageRank by links from a seed, averaged over crawls.
    `pages`: fetched by each crawl. `seconds`: per crawl. `exhausted`: every crawl ran out of pages before the budget.
    `chosen_by_pagerank`: PageRank, which is measured, also chose the seeds or the order. `gone`: pages fetched by each
    crawl that were gone, spam or duplicates in the last crawl; None if none is known to be.
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
    chosen_by_pagerank: bool = False
    gone: Floats | None = None

    @property
    def name(self) -> str:
        """The name for people."""
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
        """Per crawl, the share of PageRank held, averaged over the crawl: the area under its curve / the budget."""
        budget = float(self.fetched[-1])
        return np.array([area(self.fetched, curve, budget) / budget for curve in self.pagerank])

    @property
    def area(self) -> Interval:
        """The same, over all crawls."""
        return mean_interval(self.areas)

    def at_end(self, curve: str) -> float | None:
        """The mean of hosts, communities or spam_share at the end of the crawls."""
        rows: Floats | None = getattr(self, curve)
        return None if rows is None else float(rows[:, -1].mean())

    @property
    def spam(self) -> Interval | None:
        """The share of spam in the pages fetched; None if the web does not know what is spam."""
        return None if self.spam_share is None else mean_interval(self.spam_share[:, -1])

    def more_spam_than(self, other: Pair, confidence: float = CONFIDENCE) -> Interval | None:
        """How much larger its share of spam is than another pair's, crawl by crawl; None if spam is not known."""
        if self.spam_share is None or other.spam_share is None:
            return None
        mine, theirs = np.broadcast_arrays(self.spam_share[:, -1], other.spam_share[:, -1])
        return mean_interval(mine - theirs, confidence)

    def lead_over(self, other: Pair, confidence: float = CONFIDENCE) -> Interval:
        """How much more PageRank it holds than another pair, averaged over the crawl: the interval of differences."""
        # A pair without randomness and failures is crawled once, since every crawl would be the same.
        mine, theirs = np.broadcast_arrays(self.areas, other.areas)
        lead = mine - theirs
        return mean_interval(np.where(np.abs(lead) < TIE, 0.0, lead), confidence)

    def beats(self, other: Pair) -> bool:
        """Whether it is ahead of another pair beyond chance; if each was crawled once, whether it is ahead at all."""
        return _is_ahead(self.lead_over(other))


def _is_ahead(lead: Interval) -> bool:
    return lead.mean > 0 if lead.low is None else lead.above_zero


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The pair to use, the next best, the lead over it, and the pairs that may be as good as the best (`ties`).

    `best_independent`: if PageRank chose the seeds of the best pair, the best pair for which it did not.
    `crawled_once`: pairs that were crawled once, like the best, so that there is no interval. `rivals`: the number of
    pairs the best was compared with; all intervals hold simultaneously.
    """

    best: Pair
    next_best: Pair | None
    lead: Interval | None
    ties: tuple[Pair, ...]
    best_independent: Pair | None
    crawled_once: tuple[Pair, ...] = ()
    rivals: int = 1

    @property
    def sure(self) -> bool | None:
        """Whether the best is better than every other pair beyond chance; None if that is unknown."""
        if self.lead is None or self.lead.low is None:
            return None
        if self.ties:
            return False
        return None if self.crawled_once else self.lead.above_zero


def recommend(pairs: tuple[Pair, ...]) -> Recommendation:
    """The pair that holds the most PageRank averaged over the crawl, never an oracle. Ties go to the first."""
    best, *others = sorted((pair for pair in pairs if not pair.oracle), key=lambda pair: -pair.area.mean)
    if not others:
        return Recommendation(best, None, None, (), None)
    leads = [best.lead_over(pair, joint_confidence(len(others))) for pair in others]
    ties = tuple(pair for pair, lead in zip(others, leads, strict=True) if not _is_ahead(lead))
    once = tuple(pair for pair, lead in zip(others, leads, strict=True) if lead.low is None)
    independent = next((pair for pair in others if not pair.chosen_by_pagerank), None)
    return Recommendation(
        best, others[0], leads[0], ties, independent if best.chosen_by_pagerank else None, once, len(others)
    )


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Plottable):
    """Everything a report says. `facts`: what was compared, and how; `seconds`: how long each part took.

    `orders`: what each order means, in one line.
    `bounds`: per strategy, the most PageRank that any order can hold from its seeds (crawling/bound.py), as curves.
    `choices`: the seeds to use, chosen on `web`. `in_sample`: the crawls from these, where those of `pairs` started
    from seeds that were chosen on another web (evaluation/out_of_sample.py).

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
    pairs: tuple[Pair, ...]
    bounds: Mapping[str, Floats]
    cores: Mapping[str, CoreDistances]
    facts: Mapping[str, Any]
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    orders: Mapping[str, str] = field(default_factory=dict)
    in_sample: tuple[Pair, ...] = ()
    recommendation: Recommendation = field(init=False)
    _in_notebooks = ("strategy", "order", "pagerank", "pagerank_low", "pagerank_high", "how_early")

    def __post_init__(self) -> None:
        object.__setattr__(self, "recommendation", recommend(self.pairs))

    def __repr__(self) -> str:
        best = self.recommendation.best
        held = f"{100 * best.mass.mean:.1f} % of PageRank after {counted(int(best.fetched[-1]), 'page')}"
        return f"Comparison({counted(len(self.pairs), 'pair')}, best: {best.name}, {held})"

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write all numbers and the recommended seeds into a folder. `sb.load` reads it."""
        from seedbed.evaluation.comparison_files import save_comparison

        save_comparison(self, Path(path), overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        from seedbed.evaluation.comparison_files import pair_row

        pairs = sorted(self.pairs, key=lambda pair: (pair.oracle, -pair.area.mean))[:rows]
        found = [pair_row(self, pair) for pair in pairs]
        return {name: [row[name] for row in found] for name in found[0]}

    def _picture(self, *, quick: bool = False) -> Picture:
        """The orders from the recommended seeds, and what no order can beat."""
        best = self.recommendation.best.strategy
        held = [(one.order, one.fetched, one.pagerank) for one in self.pairs if one.strategy == best]
        held.append(("bound", held[0][1], self.bounds[best]))
        lines = [Line(name, np.append(0, at), np.append(0.0, curve.mean(axis=0))) for name, at, curve in held]
        return Picture("pages fetched", f"share of PageRank held, seeds by {best}", lines)

    def choice(self, strategy: str) -> Choice:
        """What a strategy chose."""
        return next(choice for choice in self.choices if choice.strategy == strategy)

    def pair(self, strategy: str, order: str) -> Pair:
        """The crawls of a pair."""
        return next(pair for pair in self.pairs if (pair.strategy, pair.order) == (strategy, order))

    def in_sample_lead(self, pair: Pair) -> Interval | None:
        """How much more a pair holds, averaged over the crawl, if its seeds are chosen on the web that judges them."""
        found = self.in_sample_pair(pair)
        return None if found is None else found.lead_over(pair)

    def in_sample_pair(self, pair: Pair) -> Pair | None:
        """The same strategy and order, with seeds chosen on the web that judges them."""
        return next((one for one in self.in_sample if one.name == pair.name), None)

    def behind_best(self, pair: Pair) -> Interval:
        """How far a pair is behind the recommended one (below 0: ahead). All these intervals hold simultaneously."""
        return self.recommendation.best.lead_over(pair, joint_confidence(len(self.pairs) - 1))

    def chosen_by_coverage(self, strategy: str) -> bool:
        """Whether a strategy chooses by the value covered, which the coverage curves measure."""
        return self.choice(strategy).chooses_by("value covered", values_are_even=not self.facts["with_values"])

    @cached_property
    def bound(self) -> Floats:
        """The most that any order can hold from any of the seeds compared: the highest bound at each point."""
        return np.maximum.reduce(np.broadcast_arrays(*self.bounds.values()))

    @cached_property
    def bound_area(self) -> float:
        """The bound, averaged over the crawl."""
        fetched = self.pairs[0].fetched
        return float(np.mean([area(fetched, curve, float(fetched[-1])) for curve in self.bound]) / fetched[-1])

    def how_early(self, pair: Pair) -> float:
        """PageRank held, averaged over the crawl, as a share of the possible: area under curve / area under bound."""
        return pair.area.mean / self.bound_area if self.bound_area else 1.0

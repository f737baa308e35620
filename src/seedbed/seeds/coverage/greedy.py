"""Greedy coverage: repeatedly the page that adds the most value, exactly.

    weight_d(p) = Σ w(q) over the pages q within d links of p that no seed covers yet

greedy (Zheng, Dmitriev, Giles 2009, Algorithm 1) weighs pages within h links, as far as a seed covers. If no value is
negative, the value covered is a monotone submodular function of the seeds, so k greedy seeds cover at least 1 − 1/e
(63 %) of what the best k seeds would, and no polynomial-time method can guarantee more unless P = NP
(Nemhauser, Wolsey, Fisher 1978; Feige 1998). With negative values there is no such guarantee.

maxweight (§3.2) weighs pages within d links only, and covers h links of the whole web with its pick.

Both stop before k seeds if no page has a weight above zero. Ties go to the smaller page. Lazy evaluation
(lazy_greedy.py) weighs only pages that may be best, using bounds that take one pass over the links per link of depth.
Cost: O(d · links), and one walk of d links for each page weighed, 64 at once (reach.py); walks end at what is covered.
The first seed is the expensive one, because bounds are loose at the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

from seedbed.common.arrays import page_dtype
from seedbed.common.declarations import Option
from seedbed.seeds.coverage.covered import Covered, New, Units
from seedbed.seeds.coverage.lazy_greedy import Lazy
from seedbed.seeds.problem import Eligible
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import strategy

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem

ZHENG = "Zheng, Dmitriev, Giles 2009"
DEPTH = 2
Depth = Annotated[int, Option("How many links ahead the weight of a page looks.", least=0)]


@strategy(
    "pages that together have the most pages within reach, one by one, exactly", measure="value covered", paper=ZHENG
)
def greedy(problem: Problem, k: int) -> list[Pick]:
    """Up to k pages, each adding the most value to those before it."""
    with Covered.of(problem) as covered:
        return heaviest(problem, covered, k, problem.hops)


@strategy("pages with the most new pages within two links", measure="value covered", paper=ZHENG)
def maxweight(problem: Problem, k: int, *, depth: Depth = DEPTH) -> list[Pick]:
    """Up to k pages, each with the largest weight within `depth` links when it is chosen."""
    with Covered.of(problem) as covered:
        return heaviest(problem, covered, k, depth)


def heaviest(problem: Problem, covered: Covered, k: int, depth: int) -> list[Pick]:
    """Choose, cover, and choose again."""
    eligible = Eligible(problem)
    bounds = covered.bounds(depth)
    pages = np.flatnonzero(eligible.mask & (bounds > 0)).astype(page_dtype(covered.links.page_count))
    lazy = Lazy(covered, eligible, depth, pages, bounds[pages], second_bounds(covered, bounds))
    picks: list[Pick] = []
    while len(picks) < k and (best := lazy.best()) is not None:
        page, weight = best
        eligible.take(page)
        picks.append(picked(covered, covered.cover(page), page, weight, depth))
        problem.progress("seeds", len(picks), k)
    return picks


def second_bounds(covered: Covered, bounds: Units) -> Units:
    """The second bound of every page before it is weighed; empty if one bound is enough."""
    return bounds.copy() if covered.has_negative else np.empty(0, np.int64)


def picked(covered: Covered, new: New, page: int, weight: int, depth: int) -> Pick:
    """A seed that has just been covered from, and what it added."""
    reason = gain_in_words(covered, new)
    if depth != covered.hops:
        reason = f"value {weight * covered.unit:,.6g} within {depth} links; {reason}"
    return Pick(page, weight * covered.unit, reason)


def gain_in_words(covered: Covered, new: New) -> str:
    """What a seed covers, and what all seeds so far cover, in words."""
    share = covered.total / covered.most if covered.most else 0.0
    return (
        f"covers {len(new.pages):,} pages no earlier seed covers, worth {int(new.values.sum()) * covered.unit:,.6g}; "
        f"{100 * share:.1f} % of all value so far"
    )

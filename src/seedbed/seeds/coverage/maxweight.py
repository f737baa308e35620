"""MaxWeight: the page with the most value within d links, again and again (Zheng, Dmitriev, Giles 2009, §3.2).

    weight_d(p) = Σ w(q) over the pages q within d links of p whose value no seed covers yet

The pick covers h links on the whole web; what it covers has value zero from then on. Ties go to the smaller page. It
ends before k seeds if no page has a weight above zero.

Weights are exact. Lazy evaluation (lazy.py) weighs only pages that may be best, from bounds that one pass over the
links for each link of depth gives. Cost: O(d · links), and one walk of d links for each page weighed, 64 at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from seedbed.common.arrays import page_dtype
from seedbed.errors import UsageError
from seedbed.seeds.coverage.covered import Covered, New, Units
from seedbed.seeds.coverage.eligible import Openings
from seedbed.seeds.coverage.lazy_greedy import Lazy
from seedbed.seeds.seeds import Pick

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem

DEPTH = 2


def maxweight(problem: Problem, k: int, *, depth: int = DEPTH) -> list[Pick]:
    """Up to k pages, each with the largest weight within `depth` links when it is chosen."""
    check_depth(depth)
    with Covered.of(problem) as covered:
        return heaviest(problem, covered, k, depth)


def check_depth(depth: int) -> None:
    """Refuse a depth that is no number of links."""
    if depth < 0:
        raise UsageError(f"--depth is {depth}; a weight is taken within 0 or more links. Give 2 or 3.")


def heaviest(problem: Problem, covered: Covered, k: int, depth: int) -> list[Pick]:
    """Choose, cover, and choose again."""
    openings = Openings(problem)
    bounds = covered.bounds(depth)
    pages = np.flatnonzero(openings.mask & (bounds > 0)).astype(page_dtype(covered.links.page_count))
    lazy = Lazy(covered, openings, depth, pages, bounds[pages], no_plus(covered, bounds))
    picks: list[Pick] = []
    while len(picks) < k and (best := lazy.best()) is not None:
        page, weight = best
        openings.take(page)
        picks.append(picked(covered, covered.cover(page), page, weight, depth))
        problem.progress("seeds", len(picks), k)
    return picks


def no_plus(covered: Covered, bounds: Units) -> Units:
    """The second bound of every page before it is weighed; empty where one bound is enough."""
    return bounds.copy() if covered.has_negative else np.empty(0, np.int64)


def picked(covered: Covered, new: New, page: int, weight: int, depth: int) -> Pick:
    """A seed that was covered from just now, and what it brought."""
    reason = told(covered, new)
    if depth != covered.hops:
        reason = f"value {weight * covered.unit:,.6g} within {depth} links; {reason}"
    return Pick(page, weight * covered.unit, reason)


def told(covered: Covered, new: New) -> str:
    """What a seed covers and what all so far do, in words."""
    share = covered.total / covered.most if covered.most else 0.0
    return (
        f"covers {len(new.pages):,} pages no earlier seed covers, worth {int(new.values.sum()) * covered.unit:,.6g}; "
        f"{100 * share:.1f} % of all value so far"
    )

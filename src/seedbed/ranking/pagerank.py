"""PageRank (Page, Brin et al. 1999): how often a surfer who follows links, and now and then starts over, is on a page.

    x = α·(xP + d/n) + (1 − α)·v        P(y, x) = 1/outdegree(y) if y links to x;  Σ x = 1

α is the damping factor; d is the total score of dangling pages (those without links), spread evenly over all n pages;
v is the preference, where the surfer starts over, uniform by default. Solved by iterating x ← right side from x = v.

Each iteration shrinks the L1 distance to the solution x* by at least a factor α, whatever the number of pages, so

    ‖x_t − x*‖₁  ≤  α/(1 − α) · ‖x_t − x_{t−1}‖₁

and iteration stops when the right side is at most the tolerance. At worst that takes ln(tolerance·(1 − α)/2) / ln α
iterations: 143 by default, whatever the web. The error bound is the right side plus what rounding may add. All terms
are positive, so an iteration computes a page of in-degree i to within (i + 8)·2⁻⁵³ of its score; rounding adds at most
1/(1 − α) times the sum of these.

Cost: O(pages + links) per iteration; 8 bytes per link and 54 per page. Links that do not fit in memory are read from
the store in every iteration: slower, 32 bytes per page.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel
from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team
from seedbed.errors import OptionError, UsageError
from seedbed.graph.web import Web
from seedbed.links.link_store import in_degrees
from seedbed.links.transpose import transposed
from seedbed.ranking.link_sums import (
    PAGES_PER_PART,
    LinkSums,
    add_to_targets,
    fits,
    part_bounds,
    sum_part,
    with_filler,
)
from seedbed.ranking.ranking import Ranking

CHANGE, DANGLING = range(2)
UNIT = 2.0**-53
"""The unit roundoff of float64."""


def pagerank(
    web: Web,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-9,
    max_iterations: int = 1000,
    preference: NDArray[Any] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """x = α·(xP + d/n) + (1 − α)·v, to an L1 distance of at most `tolerance`.

    `preference`: a weight of at least 0 for each page, scaled to sum to 1. `memory`: bytes that decoded links may take;
    by default half the machine's memory.
    """
    start = time.perf_counter()
    check_options(damping, tolerance, max_iterations)
    pages = web.page_count
    preference = uniform(pages) if preference is None else checked_preference(preference, pages)
    if pages == 0:
        return Ranking("pagerank", preference, iterations=0)
    require(40 * pages, "PageRank: the scores")
    expected = min(max_iterations, iterations_at_worst(damping, tolerance))
    with Team(threads) as team:
        power = PowerIteration(web, damping, preference, team, memory)
        iterations, bound = 0, math.inf
        while bound > tolerance and iterations < max_iterations:
            bound = damping / (1 - damping) * power.iterate()
            iterations += 1
            (progress or no_progress)("pagerank", min(iterations, expected), expected)
        error = bound + power.rounding() / (1 - damping)
    return Ranking("pagerank", power.scores, iterations, error, bound <= tolerance, time.perf_counter() - start)


def check_options(damping: float, tolerance: float, max_iterations: int) -> None:
    """Reject options that are out of range."""
    if not 0 <= damping < 1:
        raise UsageError(f"damping is {damping}; it must be at least 0 and below 1. The usual value is 0.85.")
    if not tolerance > 0:
        raise UsageError(f"tolerance is {tolerance}; it must be above 0. The usual value is 1e-9.")
    if max_iterations < 1:
        raise UsageError(f"max_iterations is {max_iterations}; it must be at least 1.")


def uniform(pages: int) -> NDArray[np.float64]:
    """The same weight for each page, stored as one number."""
    return np.broadcast_to(1 / max(pages, 1), pages)


def checked_preference(preference: NDArray[Any], pages: int) -> NDArray[np.float64]:
    """The preference scaled to sum to 1."""
    weights = np.asarray(preference, np.float64)
    if weights.shape != (pages,):
        raise OptionError(
            f"the preference has shape {weights.shape}, the web {pages} pages; one weight per page is needed"
        )
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise OptionError(f"the preference of page {wrong[0]} is {weights[wrong[0]]}; weights must be at least 0")
    if pages and not weights.any():
        raise OptionError("the preference is 0 on every page; at least one page must have a positive weight")
    weights = weights / weights.max(initial=0.0)
    return np.ascontiguousarray(weights / weights.sum())


def iterations_at_worst(damping: float, tolerance: float) -> int:
    """Iterations after which α/(1 − α)·‖x_t − x_{t−1}‖₁ ≤ 2·α^t/(1 − α) is at most the tolerance."""
    if damping == 0 or tolerance >= 2:
        return 1
    return max(1, math.ceil(math.log(tolerance * (1 - damping) / 2) / math.log(damping)))


class PowerIteration:
    """Scores that approach PageRank, one iteration at a time."""

    def __init__(
        self, web: Web, damping: float, preference: NDArray[np.float64], team: Team, memory: int | None
    ) -> None:
        self.scores = preference.copy()
        self._damping = damping
        self._preference = preference
        degrees = web.links.out_degrees()
        self._inverse = np.divide(1.0, degrees, out=np.zeros(web.page_count), where=degrees > 0)
        self._passed = with_filler(self.scores * self._inverse)
        self._next = np.zeros_like(self._passed)
        self._dangling = math.fsum(self.scores[degrees == 0])
        self._totals = np.zeros((len(part_bounds(web.page_count)) - 1, 2))
        in_links = transposed(web.links) if fits(web.links, 2, memory) else None
        self._in_degrees = (in_degrees(web.links) if in_links is None else in_links.out_degrees()).astype(np.int32)
        self._sums = LinkSums(web.links, team, in_links, add_to_targets)

    def iterate(self) -> float:
        """x ← α·(xP + d/n) + (1 − α)·v; returns the L1 change."""
        base = self._damping * self._dangling / len(self.scores)
        weights = self._inverse, self._preference, self._damping, base
        self._sums.run(score_parts, self._passed, self._next, self.scores, *weights, self._totals)
        self._passed, self._next = self._next, self._passed
        change, self._dangling = (math.fsum(column) for column in self._totals.T)
        return change

    def rounding(self) -> float:
        """How far, in L1 norm, rounding may move an iteration from the result in exact arithmetic."""
        strand = min(PAGES_PER_PART, len(self.scores)) // 4 + 4
        return UNIT * float((self._in_degrees + 8) @ self.scores + strand * self._dangling)


@kernel
def score_parts(
    lists: Any, first: int, last: int, passed: Any, sums: Any, scores: Any, inverse: Any, preference: Any,
    damping: float, base: float, totals: Any,
) -> None:  # fmt: skip
    """An iteration for some parts: sums over in-links, then scores, while the sums are still in cache."""
    bounds = lists.bounds
    for part in range(first, last):
        start, stop = bounds[part], bounds[part + 1]
        own = sums[start:stop]
        sum_part(lists, part, passed, own)
        score_part(own, scores[start:stop], inverse[start:stop], preference[start:stop], damping, base, totals[part])


@inlined
def score_part(sums: Any, scores: Any, inverse: Any, preference: Any, damping: float, base: float, totals: Any) -> None:
    """The new scores of a part and, in place of its sums, what each page passes on along each link.

    Totals use four accumulators in turn, so that no addition waits for the one before it.
    """
    changes = (0.0, 0.0, 0.0, 0.0)
    dangling = (0.0, 0.0, 0.0, 0.0)
    for k in range(sums.size):
        score = damping * sums[k] + (base + (1 - damping) * preference[k])
        change = abs(score - scores[k])
        scores[k] = score
        sums[k] = score * inverse[k]
        held = score if inverse[k] == 0.0 else 0.0
        changes = (changes[1], changes[2], changes[3], changes[0] + change)
        dangling = (dangling[1], dangling[2], dangling[3], dangling[0] + held)
    totals[CHANGE] = (changes[0] + changes[1]) + (changes[2] + changes[3])
    totals[DANGLING] = (dangling[0] + dangling[1]) + (dangling[2] + dangling[3])

"""Harmonic centrality (Boldi, Vigna 2014): how close a page is to all pages that reach it.

    H(x) = Σ 1/d(y, x) over the pages y ≠ x      d: links on the shortest path from y to x; no path adds 0

HyperBall (Boldi, Vigna 2013): the ball B_t(x), the pages that reach x in at most t links, is x and every B_{t−1}(y)
with y → x. A ball is a HyperLogLog counter (Flajolet et al. 2007) of m = 2^precision bytes, a union is the maximum of
each register, and Ertl's estimator (2017) gives |B_t(x)|. |B_0| = 1 and |B_1| = 1 + in-degree are known exactly.

    H(x) = Σ_t (|B_t(x)| − |B_{t−1}(x)|) / t

is also a sum of |B_t(x)| with non-negative weights, minus 1. So the standard error of H(x) is at most η·(H(x) + 1),
where η = √(3·ln 2 − 1)/√m is that of one counter. `error_bound` is η: 9.2 % at precision 7.

Cost: O(links·m) per iteration at first; pages whose neighbours did not change cost almost nothing. There are as many
iterations as links on the longest shortest path. Memory: 2·m + 26 bytes per page and 4 per link; links that do not fit
are read from the store in every iteration. The exact scores take a backward search from every page, O(pages·links).
"""

from __future__ import annotations

import math
import time
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team
from seedbed.errors import OptionError, UsageError
from seedbed.graph.web import Web
from seedbed.links.link_store import blocks_ahead
from seedbed.links.transpose import transposed
from seedbed.ranking.hyperball_kernels import (
    Balls,
    copy_changed,
    count_own_page,
    count_sources,
    grow_balls,
    push_balls,
    search_backward,
)
from seedbed.ranking.link_sums import fits
from seedbed.ranking.ranking import Ranking

LEAST_PRECISION, MOST_PRECISION = 4, 14
SHARES = 16
"""Shares per thread and iteration: pages that still change are clustered, so equal shares are not equal work."""


def harmonic(
    web: Web,
    *,
    precision: int = 7,
    seed: int = 1,
    exact: bool = False,
    max_iterations: int = 10_000,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """H(x) = Σ 1/d(y, x) over y ≠ x, estimated with 2^precision registers per page, or exact.

    `error_bound`: η such that the standard error of one score H is at most η·(H + 1). `converged`: no ball grew in the
    last iteration. `memory`: bytes that decoded links may take; by default half the machine's memory.
    """
    start = time.perf_counter()
    check_options(precision, max_iterations)
    show = progress or no_progress
    with Team(threads) as team:
        if exact:
            scores = exact_scores(web, team, show)
            return Ranking("harmonic", scores, 1, 0.0, True, time.perf_counter() - start)
        scores, iterations, converged = hyperball(web, precision, seed, max_iterations, team, memory, show)
    seconds = time.perf_counter() - start
    return Ranking("harmonic", scores, iterations, standard_error(precision), converged, seconds)


def check_options(precision: int, max_iterations: int) -> None:
    """Reject what cannot be meant."""
    if not LEAST_PRECISION <= precision <= MOST_PRECISION:
        bounds = f"from {LEAST_PRECISION} to {MOST_PRECISION}"
        raise UsageError(f"precision is {precision}; it must be a number {bounds}. The usual value is 7.")
    if max_iterations < 1:
        raise OptionError(f"max_iterations is {max_iterations}; it must be at least 1.")


def standard_error(precision: int) -> float:
    """η, the relative standard error of one counter."""
    return math.sqrt((3 * math.log(2) - 1) / 2**precision)


def hyperball(
    web: Web, precision: int, seed: int, max_iterations: int, team: Team, memory: int | None, progress: Progress
) -> tuple[NDArray[np.float64], int, bool]:
    """Balls that grow by one link per iteration: (scores, iterations, whether no ball grew in the last one)."""
    pages, links = web.page_count, web.links
    require((2 * 2**precision + 26) * pages, "harmonic centrality: two counters per page")
    counters = np.zeros(pages << precision, np.uint8)
    balls = Balls(
        registers=1 << precision,
        old=counters,
        new=np.zeros(pages << precision, np.uint8),
        passed=counters,
        changed=np.ones(pages, np.uint8),
        grown=np.zeros(pages, np.uint8),
        first_size=np.ones(pages),
        size=np.ones(pages),
        score=np.zeros(pages),
        sigma=sigma_table(1 << precision),
    )
    count_own_page(balls.old, precision, seed, 0)
    for block in links.blocks():
        count_sources(*block, balls.first_size)
    in_links = transposed(links).arrays() if fits(links, 1, memory) else None
    in_ptr, in_idx = in_links or (np.empty(0, np.int64), np.empty(0, np.int32))
    shares = even_shares(pages, SHARES * team.threads)
    distance = 0
    while balls.changed.any() and distance < max_iterations:
        distance += 1
        copy_changed(balls)
        if in_links is None:
            for block in blocks_ahead(links, team):
                push_balls(*block, balls)
        team.run(partial(grow_balls, in_ptr, in_idx, balls, distance), shares)
        balls.changed[:] = 0
        balls = balls._replace(old=balls.new, new=balls.old, passed=balls.new, changed=balls.grown, grown=balls.changed)
        progress("harmonic", distance, 0)
    return balls.score, distance, not balls.changed.any()


def sigma_table(registers: int) -> NDArray[np.float64]:
    """m·σ(k/m) for k = 0 … m registers at 0, where σ(x) = x + Σ x^(2^j)·2^(j−1) over j ≥ 1."""
    share = np.arange(registers) / registers
    total, factor = share.copy(), 0.5
    while share.any():
        share = share * share
        factor *= 2
        total += factor * share
    return registers * np.append(total, np.inf)


def even_shares(pages: int, count: int) -> list[tuple[int, int]]:
    """The pages split into `count` runs of about equal length, as (first, last)."""
    return list(pairwise(pages * k // count for k in range(count + 1)))


def exact_scores(web: Web, team: Team, progress: Progress) -> NDArray[np.float64]:
    """The exact scores, by a backward search from every page."""
    in_ptr, in_idx = transposed(web.links).arrays()
    pages = web.page_count
    scores = np.zeros(pages)

    def work(first: int, last: int) -> None:
        seen = np.full(pages, -1, page_dtype(pages))
        search_backward(in_ptr, in_idx, first, last, seen, np.empty_like(seen), scores)

    for first, last in even_shares(pages, min(SHARES, pages)) if pages else ():
        shares = [(first + low, first + high) for low, high in even_shares(last - first, team.threads)]
        team.run(work, shares)
        progress("harmonic", last, pages)
    return scores

"""Harmonic centrality (Boldi, Vigna 2014): how near a page is to all pages that reach it.

    H(x) = Σ 1/d(y, x) over the pages y ≠ x      d: links on the shortest way from y to x; no way counts 0

By HyperBall (Boldi, Vigna 2013): B_t(x), the pages at most t links before x, is x and all B_{t−1}(y) with y → x. Each
ball is a HyperLogLog counter (Flajolet et al. 2007) of m = 2^precision bytes, the union of balls is the largest of each
register, and |B_t(x)| is read off by Ertl's estimator (2017). |B_0| = 1 and |B_1| = 1 + in-degree are known exactly.

    H(x) = Σ_t (|B_t(x)| − |B_{t−1}(x)|) / t

is also a sum of |B_t(x)| with weights that are not negative, less 1, so the standard error of H(x) is at most
η·(H(x) + 1), η = √(3·ln 2 − 1)/√m being that of one counter. `error_bound` is η: 9.2 % at precision 7.

Cost: O(links·m) a round at first; pages whose neighbours did not change cost nothing but a look. As many rounds as the
longest of the shortest ways. 2·m bytes a page, 26 more, and 4 a link; links that do not fit in memory are read from the
store in every round. Exact instead: a search back from every page, O(pages·links).
"""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team
from seedbed.errors import OptionError, UsageError
from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.links.link_store import blocks_ahead
from seedbed.links.transpose import transposed
from seedbed.ranking.hyperball_kernels import (
    Balls,
    count_others,
    first_balls,
    keep_changed,
    pull_balls,
    push_balls,
    search_back,
    settle_balls,
)
from seedbed.ranking.ranking import Ranking
from seedbed.ranking.streamed_sums import fits

LEAST, MOST = 4, 14
SHARES = 16
"""Shares a thread and round: pages that still change lie together, so even shares are not even work."""


def harmonic(
    web: Web,
    *,
    precision: int = 7,
    seed: int = 1,
    exact: bool = False,
    most_rounds: int = 10_000,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """H(x) = Σ 1/d(y, x) over y ≠ x, estimated with 2^precision registers a page, or exactly.

    `error_bound`: η such that the standard error of one score H is at most η·(H + 1). `converged`: no ball grew in the
    last round. `memory`: bytes that decoded links may take, by default half of the machine's.
    """
    start = time.perf_counter()
    if not LEAST <= precision <= MOST:
        raise UsageError(f"precision is {precision}; a number from {LEAST} to {MOST} is needed. The usual one is 7.")
    if most_rounds < 1:
        raise OptionError(f"most_rounds is {most_rounds}; at least 1 is needed.")
    show = progress or no_progress
    with Team(threads) as team:
        if exact:
            scores = searched(web, team, show)
            return Ranking("harmonic", scores, 1, 0.0, True, time.perf_counter() - start)
        growth = Growth(web, precision, seed, team, memory)
        while growth.changed and growth.rounds < most_rounds:
            growth.round()
            show("harmonic", growth.rounds, 0)
    error = math.sqrt((3 * math.log(2) - 1) / 2**precision)
    seconds = time.perf_counter() - start
    return Ranking("harmonic", growth.scores, growth.rounds, error, not growth.changed, seconds)


class Growth:
    """Balls that grow by one link a round."""

    def __init__(self, web: Web, precision: int, seed: int, team: Team, memory: int | None) -> None:
        pages = web.page_count
        require((2 * 2**precision + 26) * pages, "harmonic centrality: two counters a page")
        self._links, self._team = web.links, team
        self.rounds = 0
        self.changed = pages > 0
        self.scores = np.zeros(pages)
        self._balls = Balls(
            registers=1 << precision,
            old=np.zeros(pages << precision, np.uint8),
            new=np.zeros(pages << precision, np.uint8),
            changed=np.ones(pages, np.uint8),
            grown=np.zeros(pages, np.uint8),
            near=np.ones(pages),
            size=np.ones(pages),
            score=self.scores,
            sigma=sigma_table(1 << precision),
        )
        first_balls(self._balls.old, precision, seed)
        for block in web.links.blocks():
            count_others(block.first, block.out_ptr, block.out_idx, self._balls.near)
        self._in_links = transposed(web.links) if fits(web.links, 1, memory) else None

    def round(self) -> None:
        """Every ball takes in the balls of the pages that link to its page."""
        self.rounds += 1
        balls, pages = self._balls, self._links.page_count
        keep_changed(balls)
        if self._in_links is None:
            for block in blocks_ahead(self._links, self._team):
                push_balls(block.first, block.out_ptr, block.out_idx, balls)
            settle_balls(0, pages, balls, self.rounds)
        else:
            in_ptr, in_idx = self._in_links.arrays()
            self._team.run(
                lambda first, last: pull_balls(in_ptr, in_idx, first, last, balls, self.rounds),
                even_shares(pages, SHARES * self._team.threads),
            )
        balls.changed[:] = 0
        self._balls = balls._replace(old=balls.new, new=balls.old, changed=balls.grown, grown=balls.changed)
        self.changed = bool(self._balls.changed.any())


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
    """Runs of pages."""
    cuts = [pages * k // count for k in range(count + 1)]
    return list(pairwise(cuts))


def searched(web: Web, team: Team, progress: Progress) -> NDArray[np.float64]:
    """The exact scores, by a search back from every page."""
    in_links: Csr = transposed(web.links)
    in_ptr, in_idx = in_links.arrays()
    pages = web.page_count
    scores = np.zeros(pages)

    def work(first: int, last: int) -> None:
        seen = np.full(pages, -1, page_dtype(pages))
        search_back(in_ptr, in_idx, first, last, seen, np.empty_like(seen), scores)

    for first, last in even_shares(pages, min(SHARES, pages)) if pages else ():
        shares = [(first + low, first + high) for low, high in even_shares(last - first, team.threads)]
        team.run(work, shares)
        progress("harmonic", last, pages)
    return scores

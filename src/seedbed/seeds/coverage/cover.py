"""Near-greedy coverage at scale: sketches say which pages may gain the most, walks say which one does.

For each seed, samples are added to the sketches (sketches.py) until the fullest is full, and the pages with the largest
estimates join the candidates. The candidate with the largest exact gain, found by lazy evaluation (lazy_greedy.py), is
the seed. What it covers is removed from the sketches, so the work for one seed serves the next. Gains are exact; only
the set of candidates is random, drawn from problem.random before the first walk.

MaxWeight runs as well. If its seeds cover more in the end, they are returned, and say so: the value is never below
MaxWeight's.

Cost: the transposed links (4 bytes per link, or compressed if that takes too much memory: transpose.py); at most about
128 · links steps for the sketches on a large web, fewer if gains differ much; a walk of h links for each candidate,
64 of them at once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np

from seedbed.common.arrays import page_dtype
from seedbed.common.declarations import Option
from seedbed.common.memory import require
from seedbed.links.transpose import fits_in_memory, size_in_memory, transposed_within_memory
from seedbed.seeds.coverage.covered import Covered, New, decoded
from seedbed.seeds.coverage.greedy import DEPTH, Depth, heaviest, picked
from seedbed.seeds.coverage.lazy_greedy import Lazy
from seedbed.seeds.coverage.sketches import Samples, Sketches
from seedbed.seeds.problem import Eligible
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import strategy

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem

CANDIDATES = 64
FULL_LEAST, FULL_MOST = 128, 1024
STEPS = 1 << 32
"""Links that sketches may read, roughly: on small webs they get fuller than on large ones."""


@strategy(
    "pages that together have the most pages within reach, found quickly",
    measure="value covered",
    chance=True,
    paper="Cohen, Delling, Pajor, Werneck 2014",
)
def cover(
    problem: Problem,
    k: int,
    *,
    candidates: Annotated[int, Option("Pages weighed exactly for each seed.", least=1)] = CANDIDATES,
    depth: Depth = DEPTH,
) -> list[Pick]:
    """Up to k pages that cover about as much value as greedy's, and no less than maxweight's with this depth."""
    require(memory_needed(problem), "choosing seeds by sketches")
    problem = decoded(problem)
    picks, value = _by_sketches(problem.trial(), k, candidates)
    others, other_value = _by_weight(problem.trial(), k, depth)
    if other_value > value:
        note = "chosen by maxweight, whose seeds cover more here than those by sketches; "
        picks = [replace(pick, reason=note + pick.reason) for pick in others]
    for pick in picks:
        problem.quota.take(pick.page)
    return picks


def memory_needed(problem: Problem) -> int:
    """Bytes on top of the web itself, roughly: the transposed links, and what sketches and walks keep per page."""
    links = problem.web.links
    transpose = size_in_memory(links) if fits_in_memory(links) else 16 * links.page_count
    return transpose + (24 + 28 * problem.threads) * links.page_count


def _by_weight(problem: Problem, k: int, depth: int) -> tuple[list[Pick], int]:
    with Covered.of(problem) as covered:
        picks = heaviest(problem, covered, k, depth)
        return picks, covered.total


def _by_sketches(problem: Problem, k: int, count: int) -> tuple[list[Pick], int]:
    """Choose, cover, and choose again; returns the seeds and what they cover."""
    with Covered.of(problem) as covered:
        eligible = Eligible(problem)
        candidates = Candidates(problem, covered, eligible, count)
        picks: list[Pick] = []
        while len(picks) < k and (best := candidates.best()) is not None:
            page, gain = best
            eligible.take(page)
            new = covered.cover(page)
            candidates.forget(new)
            picks.append(picked(covered, new, page, gain, covered.hops))
            problem.progress("seeds", len(picks), k)
        return picks, covered.total


class Candidates:
    """The pages that sketches rated best, for this seed or an earlier one."""

    def __init__(self, problem: Problem, covered: Covered, eligible: Eligible, count: int) -> None:
        pages, links = covered.links.page_count, covered.links.link_count
        self._covered, self._eligible, self._count = covered, eligible, count
        self._full = max(FULL_LEAST, min(STEPS // max(links, 1), FULL_MOST))
        samples = Samples(covered.left, problem.random.random(pages))
        back = transposed_within_memory(covered.links, threads=problem.threads, progress=problem.progress)
        self._sketches = Sketches(covered, samples, back, problem.threads)
        covered.links.release()
        back.release()
        none = np.empty(0, np.int64)
        plus = np.full(pages, covered.most) if covered.has_negative else none
        self._lazy = Lazy(covered, eligible, covered.hops, none.astype(page_dtype(pages)), none, plus)
        self._known = np.zeros(pages, np.bool_)

    def best(self) -> tuple[int, int] | None:
        """The candidate with the largest gain above zero, and the gain."""
        sketches = self._sketches
        pages, fullness = sketches.fullest(self._count, self._eligible.mask)
        while fullness < self._full and not sketches.is_whole:
            sketches.more()
            self._covered.progress("pages sampled", sketches.walked, 0)
            pages, fullness = sketches.fullest(self._count, self._eligible.mask)
        self._lazy.add(pages[~self._known[pages]], self._covered.most)
        self._known[pages] = True
        return self._lazy.best()

    def forget(self, new: New) -> None:
        """Remove what a seed covers from the sketches."""
        self._sketches.forget(new)

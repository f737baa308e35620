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
from seedbed.seeds.coverage.covered import Covered, decoded
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
    with Covered.of(problem) as covered:
        trial = problem.trial()
        picks, value = by_sketches(trial, covered, _sketches(trial, covered), k, candidates), covered.total
    with Covered.of(problem) as covered:
        others, other_value = heaviest(problem.trial(), covered, k, depth), covered.total
    return better_picks(problem, picks, value, others, other_value)


def better_picks(problem: Problem, picks: list[Pick], value: int, others: list[Pick], other_value: int) -> list[Pick]:
    """The picks by sketches, or those by weight if they cover more."""
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


def by_sketches(problem: Problem, covered: Covered, sketches: Sketches, k: int, count: int) -> list[Pick]:
    """Sample, choose, cover, and choose again."""
    pages, links = covered.links.page_count, covered.links.link_count
    full = max(FULL_LEAST, min(STEPS // max(links, 1), FULL_MOST))
    eligible = Eligible(problem)
    none = np.empty(0, np.int64)
    plus = np.full(pages, covered.most) if covered.has_negative else none
    lazy = Lazy(covered, eligible, covered.hops, none.astype(page_dtype(pages)), none, plus)
    is_candidate = np.zeros(pages, np.bool_)
    picks: list[Pick] = []
    while len(picks) < k:
        candidates, fullness = sketches.fullest(count, eligible.mask)
        while fullness < full and not sketches.is_whole:
            sketches.more()
            covered.progress("pages sampled", sketches.walked, 0)
            candidates, fullness = sketches.fullest(count, eligible.mask)
        lazy.add(candidates[~is_candidate[candidates]], covered.most)
        is_candidate[candidates] = True
        if (best := lazy.best()) is None:
            break
        page, gain = best
        eligible.take(page)
        new = covered.cover(page)
        sketches.forget(new)
        picks.append(picked(covered, new, page, gain, covered.hops))
        problem.progress("seeds", len(picks), k)
    return picks


def _sketches(problem: Problem, covered: Covered) -> Sketches:
    samples = Samples(covered.left, problem.random.random(covered.links.page_count))
    back = transposed_within_memory(covered.links, threads=problem.threads, progress=problem.progress)
    sketches = Sketches(covered, samples, back, problem.threads)
    covered.links.release()
    back.release()
    return sketches

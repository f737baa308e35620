"""Greedy coverage, exact: each seed is the page that adds the most value within h links (Zheng et al., Algorithm 1).

    gain(p) = Σ w(q) over the pages q within h links of p that no seed covers yet

Where no value is negative the value covered is a submodular function of the seeds that never falls, so k greedy seeds
cover at least 1 − 1/e (63 %) of what the best k seeds would, and no method of polynomial time can promise more unless
P = NP (Nemhauser, Wolsey, Fisher 1978; Feige 1998). With negative values there is no such promise. It ends before k
seeds if no page adds value.

Lazy evaluation finds the same pages as weighing all of them each time (lazy.py), 64 pages weighed in one walk
(reach.py), and walks end at what is covered. The first seed is the dear one, because bounds are loose: up to one walk
of h links for 64 pages. Ties go to the smaller page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from seedbed.seeds.coverage.covered import Covered
from seedbed.seeds.coverage.maxweight import heaviest
from seedbed.seeds.seeds import Pick

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem


def greedy(problem: Problem, k: int) -> list[Pick]:
    """Up to k pages, each adding the most value to those before it."""
    with Covered.of(problem) as covered:
        return heaviest(problem, covered, k, problem.hops)

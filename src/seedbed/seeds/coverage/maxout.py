"""MaxOut: the page with the most links to pages that no seed covers yet (Zheng, Dmitriev, Giles 2009, §3.1).

The pages a seed covers are removed: they cannot be chosen, and links to them no longer count. (OutDegree, without the
removal, picks pages that cover the same pages.) Hops use the whole web. Values play no part in the choice; it stops
when no value is left. Ties go to the smaller page.

Counts only fall, so old ones are bounds, and a page is recounted only when its bound is the best. Cost: O(pages) per
seed for the largest bound, and the links of each page recounted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.links.link_store import successors
from seedbed.seeds.coverage.covered import Covered
from seedbed.seeds.coverage.greedy import ZHENG, gain_in_words
from seedbed.seeds.problem import Eligible
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import strategy

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem


@strategy("pages with the most links to new pages", measure="pages covered", paper=ZHENG)
def maxout(problem: Problem, k: int) -> list[Pick]:
    """Up to k pages, each with the most links to pages not yet covered when it is chosen."""
    with Covered.of(problem) as covered:
        links = covered.links
        eligible = Eligible(problem)
        eligible.mask[covered.near <= problem.hops] = False
        counts = links.out_degrees().astype(np.int64)
        picks: list[Pick] = []
        buffer = links.buffer()
        while len(picks) < k and not covered.is_all:
            with links.guarded(buffer.at):
                page = best_page(links.arrays(), buffer, covered.near, problem.hops, eligible.mask, counts)
            if page < 0:
                break
            eligible.take(page)
            new = covered.cover(page)
            eligible.mask[new.pages] = False
            reason = f"{counts[page]:,} links to pages not yet covered; {gain_in_words(covered, new)}"
            picks.append(Pick(page, float(counts[page]), reason))
            problem.progress("seeds", len(picks), k)
    return picks


@kernel
def best_page(links: Any, buffer: Any, near: Any, hops: int, is_open: Any, counts: NDArray[np.int64]) -> int:
    """The open page with the most links to uncovered pages, or −1 if no page is open. counts[p] is a bound, corrected
    whenever p is examined.

    One pass finds it: a page whose bound is no better than the best count so far is not examined.
    """
    best, most = -1, -1
    for page in range(counts.size):
        if is_open[page] and counts[page] > most:
            count = 0
            for target in successors(links, page, buffer):
                count += near[target] > hops
            counts[page] = count
            if count > most:
                best, most = page, count
    return best

"""In-degree: the number of links that lead to a page. O(links), exact."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.graph.web import Web
from seedbed.links.transpose import count_targets
from seedbed.ranking.ranking import Ranking

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore


def indegree(web: Web, *, progress: Progress | None = None) -> Ranking:
    """score(x) = |{y : y → x}|."""
    start = time.perf_counter()
    scores = in_degrees(web.links, progress or no_progress).astype(np.float64)
    return Ranking("indegree", scores, seconds=time.perf_counter() - start)


def in_degrees(links: LinkStore, progress: Progress = no_progress) -> NDArray[np.int64]:
    """Links to each page."""
    counts = np.zeros(links.page_count + 1, np.int64)
    for block in links.blocks():
        count_targets(block.out_idx, counts)
        progress("in-degree", block.first + len(block.out_ptr) - 1, links.page_count)
    return counts[1:]

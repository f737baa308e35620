"""In-degree and out-degree: the number of links to a page and on a page. O(links) and O(pages), exact."""

from __future__ import annotations

import time

import numpy as np

from seedbed.common.messages import Progress, no_progress
from seedbed.graph.web import Web
from seedbed.links.link_store import in_degrees
from seedbed.ranking.ranking import Ranking


def indegree(web: Web, *, progress: Progress | None = None) -> Ranking:
    """score(x) = |{y : y → x}|."""
    start = time.perf_counter()
    scores = in_degrees(web.links, progress or no_progress).astype(np.float64)
    return Ranking("indegree", scores, seconds=time.perf_counter() - start)


def outdegree(web: Web) -> Ranking:
    """score(x) = |{y : x → y}|."""
    start = time.perf_counter()
    return Ranking("outdegree", web.links.out_degrees().astype(np.float64), seconds=time.perf_counter() - start)

"""Out-degree: the number of links on a page. O(pages), exact."""

from __future__ import annotations

import time

import numpy as np

from seedbed.graph.web import Web
from seedbed.ranking.ranking import Ranking


def outdegree(web: Web) -> Ranking:
    """score(x) = |{y : x → y}|."""
    start = time.perf_counter()
    return Ranking("outdegree", web.links.out_degrees().astype(np.float64), seconds=time.perf_counter() - start)

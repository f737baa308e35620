"""PageRank of what the crawl has seen (Cho, Garcia-Molina, Page 1998), computed again as that grows.

    x = d · (xP + rest/n) + (1 − d)/n      over the n pages known;  Σ x = 1

Pages fetched pass their score on to their links; all others known are dangling, and `rest`, what does not come to a
known page along a link, is spread evenly. The next page is the one with the highest x. x is computed anew whenever the
pages fetched have grown by 10 % (or by the number after the @, in per cent), at first after one page. In between:

    a page that was known then    keeps its x
    a page discovered since       has (1 − d·s)/n + d · x(y)/links(y), y being the page whose link discovered it;
                                  n and s, the score that came along links, are those of the last iteration

Iterations start from the current scores and end when Σ |change| ≤ 10⁻⁴, after 50 at most. Scores are pushed from the
pages fetched, in the order fetched.

Cost: O(links of pages fetched) an iteration; a crawl of F pages has about 10·ln F computations, and together they go
over the links some 11 times the iterations of one. Memory: 36 bytes a page (in polite crawls 40 and 33 a host).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import implements, kernel
from seedbed.crawling.crawl_loop import AGAIN, enter, learn, pick
from seedbed.crawling.crawl_state import FETCHED, KNOWN, NEW, WORK, discover
from seedbed.crawling.frontier.heap import put, rescore, take
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.links.link_store import successors

MAX_ITERATIONS = 50
TOLERANCE = 1e-4


class SeenPageRank(NamedTuple):
    """`x`, `coming`: by discovery number, scores and what comes along links in an iteration. `base`: the score of a
    page that no link leads to. `due`: the number of pages fetched at which x is computed next; `iterations`: done of
    that computation; `growth`: in per cent.
    """

    frontier: Any
    x: NDArray[np.float64]
    coming: NDArray[np.float64]
    base: NDArray[np.float64]
    due: NDArray[np.int64]
    iterations: NDArray[np.int64]
    growth: float
    damping: float


@implements(enter, SeenPageRank)
def enter_seed(order: Any, state: Any, page: Any, share: float) -> None:
    """Without links all pages have the same PageRank."""
    order.x[state.number[page] - 1] = share
    put(order.frontier, state, page, share, 0)


@implements(pick, SeenPageRank)
def pick_page(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page with the highest score; where that is due one more iteration, until the scores change little."""
    fetched = state.counts[FETCHED]
    if fetched >= order.due[0]:
        state.counts[WORK] += fetched
        order.base[0] = (1.0 - order.damping * push(order.x, order.coming, state, links, buffer)) / state.counts[KNOWN]
        change = next_scores(order.x, order.coming, state.counts[KNOWN], order.damping, order.base[0])
        order.iterations[0] += 1
        if change > TOLERANCE and order.iterations[0] < MAX_ITERATIONS:
            return AGAIN, 0.0
        rescore(order.frontier, state, order.x)
        order.iterations[0] = 0
        order.due[0] = fetched + math.ceil(fetched * order.growth / 100)
    page, score, _ = take(order.frontier, state)
    return page, score


@implements(learn, SeenPageRank)
def learn_links(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """What is new waits with what its first link gives."""
    targets = successors(links, page, buffer)
    if targets.size == 0:
        return
    score = order.base[0] + order.damping * (order.x[-state.number[page] - 1] / targets.size)
    for target in targets:
        if discover(state, limits, target, page) == NEW:
            order.x[state.number[target] - 1] = score
            put(order.frontier, state, target, score, 0)


@kernel
def push(x: Any, coming: Any, state: Any, links: Any, buffer: Any) -> float:
    """Add up what comes along links; gives all that came to pages known (those too deep to fetch are not)."""
    number, came = state.number, 0.0
    for k in range(state.counts[FETCHED]):
        page = state.fetched[k]
        targets = successors(links, page, buffer)
        if targets.size == 0:
            continue
        share = x[-number[page] - 1] / targets.size
        known = 0
        for target in targets:
            if number[target] != 0:
                coming[abs(number[target]) - 1] += share
                known += 1
        came += share * known
    return came


@kernel
def next_scores(x: Any, coming: Any, known: int, damping: float, base: float) -> float:
    """The scores of the next iteration, and by how much they changed."""
    change = 0.0
    for k in range(known):
        score = base + damping * coming[k]
        change += abs(score - x[k])
        x[k] = score
        coming[k] = 0.0
    return change


def prepare(context: CrawlContext) -> SeenPageRank:
    """The state of a crawl that has not begun."""
    return SeenPageRank(
        context.frontier(),
        x=np.zeros(context.pages),
        coming=np.zeros(context.pages),
        base=np.zeros(1),
        due=np.ones(1, np.int64),
        iterations=np.zeros(1, np.int64),
        growth=context.number,
        damping=context.damping,
    )


ORDER = Order(
    name="pagerank",
    meaning="the page with the highest PageRank in the part of the web seen, computed anew as that grows",
    paper="Cho, Garcia-Molina, Page 1998",
    prepare=prepare,
    parameter=number_option("G", "the growth, in per cent, after which PageRank is computed", default=10, least=1),
)

"""Orders that settle a page's place when they discover it: bfs, dfs, random and oracle.

    order     score of the n-th page discovered    without politeness
    bfs       0: first come, first served          a queue
    dfs       n: last come, first served           a stack; a page that is linked to again does not move
    random    a lot from 0 to 1, draw n            pick n takes the page at ⌊waiting · draw(n)⌋ of those that wait, and
                                                   the last one moves into its place
    oracle    the true PageRank of the page        as with it

In polite crawls the best page may have to wait for its host, so all of them need a heap for each host. `oracle` knows
the PageRank of the whole web, which no crawler does. It is still an order and not a bound: it is greedy, and a crawl
that fetches a poor page for the sake of what lies behind it can do better. What no order can beat is in bound.py.

Cost: O(1) a link and 4 bytes a page; with a heap O(log pages) a page and 20 bytes, 24 in polite crawls.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import implements, inlined
from seedbed.crawling.crawl_loop import enter, learn, pick
from seedbed.crawling.crawl_state import NEW, discover, uniform
from seedbed.crawling.frontier.heap import put, take
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.errors import OptionError
from seedbed.links.link_store import successors

FIRST, LATEST, LOT, GIVEN = range(4)
HEAD, TAIL, DRAWS = range(3)


class Discovered(NamedTuple):
    """Pages as discovered: those from at[HEAD] up to at[TAIL] wait. `key`: what draws depend on."""

    pages: NDArray[np.int32]
    at: NDArray[np.int64]
    rule: int
    key: np.uint64


class Static(NamedTuple):
    """Pages in a heap by a score that does not change. `given`: scores of all pages, empty unless the rule is GIVEN."""

    frontier: Any
    given: NDArray[np.float64]
    rule: int
    key: np.uint64


def key_of(seed: int) -> np.uint64:
    """A key for draws: those of two seeds have nothing in common, nor with the chance that a fetch fails."""
    return np.random.SeedSequence([seed % 2**64, LOT]).generate_state(1, np.uint64)[0]


@implements(enter, Discovered)
def enter_discovered(order: Any, state: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    order.pages[order.at[TAIL]] = page
    order.at[TAIL] += 1


@implements(pick, Discovered)
def pick_discovered(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page discovered first or last, or any of those that wait."""
    if order.at[HEAD] == order.at[TAIL]:
        return np.int32(-1), 0.0
    if order.rule == FIRST:
        order.at[HEAD] += 1
        return order.pages[order.at[HEAD] - 1], 0.0
    order.at[TAIL] -= 1
    last = order.pages[order.at[TAIL]]
    if order.rule == LATEST:
        return last, 0.0
    order.at[DRAWS] += 1
    drawn = int((order.at[TAIL] + 1) * uniform(order.key, order.at[DRAWS]))
    page = order.pages[drawn]
    order.pages[drawn] = last
    return page, 0.0


@implements(learn, Discovered)
def learn_discovered(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if discover(state, limits, target, page) == NEW:
            order.pages[order.at[TAIL]] = target
            order.at[TAIL] += 1


@inlined
def score_of(order: Any, state: Any, page: Any) -> float:
    """The score of a page that has just been discovered."""
    if order.rule == GIVEN:
        return order.given[page]
    if order.rule == LATEST:
        return float(state.number[page])
    if order.rule == LOT:
        return uniform(order.key, state.number[page])
    return 0.0


@implements(enter, Static)
def enter_static(order: Any, state: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    put(order.frontier, state, page, score_of(order, state, page), 0)


@implements(pick, Static)
def pick_static(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page with the highest score."""
    page, score, _ = take(order.frontier, state)
    return page, score


@implements(learn, Static)
def learn_static(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if discover(state, limits, target, page) == NEW:
            put(order.frontier, state, target, score_of(order, state, target), 0)


def prepare(context: CrawlContext, rule: int) -> Discovered | Static:
    """The state of a crawl that has not begun."""
    key = key_of(context.seed)
    if context.fetches_per_tick or rule == GIVEN:
        given = _true_scores(context) if rule == GIVEN else np.empty(0)
        return Static(context.frontier(), frozen(given), rule, key)
    return Discovered(np.zeros(context.pages, np.int32), np.zeros(3, np.int64), rule, key)


def _true_scores(context: CrawlContext) -> NDArray[np.float64]:
    scores = context.scores()
    wrong = np.flatnonzero(~np.isfinite(scores))
    if len(wrong):
        page = wrong[0]
        raise OptionError(
            f"the score of page {page} is {scores[page]}; the order 'oracle' needs a number for each page."
        )
    return scores


BFS = Order(
    name="bfs",
    meaning="the page found first (breadth-first), the baseline",
    prepare=partial(prepare, rule=FIRST),
    scored=False,
    live=True,
)
DFS = Order(
    name="dfs",
    meaning="the page found last (depth-first)",
    prepare=partial(prepare, rule=LATEST),
    scored=False,
    live=True,
)
RANDOM = Order(
    name="random",
    meaning="any page found so far, at random",
    prepare=partial(prepare, rule=LOT),
    chance=True,
    scored=False,
    live=True,
)
ORACLE = Order(
    name="oracle",
    meaning="best-first by true PageRank: it knows the whole web, which no crawler does",
    prepare=partial(prepare, rule=GIVEN),
    oracle=True,
)

"""Orders whose scores are settled when a page is discovered: what a page is worth does not change while it waits.

    rule      score of the n-th page discovered
    SAME      0, so that pages go in the order in which they were discovered
    LATEST    n
    LOT       a random number from 0 to 1, draw n
    GIVEN     that of the page in `given`

`oracle` is GIVEN. `bfs`, `dfs` and `random` have queues of their own, and are SAME, LATEST and LOT in polite crawls,
where the best page may have to wait for its host. Cost: O(log pages) a page. Memory: 12 bytes a page, polite 24.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.kernels import inlined
from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import NEW, chance, meet
from seedbed.crawling.frontier.static_heap import make_plain_heap
from seedbed.crawling.frontier.waiting_pages import put, take
from seedbed.crawling.orders.order import CrawlContext
from seedbed.links.link_store import successors

SAME, LATEST, LOT, GIVEN = range(4)


class Static(NamedTuple):
    """`given` is empty unless that is the rule; `key` is what lots depend on."""

    frontier: Any
    given: NDArray[np.float64]
    rule: int
    key: np.uint64


def key_of(salt: int) -> np.uint64:
    """A key for lots: those of two salts have nothing in common, nor with the chance that a fetch fails."""
    return np.random.SeedSequence([salt % 2**64, LOT]).generate_state(1, np.uint64)[0]


@inlined
def score_of(order: Any, book: Any, page: Any) -> float:
    """The score of a page that has just been discovered."""
    if order.rule == GIVEN:
        return order.given[page]
    if order.rule == LATEST:
        return float(book.number[page])
    if order.rule == LOT:
        return chance(order.key, book.number[page])
    return 0.0


@enters(Static)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    put(order.frontier, book, page, score_of(order, book, page), 0)


@picks(Static)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page with the highest score."""
    page, score, _ = take(order.frontier, book)
    return page, score


@learns(Static)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if meet(book, rules, target, page) == NEW:
            put(order.frontier, book, target, score_of(order, book, target), 0)


def prepare_static(context: CrawlContext, rule: int, given: NDArray[np.float64] | None = None) -> Static:
    """The state of a crawl that has not begun."""
    frontier = context.frontier() if context.fetches_per_tick else make_plain_heap(context.pages)
    return Static(frontier, frozen(np.empty(0) if given is None else given), rule, key_of(context.seed))

"""OPIC, on-line page importance computation (Abiteboul, Preda, Cobena 2003): pages hand on cash.

Seeds share a cash of 1. The page with most cash is fetched and shares all of it equally among its links. Cash that goes
to a page picked before stays there, as does that of a page without links, or whose fetch fails, and what goes to pages
that cannot be fetched: it is retained. At any time

    cash of the pages that wait  +  retained  +  cash of the page picked last, where it could not share it  =  1

The paper's crawler is one that never ends: every page of the web has cash from the start, a page is fetched again
whenever it has most, passes on what came in since, and what has passed through it over time is its importance. Here a
page is fetched once, so its cash is what the links seen so far are worth when it is picked, and no more is asked of it.

Cost: O(log pages) a link at worst, near O(1) on webs. Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import BARRED, NEW, meet
from seedbed.crawling.frontier.waiting_pages import add, put, take
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.wide_floats import normal, plain
from seedbed.links.link_store import successors


class Opic(NamedTuple):
    """`mantissa`, `block`: the cash of the page picked last, 0 once it has shared it."""

    frontier: Any
    retained: NDArray[np.float64]
    mantissa: NDArray[np.float64]
    block: NDArray[np.int64]


@enters(Opic)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """A seed has its share of the cash."""
    put(order.frontier, book, page, share, 0)


@picks(Opic)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page with most cash."""
    order.retained[0] += plain(order.mantissa[0], order.block[0])
    page, mantissa, block = take(order.frontier, book)
    order.mantissa[0] = mantissa
    order.block[0] = block
    return page, plain(mantissa, block)


@learns(Opic)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Share the page's cash among its links."""
    targets = successors(links, page, buffer)
    if targets.size == 0:
        return
    mantissa, block = normal(order.mantissa[0] / targets.size, order.block[0])
    order.mantissa[0] = 0.0
    for target in targets:
        how = meet(book, rules, target, page)
        if how == BARRED:
            order.retained[0] += plain(mantissa, block)
        elif how == NEW:
            put(order.frontier, book, target, mantissa, block)
        else:
            add(order.frontier, book, target, mantissa, block)


def prepare(context: CrawlContext) -> Opic:
    """The state of a crawl that has not begun."""
    return Opic(context.frontier(), np.zeros(1), np.zeros(1), np.zeros(1, np.int64))


ORDER = Order(
    name="opic",
    meaning="the page with the most cash; fetched pages share theirs among the pages they link to",
    paper="Abiteboul, Preda, Cobena 2003",
    prepare=prepare,
    live=True,
)

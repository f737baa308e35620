"""Random: each of the pages that wait is as likely to be next as any other.

Random numbers come by counting: pick n takes the page at ⌊waiting · draw(n)⌋, into whose place the last one moves. What
they depend on is the seed of the conditions. In polite crawls each page draws a lot when it is discovered, and the
highest lot on a free host is next. Cost: O(1) a link. Memory: 4 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import NEW, chance, meet
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.orders.static_orders import LOT, Static, key_of, prepare_static
from seedbed.links.link_store import successors

WAITING, DRAWS = range(2)


class Random(NamedTuple):
    """pages[: counts[WAITING]] wait; `key` is what draws depend on."""

    pages: NDArray[np.int32]
    counts: NDArray[np.int64]
    key: np.uint64


@enters(Random)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    order.pages[order.counts[WAITING]] = page
    order.counts[WAITING] += 1


@picks(Random)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """Any of the pages that wait."""
    if order.counts[WAITING] == 0:
        return np.int32(-1), 0.0
    order.counts[DRAWS] += 1
    at = int(order.counts[WAITING] * chance(order.key, order.counts[DRAWS]))
    page = order.pages[at]
    order.counts[WAITING] -= 1
    order.pages[at] = order.pages[order.counts[WAITING]]
    return page, 0.0


@learns(Random)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if meet(book, rules, target, page) == NEW:
            order.pages[order.counts[WAITING]] = target
            order.counts[WAITING] += 1


def prepare(context: CrawlContext) -> Random | Static:
    """The state of a crawl that has not begun."""
    if context.fetches_per_tick:
        return prepare_static(context, LOT)
    return Random(np.zeros(context.pages, np.int32), np.zeros(2, np.int64), key_of(context.seed))


ORDER = Order(
    name="random",
    meaning="any page found so far, at random",
    prepare=prepare,
    chance=True,
    scored=False,
    live=True,
)

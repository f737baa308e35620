"""Breadth-first: pages in the order in which they were discovered.

In polite crawls: of the pages on free hosts, the one discovered first. Cost: O(1) a link. Memory: 4 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import NEW, meet
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.orders.static_orders import SAME, Static, prepare_static
from seedbed.links.link_store import successors


class Bfs(NamedTuple):
    """Pages as discovered; those from ends[0] up to ends[1] wait."""

    queue: NDArray[np.int32]
    ends: NDArray[np.int64]


@enters(Bfs)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    order.queue[order.ends[1]] = page
    order.ends[1] += 1


@picks(Bfs)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page that waits longest."""
    if order.ends[0] == order.ends[1]:
        return np.int32(-1), 0.0
    order.ends[0] += 1
    return order.queue[order.ends[0] - 1], 0.0


@learns(Bfs)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if meet(book, rules, target, page) == NEW:
            order.queue[order.ends[1]] = target
            order.ends[1] += 1


def prepare(context: CrawlContext) -> Bfs | Static:
    """The state of a crawl that has not begun."""
    if context.fetches_per_tick:
        return prepare_static(context, SAME)
    return Bfs(np.zeros(context.pages, np.int32), np.zeros(2, np.int64))


ORDER = Order(
    name="bfs",
    meaning="the page found first (breadth-first), the baseline",
    prepare=prepare,
    scored=False,
    live=True,
)

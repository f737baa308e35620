"""Depth-first: the page discovered last first, so the last link of a page before its others.

A page keeps the place at which it was discovered; links to it that are seen later do not move it. In polite crawls: of
the pages on free hosts, the one discovered last. Cost: O(1) a link. Memory: 4 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import NEW, meet
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.orders.static_orders import LATEST, Static, prepare_static
from seedbed.links.link_store import successors


class Dfs(NamedTuple):
    """stack[: height[0]] wait, as discovered."""

    stack: NDArray[np.int32]
    height: NDArray[np.int64]


@enters(Dfs)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """Queue a seed."""
    order.stack[order.height[0]] = page
    order.height[0] += 1


@picks(Dfs)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page discovered last."""
    if order.height[0] == 0:
        return np.int32(-1), 0.0
    order.height[0] -= 1
    return order.stack[order.height[0]], 0.0


@learns(Dfs)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Queue what is new."""
    for target in successors(links, page, buffer):
        if meet(book, rules, target, page) == NEW:
            order.stack[order.height[0]] = target
            order.height[0] += 1


def prepare(context: CrawlContext) -> Dfs | Static:
    """The state of a crawl that has not begun."""
    if context.fetches_per_tick:
        return prepare_static(context, LATEST)
    return Dfs(np.zeros(context.pages, np.int32), np.zeros(1, np.int64))


ORDER = Order(
    name="dfs",
    meaning="the page found last (depth-first)",
    prepare=prepare,
    scored=False,
    live=True,
)

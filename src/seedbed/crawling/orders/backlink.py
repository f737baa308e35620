"""Backlink count (Cho, Garcia-Molina, Page 1998): the page that most of the links seen so far lead to.

    score(p) = links to p on pages fetched;      seeds start with 0

With a limit of depth, a link that is seen while it leads too deep does not make its target known, and does not count.

Cost: O(log pages) a link at worst, near O(1) on webs. Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from seedbed.crawling.crawl_loop import enters, learns, picks
from seedbed.crawling.crawl_state import NEW, WAITING, meet
from seedbed.crawling.frontier.waiting_pages import add, put, take
from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.links.link_store import successors


class Backlink(NamedTuple):
    """The pages that wait, by the links to them."""

    frontier: Any


@enters(Backlink)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """No link leads to a seed yet."""
    put(order.frontier, book, page, 0.0, 0)


@picks(Backlink)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The page with most links to it."""
    page, count, _ = take(order.frontier, book)
    return page, count


@learns(Backlink)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Count the page's links."""
    for target in successors(links, page, buffer):
        how = meet(book, rules, target, page)
        if how == NEW:
            put(order.frontier, book, target, 1.0, 0)
        elif how == WAITING:
            add(order.frontier, book, target, 1.0, 0)


def prepare(context: CrawlContext) -> Backlink:
    """The state of a crawl that has not begun."""
    return Backlink(context.frontier())


ORDER = Order(
    name="backlink",
    meaning="the page with the most links from pages fetched",
    paper="Cho, Garcia-Molina, Page 1998",
    prepare=prepare,
    live=True,
)

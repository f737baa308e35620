"""Best-first by true PageRank: of the pages that wait, the one with the highest. It knows the whole web.

No crawler has the PageRank of the whole web. Still it is an order, and no bound: it is greedy, and a crawl that fetches
a poor page for the sake of what lies behind it can do better. What no order can beat is in bound.py.

Cost: PageRank, then O(log pages) a page. Memory: 12 bytes a page, and 8 for PageRank itself.
"""

from __future__ import annotations

import numpy as np

from seedbed.crawling.orders.order import CrawlContext, Order
from seedbed.crawling.orders.static_orders import GIVEN, Static, prepare_static
from seedbed.errors import OptionError


def prepare(context: CrawlContext) -> Static:
    """The state of a crawl that has not begun."""
    scores = context.scores()
    wrong = np.flatnonzero(np.isnan(scores))
    if len(wrong):
        raise OptionError(f"the score of page {wrong[0]} is nan; the order 'oracle' needs a number for each page.")
    return prepare_static(context, GIVEN, scores)


ORDER = Order(
    name="oracle",
    meaning="best-first by true PageRank: it knows the whole web, which no crawler does",
    prepare=prepare,
    oracle=True,
)

"""Orders: policies that pick the next page to fetch from what the crawl has seen. Each is declared beside its code.

An order that is not listed here can be given as an object, or be found by its entry point (group `seedbed.orders`).
"""

from __future__ import annotations

from seedbed.common.declarations import Registry
from seedbed.crawling.orders.order import Order, declared

DEFAULT_ORDER = "live-pagerank"
"""Of crawls where none is named."""
_PLACES = {
    "live-pagerank": "live_pagerank:ORDER",
    "fpr": "link_score_orders:FPR",
    "opic": "link_score_orders:OPIC",
    "bfs": "static_orders:BFS",
    "dfs": "static_orders:DFS",
    "random": "static_orders:RANDOM",
    "backlink": "link_score_orders:BACKLINK",
    "pagerank": "seen_pagerank:ORDER",
    "rankmass": "rankmass_orders:RANKMASS",
    "windowed-rankmass": "rankmass_orders:WINDOWED_RANKMASS",
    "largest-site-first": "largest_site:ORDER",
    "oracle": "static_orders:ORACLE",
}

ORDERS: Registry[Order] = Registry(
    "order", "seedbed.orders", {name: f"{__name__}.{place}" for name, place in _PLACES.items()}, declared
)
"""Every order by its name. `ORDERS[name]` imports the order's file, and with it Numba; iterating names does not."""


def find_order(name: str) -> Order:
    """The order of a name such as fpr@100, with its number set."""
    stem, at, text = name.partition("@")
    return ORDERS[stem].with_number(text if at else None)

"""Orders: policies that pick the next page to fetch from what the crawl has seen. Each is declared beside its code.

An order that is not listed here can be given as an object, or be found by its entry point (group `seedbed.orders`).
"""

from __future__ import annotations

from seedbed.common.declarations import Registry
from seedbed.crawling.orders.order import Order, declared

_PLACES = {
    "fpr": "fpr:ORDER",
    "opic": "opic:ORDER",
    "bfs": "bfs:ORDER",
    "dfs": "dfs:ORDER",
    "random": "random_order:ORDER",
    "backlink": "backlink:ORDER",
    "pagerank": "seen_pagerank:ORDER",
    "rankmass": "rankmass:ORDER",
    "windowed-rankmass": "windowed_rankmass:ORDER",
    "largest-site-first": "largest_site:ORDER",
    "oracle": "oracle:ORDER",
}

ORDERS: Registry[Order] = Registry(
    "order", "seedbed.orders", {name: f"{__name__}.{place}" for name, place in _PLACES.items()}, declared
)
"""Every order by its name. `ORDERS[name]` imports the order's file, and with it Numba; iterating names does not."""


def find_order(name: str) -> Order:
    """The order of a name such as fpr@100, with its number set."""
    stem, at, text = name.partition("@")
    return ORDERS[stem].with_number(text if at else None)

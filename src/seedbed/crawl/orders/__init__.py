"""Orders: policies that pick the next page to fetch from what the crawl has seen. One a file.

An order that is not listed here can be given as an object, or be found by its entry point (group `seedbed.orders`).
"""

from __future__ import annotations

import importlib
from importlib.metadata import entry_points
from typing import Any

from seedbed.crawl.orders.kind import Kind
from seedbed.errors import OptionError, unknown

ORDERS = {
    "bfs": "seedbed.crawl.orders.bfs",
    "dfs": "seedbed.crawl.orders.dfs",
    "random": "seedbed.crawl.orders.random",
    "backlink": "seedbed.crawl.orders.backlink",
    "opic": "seedbed.crawl.orders.opic",
    "largest-site-first": "seedbed.crawl.orders.largest_site",
    "pagerank": "seedbed.crawl.orders.pagerank",
    "oracle": "seedbed.crawl.orders.oracle",
    "fpr": "seedbed.crawl.orders.fpr",
    "rankmass": "seedbed.crawl.orders.rankmass",
    "windowed-rankmass": "seedbed.crawl.orders.windowed",
}
"""The module of each order, which has it as ORDER."""

GROUP = "seedbed.orders"


def find_order(name: str) -> tuple[Kind | type[Any], float | str | None]:
    """(the order, its parameter) of a name such as fpr@100; a class where it comes from an entry point."""
    stem, at, text = name.partition("@")
    given = text if at else None
    if stem in ORDERS:
        kind: Kind = importlib.import_module(ORDERS[stem]).ORDER
        if kind.parameter is not None:
            return kind, kind.parameter.checked(stem, given)
        if given is not None:
            raise OptionError(f"order '{name}': '{stem}' takes no number. Leave out '@{text}'.")
        return kind, None
    for point in entry_points(group=GROUP, name=stem):
        return point.load(), given
    raise unknown("order", stem, [*ORDERS, *(point.name for point in entry_points(group=GROUP))])

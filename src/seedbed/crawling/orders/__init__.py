"""Orders: policies that pick the next page to fetch from what the crawl has seen. One a file.

An order that is not listed here can be given as an object, or be found by its entry point (group `seedbed.orders`).
"""

from __future__ import annotations

import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from seedbed.crawling.orders.order import Kind
from seedbed.errors import OptionError, unknown

ORDERS = {
    "bfs": "seedbed.crawling.orders.bfs",
    "dfs": "seedbed.crawling.orders.dfs",
    "random": "seedbed.crawling.orders.random_order",
    "backlink": "seedbed.crawling.orders.backlink",
    "opic": "seedbed.crawling.orders.opic",
    "largest-site-first": "seedbed.crawling.orders.largest_site",
    "pagerank": "seedbed.crawling.orders.seen_pagerank",
    "oracle": "seedbed.crawling.orders.oracle",
    "fpr": "seedbed.crawling.orders.fpr",
    "rankmass": "seedbed.crawling.orders.rankmass",
    "windowed-rankmass": "seedbed.crawling.orders.windowed_rankmass",
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
        return _loaded(point), given
    raise unknown("order", stem, [*ORDERS, *(point.name for point in entry_points(group=GROUP))])


def _loaded(point: EntryPoint) -> type[Any]:
    try:
        found: type[Any] = point.load()
    except (ImportError, AttributeError) as error:
        raise OptionError(f"order '{point.name}': {point.value} cannot be loaded: {error}.") from error
    return found

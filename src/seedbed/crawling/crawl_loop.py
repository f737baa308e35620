"""The loop of a crawl, the same for all orders: pick a page, fetch it, learn its links.

An order has a state, a named tuple of arrays, and three functions that are compiled for it:

    enter(order, state, page, share)                   a seed, with its share of what all seeds start with
    pick(order, state, links, buffer)                  (the page to fetch next, its score); NONE where none is left,
                                                       AGAIN to be asked again after a step of its own; if that takes
                                                       far longer than a fetch, it adds to state.counts[WORK]
    learn(order, state, limits, links, buffer, page)   a page was fetched; call discover(state, limits, target, page)
                                                       for each of its links, and queue what is NEW

`order` is the order's own state, `state` the crawl's. `@implements(enter, State)` registers a function for an order's
state. An order may look at the links of fetched pages only.
"""

from __future__ import annotations

from typing import Any

from seedbed.common.kernels import dispatched, kernel
from seedbed.crawling.crawl_state import FETCHED, UNAVAILABLE, WORK, discover, fetch

MORE, EMPTY = range(2)
NONE, AGAIN = -1, -2
enter = dispatched("enter")
pick = dispatched("pick")
learn = dispatched("learn")


@kernel
def enter_all(order: Any, state: Any, limits: Any, seeds: Any) -> None:
    """Make the seeds known, one after the other."""
    for seed in seeds:
        if discover(state, limits, seed, -1) != UNAVAILABLE:
            enter(order, state, seed, 1.0 / seeds.size)


@kernel
def advance(
    order: Any, state: Any, limits: Any, links: Any, buffer: Any, until: int, until_mass: float, work: int
) -> int:
    """Crawl until so many pages are fetched, so much mass is guaranteed, or so much work is done.

    Returns EMPTY when nothing is left to fetch. Work is limited because a running kernel cannot be interrupted.
    """
    enough = state.counts[WORK] + work
    while state.counts[FETCHED] < until and state.mass[0] < until_mass and state.counts[WORK] < enough:
        state.counts[WORK] += 1
        page, score = pick(order, state, links, buffer)
        if page == AGAIN:
            continue
        if page < 0:
            return EMPTY
        if fetch(state, limits, page, score):
            learn(order, state, limits, links, buffer, page)
    return MORE

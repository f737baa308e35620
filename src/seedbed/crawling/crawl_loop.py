"""The loop of a crawl, one source for all orders: pick a page, fetch it, learn its links.

An order brings its state, a named tuple of arrays, and three kernels for it:

    enter(order, book, page, share)                    a seed, with its share of what seeds have together
    pick(order, book, links, buffer)                   (the page to fetch next, its score); NONE where none is left,
                                                       AGAIN after a step of its own, to be asked again; where that
                                                       takes far longer than a fetch, it adds to book.counts[WORK]
    learn(order, book, rules, links, buffer, page)     a page was fetched; call meet(book, rules, target, page) for each
                                                       of its links, and queue what is NEW

`@enters(State)`, `@picks(State)` and `@learns(State)` register them. An order looks at the links of fetched pages only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seedbed.common.kernels import implement, kernel
from seedbed.crawling.crawl_state import BARRED, FETCHED, WORK, fetch, meet

MORE, EMPTY = range(2)
NONE, AGAIN = -1, -2
Function = Callable[..., Any]


def enter(order: Any, book: Any, page: Any, share: Any) -> Any:
    """A seed; for use inside kernels."""
    raise TypeError("enter() is for kernels")


def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """(the page to fetch next, its score); for use inside kernels."""
    raise TypeError("pick() is for kernels")


def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> Any:
    """A page was fetched; for use inside kernels."""
    raise TypeError("learn() is for kernels")


def enters(state: type) -> Function:
    """Register a function as `enter` for orders with this state."""

    def register(function: Function) -> Function:
        implement(enter, state, function)
        return function

    return register


def picks(state: type) -> Function:
    """Register a function as `pick` for orders with this state."""

    def register(function: Function) -> Function:
        implement(pick, state, function)
        return function

    return register


def learns(state: type) -> Function:
    """Register a function as `learn` for orders with this state."""

    def register(function: Function) -> Function:
        implement(learn, state, function)
        return function

    return register


@kernel
def enter_all(order: Any, book: Any, rules: Any, seeds: Any) -> None:
    """Make the seeds known, in their order."""
    for seed in seeds:
        if meet(book, rules, seed, -1) != BARRED:
            enter(order, book, seed, 1.0 / seeds.size)


@kernel
def advance(
    order: Any, book: Any, rules: Any, links: Any, buffer: Any, until: int, until_mass: float, work: int
) -> int:
    """Crawl on until so many pages are fetched, so much mass is sure, or so much work is done.

    EMPTY where nothing is left to fetch. Work has an end because a kernel does not hear Ctrl-C.
    """
    enough = book.counts[WORK] + work
    while book.counts[FETCHED] < until and book.mass[0] < until_mass and book.counts[WORK] < enough:
        book.counts[WORK] += 1
        page, score = pick(order, book, links, buffer)
        if page == AGAIN:
            continue
        if page < 0:
            return EMPTY
        if fetch(book, rules, page, score):
            learn(order, book, rules, links, buffer, page)
    return MORE

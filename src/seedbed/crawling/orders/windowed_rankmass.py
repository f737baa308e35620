"""Windowed RankMass (Cho, Schonfeld 2007): RankMass in batches, so that masses are passed on far less often.

The candidates are the pages that hold mass, fetched or not. Again and again a window is formed, the W % of them with
the largest masses (at least one). Those of the window that are not fetched are fetched, largest first; then every page
of the window passes on what it holds, once, in the same order. What pages have passed on in all is a lower bound of the
PageRank mass fetched, as in RankMass; it grows at the end of each window. W = 100 goes breadth-first, by levels.

Cost: O(candidates) to form a window beside sorting it. Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel
from seedbed.crawling.crawl_loop import AGAIN, NONE, enters, learns, picks
from seedbed.crawling.crawl_state import NEW, WORK, meet
from seedbed.crawling.frontier.partial_sort import MASS, best_first
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.crawling.wide_floats import normal, plain, plus
from seedbed.links.link_store import successors

OPEN, HOLDS, FETCHED = 1, 2, 4  # states of a page: may hold mass; does so, and is a candidate; is fetched
COUNT, SIZE, NEXT, FREE, PASSING, WAITING = range(6)
LOOKED_AT = 16  # candidates, in the time that a fetch takes


class Windowed(NamedTuple):
    """`mass[p]`: what a page holds, and its state. `candidates`: the window first, in order.

    `at`: COUNT candidates; SIZE of the window; NEXT place in it; places below FREE were taken again, by pages that
    received after they had passed on; PASSING: all of the window is fetched; WAITING: pages known and not fetched.
    """

    mass: NDArray[Any]
    candidates: NDArray[np.int32]
    at: NDArray[np.int64]
    damping: float
    per_cent: float


@inlined
def receive(order: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Give mass to a page, which becomes a candidate; what a page is given that cannot be fetched is lost."""
    held = order.mass[page]
    if held.state & HOLDS:
        held.mantissa, held.block = plus(held.mantissa, held.block, mantissa, block)
    elif held.state == OPEN or (held.state == OPEN | FETCHED and mantissa > 0.0):
        held.mantissa = mantissa
        held.block = block
        held.state |= HOLDS
        place = FREE if order.at[FREE] < order.at[NEXT] else COUNT
        order.candidates[order.at[place]] = page
        order.at[place] += 1


@enters(Windowed)
def enter(order: Any, book: Any, page: Any, share: float) -> None:
    """A seed starts with (1 − d) of its share."""
    order.mass[page].state = OPEN
    order.at[WAITING] += 1
    receive(order, page, (1.0 - order.damping) * share, 0)


@kernel
def pass_on(order: Any, book: Any, links: Any, buffer: Any, page: Any) -> None:
    """A page of the window gives away what it holds."""
    held = order.mass[page]
    mantissa, block = held.mantissa, held.block
    held.state &= OPEN | FETCHED
    if not held.state & FETCHED:
        held.state = 0
        return
    book.mass[0] += plain(mantissa, block)
    targets = successors(links, page, buffer)
    if targets.size > 0:
        mantissa, block = normal(order.damping * mantissa / float(targets.size), block)
    for target in targets:
        receive(order, target, mantissa, block)


@inlined
def close_window(order: Any) -> None:
    """Fill the places of the window that are free with candidates from the end."""
    at = order.at
    while at[FREE] < at[SIZE]:
        at[COUNT] -= 1
        at[SIZE] -= 1
        order.candidates[at[SIZE]] = order.candidates[at[COUNT]]
    at[SIZE] = at[NEXT] = at[FREE] = at[PASSING] = 0


@picks(Windowed)
def pick(order: Any, book: Any, links: Any, buffer: Any) -> Any:
    """The next page of the window to fetch; after that one of its pages passes on, or the next window is formed."""
    at = order.at
    while at[PASSING] == 0 and at[NEXT] < at[SIZE]:
        page = order.candidates[at[NEXT]]
        at[NEXT] += 1
        if book.number[page] > 0:
            at[WAITING] -= 1
            return page, plain(order.mass[page].mantissa, order.mass[page].block)
    if at[PASSING] == 0:
        at[PASSING], at[NEXT] = 1, 0
    if at[NEXT] < at[SIZE]:
        at[NEXT] += 1
        pass_on(order, book, links, buffer, order.candidates[at[NEXT] - 1])
        return AGAIN, 0.0
    close_window(order)
    if at[WAITING] == 0:
        return NONE, 0.0
    at[SIZE] = max(1, int(at[COUNT] * order.per_cent / 100))
    best_first(order.candidates, at[COUNT], at[SIZE], order.mass, book.number)
    book.counts[WORK] += at[COUNT] // LOOKED_AT
    return AGAIN, 0.0


@learns(Windowed)
def learn(order: Any, book: Any, rules: Any, links: Any, buffer: Any, page: Any) -> None:
    """Its links are known now; they receive at the end of the window."""
    order.mass[page].state |= FETCHED
    for target in successors(links, page, buffer):
        if meet(book, rules, target, page) == NEW:
            order.mass[target].state = OPEN
            order.at[WAITING] += 1


def prepare(context: CrawlContext) -> Windowed:
    """The state of a crawl that has not begun."""
    mass, candidates = np.zeros(context.pages, MASS), np.zeros(context.pages, np.int32)
    return Windowed(mass, candidates, np.zeros(6, np.int64), context.damping, context.number)


ORDER = Order(
    name="windowed-rankmass",
    meaning="as rankmass, in batches",
    paper="Cho, Schonfeld 2007",
    prepare=prepare,
    parameter=number_option("W", "the per cent of pages in a window", least=0, most=100, above=True),
    guarantees=True,
    polite=False,
)

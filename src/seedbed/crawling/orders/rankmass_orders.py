"""RankMass and Windowed RankMass (Cho, Schonfeld 2007): the page with the largest lower bound of its PageRank first.

Seeds start with (1 − d)·t, t being an equal share. The page with the largest mass passes it on to all pages that it
links to, d · mass / links to each; it is fetched first if it has not been. A fetched page that receives again waits
again, and passes on when it is the largest. What pages have passed on in all is a lower bound of the PageRank mass
fetched, with the seeds as preference: every part of it is a walk from a seed over pages that were fetched.

Masses are wide, so that a page far behind a ring of others still has its turn. Cost: fetched pages pass on until what
they hold is less than what the next page to fetch holds, so the last pages cost most: on synthetic webs some ten times
FPR for three quarters of the pages and twenty for all. A crawl ends when no page waits that has not been fetched.

Windowed RankMass works in batches, so that masses are passed on far less often. The candidates are the pages that hold
mass, fetched or not. Again and again a window is formed, the W % of them with the largest masses (at least one). Those
of the window that are not fetched are fetched, largest first; then every page of the window passes on what it holds,
once, in the same order. The bound grows at the end of each window. W = 100 goes breadth-first, by levels.
Cost: O(candidates) to form a window beside sorting it.

Memory: 20 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import implements, inlined, kernel
from seedbed.crawling.crawl_loop import AGAIN, NONE, enter, learn, pick
from seedbed.crawling.crawl_state import NEW, WORK, discover
from seedbed.crawling.frontier.heap import Heap, heap_put, heap_raise, heap_take, make_heap
from seedbed.crawling.frontier.partial_sort import MASS, best_first
from seedbed.crawling.orders.order import CrawlContext, Order, number_option
from seedbed.crawling.wide_floats import normalized, plus, to_float
from seedbed.links.link_store import successors

PASSED_ON = -1
"""As a page's place in the heap: it is fetched and does not wait. A page whose fetch failed has 0."""


class RankMass(NamedTuple):
    """`waiting`: pages in the heap that are not fetched. `mantissa`, `block`: the mass of the page picked last."""

    heap: Heap
    damping: float
    waiting: NDArray[np.int64]
    mantissa: NDArray[np.float64]
    block: NDArray[np.int64]


@inlined
def receive_in_heap(heap: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Give mass to a page that waits or is fetched; what another page is given is lost."""
    if heap.place[page] > 0:
        heap_raise(heap, state, page, mantissa, block)
    elif heap.place[page] == PASSED_ON and mantissa > 0.0:
        heap_put(heap, state, page, mantissa, block)


@implements(enter, RankMass)
def enter_seed(order: Any, state: Any, page: Any, share: float) -> None:
    """A seed starts with (1 − d) of its share."""
    order.waiting[0] += 1
    heap_put(order.heap, state, page, (1.0 - order.damping) * share, 0)


@implements(pick, RankMass)
def pick_page(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The page with the largest mass; where it is fetched it passes on, once more."""
    if order.waiting[0] == 0:
        return NONE, 0.0
    page, mantissa, block = heap_take(order.heap, state)
    if state.number[page] > 0:
        order.waiting[0] -= 1
        order.mantissa[0] = mantissa
        order.block[0] = block
        return page, to_float(mantissa, block)
    state.mass[0] += to_float(mantissa, block)
    order.heap.place[page] = PASSED_ON
    targets = successors(links, page, buffer)
    if targets.size > 0:
        mantissa, block = normalized(order.damping * mantissa / float(targets.size), block)
    for target in targets:
        receive_in_heap(order.heap, state, target, mantissa, block)
    return AGAIN, 0.0


@implements(learn, RankMass)
def learn_links(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Pass the page's mass on for the first time."""
    mantissa, block = order.mantissa[0], order.block[0]
    state.mass[0] += to_float(mantissa, block)
    order.heap.place[page] = PASSED_ON
    targets = successors(links, page, buffer)
    if targets.size > 0:
        mantissa, block = normalized(order.damping * mantissa / float(targets.size), block)
    for target in targets:
        if discover(state, limits, target, page) == NEW:
            order.waiting[0] += 1
            heap_put(order.heap, state, target, mantissa, block)
        else:
            receive_in_heap(order.heap, state, target, mantissa, block)


def prepare_rankmass(context: CrawlContext) -> RankMass:
    """The state of a crawl that has not begun."""
    heap = make_heap(context.pages)
    return RankMass(heap, context.damping, np.zeros(1, np.int64), np.zeros(1), np.zeros(1, np.int64))


OPEN, HOLDS, FETCHED = 1, 2, 4  # states of a page: may hold mass; does so, and is a candidate; is fetched
COUNT, SIZE, NEXT, FREE, PASSING, UNFETCHED = range(6)
LOOKED_AT = 16  # candidates, in the time that a fetch takes


class Windowed(NamedTuple):
    """`mass[p]`: what a page holds, and its state. `candidates`: the window first, in order.

    `at`: COUNT candidates; SIZE of the window; NEXT place in it; places below FREE were taken again, by pages that
    received after they had passed on; PASSING: all of the window is fetched; UNFETCHED: pages known and not fetched.
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
    if held.flags & HOLDS:
        held.mantissa, held.block = plus(held.mantissa, held.block, mantissa, block)
    elif held.flags == OPEN or (held.flags == OPEN | FETCHED and mantissa > 0.0):
        held.mantissa = mantissa
        held.block = block
        held.flags |= HOLDS
        place = FREE if order.at[FREE] < order.at[NEXT] else COUNT
        order.candidates[order.at[place]] = page
        order.at[place] += 1


@implements(enter, Windowed)
def enter_windowed(order: Any, state: Any, page: Any, share: float) -> None:
    """A seed starts with (1 − d) of its share."""
    order.mass[page].flags = OPEN
    order.at[UNFETCHED] += 1
    receive(order, page, (1.0 - order.damping) * share, 0)


@kernel
def pass_on(order: Any, state: Any, links: Any, buffer: Any, page: Any) -> None:
    """A page of the window gives away what it holds."""
    held = order.mass[page]
    mantissa, block = held.mantissa, held.block
    held.flags &= OPEN | FETCHED
    if not held.flags & FETCHED:
        held.flags = 0
        return
    state.mass[0] += to_float(mantissa, block)
    targets = successors(links, page, buffer)
    if targets.size > 0:
        mantissa, block = normalized(order.damping * mantissa / float(targets.size), block)
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


@implements(pick, Windowed)
def pick_windowed(order: Any, state: Any, links: Any, buffer: Any) -> Any:
    """The next page of the window to fetch; after that one of its pages passes on, or the next window is formed."""
    at = order.at
    while at[PASSING] == 0 and at[NEXT] < at[SIZE]:
        page = order.candidates[at[NEXT]]
        at[NEXT] += 1
        if state.number[page] > 0:
            at[UNFETCHED] -= 1
            return page, to_float(order.mass[page].mantissa, order.mass[page].block)
    if at[PASSING] == 0:
        at[PASSING], at[NEXT] = 1, 0
    if at[NEXT] < at[SIZE]:
        at[NEXT] += 1
        pass_on(order, state, links, buffer, order.candidates[at[NEXT] - 1])
        return AGAIN, 0.0
    close_window(order)
    if at[UNFETCHED] == 0:
        return NONE, 0.0
    at[SIZE] = max(1, int(at[COUNT] * order.per_cent / 100))
    best_first(order.candidates, at[COUNT], at[SIZE], order.mass, state.number)
    state.counts[WORK] += at[COUNT] // LOOKED_AT
    return AGAIN, 0.0


@implements(learn, Windowed)
def learn_windowed(order: Any, state: Any, limits: Any, links: Any, buffer: Any, page: Any) -> None:
    """Its links are known now; they receive at the end of the window."""
    order.mass[page].flags |= FETCHED
    for target in successors(links, page, buffer):
        if discover(state, limits, target, page) == NEW:
            order.mass[target].flags = OPEN
            order.at[UNFETCHED] += 1


def prepare_windowed(context: CrawlContext) -> Windowed:
    """The state of a crawl that has not begun."""
    mass, candidates = np.zeros(context.pages, MASS), np.zeros(context.pages, np.int32)
    return Windowed(mass, candidates, np.zeros(6, np.int64), context.damping, context.number)


RANKMASS = Order(
    name="rankmass",
    meaning="the page with the most PageRank guaranteed so far",
    paper="Cho, Schonfeld 2007",
    prepare=prepare_rankmass,
    guarantees=True,
    polite=False,
)
WINDOWED_RANKMASS = Order(
    name="windowed-rankmass",
    meaning="as rankmass, in batches",
    paper="Cho, Schonfeld 2007",
    prepare=prepare_windowed,
    parameter=number_option("W", "the per cent of pages in a window", least=0, most=100, above=True),
    guarantees=True,
    polite=False,
)

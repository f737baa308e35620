"""The pages that wait, whatever holds them: one heap, or a heap for each host in polite crawls (host_heaps.py).

    put(frontier, state, page, mantissa, block)      queue a page with a score
    add(frontier, state, page, mantissa, block)      add to the score of a page that is queued
    take(frontier, state)                            (the page to fetch next, its score), −1 where none is left
    rescore(frontier, state, scores)                 give all queued pages new scores, by discovery number

They are called inside kernels. The page with the highest score is first; pages with equal scores go in the order of
their discovery. Scores are wide, and are equal if their first 32 bits are (see wide_floats.py).

The heap has four children a node and is addressable by page. Scores stand in the heap itself, four children in one
cache line. Cost: O(log pages) a step; raising a score mostly moves a page by a level or two. Memory: 20 bytes a page,
touched only as far as the queue grows. heapq cannot raise a score in place: with a new entry for each link seen, it
would hold O(links) entries.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import dispatched, implements, inlined
from seedbed.crawling.wide_floats import alike, plus

put = dispatched("put")
add = dispatched("add")
take = dispatched("take")
rescore = dispatched("rescore")
SLOT = np.dtype([("mantissa", np.float64), ("block", np.int32), ("page", np.int32)])


class Heap(NamedTuple):
    """`place[page]` is the page's slot plus one, 0 where it is not queued."""

    slots: NDArray[Any]
    place: NDArray[np.int32]
    size: NDArray[np.int64]


def make_heap(pages: int) -> Heap:
    """An empty queue for pages 0 … pages − 1."""
    return Heap(np.zeros(pages, SLOT), np.zeros(pages, np.int32), np.zeros(1, np.int64))


@inlined
def ahead(mantissa: Any, block: Any, page: Any, other: Any, number: Any) -> bool:
    """Whether a score comes before that in a slot; `number` tells when pages were discovered."""
    if block != other.block:
        return block > other.block
    if not alike(mantissa, other.mantissa):
        return mantissa > other.mantissa
    return abs(number[page]) < abs(number[other.page])


@inlined
def place_page(heap: Any, at: int, mantissa: Any, block: Any, page: Any) -> None:
    """Put a page into a slot."""
    slot = heap.slots[at]
    slot.mantissa = mantissa
    slot.block = block
    slot.page = page
    heap.place[page] = at + 1


@inlined
def rise(heap: Any, at: int, mantissa: Any, block: Any, page: Any, number: Any) -> None:
    """Find a page's slot from `at` upwards."""
    while at > 0:
        above = heap.slots[(at - 1) >> 2]
        if not ahead(mantissa, block, page, above, number):
            break
        place_page(heap, at, above.mantissa, above.block, above.page)
        at = (at - 1) >> 2
    place_page(heap, at, mantissa, block, page)


@inlined
def sink(heap: Any, at: int, mantissa: Any, block: Any, page: Any, number: Any) -> None:
    """Find a page's slot from `at` downwards."""
    slots, size = heap.slots, heap.size[0]
    while 4 * at + 1 < size:
        best = 4 * at + 1
        for child in range(4 * at + 2, min(4 * at + 5, size)):
            one = slots[child]
            if ahead(one.mantissa, one.block, one.page, slots[best], number):
                best = child
        below = slots[best]
        if ahead(mantissa, block, page, below, number):
            break
        place_page(heap, at, below.mantissa, below.block, below.page)
        at = best
    place_page(heap, at, mantissa, block, page)


@implements(put, Heap)
@inlined
def heap_put(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Queue a page that is not queued."""
    at = frontier.size[0]
    frontier.size[0] = at + 1
    rise(frontier, at, mantissa, block, page, state.number)


@implements(add, Heap)
@inlined
def heap_raise(frontier: Any, state: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Add to the score of a page that is queued."""
    at = frontier.place[page] - 1
    slot = frontier.slots[at]
    mantissa, block = plus(slot.mantissa, slot.block, mantissa, block)
    rise(frontier, at, mantissa, block, page, state.number)


@implements(take, Heap)
@inlined
def heap_take(frontier: Any, state: Any) -> Any:
    """(the first page, its score), which leaves the queue; −1 where it is empty."""
    if frontier.size[0] == 0:
        return -1, 0.0, 0
    first = frontier.slots[0]
    page, mantissa, block = first.page, first.mantissa, first.block
    frontier.place[page] = 0
    frontier.size[0] -= 1
    if frontier.size[0] > 0:
        last = frontier.slots[frontier.size[0]]
        sink(frontier, 0, last.mantissa, last.block, last.page, state.number)
    return page, mantissa, block


@implements(rescore, Heap)
@inlined
def heap_rescore(frontier: Any, state: Any, scores: Any) -> None:
    """Give all that waits new scores, plain numbers by discovery number, and restore the heap. O(pages that wait)."""
    slots, size = frontier.slots, frontier.size[0]
    for at in range(size):
        slots[at].mantissa = scores[state.number[slots[at].page] - 1]
    for at in range((size - 2) >> 2, -1, -1):
        slot = slots[at]
        sink(frontier, at, slot.mantissa, slot.block, slot.page, state.number)

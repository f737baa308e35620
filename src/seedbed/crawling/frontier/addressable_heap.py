"""A priority queue of pages whose scores can rise: a heap with four children a node, addressable by page.

The page with the highest score is first; of equal scores the one discovered first. Scores are wide (see wide.py) and
stand in the heap itself, four children in one line of the processor's cache. Cost: O(log pages) for each step; raising
a score mostly moves a page by a level or two. Memory: 20 bytes a page, touched only as far as the queue grows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined
from seedbed.crawling.wide_floats import plus

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
    if mantissa != other.mantissa:
        return mantissa > other.mantissa
    return abs(number[page]) < abs(number[other.page])


@inlined
def settle(heap: Any, at: int, mantissa: Any, block: Any, page: Any) -> None:
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
        settle(heap, at, above.mantissa, above.block, above.page)
        at = (at - 1) >> 2
    settle(heap, at, mantissa, block, page)


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
        settle(heap, at, below.mantissa, below.block, below.page)
        at = best
    settle(heap, at, mantissa, block, page)


@inlined
def heap_put(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Queue a page that is not queued."""
    at = frontier.size[0]
    frontier.size[0] = at + 1
    rise(frontier, at, mantissa, block, page, book.number)


@inlined
def heap_raise(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Add to the score of a page that is queued."""
    at = frontier.place[page] - 1
    slot = frontier.slots[at]
    mantissa, block = plus(slot.mantissa, slot.block, mantissa, block)
    rise(frontier, at, mantissa, block, page, book.number)


@inlined
def heap_take(frontier: Any, book: Any) -> Any:
    """(the first page, its score), which leaves the queue; −1 where it is empty."""
    if frontier.size[0] == 0:
        return -1, 0.0, 0
    first = frontier.slots[0]
    page, mantissa, block = first.page, first.mantissa, first.block
    frontier.place[page] = 0
    frontier.size[0] -= 1
    if frontier.size[0] > 0:
        last = frontier.slots[frontier.size[0]]
        sink(frontier, 0, last.mantissa, last.block, last.page, book.number)
    return page, mantissa, block

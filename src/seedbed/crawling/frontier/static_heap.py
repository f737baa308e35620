"""A priority queue of pages whose scores do not change while they wait, or all at once: a heap of page ids alone.

The page with the highest score is first; of equal scores the one discovered first. Scores are plain float64 and stand
outside the heap, by discovery number, so that those of all known pages lie side by side. Cost: O(log pages) a step,
O(pages that wait) to give all of them other scores. Memory: 12 bytes a page.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined
from seedbed.crawling.frontier.waiting_pages import register


class PlainHeap(NamedTuple):
    """slots[: size[0]] wait; `score[n − 1]` is that of the n-th page discovered."""

    slots: NDArray[np.int32]
    score: NDArray[np.float64]
    size: NDArray[np.int64]


def make_plain_heap(pages: int) -> PlainHeap:
    """An empty queue."""
    return PlainHeap(np.zeros(pages, np.int32), np.zeros(pages, np.float64), np.zeros(1, np.int64))


@inlined
def leads(score: Any, one: Any, other: Any) -> bool:
    """Whether the page discovered as number `one` comes before number `other`."""
    if score[one - 1] != score[other - 1]:
        return score[one - 1] > score[other - 1]
    return one < other


@borrowing
def sink_page(frontier: Any, book: Any, at: int, page: Any) -> None:
    """Find a page's slot from `at` downwards."""
    slots, score, number, size = frontier.slots, frontier.score, book.number, frontier.size[0]
    while 4 * at + 1 < size:
        best = 4 * at + 1
        for child in range(4 * at + 2, min(4 * at + 5, size)):
            if leads(score, number[slots[child]], number[slots[best]]):
                best = child
        if leads(score, number[page], number[slots[best]]):
            break
        slots[at] = slots[best]
        at = best
    slots[at] = page


@inlined
def plain_put(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> None:
    """Queue a page that is not queued."""
    slots, score, number = frontier.slots, frontier.score, book.number
    score[number[page] - 1] = mantissa
    at = frontier.size[0]
    frontier.size[0] = at + 1
    while at > 0 and leads(score, number[page], number[slots[(at - 1) >> 2]]):
        slots[at] = slots[(at - 1) >> 2]
        at = (at - 1) >> 2
    slots[at] = page


@inlined
def plain_take(frontier: Any, book: Any) -> Any:
    """(the first page, its score), which leaves the queue; −1 where it is empty."""
    if frontier.size[0] == 0:
        return -1, 0.0, 0
    page = frontier.slots[0]
    frontier.size[0] -= 1
    if frontier.size[0] > 0:
        sink_page(frontier, book, 0, frontier.slots[frontier.size[0]])
    return page, frontier.score[book.number[page] - 1], 0


@inlined
def plain_rescore(frontier: Any, book: Any, scores: Any) -> None:
    """Put what waits in order by other scores."""
    score, slots = frontier.score, frontier.slots
    for at in range(frontier.size[0]):
        number = book.number[slots[at]]
        score[number - 1] = scores[number - 1]
    for at in range((frontier.size[0] - 2) >> 2, -1, -1):
        sink_page(frontier, book, at, slots[at])


register(PlainHeap, plain_put, None, plain_take, plain_rescore)

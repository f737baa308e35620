"""The pages that wait, whatever holds them: one heap, or a heap for each host where a crawl is polite.

    put(frontier, book, page, mantissa, block)      queue a page with a score
    add(frontier, book, page, mantissa, block)      add to the score of a page that is queued
    take(frontier, book)                            (the page to fetch next, its score), −1 where none is left
    rescore(frontier, book, scores)                 give all pages queued other scores, by discovery number

Not every frontier can do each of these. Of equal scores the page discovered first goes first. Scores are wide (see
wide.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seedbed.common.kernels import implement
from seedbed.crawling.frontier.addressable_heap import Heap, heap_put, heap_raise, heap_take


def put(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> Any:
    """Queue a page; for use inside kernels."""
    raise TypeError("put() is for kernels")


def add(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> Any:
    """Add to the score of a queued page; for use inside kernels."""
    raise TypeError("add() is for kernels")


def take(frontier: Any, book: Any) -> Any:
    """The page to fetch next and its score; for use inside kernels."""
    raise TypeError("take() is for kernels")


def rescore(frontier: Any, book: Any, scores: Any) -> Any:
    """Give all queued pages other scores; for use inside kernels."""
    raise TypeError("rescore() is for kernels")


Step = Callable[..., Any]


def register(kind: type, putting: Step, adding: Step | None, taking: Step, rescoring: Step | None = None) -> None:
    """Say how pages wait in a frontier of this class."""
    for function, step in ((put, putting), (add, adding), (take, taking), (rescore, rescoring)):
        if step is not None:
            implement(function, kind, step)


register(Heap, heap_put, heap_raise, heap_take)

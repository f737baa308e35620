"""The pages that wait, whatever holds them: one heap, or a heap for each host where a crawl is polite.

    put(frontier, book, page, mantissa, block)      queue a page with a score
    add(frontier, book, page, mantissa, block)      add to the score of a page that is queued
    take(frontier, book)                            (the page to fetch next, its score), −1 where none is left

Of equal scores the page discovered first goes first. Scores are wide (see wide.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from seedbed.crawl.heap import Heap, heap_put, heap_raise, heap_take


def put(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> Any:
    """Queue a page; for use inside kernels."""
    raise TypeError("put() is for kernels")


def add(frontier: Any, book: Any, page: Any, mantissa: Any, block: Any) -> Any:
    """Add to the score of a queued page; for use inside kernels."""
    raise TypeError("add() is for kernels")


def take(frontier: Any, book: Any) -> Any:
    """The page to fetch next and its score; for use inside kernels."""
    raise TypeError("take() is for kernels")


def register(kind: type, putting: Callable[..., Any], adding: Callable[..., Any], taking: Callable[..., Any]) -> None:
    """Say how pages wait in a frontier of this class."""

    def is_kind(frontier: Any) -> bool:
        return getattr(frontier, "instance_class", None) is kind

    overload(put, strict=False)(
        lambda frontier, book, page, mantissa, block: putting.py_func if is_kind(frontier) else None  # type: ignore[attr-defined]
    )
    overload(add, strict=False)(
        lambda frontier, book, page, mantissa, block: adding.py_func if is_kind(frontier) else None  # type: ignore[attr-defined]
    )
    overload(take, strict=False)(lambda frontier, book: taking.py_func if is_kind(frontier) else None)  # type: ignore[attr-defined]


register(Heap, heap_put, heap_raise, heap_take)

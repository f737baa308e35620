"""How long work tells where it is: a function called with (stage, done, total); total is 0 where it is not known."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]


def no_progress(stage: str, done: int, total: int) -> None:
    """Say nothing."""

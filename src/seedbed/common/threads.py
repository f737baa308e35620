"""Threads that share work so that the result does not depend on how many there are.

Work is cut into fixed parts. Threads take runs of adjacent parts, large runs first and small ones at the end, so that
all finish at about the same time. Sums over pages are kept per part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from seedbed.common.memory import core_count, thread_room
from seedbed.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")

SMALLEST = 0.1
"""The last share is about this fraction of one thread's work."""


def thread_count(threads: int | None = None) -> int:
    """The number of threads requested; by default one per core, or fewer if a limit on address space requires it."""
    if threads is None:
        return min(core_count(), thread_room())
    if threads < 1:
        raise OptionError(f"{threads} threads: at least 1 is needed. Leave the option out to use all cores.")
    return threads


class Team:
    """The calling thread and its helper threads."""

    def __init__(self, threads: int | None = None) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self.threads = thread_count(threads)
        self._helpers = ThreadPoolExecutor(self.threads)

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *error: object) -> None:
        self._helpers.shutdown(wait=True, cancel_futures=True)

    def shares(self, cost: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Runs of parts, in order. Each costs 1/threads of half the remaining work, so the last ones are small."""
        import numpy as np

        ends = np.cumsum(cost)
        total, left, cuts = int(ends[-1]) if len(ends) else 0, 1.0, []
        while self.threads > 1 and left > SMALLEST / self.threads:
            left -= left / (2 * self.threads)
            cuts.append(total * (1 - left))
        places = np.unique([0, *np.searchsorted(ends, cuts), len(cost)]).tolist()
        return list(pairwise(places))

    def run(self, work: Callable[[int, int], object], shares: list[tuple[int, int]]) -> None:
        """Call work(first, last) for every share; each free thread, including the calling one, takes the next."""
        left = iter(shares)

        def take() -> None:
            for share in left:
                work(*share)

        waiting = [self._helpers.submit(take) for _ in range(min(self.threads, len(shares)) - 1)]
        try:
            take()
        finally:
            for future in waiting:
                future.result()

    def ahead(self, work: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """work(item) for every item, in order, computed ahead by the helper threads, one item each."""
        ahead = [self._helpers.submit(work, item) for item in items[: self.threads]]
        for item in items[self.threads :]:
            yield ahead.pop(0).result()
            ahead.append(self._helpers.submit(work, item))
        for future in ahead:
            yield future.result()

"""Lazy evaluation (Minoux 1978; CELF, Leskovec et al. 2007): the page with the largest gain, without weighing them all.

If no value is negative, a gain can only fall as seeds are added. So what a page gained when it was last weighed is a
bound, and only pages whose bound beats the best gain found so far need weighing. A covered page of negative value may
raise a gain; the sum of all such values covered so far, `lifted`, bounds by how much. A page then has two bounds:

    gain when last weighed + (lifted now − lifted then)        and       the positive values it reached then

The heap is ordered by gain − lifted then, which does not change as lifted grows. Pages are popped until the next bound
is no better than the best gain. The result is the page with the largest gain, ties to the smallest: the same as if all
were weighed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.seeds.coverage.covered import Covered, Units
from seedbed.seeds.problem import Eligible

FIRST = 16
"""Pages weighed in the first batch; later batches are larger."""
MOST = 1 << 13


class Lazy:
    """Candidate pages, ascending. bounds[k] is no less than what pages[k] can ever gain within `depth` links.

    `plus` is the second bound of every page of the web, updated when a page is weighed; empty if no value is negative.
    """

    def __init__(
        self, covered: Covered, eligible: Eligible, depth: int, pages: NDArray[Any], bounds: Units, plus: Units
    ) -> None:
        self._covered = covered
        self._eligible = eligible
        self._depth = depth
        order = np.argsort(-bounds, kind="stable")
        self._pages = pages[order]
        self._keys = bounds[order] - covered.lifted
        self._size = len(pages)
        self._plus = plus
        self.weighed = 0

    def add(self, pages: NDArray[Any], bound: int) -> None:
        """Add pages that are not there yet."""
        self._push(pages.astype(self._pages.dtype), np.full(len(pages), bound - self._covered.lifted))

    def _push(self, pages: NDArray[Any], keys: Units) -> None:
        needed = self._size + len(pages)
        if needed > len(self._keys):
            self._keys = np.resize(self._keys, 2 * needed)
            self._pages = np.resize(self._pages, 2 * needed)
        self._size = push_many(self._keys, self._pages, self._size, pages, keys)

    def best(self) -> tuple[int, int] | None:
        """The page with the largest gain above zero, and the gain."""
        covered, most, page = self._covered, 0, -1
        held: list[tuple[NDArray[Any], Units]] = []
        batch = FIRST
        while True:
            pages = self._take(batch, most, page)
            if not len(pages):
                break
            gains, plus = covered.gains(pages, self._depth)
            self.weighed += len(pages)
            if covered.has_negative:
                self._plus[pages] = plus
            held.append((pages, gains))
            at = int(gains.argmax())
            if (int(gains[at]), -int(pages[at])) > (most, -page) and gains[at] > 0:
                most, page = int(gains[at]), int(pages[at])
            if batch == MOST:
                covered.progress("pages weighed", self.weighed, 0)
            batch = min(4 * batch, MOST)
        for pages, gains in held:
            self._push(pages, gains - covered.lifted)
        return None if page < 0 else (page, most)

    def _take(self, count: int, most: int, page: int) -> NDArray[Any]:
        """Up to `count` pages, ascending, whose bounds beat a gain of `most` by `page`."""
        taken = np.empty(min(count, self._size), self._pages.dtype)
        is_open, lifted = self._eligible.mask, self._covered.lifted
        self._size, found = pop_many(
            self._keys, self._pages, self._size, is_open, lifted, self._plus, most, page, taken
        )
        return np.sort(taken[:found])


@inlined
def before(key: int, page: int, other_key: int, other: int) -> bool:
    """Whether an entry is popped before another: the larger key, then the smaller page."""
    return key > other_key or (key == other_key and page < other)


@kernel
def push_many(keys: Any, pages: Any, size: int, new_pages: Any, new_keys: Any) -> int:
    """Push entries onto the heap; returns its new size."""
    for k in range(new_pages.size):
        at = size
        while at > 0 and before(new_keys[k], new_pages[k], keys[(at - 1) >> 1], pages[(at - 1) >> 1]):
            keys[at], pages[at] = keys[(at - 1) >> 1], pages[(at - 1) >> 1]
            at = (at - 1) >> 1
        keys[at], pages[at] = new_keys[k], new_pages[k]
        size += 1
    return size


@borrowing
def replace_first(keys: Any, pages: Any, size: int, key: int, page: int) -> None:
    """Put an entry in the place of the heap's first, and move it down to where it belongs."""
    at, child = 0, 1
    while child < size:
        if child + 1 < size and before(keys[child + 1], pages[child + 1], keys[child], pages[child]):
            child += 1
        if not before(keys[child], pages[child], key, page):
            break
        keys[at], pages[at] = keys[child], pages[child]
        at, child = child, 2 * child + 1
    keys[at], pages[at] = key, page


@kernel
def pop_many(
    keys: Any, pages: Any, size: int, is_open: Any, lifted: int, plus: Any, most: int, best: int, taken: Any
) -> tuple[int, int]:
    """Move entries whose bound beats (most, best) to `taken`, as many as fit; returns the heap's size and how many.

    Closed pages are dropped for good. With plus, an entry whose second bound is lower is pushed back with that bound.
    """
    found = 0
    while size > 0 and found < taken.size:
        page, bound = pages[0], keys[0] + lifted
        if is_open[page]:
            if bound < most or (bound == most and page >= best):
                break
            if plus.size > 0 and plus[page] < bound:
                replace_first(keys, pages, size, plus[page] - lifted, page)
                continue
            taken[found] = page
            found += 1
        size -= 1
        replace_first(keys, pages, size, keys[size], pages[size])
    return size, found

"""Short lists of pages, made ascending in place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing

_SHORT = 48


@borrowing
def ascending(pages: NDArray[np.int64], settled: int, count: int, page: int) -> int:
    """Sort pages[:count], sorted up to `settled`; drop repeats, negatives and `page`; how many stay."""
    if count - settled > _SHORT:
        _shell_sort(pages, count)
    else:
        for i in range(max(settled, 1), count):
            value, j = pages[i], i
            while j > 0 and pages[j - 1] > value:
                pages[j] = pages[j - 1]
                j -= 1
            pages[j] = value
    left, previous = 0, -1
    for i in range(count):
        value = pages[i]
        if value != previous and value >= 0 and value != page:
            pages[left] = value
            left += 1
            previous = value
    return left


@borrowing
def _shell_sort(pages: NDArray[np.int64], count: int) -> None:
    gap = 1
    while gap < count // 9:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, count):
            value, j = pages[i], i
            while j >= gap and pages[j - gap] > value:
                pages[j] = pages[j - gap]
                j -= gap
            pages[j] = value
        gap //= 3

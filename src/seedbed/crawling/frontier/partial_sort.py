"""The best of many pages, sorted: a quicksort that leaves alone what does not come to the front.

Pages are ordered by mass, of equal masses the page discovered first. Pivots are drawn by a hash of their place, so that
no web is slow by its order of links. Cost: O(count + size · log size) on average. Memory: none beside the pages.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel
from seedbed.crawling.crawl_state import uniform
from seedbed.crawling.wide_floats import alike

MASS = np.dtype([("mantissa", np.float64), ("block", np.int32), ("flags", np.int32)])
SMALL = 16


@inlined
def before(page: Any, other: Any, mass: Any, number: Any) -> bool:
    """Whether a page comes before another."""
    one, two = mass[page], mass[other]
    if one.block != two.block:
        return one.block > two.block
    if not alike(one.mantissa, two.mantissa):
        return one.mantissa > two.mantissa
    return abs(number[page]) < abs(number[other])


@inlined
def split(pages: Any, first: int, last: int, mass: Any, number: Any) -> int:
    """Part pages first … last so that those up to the place given come before all others; neither part is empty."""
    at = first + int(uniform(last, first) * (last - first + 1))
    pivot = pages[at]
    pages[at] = pages[first]
    pages[first] = pivot
    low, high = first - 1, last + 1
    while True:
        low += 1
        while before(pages[low], pivot, mass, number):
            low += 1
        high -= 1
        while before(pivot, pages[high], mass, number):
            high -= 1
        if low >= high:
            return high
        pages[low], pages[high] = pages[high], pages[low]


@inlined
def insert(pages: Any, first: int, last: int, mass: Any, number: Any) -> None:
    """Sort pages first … last, a few."""
    for k in range(first + 1, last + 1):
        page, at = pages[k], k
        while at > first and before(page, pages[at - 1], mass, number):
            pages[at] = pages[at - 1]
            at -= 1
        pages[at] = page


@kernel
def best_first(pages: NDArray[np.int32], count: int, size: int, mass: NDArray[Any], number: NDArray[np.int32]) -> None:
    """Bring the best `size` of the first `count` pages to the front, sorted."""
    later = np.empty((64, 2), np.int64)
    depth = 0
    first, last = 0, count - 1
    while True:
        while last - first >= SMALL:
            cut = split(pages, first, last, mass, number)
            if cut + 1 >= size:
                last = cut
            elif cut - first < last - cut:
                later[depth, 0], later[depth, 1] = cut + 1, last
                depth, last = depth + 1, cut
            else:
                later[depth, 0], later[depth, 1] = first, cut
                depth, first = depth + 1, cut + 1
        insert(pages, first, last, mass, number)
        if depth == 0:
            return
        depth -= 1
        first, last = later[depth, 0], later[depth, 1]

"""Classes of pages that no ranking can tell apart: rows with equal lists of links.

Found by a fingerprint of each list, then by comparing the lists themselves. O(links + pages log pages).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, kernel

Ints = NDArray[np.int64]


def classes(ptr: Ints, idx: NDArray[Any]) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """Rows with equal lists are a class: (class of each row, −1 where the list is empty; the lists of the classes)."""
    rows = np.flatnonzero(np.diff(ptr) > 0)
    prints = fingerprints(ptr, idx, rows)
    order = np.lexsort((rows, prints))
    of_row = np.full(len(ptr) - 1, -1, np.int32)
    firsts = number_classes(ptr, idx, rows[order], prints[order], of_row)
    # Numbered by their first row, classes that are near each other link to near places: sums stay in the cache.
    by_row = np.argsort(firsts)
    place = np.empty(len(firsts), np.int32)
    place[by_row] = np.arange(len(firsts), dtype=np.int32)
    of_row[rows] = place[of_row[rows]]
    firsts = firsts[by_row]
    lengths = np.diff(ptr)[firsts]
    class_ptr = np.concatenate([[0], np.cumsum(lengths)])
    return of_row, class_ptr, take_lists(ptr, idx, firsts, class_ptr)


@kernel
def fingerprints(ptr: Ints, idx: Any, rows: Ints) -> NDArray[np.uint64]:
    """A hash of each row's list."""
    prints = np.empty(rows.size, np.uint64)
    for j in range(rows.size):
        value = np.uint64(0x9E3779B97F4A7C15)
        for k in range(ptr[rows[j]], ptr[rows[j] + 1]):
            value = (value ^ np.uint64(idx[k])) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(29)
        prints[j] = value
    return prints


@borrowing
def equal_lists(ptr: Ints, idx: Any, row: int, other: int) -> bool:
    """Whether two rows have the same list."""
    length = ptr[row + 1] - ptr[row]
    if ptr[other + 1] - ptr[other] != length:
        return False
    j = 0
    while j < length and idx[ptr[row] + j] == idx[ptr[other] + j]:
        j += 1
    return j == length


@kernel
def number_classes(ptr: Ints, idx: Any, rows: Ints, prints: NDArray[np.uint64], of_row: NDArray[np.int32]) -> Ints:
    """Number the classes of rows sorted by fingerprint and row; gives the first row of each.

    Lists that differ and share a fingerprint may end up in more classes than needed, which does no harm.
    """
    firsts = np.empty(rows.size, np.int64)
    count = 0
    for j in range(rows.size):
        same = j > 0 and prints[j] == prints[j - 1] and equal_lists(ptr, idx, rows[j], firsts[count - 1])
        if not same:
            firsts[count] = rows[j]
            count += 1
        of_row[rows[j]] = count - 1
    return firsts[:count]


@kernel
def take_lists(ptr: Ints, idx: Any, rows: Ints, new_ptr: Ints) -> NDArray[np.int32]:
    """The lists of some rows, one after the other."""
    result = np.empty(new_ptr[-1], np.int32)
    for j in range(rows.size):
        for k in range(new_ptr[j + 1] - new_ptr[j]):
            result[new_ptr[j] + k] = idx[ptr[rows[j]] + k]
    return result

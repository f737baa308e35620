"""Sums over the lists of a graph: for each page p, Σ values[q] over the pages q in its list. O(pages + links).

The lists are laid out once for this, part by part (8,192 pages, whose sums stay in a core's cache):

- Lists that are equal, as those of pages in one menu are, stand once; the sum is copied. Neighbours in the order of
  URLs are alike, so equal lists are looked for within a part only.
- Within a part, lists stand in order of length: the processor then foresees where each list ends.
- Long lists are summed in four strands, so that no addition waits for the one before it.

A sum depends on the list alone, never on the threads. Memory: 4 bytes a link and 6 a page; while the layout is made,
the lists it is made of stand beside it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.csr import Csr, frozen
from seedbed.graph.kernel import inlined, kernel
from seedbed.ranking.team import Team

PAGES_PER_PART = 1 << 13
TABLE = 1 << 14
LENGTHS = 256
STRANDS_FROM = 16
PAGE_COST = 4
"""Time for a page, in links."""


class Lists(NamedTuple):
    """Lists laid out for sums. Those of part k start at row bounds[k] and at place starts[k] of idx.

    First `distinct[k]` rows: the list of page bounds[k] + row has the next `length` places of idx. Then `copied[k]`
    rows: page bounds[k] + row has the sum of page bounds[k] + length. All other pages of the part have empty lists.
    """

    bounds: NDArray[np.int64]
    starts: NDArray[np.int64]
    distinct: NDArray[np.int64]
    copied: NDArray[np.int64]
    row: NDArray[np.uint16]
    length: NDArray[np.uint32]
    idx: NDArray[Any]
    cost: NDArray[np.int64]


def part_bounds(pages: int) -> NDArray[np.int64]:
    """Where the parts start, and where the last one ends."""
    return np.minimum(np.arange(-(-pages // PAGES_PER_PART) + 1, dtype=np.int64) * PAGES_PER_PART, pages)


def lay_out(links: Csr, team: Team) -> Lists:
    """The lists of successors, laid out for sums."""
    ptr, idx = links.arrays()
    bounds = part_bounds(links.pages)
    parts = len(bounds) - 1
    idx = idx.view(np.uint32 if idx.dtype.itemsize == 4 else np.uint64)
    lists = Lists(
        bounds=bounds,
        starts=ptr[bounds],
        distinct=np.zeros(parts, np.int64),
        copied=np.zeros(parts, np.int64),
        row=np.empty(links.pages, np.uint16),
        length=np.empty(links.pages, np.uint32),
        idx=np.empty_like(idx),
        cost=np.zeros(parts, np.int64),
    )
    if parts:
        shares = team.shares(np.diff(lists.starts) + PAGE_COST * np.diff(bounds))
        team.run(lambda first, last: lay_out_parts(ptr, idx, lists, first, last), shares)
    return Lists(*(frozen(array) for array in lists))


@kernel
def lay_out_parts(ptr: NDArray[np.int64], idx: Any, lists: Any, first: int, last: int) -> None:
    """Lay out some parts."""
    table = np.empty(TABLE, np.int32)
    same = np.empty(PAGES_PER_PART, np.int32)
    for part in range(first, last):
        start, stop = lists.bounds[part], lists.bounds[part + 1]
        find_equal(ptr, idx, start, stop, table, same)
        lay_out_part(ptr, idx, lists, part, same)


@kernel
def find_equal(ptr: NDArray[np.int64], idx: Any, start: int, stop: int, table: Any, same: Any) -> None:
    """same[k]: the first page of the part whose list is that of page start + k, relative to start; −1 if empty."""
    table[:] = -1
    for k in range(stop - start):
        low, high = ptr[start + k], ptr[start + k + 1]
        if low == high:
            same[k] = -1
            continue
        place = hash_of(idx, low, high)
        while table[place] >= 0 and not equal(ptr, idx, start + table[place], low, high):
            place = (place + 1) % TABLE
        if table[place] < 0:
            table[place] = k
        same[k] = table[place]


@inlined
def hash_of(idx: Any, low: int, high: int) -> np.int64:
    """A place of the table for a list."""
    mixed = np.uint64(high - low)
    for j in range(low, high):
        mixed = (mixed ^ np.uint64(idx[j])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed >> np.uint64(50))


@inlined
def equal(ptr: NDArray[np.int64], idx: Any, page: int, low: int, high: int) -> bool:
    """Whether the list of `page` is idx[low:high]."""
    start = ptr[page]
    if ptr[page + 1] - start != high - low:
        return False
    j = 0
    while j < high - low and idx[start + j] == idx[low + j]:
        j += 1
    return j == high - low


@kernel
def lay_out_part(ptr: NDArray[np.int64], idx: Any, lists: Any, part: int, same: Any) -> None:
    """Write one part: distinct lists by length (long ones by page), then pages that share the sum of another."""
    start, stop = lists.bounds[part], lists.bounds[part + 1]
    row, length, places = lists.row, lists.length, lists.idx
    free = np.zeros(LENGTHS + 2, np.int64)
    for k in range(stop - start):
        if same[k] == k:
            free[min(ptr[start + k + 1] - ptr[start + k], LENGTHS) + 1] += 1
        elif same[k] >= 0:
            lists.copied[part] += 1
    free[0] = start
    for size in range(LENGTHS + 1):
        free[size + 1] += free[size]
    copies = free[LENGTHS + 1]
    lists.distinct[part] = copies - start
    for k in range(stop - start):
        if same[k] == k:
            size = min(ptr[start + k + 1] - ptr[start + k], LENGTHS)
            row[free[size]] = k
            free[size] += 1
        elif same[k] >= 0:
            row[copies] = k
            length[copies] = same[k]
            copies += 1
    at = lists.starts[part]
    for r in range(start, start + lists.distinct[part]):
        low, high = ptr[start + row[r]], ptr[start + row[r] + 1]
        length[r] = high - low
        for j in range(low, high):
            places[at] = idx[j]
            at += 1
    lists.cost[part] = at - lists.starts[part] + PAGE_COST * (stop - start)


@kernel
def sum_part(lists: Any, part: int, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """sums[p] = Σ values[q] over the list of p, for the pages p of one part."""
    row, length, idx = lists.row, lists.length, lists.idx
    start = lists.bounds[part]
    first_copy = start + lists.distinct[part]
    sums[start : lists.bounds[part + 1]] = 0.0
    at = lists.starts[part]
    for r in range(start, first_copy):
        end = at + length[r]
        sums[start + row[r]] = sum_of(values, idx, at, end)
        at = end
    for r in range(first_copy, first_copy + lists.copied[part]):
        sums[start + row[r]] = sums[start + length[r]]


@inlined
def sum_of(values: NDArray[np.float64], idx: Any, at: int, end: int) -> float:
    """Σ values[idx[at:end]]: from left to right, in four strands where it is long."""
    total = 0.0
    if end - at >= STRANDS_FROM:
        a = b = c = 0.0
        while at + 4 <= end:
            total += values[idx[at]]
            a += values[idx[at + 1]]
            b += values[idx[at + 2]]
            c += values[idx[at + 3]]
            at += 4
        total = (total + a) + (b + c)
    while at < end:
        total += values[idx[at]]
        at += 1
    return total

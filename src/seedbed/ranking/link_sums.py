"""Sums over the links of a graph: for each page p, Σ values[q] over the pages q in its list. O(pages + links).

`LinkSums` works in parts of 8,192 pages, whose sums stay in a core's cache while a kernel turns them into scores.
Lists held in memory are laid out for this once:

- Equal lists, such as those of pages that share a menu, are stored once, and the sum is copied. Neighbours in URL order
  are alike, so equal lists are only looked for within a part.
- Links are stored in lines of four, which are added to four sums at once: no addition waits for the one before it.
- Short lists are grouped by four (a quad) with lists of about the same length, each in its own column. One loop then
  serves four lists, and the branch predictor mostly guesses where it ends. A long list has lines to itself.
- Lines are padded with a page after the last one, whose value is 0.

Memory: 4 bytes per link and 4 per page; while the layout is built, also the lists it is built from. Links that do not
fit in memory are instead read from their store for every sum, in blocks that threads decode ahead and that are used in
page order. A sum depends on the list alone, never on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen
from seedbed.common.kernels import inlined, kernel
from seedbed.common.memory import machine_memory
from seedbed.common.threads import Team
from seedbed.links.csr import Csr
from seedbed.links.link_store import LinkStore, blocks_ahead
from seedbed.links.transpose import size_in_memory

PAGES_PER_PART = 1 << 13
TABLE = 1 << 14
LONG = 64
"""A list with at least this many links has lines to itself."""
PAGE_COST = 4
"""The time a page takes, in units of one link."""


class ListLayout(NamedTuple):
    """Lists laid out for sums. Part k has the pages, lines, quads, … from bounds[k], lines_from[k], … to [k + 1].

    The lines of a part are those of its quads, one after the other, then those of its long lists. Pages are given by
    their index within the part. Pages that do not appear have empty lists. Everything is unsigned, so the compiler
    need not handle indices that count from the end.
    """

    bounds: NDArray[np.uint64]
    lines_from: NDArray[np.uint64]
    quads_from: NDArray[np.uint64]
    longs_from: NDArray[np.uint64]
    copies_from: NDArray[np.uint64]
    lines: NDArray[Any]
    quad: NDArray[np.uint16]  # the four pages
    quad_lines: NDArray[np.uint32]  # how many lines they have
    long: NDArray[np.uint16]
    long_lines: NDArray[np.uint32]
    copy: NDArray[np.uint16]  # a page, and the page whose sum it shares


class LinkSums:
    """Sums over lists of links, from memory or from a link store, part by part."""

    def __init__(self, links: LinkStore, team: Team, lists: Csr | None, add_block: Callable[..., None]) -> None:
        """`lists`: the lists to sum over; None if they do not fit: then `add_block` adds each block of `links`."""
        self._links, self._team, self._add_block = links, team, add_block
        self._streamed = lists is None
        self._lists = not_held(links.page_count) if lists is None else lay_out(lists, team)
        self._shares = team.shares(part_costs(self._lists))

    def run(self, finish: Callable[..., None], values: Any, sums: Any, *rest: Any) -> None:
        """Call finish(lists, first, last, values, sums, *rest) on all parts; it calls sum_part() first for each."""
        if self._streamed:
            sums[:] = 0.0
            for block in blocks_ahead(self._links, self._team):
                self._add_block(*block, values, sums)
        self._team.run(lambda first, last: finish(self._lists, first, last, values, sums, *rest), self._shares)


def fits(links: LinkStore, copies: int, memory: int | None) -> bool:
    """Whether this many copies of the decoded links fit in `memory`; by default, half the machine's."""
    return copies * size_in_memory(links) <= (machine_memory() // 2 if memory is None else memory)


def part_bounds(pages: int) -> Ints:
    """Where the parts start, and where the last one ends."""
    return np.minimum(np.arange(-(-pages // PAGES_PER_PART) + 1, dtype=np.int64) * PAGES_PER_PART, pages)


def with_filler(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values as sums need them: followed by the 0 of the extra page that pads lines."""
    return np.append(values, 0.0)


def lay_out(links: Csr, team: Team) -> ListLayout:
    """The lists of successors, laid out for sums."""
    ptr, idx = links.arrays()
    idx = idx.view(np.uint32 if idx.dtype.itemsize == 4 else np.uint64)
    bounds = part_bounds(links.page_count)
    parts = len(bounds) - 1
    shares = team.shares(np.diff(ptr[bounds]) + PAGE_COST * np.diff(bounds))
    same = np.empty(links.page_count, np.int16)
    counts = np.zeros((parts, 4), np.int64)
    team.run(lambda first, last: count_parts(ptr, idx, bounds, first, last, same, counts), shares)
    starts = np.zeros((4, parts + 1), np.uint64)
    np.cumsum(counts.T, axis=1, out=starts[:, 1:])
    lists = _room(bounds, starts, idx.dtype)
    team.run(lambda first, last: lay_out_parts(ptr, idx, same, lists, first, last), shares)
    return ListLayout(*(frozen(array) for array in lists))


def _room(bounds: Ints, starts: NDArray[np.uint64], dtype: Any) -> ListLayout:
    """An empty layout. `starts`: where the lines, quads, long lists and copies of each part start and end."""
    lines, quads, longs, copies = starts[:, -1].tolist() if starts.size else (0, 0, 0, 0)
    return ListLayout(
        bounds=bounds.astype(np.uint64),
        lines_from=starts[0],
        quads_from=starts[1],
        longs_from=starts[2],
        copies_from=starts[3],
        lines=np.empty((lines, 4), dtype),
        quad=np.empty((quads, 4), np.uint16),
        quad_lines=np.empty(quads, np.uint32),
        long=np.empty(longs, np.uint16),
        long_lines=np.empty(longs, np.uint32),
        copy=np.empty((copies, 2), np.uint16),
    )


def not_held(pages: int) -> ListLayout:
    """The layout of lists that are not in memory: sum_part() leaves their sums as they are."""
    return ListLayout(*(frozen(array) for array in _room(part_bounds(pages), np.empty((4, 0), np.uint64), np.uint32)))


def part_costs(lists: ListLayout) -> Ints:
    """The time each part takes, in units of one link."""
    links = 4 * np.diff(lists.lines_from) if len(lists.lines_from) else 0
    return (links + PAGE_COST * np.diff(lists.bounds)).astype(np.int64)


@kernel
def count_parts(ptr: Any, idx: Any, bounds: Any, first: int, last: int, same: Any, counts: Any) -> None:
    """Find equal lists, and count the lines, quads, long lists and copies of some parts."""
    table = np.empty(TABLE, np.int16)
    for part in range(first, last):
        start, stop = bounds[part], bounds[part + 1]
        find_equal_lists(ptr, idx, start, stop, table, same)
        for page in range(start, stop):
            size = ptr[page + 1] - ptr[page]
            if same[page] != page - start:
                counts[part, 3] += size > 0
            elif size >= LONG:
                counts[part, 0] += (size + 3) // 4
                counts[part, 2] += 1
        short = short_lists(ptr, same, start, stop)
        for k in range(0, short.size, 4):  # a quad has as many lines as its first list
            counts[part, 0] += ptr[short[k] + 1] - ptr[short[k]]
            counts[part, 1] += 1


@kernel
def find_equal_lists(ptr: Ints, idx: Any, start: int, stop: int, table: Any, same: Any) -> None:
    """same[page]: the first page from `start` on with the same list, counted from there; −1 if it is empty.

    `table` is working space: a power of two of slots, more than there are lists.
    """
    table[:] = -1
    for page in range(start, stop):
        low, high = ptr[page], ptr[page + 1]
        if low == high:
            same[page] = -1
            continue
        place = list_hash(idx, low, high) & (table.size - 1)
        while table[place] >= 0 and not same_list(ptr, idx, start + table[place], low, high):
            place = (place + 1) & (table.size - 1)
        if table[place] < 0:
            table[place] = page - start
        same[page] = table[place]


@inlined
def list_hash(idx: Any, low: int, high: int) -> np.int64:
    """32 well-mixed bits of a list."""
    mixed = np.uint64(high - low)
    for j in range(low, high):
        mixed = (mixed ^ np.uint64(idx[j])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return np.int64(mixed >> np.uint64(32))


@inlined
def same_list(ptr: Ints, idx: Any, page: int, low: int, high: int) -> bool:
    """Whether the list of `page` is idx[low:high]."""
    start = ptr[page]
    if ptr[page + 1] - start != high - low:
        return False
    j = 0
    while j < high - low and idx[start + j] == idx[low + j]:
        j += 1
    return j == high - low


@kernel
def lay_out_parts(ptr: Ints, idx: Any, same: Any, lists: Any, first: int, last: int) -> None:
    """Lay out some parts."""
    lines, longs, long_lines, copies = lists.lines, lists.long, lists.long_lines, lists.copy
    for part in range(first, last):
        start, stop = np.int64(lists.bounds[part]), np.int64(lists.bounds[part + 1])
        line = lay_out_quads(ptr, idx, lists, part, short_lists(ptr, same, start, stop))
        long, copy = np.int64(lists.longs_from[part]), np.int64(lists.copies_from[part])
        for page in range(start, stop):
            low, size = ptr[page], ptr[page + 1] - ptr[page]
            if same[page] == page - start and size >= LONG:
                height = (size + 3) // 4
                longs[long] = page - start
                long_lines[long] = height
                for j in range(4 * height):
                    lines[line + j // 4, j % 4] = idx[low + j] if j < size else ptr.size - 1
                line += height
                long += 1
            elif same[page] != page - start and size > 0:
                copies[copy, 0] = page - start
                copies[copy, 1] = same[page]
                copy += 1


@kernel
def short_lists(ptr: Ints, same: Any, start: Any, stop: Any) -> Ints:
    """The pages of a part with a short list, one page per distinct list: longest first, then by page."""
    free = np.zeros(LONG + 1, np.int64)
    for page in range(start, stop):
        size = ptr[page + 1] - ptr[page]
        if same[page] == page - start and size < LONG:
            free[size - 1] += 1
    total = 0
    for size in range(LONG - 1, -1, -1):
        free[size], total = total, total + free[size]
    found = np.empty(total, np.int64)
    for page in range(start, stop):
        size = ptr[page + 1] - ptr[page]
        if same[page] == page - start and size < LONG:
            found[free[size - 1]] = page
            free[size - 1] += 1
    return found


@kernel
def lay_out_quads(ptr: Ints, idx: Any, lists: Any, part: int, short: Any) -> Any:
    """Write the quads of a part; the last is padded by repeating its last list. Returns the line after them."""
    lines, quads, quad_lines = lists.lines, lists.quad, lists.quad_lines
    start, line = np.int64(lists.bounds[part]), np.int64(lists.lines_from[part])
    quad = np.int64(lists.quads_from[part])
    for k in range(0, short.size, 4):
        height = ptr[short[k] + 1] - ptr[short[k]]
        for column in range(4):
            page = short[min(k + column, short.size - 1)]
            low, size = ptr[page], ptr[page + 1] - ptr[page]
            quads[quad, column] = page - start
            for j in range(size):
                lines[line + j, column] = idx[low + j]
            for j in range(size, height):
                lines[line + j, column] = ptr.size - 1
        quad_lines[quad] = height
        line += height
        quad += 1
    return line


@kernel
def sum_part(lists: Any, part: int, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """sums[k] = Σ values[q] over the list of the k-th page of a part; lists not held in memory are already summed."""
    if lists.lines_from.size == 0:
        return
    lines, quad, quad_lines = lists.lines, lists.quad, lists.quad_lines
    long, long_lines, copy = lists.long, lists.long_lines, lists.copy
    sums[:] = 0.0
    at = lists.lines_from[part]
    for k in range(lists.quads_from[part], lists.quads_from[part + 1]):
        end = at + quad_lines[k]
        sums[quad[k, 0]], sums[quad[k, 1]], sums[quad[k, 2]], sums[quad[k, 3]] = sum_lines(values, lines, at, end)
        at = end
    for k in range(lists.longs_from[part], lists.longs_from[part + 1]):
        end = at + long_lines[k]
        a, b, c, d = sum_lines(values, lines, at, end)
        sums[long[k]] = (a + b) + (c + d)
        at = end
    for k in range(lists.copies_from[part], lists.copies_from[part + 1]):
        sums[copy[k, 0]] = sums[copy[k, 1]]


@kernel
def sum_lists(ptr: Ints, idx: Any, values: NDArray[np.float64], sums: NDArray[np.float64]) -> None:
    """The same from lists that are not laid out, to the last bit: a long one in four sums."""
    for k in range(ptr.size - 1):
        low, high = ptr[k], ptr[k + 1]
        a = b = c = d = 0.0
        if high - low < LONG:
            for j in range(low, high):
                a += values[idx[j]]
            sums[k] = a
        else:
            end = high - (high - low) % 4
            for j in range(low, end, 4):
                a += values[idx[j]]
                b += values[idx[j + 1]]
                c += values[idx[j + 2]]
                d += values[idx[j + 3]]
            if end < high:
                a += values[idx[end]]
            if end + 1 < high:
                b += values[idx[end + 1]]
            if end + 2 < high:
                c += values[idx[end + 2]]
            sums[k] = (a + b) + (c + d)


@inlined
def sum_lines(values: NDArray[np.float64], lines: Any, at: int, end: int) -> tuple[float, float, float, float]:
    """The sum of each column."""
    a = b = c = d = 0.0
    for line in range(at, end):
        a += values[lines[line, 0]]
        b += values[lines[line, 1]]
        c += values[lines[line, 2]]
        d += values[lines[line, 3]]
    return a, b, c, d


@kernel
def add_to_targets(
    first: int, out_ptr: Ints, out_idx: Any, values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Sums over in-links: add the value of each page of a block to the sums of the pages it links to."""
    for k in range(out_ptr.size - 1):
        value = values[first + k]
        for j in range(out_ptr[k], out_ptr[k + 1]):
            sums[out_idx[j]] += value


@kernel
def add_targets(
    first: int, out_ptr: Ints, out_idx: Any, values: NDArray[np.float64], sums: NDArray[np.float64]
) -> None:
    """Sums over out-links: for each page of a block, sum the values of the pages it links to."""
    for k in range(out_ptr.size - 1):
        total = 0.0
        for j in range(out_ptr[k], out_ptr[k + 1]):
            total += values[out_idx[j]]
        sums[first + k] = total

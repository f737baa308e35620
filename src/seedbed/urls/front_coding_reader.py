"""Reading front-coded strings, from any bytes to text or to the number of a damaged block.

Strings lie in ascending order of their bytes, BLOCK to a block. An entry is

    shared     varint: leading bytes it shares with the entry before; 0 for the first of a block
    codes      varint: how many code bytes follow
    the codes  each stands for a symbol of 1 to 8 bytes, or is ESCAPE and the next byte stands for itself

Each SEGMENT of strings has a symbol table of its own: symbols[segment, code] is the length and the bytes. A
varint has 7 bits a byte, lowest first, and at most 4 bytes. Kernels trust nothing in these arrays: every
position is checked against the block's end, every symbol against 8 bytes, every string against LONGEST_TEXT.

Cost: a look-up by rank walks half a block; by string, log₂(blocks) heads and half a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import LONGEST_TEXT
from seedbed.common.kernels import borrowing, kernel

BLOCK = 32
SEGMENT = 1 << 16
ESCAPE = 255
SYMBOL = 8

MISSING = -1
DAMAGED = -2

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]


class Coded(NamedTuple):
    """What kernels see of a table; block b is text[ptr[b] : ptr[b + 1]]."""

    text: Bytes
    ptr: Offsets
    symbols: Bytes


@borrowing
def _varint(text: Bytes, at: int, stop: int) -> tuple[int, int]:
    """(value, next position); the position is DAMAGED where no varint ends before `stop`."""
    value = 0
    for shift in range(0, 28, 7):
        if at >= stop:
            break
        byte: Any = np.int64(text[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    return 0, DAMAGED


@borrowing
def _entry(text: Bytes, at: int, stop: int) -> tuple[int, int, int]:
    """(shared, where its codes start, where they end); the end is DAMAGED where the block is."""
    shared, at = _varint(text, at, stop)
    if at == DAMAGED:
        return 0, 0, DAMAGED
    codes, at = _varint(text, at, stop)
    if at == DAMAGED or codes > stop - at:
        return 0, 0, DAMAGED
    return shared, at, at + codes


@borrowing
def _block(coded: Coded, block: int) -> tuple[int, int]:
    """Where a block starts and stops; an empty span where the pointers are wrong."""
    start, stop = coded.ptr[block], coded.ptr[block + 1]
    if start < 0 or stop < start or stop > coded.text.size:
        return 0, 0
    return start, stop


@borrowing
def _expand(text: Bytes, at: int, end: int, symbols: Bytes, out: Bytes, to: int) -> int:
    """Write what the codes stand for from out[to] on, 8 bytes a code of room; gives its end, or DAMAGED."""
    while at < end:
        code = text[at]
        at += 1
        if code == ESCAPE:
            if at >= end:
                return DAMAGED
            out[to] = text[at]
            at += 1
            to += 1
        else:
            size: Any = np.int64(symbols[code, 0])
            if size == 0 or size > SYMBOL:
                return DAMAGED
            for k in range(SYMBOL):
                out[to + k] = symbols[code, k + 1]
            to += size
    return to


@kernel
def _with_room(out: Bytes, used: int, need: int) -> Bytes:
    """`out`, or a longer copy of what is used of it, with room for `need` more bytes."""
    if used + need <= out.size:
        return out
    longer = np.empty(2 * out.size + need, np.uint8)
    longer[:used] = out[:used]
    return longer


def strings_in_last_block(coded: Coded) -> int:
    """How many strings the last block holds, or DAMAGED. Plain Python, so that opening a table compiles nothing."""
    start, stop = int(coded.ptr[-2]), int(coded.ptr[-1])
    if not 0 <= start <= stop <= coded.text.size:
        return DAMAGED
    block = coded.text[start:stop].tobytes()
    at = 0
    for count in range(BLOCK + 1):
        if at == len(block):
            return count if count > 0 else DAMAGED
        for _ in range(2):
            value, at = _varint.py_func(block, at, len(block))  # type: ignore[attr-defined]
            if at == DAMAGED:
                return DAMAGED
        at += value
        if at > len(block):
            return DAMAGED
    return DAMAGED


@kernel
def decode(coded: Coded, first: int, last: int) -> tuple[Bytes, Offsets, int]:
    """(text, pointers, damaged block or −1) of ranks first … last − 1; first is a multiple of BLOCK."""
    out, out_ptr = np.empty(64 * (last - first), np.uint8), np.zeros(last - first + 1, np.int64)
    to = 0
    for start in range(first, last, BLOCK):
        at, stop = _block(coded, start // BLOCK)
        symbols = coded.symbols[start // SEGMENT]
        before = to
        for k in range(start - first, min(start + BLOCK, last) - first):
            shared, at, end = _entry(coded.text, at, stop)
            if end == DAMAGED or shared > to - before:
                return out[:0], out_ptr[:1], start // BLOCK
            out = _with_room(out, to, shared + SYMBOL * (end - at))
            for j in range(shared):
                out[to + j] = out[before + j]
            before = to
            to = _expand(coded.text, at, end, symbols, out, to + shared)
            if to == DAMAGED or to - before > LONGEST_TEXT:
                return out[:0], out_ptr[:1], start // BLOCK
            out_ptr[k + 1] = to
            at = end
        if at != stop:
            return out[:0], out_ptr[:1], start // BLOCK
    return out[:to], out_ptr, MISSING


@kernel
def _pick_into(coded: Coded, rank: int, out: Bytes, start: int) -> tuple[Bytes, int]:
    """(out or a longer copy of it, with the string from out[start] on; where that ends, or DAMAGED)."""
    at, stop = _block(coded, rank // BLOCK)
    symbols = coded.symbols[rank // SEGMENT]
    to = start
    for _ in range(rank % BLOCK + 1):
        shared, at, end = _entry(coded.text, at, stop)
        if end == DAMAGED or shared > to - start:
            return out, DAMAGED
        out = _with_room(out, to, SYMBOL * (end - at))
        to = _expand(coded.text, at, end, symbols, out, start + shared)
        if to == DAMAGED or to - start > LONGEST_TEXT:
            return out, DAMAGED
        at = end
    return out, to


@kernel
def pick_one(coded: Coded, rank: int) -> tuple[Bytes, int]:
    """(text, damaged block or −1) of the string of this rank."""
    out, stop = _pick_into(coded, rank, np.empty(512, np.uint8), 0)
    return out[: max(stop, 0)], rank // BLOCK if stop == DAMAGED else MISSING


@kernel
def pick(coded: Coded, ranks: Offsets) -> tuple[Bytes, Offsets, int]:
    """(text, pointers, damaged block or −1) of the strings of the given ranks, each a rank in the table."""
    out, out_ptr = np.empty(64 * ranks.size, np.uint8), np.zeros(ranks.size + 1, np.int64)
    for k in range(ranks.size):
        out, stop = _pick_into(coded, ranks[k], out, out_ptr[k])
        if stop == DAMAGED:
            return out[:0], out_ptr[:1], ranks[k] // BLOCK
        out_ptr[k + 1] = stop
    return out[: out_ptr[ranks.size]], out_ptr, MISSING


@borrowing
def _compare(text: Bytes, at: int, end: int, symbols: Bytes, query: Bytes, q: int, stop: int) -> tuple[int, int]:
    """(−1, 0, 1: the codes come before, equal, follow query[q:stop]; how far they agree), or (DAMAGED, q)."""
    while at < end:
        code = text[at]
        at += 1
        size: Any = 1
        if code == ESCAPE:
            if at >= end:
                return DAMAGED, q
        else:
            size = np.int64(symbols[code, 0])
            if size == 0 or size > SYMBOL:
                return DAMAGED, q
        for k in range(size):
            byte = text[at] if code == ESCAPE else symbols[code, k + 1]
            if q == stop or byte > query[q]:
                return 1, q
            if byte < query[q]:
                return -1, q
            q += 1
        if code == ESCAPE:
            at += 1
    return (0 if q == stop else -1), q


@kernel
def _compare_head(coded: Coded, block: int, query: Bytes, q: int, stop: int) -> tuple[int, int, int]:
    """As _compare() for a block's first string, and where the next entry starts."""
    start, block_stop = _block(coded, block)
    _, at, end = _entry(coded.text, start, block_stop)
    if end == DAMAGED:
        return DAMAGED, q, 0
    order, agreed = _compare(coded.text, at, end, coded.symbols[block * BLOCK // SEGMENT], query, q, stop)
    return order, agreed, end


@kernel
def _find_in_block(coded: Coded, block: int, count: int, query: Bytes, start: int, stop: int) -> int:
    """The first rank of query[start:stop] in a block whose head comes before it, MISSING or DAMAGED."""
    order, agreed, at = _compare_head(coded, block, query, start, stop)
    _, block_stop = _block(coded, block)
    symbols = coded.symbols[block * BLOCK // SEGMENT]
    for rank in range(block * BLOCK + 1, min(block * BLOCK + BLOCK, count)):
        shared, at, end = _entry(coded.text, at, block_stop)
        if end == DAMAGED:
            return DAMAGED
        if shared < agreed - start:
            return MISSING
        if shared == agreed - start:
            order, agreed = _compare(coded.text, at, end, symbols, query, agreed, stop)
            if order == 0:
                return rank
            if order != -1:
                return MISSING if order == 1 else DAMAGED
        at = end
    return MISSING


@kernel
def find_one(coded: Coded, count: int, query: Bytes, start: int, stop: int) -> int:
    """The first rank of query[start:stop], MISSING where there is none, DAMAGED where the table is."""
    low, high = 0, coded.ptr.size - 1
    while low < high:
        middle = (low + high) // 2
        order, _, _ = _compare_head(coded, middle, query, start, stop)
        if order == DAMAGED:
            return DAMAGED
        if order == -1:
            low = middle + 1
        else:
            high = middle
    if low > 0:
        rank = _find_in_block(coded, low - 1, count, query, start, stop)
        if rank != MISSING:
            return rank
    if low < coded.ptr.size - 1:
        order, _, _ = _compare_head(coded, low, query, start, stop)
        if order == 0:
            return low * BLOCK
    return MISSING


@kernel
def find(coded: Coded, count: int, query: Bytes, query_ptr: Offsets) -> Offsets:
    """find_one() of each string of a chunk."""
    ranks = np.empty(query_ptr.size - 1, np.int64)
    for k in range(ranks.size):
        ranks[k] = find_one(coded, count, query, query_ptr[k], query_ptr[k + 1])
    return ranks

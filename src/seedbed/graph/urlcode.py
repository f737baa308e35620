"""Reading front-coded strings, from any bytes to text or to the number of a damaged block.

Strings lie in ascending order of their bytes, BLOCK to a block. An entry is

    shared     varint: leading bytes it shares with the entry before; 0 for the first of a block
    codes      varint: how many code bytes follow
    the codes  each stands for a symbol of 1 to 8 bytes, or is ESCAPE and the next byte stands for itself

Each SEGMENT of strings has a symbol table of its own: symbols[segment, code] is the length and the bytes. A varint has 7
bits a byte, lowest first, and at most 4 bytes. Kernels trust nothing in these arrays: every position is checked against
the block's end, every symbol length against 8, and no string is longer than LONGEST.

Cost: a look-up by rank walks half a block; by string, log₂(blocks) heads and half a block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.kernel import kernel

BLOCK = 32
SEGMENT = 1 << 16
ESCAPE = 255
SYMBOL = 8
LONGEST = 1 << 21

MISSING = -1
DAMAGED = -2

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]


class Coded(NamedTuple):
    """What kernels see of a table; block b is text[ptr[b] : ptr[b + 1]]."""

    text: Bytes
    ptr: Offsets
    symbols: Bytes


@kernel
def _varint(text: Bytes, at: int, stop: int) -> tuple[int, int]:
    """(value, next position); the position is DAMAGED where no varint ends before `stop`."""
    value = 0
    for shift in range(0, 28, 7):
        if at >= stop:
            break
        byte = np.int64(text[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    return 0, DAMAGED


@kernel
def _entry(text: Bytes, at: int, stop: int) -> tuple[int, int, int]:
    """(shared, where its codes start, where they end); the end is DAMAGED where the block is."""
    shared, at = _varint(text, at, stop)
    if at == DAMAGED:
        return 0, 0, DAMAGED
    codes, at = _varint(text, at, stop)
    if at == DAMAGED or codes > stop - at:
        return 0, 0, DAMAGED
    return shared, at, at + codes


@kernel
def _block(coded: Coded, block: int) -> tuple[int, int]:
    """Where a block starts and stops; an empty span where the pointers are wrong."""
    start, stop = coded.ptr[block], coded.ptr[block + 1]
    if start < 0 or stop < start or stop > coded.text.size:
        return 0, 0
    return start, stop


@kernel
def _length(text: Bytes, at: int, end: int, symbols: Bytes) -> int:
    """How many bytes the codes stand for, or DAMAGED."""
    length = 0
    while at < end:
        code = text[at]
        if code == ESCAPE:
            at += 2
            if at > end:
                return DAMAGED
            length += 1
        else:
            at += 1
            size = np.int64(symbols[code, 0])
            if size == 0 or size > SYMBOL:
                return DAMAGED
            length += size
    return length


@kernel
def _expand(text: Bytes, at: int, end: int, symbols: Bytes, out: Bytes, to: int, limit: int) -> None:
    """Write what the codes stand for to out[to:limit]; _length() has found them whole."""
    while at < end and to < limit:
        code = text[at]
        at += 1
        if code == ESCAPE:
            out[to] = text[at]
            at += 1
            to += 1
        else:
            size = min(np.int64(symbols[code, 0]), limit - to)
            for k in range(size):
                out[to + k] = symbols[code, k + 1]
            to += size


@kernel
def _measure(coded: Coded, block: int, lengths: Offsets) -> int:
    """Fill the lengths of the block's first strings; gives where they end in the text, or DAMAGED."""
    at, stop = _block(coded, block)
    symbols = coded.symbols[block * BLOCK // SEGMENT]
    length = 0
    for k in range(lengths.size):
        shared, at, end = _entry(coded.text, at, stop)
        if end == DAMAGED or shared > length:
            return DAMAGED
        suffix = _length(coded.text, at, end, symbols)
        length = shared + suffix
        if suffix == DAMAGED or length > LONGEST:
            return DAMAGED
        lengths[k] = length
        at = end
    return at


@kernel
def strings_in_last_block(coded: Coded) -> int:
    """How many strings the last block holds, or DAMAGED."""
    at, stop = _block(coded, coded.ptr.size - 2)
    for count in range(BLOCK + 1):
        if at == stop:
            return count if count > 0 else DAMAGED
        _, _, at = _entry(coded.text, at, stop)
        if at == DAMAGED:
            break
    return DAMAGED


@kernel
def decode(coded: Coded, first: int, last: int) -> tuple[Bytes, Offsets, int]:
    """(text, pointers, damaged block or −1) of the strings of rank first … last − 1; first is a multiple of BLOCK."""
    out_ptr = np.zeros(last - first + 1, np.int64)
    for start in range(first, last, BLOCK):
        many = min(BLOCK, last - start)
        block = start // BLOCK
        end = _measure(coded, block, out_ptr[start - first + 1 : start - first + 1 + many])
        if end == DAMAGED or (many == BLOCK and end != coded.ptr[block + 1]):
            return np.empty(0, np.uint8), out_ptr[:1], block
    for k in range(last - first):
        out_ptr[k + 1] += out_ptr[k]
    out = np.empty(out_ptr[last - first], np.uint8)
    for start in range(first, last, BLOCK):
        at, stop = _block(coded, start // BLOCK)
        symbols = coded.symbols[start // SEGMENT]
        for k in range(start - first, min(start + BLOCK, last) - first):
            shared, at, end = _entry(coded.text, at, stop)
            to = out_ptr[k]
            for j in range(shared):
                out[to + j] = out[out_ptr[k - 1] + j]
            _expand(coded.text, at, end, symbols, out, to + shared, out_ptr[k + 1])
            at = end
    return out, out_ptr, MISSING


@kernel
def pick(coded: Coded, ranks: Offsets) -> tuple[Bytes, Offsets, int]:
    """(text, pointers, damaged block or −1) of the strings of the given ranks, each a rank in the table."""
    out_ptr = np.zeros(ranks.size + 1, np.int64)
    lengths = np.empty(BLOCK, np.int64)
    for k in range(ranks.size):
        block, place = ranks[k] // BLOCK, ranks[k] % BLOCK
        if _measure(coded, block, lengths[: place + 1]) == DAMAGED:
            return np.empty(0, np.uint8), out_ptr[:1], block
        out_ptr[k + 1] = out_ptr[k] + lengths[place]
    out = np.empty(out_ptr[ranks.size], np.uint8)
    for k in range(ranks.size):
        block, place = ranks[k] // BLOCK, ranks[k] % BLOCK
        at, stop = _block(coded, block)
        symbols = coded.symbols[ranks[k] // SEGMENT]
        for _ in range(place + 1):
            shared, at, end = _entry(coded.text, at, stop)
            # Earlier entries may be longer; what they have beyond this string's end is never shared with it.
            _expand(coded.text, at, end, symbols, out, out_ptr[k] + shared, out_ptr[k + 1])
            at = end
    return out, out_ptr, MISSING


@kernel
def _compare(text: Bytes, at: int, end: int, symbols: Bytes, query: Bytes, q: int, stop: int) -> tuple[int, int]:
    """(−1, 0 or 1 as the codes come before, equal or follow query[q:stop]; how far they agree), or (DAMAGED, q)."""
    while at < end:
        code = text[at]
        at += 1
        size = 1
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
def find(coded: Coded, count: int, query: Bytes, query_ptr: Offsets) -> Offsets:
    """The first rank of each queried string, MISSING where there is none, DAMAGED where the table is."""
    ranks = np.empty(query_ptr.size - 1, np.int64)
    for k in range(ranks.size):
        start, stop = query_ptr[k], query_ptr[k + 1]
        low, high, order = 0, coded.ptr.size - 1, 0
        while low < high and order != DAMAGED:
            middle = (low + high) // 2
            order, _, _ = _compare_head(coded, middle, query, start, stop)
            if order == -1:
                low = middle + 1
            else:
                high = middle
        if order == DAMAGED:
            ranks[k] = DAMAGED
            continue
        ranks[k] = MISSING
        if low > 0:
            ranks[k] = _find_in_block(coded, low - 1, count, query, start, stop)
        if ranks[k] == MISSING and low < coded.ptr.size - 1:
            order, _, _ = _compare_head(coded, low, query, start, stop)
            ranks[k] = low * BLOCK if order == 0 else MISSING
    return ranks

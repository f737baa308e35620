"""Front-coded strings, in ascending byte order, BLOCK per block. An entry is

    shared     varint: number of leading bytes shared with the previous entry; 0 for the first of a block
    codes      varint: number of code bytes that follow
    the codes  each stands for a symbol of 1 to 8 bytes, or is ESCAPE, and the next byte stands for itself

Each SEGMENT of strings has its own symbol table: symbols[segment, code] is the length and bytes. A varint has 7 bits
per byte, lowest first, and at most 4 bytes.

Reading: kernels trust nothing in these arrays; every position is checked against the block's end, every symbol against
8 bytes, every string against LONGEST_TEXT. A look-up by rank walks half a block; by string, log₂(blocks) heads and half
a block.

Writing: a segment's symbols come from byte pair encoding (Gage 1994) of a sample of the suffixes after front coding:
every byte seen is a symbol, and the most frequent adjacent pair becomes a new symbol until 255 are taken. Text is then
cut greedily from the left into the longest symbols that fit, which halves the suffixes of URLs. Cost: 255 passes over a
sample of 16 KiB per 65,536 strings, and a few comparisons per symbol.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from seedbed.common.arrays import LONGEST_TEXT, Bytes, Ints, frozen
from seedbed.common.kernels import borrowing, kernel

BLOCK = 32
SEGMENT = 1 << 16
ESCAPE = 255
SYMBOL = 8

MISSING = -1
CORRUPT = -2


class Coded(NamedTuple):
    """What kernels see of a table; block b is text[ptr[b] : ptr[b + 1]]."""

    text: Bytes
    ptr: Ints
    symbols: Bytes


@borrowing
def _varint(text: Bytes, at: int, stop: int) -> tuple[int, int]:
    """(value, next position); the position is CORRUPT if no varint ends before `stop`."""
    value = 0
    for shift in range(0, 28, 7):
        if at >= stop:
            break
        byte: Any = np.int64(text[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    return 0, CORRUPT


@borrowing
def _entry(text: Bytes, at: int, stop: int) -> tuple[int, int, int]:
    """(shared, where its codes start, where they end); the end is CORRUPT if the block is."""
    shared, at = _varint(text, at, stop)
    if at == CORRUPT:
        return 0, 0, CORRUPT
    codes, at = _varint(text, at, stop)
    if at == CORRUPT or codes > stop - at:
        return 0, 0, CORRUPT
    return shared, at, at + codes


@borrowing
def _block(coded: Coded, block: int) -> tuple[int, int]:
    """Where a block starts and stops; an empty span if the pointers are wrong."""
    start, stop = coded.ptr[block], coded.ptr[block + 1]
    if start < 0 or stop < start or stop > coded.text.size:
        return 0, 0
    return start, stop


@borrowing
def _expand(text: Bytes, at: int, end: int, symbols: Bytes, out: Bytes, to: int) -> int:
    """Expand the codes to out[to:], which must have 8 bytes of room per code; returns the end, or CORRUPT."""
    while at < end:
        code = text[at]
        at += 1
        if code == ESCAPE:
            if at >= end:
                return CORRUPT
            out[to] = text[at]
            at += 1
            to += 1
        else:
            size: Any = np.int64(symbols[code, 0])
            if size == 0 or size > SYMBOL:
                return CORRUPT
            for k in range(SYMBOL):
                out[to + k] = symbols[code, k + 1]
            to += size
    return to


@kernel
def _with_room(out: Bytes, used: int, need: int) -> Bytes:
    """`out`, or a longer copy of its used part, with room for `need` more bytes."""
    if used + need <= out.size:
        return out
    longer = np.empty(2 * out.size + need, np.uint8)
    longer[:used] = out[:used]
    return longer


def strings_in_last_block(coded: Coded) -> int:
    """The number of strings in the last block, or CORRUPT. Plain Python, so that opening a table compiles nothing."""
    at, stop = _block.py_func(coded, coded.ptr.size - 2)  # type: ignore[attr-defined]
    count = 0
    while at < stop and count <= BLOCK:
        for _ in range(2):
            value, at = _varint.py_func(coded.text, at, stop)  # type: ignore[attr-defined]
            if at == CORRUPT:
                return CORRUPT
        at += value
        count += 1
    return count if at == stop and 0 < count <= BLOCK else CORRUPT


@kernel
def strings_at(coded: Coded, ranks: Ints) -> tuple[Bytes, Ints, int]:
    """(text, pointers, corrupt block or −1) of the strings with the given ranks, which must all be in the table.

    A rank that follows the one before it costs one entry, any other half a block.
    """
    out, out_ptr = np.empty(64 * ranks.size + 512, np.uint8), np.zeros(ranks.size + 1, np.int64)
    at = stop = to = 0
    for k in range(ranks.size):
        rank, start = ranks[k], out_ptr[k]
        before, entries = start, 1
        if k > 0 and rank == ranks[k - 1] + 1 and rank % BLOCK > 0:
            before = out_ptr[k - 1]
        else:
            at, stop = _block(coded, rank // BLOCK)
            symbols = coded.symbols[rank // SEGMENT]
            entries = rank % BLOCK + 1
        for _ in range(entries):
            shared, at, end = _entry(coded.text, at, stop)
            if end == CORRUPT or shared > to - before:
                return out[:0], out_ptr[:1], rank // BLOCK
            out = _with_room(out, to, shared + SYMBOL * (end - at))
            if before < start:
                for j in range(shared):
                    out[start + j] = out[before + j]
                before = start
            to = _expand(coded.text, at, end, symbols, out, start + shared)
            if to == CORRUPT or to - start > LONGEST_TEXT:
                return out[:0], out_ptr[:1], rank // BLOCK
            at = end
        if rank % BLOCK == BLOCK - 1 and at != stop:
            return out[:0], out_ptr[:1], rank // BLOCK
        out_ptr[k + 1] = to
    return out[:to], out_ptr, MISSING


@kernel
def string_at(coded: Coded, rank: int) -> tuple[Bytes, int]:
    """(text, corrupt block or −1) of the string with this rank."""
    text, _, corrupt = strings_at(coded, np.full(1, rank))
    return text, corrupt


@borrowing
def _compare(text: Bytes, at: int, end: int, symbols: Bytes, query: Bytes, q: int, stop: int) -> tuple[int, int]:
    """(−1, 0, 1: the codes precede, equal, follow query[q:stop]; how far they agree), or (CORRUPT, q)."""
    while at < end:
        code = text[at]
        at += 1
        size: Any = 1
        if code == ESCAPE:
            if at >= end:
                return CORRUPT, q
        else:
            size = np.int64(symbols[code, 0])
            if size == 0 or size > SYMBOL:
                return CORRUPT, q
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
    """As _compare() for a block's first string, plus where the next entry starts."""
    start, block_stop = _block(coded, block)
    _, at, end = _entry(coded.text, start, block_stop)
    if end == CORRUPT:
        return CORRUPT, q, 0
    order, agreed = _compare(coded.text, at, end, coded.symbols[block * BLOCK // SEGMENT], query, q, stop)
    return order, agreed, end


@kernel
def _find_in_block(coded: Coded, block: int, count: int, query: Bytes, start: int, stop: int) -> int:
    """The first rank of query[start:stop] in a block whose head precedes it, or MISSING or CORRUPT."""
    order, agreed, at = _compare_head(coded, block, query, start, stop)
    _, block_stop = _block(coded, block)
    symbols = coded.symbols[block * BLOCK // SEGMENT]
    for rank in range(block * BLOCK + 1, min(block * BLOCK + BLOCK, count)):
        shared, at, end = _entry(coded.text, at, block_stop)
        if end == CORRUPT:
            return CORRUPT
        if shared < agreed - start:
            return MISSING
        if shared == agreed - start:
            order, agreed = _compare(coded.text, at, end, symbols, query, agreed, stop)
            if order == 0:
                return rank
            if order != -1:
                return MISSING if order == 1 else CORRUPT
        at = end
    return MISSING


@kernel
def find_one(coded: Coded, count: int, query: Bytes, start: int, stop: int) -> int:
    """The first rank of query[start:stop], MISSING if there is none, CORRUPT if the table is."""
    low, high = 0, coded.ptr.size - 1
    while low < high:
        middle = (low + high) // 2
        order, _, _ = _compare_head(coded, middle, query, start, stop)
        if order == CORRUPT:
            return CORRUPT
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
def find(coded: Coded, count: int, query: Bytes, query_ptr: Ints) -> Ints:
    """find_one() for each string of a chunk."""
    ranks = np.empty(query_ptr.size - 1, np.int64)
    for k in range(ranks.size):
        ranks[k] = find_one(coded, count, query, query_ptr[k], query_ptr[k + 1])
    return ranks


SAMPLE = 1 << 14
SAMPLE_OF_ONE = 256
SINGLES = 192


@kernel
def cut_out(text: Bytes, starts: Ints, stops: Ints) -> tuple[Bytes, Ints]:
    """The pieces text[starts[k]:stops[k]], concatenated, and their pointers."""
    out_ptr = np.zeros(starts.size + 1, np.int64)
    for k in range(starts.size):
        out_ptr[k + 1] = out_ptr[k] + stops[k] - starts[k]
    out = np.empty(out_ptr[starts.size], np.uint8)
    for k in range(starts.size):
        for j in range(stops[k] - starts[k]):
            out[out_ptr[k] + j] = text[starts[k] + j]
    return out, out_ptr


@kernel
def shared_prefixes(text: Bytes, ptr: Ints) -> Ints:
    """The number of bytes each string shares with its predecessor, 0 for the first of each block."""
    shared = np.zeros(ptr.size - 1, np.int64)
    for k in range(1, shared.size):
        if k % BLOCK:
            j, limit = 0, min(ptr[k] - ptr[k - 1], ptr[k + 1] - ptr[k])
            while j < limit and text[ptr[k - 1] + j] == text[ptr[k] + j]:
                j += 1
            shared[k] = j
    return shared


def _sample(text: Bytes, ptr: Ints, shared: Ints) -> Ints:
    """About SAMPLE bytes of suffixes from across the text, each followed by −1."""
    starts = ptr[:-1] + shared
    stops = np.minimum(ptr[1:], starts + SAMPLE_OF_ONE)
    step = max(1, int((stops - starts).sum()) // SAMPLE)
    starts, stops = starts[::step], stops[::step]
    fit = np.cumsum(stops - starts + 1) <= 4 * SAMPLE
    suffixes, suffix_ptr = cut_out(text, frozen(starts[fit]), frozen(stops[fit]))
    return np.insert(suffixes.astype(np.int64), suffix_ptr[1:], -1)


@kernel
def _best_pair(sample: Ints, size: int, symbols: Bytes, counts: Ints) -> tuple[int, int, int]:
    """The most frequent adjacent pair, and its frequency; `counts` is all zeros before and after."""
    most, left, right = 0, 0, 0
    for k in range(size - 1):
        a, b = sample[k], sample[k + 1]
        if a >= 0 and b >= 0 and symbols[a, 0] + symbols[b, 0] <= SYMBOL:
            counts[a, b] += 1
            if counts[a, b] > most:
                most, left, right = counts[a, b], a, b
    for k in range(size - 1):
        if sample[k] >= 0 and sample[k + 1] >= 0:
            counts[sample[k], sample[k + 1]] = 0
    return left, right, most


def train(text: Bytes, ptr: Ints, shared: Ints) -> Bytes:
    """A symbol table for the suffixes text[ptr[k] + shared[k] : ptr[k + 1]]."""
    symbols = np.zeros((256, SYMBOL + 1), np.uint8)
    sample = _sample(text, ptr, shared)
    counts = np.bincount(sample[sample >= 0], minlength=256)
    singles = np.argsort(-counts, kind="stable")[:SINGLES]
    singles = singles[counts[singles] > 0]
    symbols[: len(singles), 0] = 1
    symbols[: len(singles), 1] = singles
    # All others are −1, and so is the end of a suffix, which is number −1 here too.
    code_of = np.full(257, -1)
    code_of[singles] = np.arange(len(singles))
    _add_pairs(code_of[sample], symbols, len(singles))
    return symbols


@kernel
def _add_pairs(sample: Ints, symbols: Bytes, taken: int) -> None:
    """Make the most frequent pair of symbols in the sample a symbol, again and again; `taken` are in use."""
    size = sample.size
    counts = np.zeros((256, 256), np.int64)
    while taken < ESCAPE:
        left, right, most = _best_pair(sample, size, symbols, counts)
        if most < 2:
            break
        a, b = np.int64(symbols[left, 0]), np.int64(symbols[right, 0])
        symbols[taken, 0] = a + b
        symbols[taken, 1 : 1 + a] = symbols[left, 1 : 1 + a]
        symbols[taken, 1 + a : 1 + a + b] = symbols[right, 1 : 1 + b]
        to, k = 0, 0
        while k < size:
            if sample[k] == left and k + 1 < size and sample[k + 1] == right:
                sample[to] = taken
                k += 2
            else:
                sample[to] = sample[k]
                k += 1
            to += 1
        size = to
        taken += 1


def encode(text: Bytes, ptr: Ints, shared: Ints, symbols: Bytes) -> tuple[Bytes, Ints]:
    """(coded text, where each block ends in it) of one segment."""
    sizes, first = symbols[:, 0].astype(np.int64), symbols[:, 1]
    # Codes by their symbol's first byte, longest first: those of byte b are codes[group[b] : group[b + 1]].
    codes = np.lexsort((-sizes, first))
    codes = codes[sizes[codes] > 0]
    group = np.searchsorted(first[codes], np.arange(257))
    return _encode(text, ptr, shared, symbols, codes, group)


@borrowing
def _put_varint(out: Bytes, at: int, value: int) -> int:
    while value > 127:
        out[at] = 128 | (value & 127)
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@borrowing
def _fits(symbols: Bytes, code: int, text: Bytes, at: int, stop: int) -> bool:
    size = np.int64(symbols[code, 0])
    if size > stop - at:
        return False
    j = 1
    while j < size and symbols[code, j + 1] == text[at + j]:
        j += 1
    return j == size


@kernel
def _encode(text: Bytes, ptr: Ints, shared: Ints, symbols: Bytes, codes: Ints, group: Ints) -> tuple[Bytes, Ints]:
    suffixes = ptr[ptr.size - 1] - ptr[0] - shared.sum()
    out = np.empty(2 * suffixes + 8 * shared.size, np.uint8)
    ends = np.empty((shared.size + BLOCK - 1) // BLOCK, np.int64)
    coded = np.empty(2 * np.max(ptr[1:] - ptr[:-1]), np.uint8)
    to = 0
    for k in range(shared.size):
        at, stop, size = ptr[k] + shared[k], ptr[k + 1], 0
        while at < stop:
            code = ESCAPE
            for j in range(group[text[at]], group[np.int64(text[at]) + 1]):
                if _fits(symbols, codes[j], text, at, stop):
                    code = codes[j]
                    break
            coded[size] = code
            size += 1
            if code == ESCAPE:
                coded[size] = text[at]
                size += 1
                at += 1
            else:
                at += symbols[code, 0]
        to = _put_varint(out, _put_varint(out, to, shared[k]), size)
        out[to : to + size] = coded[:size]
        to += size
        ends[k // BLOCK] = to
    return out[:to], ends

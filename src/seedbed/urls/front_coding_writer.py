"""Writing front-coded strings: the format that urlcode reads.

The symbols of a segment come from byte pair encoding (Gage 1994) of a sample of what front coding leaves:
every byte met is a symbol, and the most frequent pair of neighbours becomes one symbol until 255 are taken.
Text is then cut into the longest symbols that fit, from the left. It halves what front coding leaves of URLs.

Cost: 255 passes over a sample of 16 KiB for each 65,536 strings, and a few comparisons a symbol.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, kernel
from seedbed.urls.front_coding_reader import BLOCK, ESCAPE, SYMBOL, Bytes, Offsets

SAMPLE = 1 << 14
SAMPLE_OF_ONE = 256
SINGLES = 192


@borrowing
def shared_prefix(text: Bytes, ptr: Offsets, k: int) -> int:
    """How many leading bytes string k shares with string k − 1."""
    before, start = ptr[k - 1], ptr[k]
    limit = min(start - before, ptr[k + 1] - start)
    for j in range(limit):
        if text[before + j] != text[start + j]:
            return j
    return limit


@kernel
def first_descent(text: Bytes, ptr: Offsets) -> int:
    """The first string that comes before the one ahead of it, −1 where there is none."""
    for k in range(1, ptr.size - 1):
        shared = shared_prefix(text, ptr, k)
        if ptr[k - 1] + shared == ptr[k]:
            continue
        if ptr[k] + shared == ptr[k + 1] or text[ptr[k] + shared] < text[ptr[k - 1] + shared]:
            return k
    return -1


@kernel
def first_longer(ptr: Offsets, limit: int) -> int:
    """The first string of more than `limit` bytes, −1 where there is none."""
    for k in range(ptr.size - 1):
        if ptr[k + 1] - ptr[k] > limit:
            return k
    return -1


@kernel
def first_not_utf8(text: Bytes, ptr: Offsets) -> int:
    """The first string that is not UTF-8 (RFC 3629: shortest form, no surrogates), −1 where there is none."""
    for k in range(ptr.size - 1):
        at, stop = ptr[k], ptr[k + 1]
        while at < stop:
            lead = text[at]
            at += 1
            if lead < 0x80:
                continue
            more = 1 if lead < 0xE0 else (2 if lead < 0xF0 else 3)
            if lead < 0xC2 or lead > 0xF4 or at + more > stop:
                return k
            low, high = 0x80, 0xBF
            if lead == 0xE0:
                low = 0xA0
            elif lead == 0xED:
                high = 0x9F
            elif lead == 0xF0:
                low = 0x90
            elif lead == 0xF4:
                high = 0x8F
            if text[at] < low or text[at] > high:
                return k
            for j in range(1, more):
                if text[at + j] & 0xC0 != 0x80:
                    return k
            at += more
    return -1


@kernel
def gather(text: Bytes, starts: Offsets, stops: Offsets) -> tuple[Bytes, Offsets]:
    """The pieces text[starts[k]:stops[k]] one after the other, and their pointers."""
    out_ptr = np.zeros(starts.size + 1, np.int64)
    for k in range(starts.size):
        out_ptr[k + 1] = out_ptr[k] + stops[k] - starts[k]
    out = np.empty(out_ptr[starts.size], np.uint8)
    for k in range(starts.size):
        for j in range(stops[k] - starts[k]):
            out[out_ptr[k] + j] = text[starts[k] + j]
    return out, out_ptr


@kernel
def shared_prefixes(text: Bytes, ptr: Offsets) -> Offsets:
    """What each string shares with the one ahead of it, 0 for the first of each block."""
    shared = np.zeros(ptr.size - 1, np.int64)
    for k in range(1, shared.size):
        if k % BLOCK:
            shared[k] = shared_prefix(text, ptr, k)
    return shared


@kernel
def _sample(text: Bytes, ptr: Offsets, shared: Offsets) -> tuple[NDArray[np.int64], int]:
    """About SAMPLE bytes of suffixes from all over the text, each followed by −1; and their length."""
    total = 0
    for k in range(shared.size):
        total += min(ptr[k + 1] - ptr[k] - shared[k], SAMPLE_OF_ONE)
    step = max(1, total // SAMPLE)
    sample = np.empty(4 * SAMPLE, np.int64)
    size = 0
    for k in range(0, shared.size, step):
        start = ptr[k] + shared[k]
        stop = min(ptr[k + 1], start + SAMPLE_OF_ONE)
        if size + stop - start + 1 > sample.size:
            break
        for at in range(start, stop):
            sample[size] = text[at]
            size += 1
        sample[size] = -1
        size += 1
    return sample, size


@kernel
def _singles(sample: NDArray[np.int64], size: int, symbols: Bytes) -> int:
    """Give the most frequent bytes a symbol each and recode the sample, others as −1; gives their number."""
    counts = np.zeros(256, np.int64)
    for k in range(size):
        if sample[k] >= 0:
            counts[sample[k]] += 1
    code_of = np.full(256, -1, np.int64)
    taken = 0
    for byte in np.argsort(-counts, kind="mergesort")[:SINGLES]:
        if counts[byte] > 0:
            code_of[byte] = taken
            symbols[taken, 0] = 1
            symbols[taken, 1] = byte
            taken += 1
    for k in range(size):
        if sample[k] >= 0:
            sample[k] = code_of[sample[k]]
    return taken


@kernel
def _best_pair(sample: NDArray[np.int64], size: int, symbols: Bytes, counts: NDArray[np.int64]) -> tuple[int, int, int]:
    """The pair of neighbours met most often, and how often; counts come in and go out as zeros."""
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


@kernel
def train(text: Bytes, ptr: Offsets, shared: Offsets) -> Bytes:
    """A symbol table for the suffixes text[ptr[k] + shared[k] : ptr[k + 1]]."""
    symbols = np.zeros((256, SYMBOL + 1), np.uint8)
    sample, size = _sample(text, ptr, shared)
    taken = _singles(sample, size, symbols)
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
    return symbols


@kernel
def _by_first_byte(symbols: Bytes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Codes by their symbol's first byte, longest first: those of byte b are codes[group[b]:group[b + 1]]."""
    sizes = symbols[:, 0].astype(np.int64)
    group = np.zeros(257, np.int64)
    for code in range(ESCAPE):
        if sizes[code] > 0:
            group[np.int64(symbols[code, 1]) + 1] += 1
    group = np.cumsum(group)
    free = group.copy()
    codes = np.zeros(256, np.int64)
    for code in np.argsort(-sizes, kind="mergesort"):
        if sizes[code] > 0:
            codes[free[symbols[code, 1]]] = code
            free[symbols[code, 1]] += 1
    return codes, group


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
def encode(text: Bytes, ptr: Offsets, shared: Offsets, symbols: Bytes) -> tuple[Bytes, Offsets]:
    """(coded text, where each block ends in it) of one segment."""
    codes, group = _by_first_byte(symbols)
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

"""Writing BVGraph as a stream: links arrive in page order, any number of pages at a time.

For each page, every reference in the window is tried, its exact cost in bits computed, and the cheapest written (ties:
the nearest); bvgraph_decoding describes the records. Cost: O(window · links). Blocks of PAGES_PER_BLOCK pages are
encoded independently, without references to earlier blocks, by `threads` threads, and written in order, so the bytes do
not depend on the number of threads. Memory: a few blocks, whatever the size of the graph.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ids, Ints, frozen, page_dtype
from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.links.bit_codes import GAMMA, code_length, encode_numbers, int_to_nat, put_code, shifted
from seedbed.links.bvgraph_links import beside
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.links.link_store import PAGES_PER_BLOCK, Block

ANY_LENGTH = np.int64(1) << np.int64(62)


class Parts(NamedTuple):
    """Working space: a list split into copy blocks, intervals (left, length) and residuals."""

    blocks: Ints
    spans: Ints
    residuals: Ints


@inlined
def find_blocks(out_idx: Any, start: int, stop: int, ref: int, ref_stop: int, parts: Any) -> tuple[int, int]:
    """Split the list out_idx[start:stop] against out_idx[ref:ref_stop]; returns (copy blocks, links not copied)."""
    blocks = np.int64(0)
    extra = np.int64(0)
    run = np.int64(0)
    copying = True
    while start < stop and ref < ref_stop:
        new, old = out_idx[start], out_idx[ref]
        if new < old:
            parts.residuals[extra] = new
            extra += 1
            start += 1
            continue
        if (new == old) != copying:
            parts.blocks[blocks] = run
            blocks += 1
            run = 0
            copying = not copying
        run += 1
        ref += 1
        if copying:
            start += 1
    if copying and ref < ref_stop:
        parts.blocks[blocks] = run
        blocks += 1
    while start < stop:
        parts.residuals[extra] = out_idx[start]
        extra += 1
        start += 1
    return blocks, extra


@inlined
def find_spans(extra: int, min_interval: int, parts: Any) -> tuple[int, int]:
    """Move runs of consecutive pages from parts.residuals to parts.spans; returns (intervals, remaining residuals)."""
    spans = np.int64(0)
    left = np.int64(0)
    k = np.int64(0)
    residuals = parts.residuals
    while k < extra:
        end = k + 1
        while end < extra and residuals[end] == residuals[end - 1] + 1:
            end += 1
        if end - k >= min_interval:
            parts.spans[2 * spans] = residuals[k]
            parts.spans[2 * spans + 1] = end - k
            spans += 1
        else:
            for j in range(k, end):
                residuals[left] = residuals[j]
                left += 1
        k = end
    return spans, left


@borrowing
def put_record(
    words: NDArray[np.uint64],
    position: int,
    coding: Any,
    first: int,
    k: int,
    reference: int,
    out_ptr: Any,
    out_idx: Any,
    parts: Any,
    most: int,
    writing: bool,
) -> int:
    """Append the record of the block's page k, after its outdegree; returns the position after it.

    Unless `writing`, its bits are only counted, and the counting may stop once they reach `most`.
    """
    page = first + k
    ref, ref_stop = (out_ptr[k - reference], out_ptr[k - reference + 1]) if reference > 0 else (0, 0)
    blocks, extra = find_blocks(out_idx, out_ptr[k], out_ptr[k + 1], ref, ref_stop, parts)
    if coding.window > 0:
        position = put_code(words, position, reference, coding.references, 0, writing)
    if reference > 0:
        position = put_code(words, position, blocks, coding.block_count, 0, writing)
        for j in range(blocks):
            position = put_code(words, position, parts.blocks[j] - (1 if j > 0 else 0), coding.blocks, 0, writing)
    residuals = extra
    if extra > 0 and coding.min_interval > 0:
        spans, residuals = find_spans(extra, coding.min_interval, parts)
        position = put_code(words, position, spans, GAMMA, 0, writing)
        right = np.int64(page)
        for j in range(spans):
            left, length = parts.spans[2 * j], parts.spans[2 * j + 1]
            gap = int_to_nat(left - page) if j == 0 else left - right - 1
            position = put_code(words, position, gap, GAMMA, 0, writing)
            position = put_code(words, position, length - coding.min_interval, GAMMA, 0, writing)
            right = left + length
    for j in range(residuals):
        if position >= most:
            break
        target = parts.residuals[j]
        gap = int_to_nat(target - page) if j == 0 else target - parts.residuals[j - 1] - 1
        position = put_code(words, position, gap, coding.residuals, coding.zeta_k, writing)
    return position


@borrowing
def choose_reference(
    words: NDArray[np.uint64], coding: Any, first: int, k: int, out_ptr: Any, out_idx: Any, chains: Ints, parts: Any
) -> tuple[int, int]:
    """(the cheapest reference for the block's page k, length in bits of its record after the outdegree)."""
    best, least = np.int64(0), ANY_LENGTH
    for reference in range(min(coding.window, k) + 1):
        other = k - reference
        if reference > 0 and (out_ptr[other] == out_ptr[other + 1] or chains[other] >= coding.max_references):
            continue
        bits = put_record(words, 0, coding, first, k, reference, out_ptr, out_idx, parts, least, False)
        if bits < least:
            best, least = np.int64(reference), bits
    return best, least


@kernel
def encode_block(coding: Any, first: int, out_ptr: Any, out_idx: Any, lengths: Ints) -> tuple[NDArray[np.uint64], int]:
    """Encode a block's records; returns (bits in 64-bit words, number of bits) and fills in each record's length."""
    pages = out_ptr.size - 1
    largest = np.int64(0)
    for k in range(pages):
        largest = max(largest, out_ptr[k + 1] - out_ptr[k])
    parts = Parts(np.empty(largest + 1, np.int64), np.empty(2 * largest, np.int64), np.empty(largest, np.int64))
    chains = np.zeros(pages, np.int64)
    words = np.zeros(out_idx.size // 8 + pages // 4 + 64, np.uint64)
    position = np.int64(0)
    for k in range(pages):
        degree = out_ptr[k + 1] - out_ptr[k]
        begin = position
        reference, bits = np.int64(0), np.int64(0)
        if degree > 0:
            reference, bits = choose_reference(words, coding, first, k, out_ptr, out_idx, chains, parts)
        need = (position + bits + code_length(degree, coding.outdegrees, 0)) // 64 + 2
        if need > words.size:
            longer = np.zeros(2 * need, np.uint64)
            longer[: words.size] = words
            words = longer
        position = put_code(words, position, degree, coding.outdegrees, 0, True)
        if degree > 0:
            position = put_record(
                words, position, coding, first, k, reference, out_ptr, out_idx, parts, ANY_LENGTH, True
            )
            if reference > 0:
                chains[k] = chains[k - reference] + 1
        lengths[k] = position - begin
    return words, position


Encoded = tuple[NDArray[np.uint64], int, Ints]


class BitFile:
    """Appends runs of bits to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._carry = np.uint64(0)
        self.bits = 0

    def append(self, words: NDArray[np.uint64], bits: int) -> None:
        """Append the first `bits` bits of words, most significant first."""
        used = self.bits % 64
        joined = shifted(words, bits, self._carry, used)
        whole = (used + bits) // 64
        self._file.write(joined[:whole].astype(">u8").tobytes())
        self._carry = joined[whole]
        self.bits += bits

    def close(self) -> None:
        """Write the remaining bits, padded to a whole byte."""
        rest = (self.bits % 64 + 7) // 8
        self._file.write(int(self._carry).to_bytes(8, "big")[:rest])
        self._file.close()


class BvWriter:
    """Writes base.graph, base.offsets and base.properties.

    with BvWriter(base, pages=n) as writer:
        writer.append(out_ptr, out_idx)    # the next pages, pointers from 0
    """

    def __init__(self, base: Path, *, pages: int, properties: BvProperties | None = None, threads: int = 1) -> None:
        self._base = base
        self._pages = pages
        self.properties = properties or BvProperties(nodes=0, arcs=0)
        self._coding = self.properties.coding()
        self._graph = BitFile(beside(base, ".graph").open("wb"))
        self._offsets = BitFile(beside(base, ".offsets").open("wb"))
        self._offsets.append(*encode_numbers(np.zeros(1, np.int64), self.properties.offsets))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._pending: deque[Future[Encoded]] = deque()
        self._most_pending = 2 * threads
        self._waiting: list[tuple[Ints, NDArray[Any]]] = []
        self._waiting_pages = 0
        self._first = 0
        self.links = 0
        self.self_links = 0

    def append(self, out_ptr: Ints, out_idx: Ids) -> None:
        """Add the links of the next pages."""
        start = 0
        pages = len(out_ptr) - 1
        while start < pages:
            stop = min(pages, start + PAGES_PER_BLOCK - self._waiting_pages)
            pointers = out_ptr[start : stop + 1]
            self._waiting.append((np.diff(pointers), out_idx[pointers[0] - out_ptr[0] : pointers[-1] - out_ptr[0]]))
            self._waiting_pages += stop - start
            if self._waiting_pages == PAGES_PER_BLOCK:
                self._start_block()
            start = stop

    def _start_block(self) -> None:
        degrees = np.concatenate([piece[0] for piece in self._waiting])
        out_idx = np.concatenate([piece[1] for piece in self._waiting])
        out_ptr = np.zeros(len(degrees) + 1, np.int64)
        np.cumsum(degrees, out=out_ptr[1:])
        block = Block(self._first, frozen(out_ptr), frozen(out_idx.astype(page_dtype(self._pages), copy=False)))
        self.self_links += int(np.count_nonzero(block.sources == block.out_idx))
        self._waiting, self._waiting_pages = [], 0
        self._first += len(degrees)
        self.links += len(out_idx)
        if self._pool is None:
            self._write(self._encode(block))
            return
        self._pending.append(self._pool.submit(self._encode, block))
        while len(self._pending) > self._most_pending:
            self._write(self._pending.popleft().result())

    def _encode(self, block: Block) -> Encoded:
        lengths = np.empty(len(block.out_ptr) - 1, np.int64)
        words, bits = encode_block(self._coding, block.first, block.out_ptr, block.out_idx, lengths)
        return words, bits, lengths

    def _write(self, encoded: Encoded) -> None:
        words, bits, lengths = encoded
        self._graph.append(words, bits)
        self._offsets.append(*encode_numbers(lengths, self.properties.offsets))

    def close(self) -> None:
        """Write the waiting blocks and the properties."""
        if self._waiting:
            self._start_block()
        while self._pending:
            self._write(self._pending.popleft().result())
        self.abandon()
        if self._first != self._pages:
            raise ValueError(f"{self._first} pages were given, {self._pages} announced")
        self.properties = replace(self.properties, nodes=self._first, arcs=self.links, self_links=self.self_links)
        beside(self._base, ".properties").write_text(self.properties.text(self._graph.bits))

    def abandon(self) -> None:
        """Close the files as they are."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._graph.close()
        self._offsets.close()

    def __enter__(self) -> BvWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self.close()
        else:
            self.abandon()


def write_bvgraph(
    blocks: Iterable[Block], base: Path, *, pages: int, properties: BvProperties | None = None, threads: int = 1
) -> BvProperties:
    """Write all links, block by block; see BvWriter."""
    with BvWriter(base, pages=pages, properties=properties, threads=threads) as writer:
        for block in blocks:
            writer.append(block.out_ptr, block.out_idx)
    return writer.properties

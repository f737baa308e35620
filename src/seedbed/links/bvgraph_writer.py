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
from seedbed.links.bit_codes import (
    ZETA,
    code_length,
    encode_numbers,
    gamma_length,
    grown,
    int_to_nat,
    put_code,
    put_gamma,
    shifted,
    zeta_length,
)
from seedbed.links.bvgraph_decoding import find_self_links
from seedbed.links.bvgraph_links import beside
from seedbed.links.bvgraph_properties import UNLIMITED, BvProperties
from seedbed.links.link_store import PAGES_PER_BLOCK, Block


class BvCoding(NamedTuple):
    """What kernels see of BvProperties."""

    window: int
    max_references: int
    min_interval: int
    zeta_k: int
    outdegree_code: int
    reference_code: int
    block_count_code: int
    block_code: int
    residual_code: int


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
def take_apart(
    coding: Any, out_idx: Any, start: int, stop: int, ref: int, ref_stop: int, parts: Any
) -> tuple[int, int, int, int]:
    """(copy blocks, links not copied, intervals, residuals) of a list against a reference; ref < 0: no reference."""
    if ref >= 0:
        blocks, extra = find_blocks(out_idx, start, stop, ref, ref_stop, parts)
    else:
        blocks, extra = np.int64(0), stop - start
        for k in range(extra):
            parts.residuals[k] = out_idx[start + k]
    if coding.min_interval == 0:
        return blocks, extra, np.int64(0), extra
    spans, residuals = find_spans(extra, coding.min_interval, parts)
    return blocks, extra, spans, residuals


@borrowing
def cost(coding: Any, page: int, reference: int, sizes: Any, parts: Any, most: int) -> int:
    """Length in bits of the record after its outdegree, or any number ≥ most once it exceeds that."""
    blocks, extra, spans, residuals = sizes
    bits = code_length(reference, coding.reference_code, 0) if coding.window > 0 else np.int64(0)
    if reference > 0:
        bits += code_length(blocks, coding.block_count_code, 0)
        for k in range(blocks):
            bits += code_length(parts.blocks[k] - (1 if k > 0 else 0), coding.block_code, 0)
    if extra > 0 and coding.min_interval > 0:
        bits += gamma_length(spans)
        right = np.int64(page)
        for k in range(spans):
            left = parts.spans[2 * k]
            bits += gamma_length(int_to_nat(left - page) if k == 0 else left - right - 1)
            bits += gamma_length(parts.spans[2 * k + 1] - coding.min_interval)
            right = left + parts.spans[2 * k + 1]
    usual = coding.residual_code == ZETA
    for k in range(residuals):
        if bits >= most:
            return bits
        target = parts.residuals[k]
        x = int_to_nat(target - page) if k == 0 else target - parts.residuals[k - 1] - 1
        bits += zeta_length(x, coding.zeta_k) if usual else code_length(x, coding.residual_code, coding.zeta_k)
    return bits


@borrowing
def put_record(
    words: NDArray[np.uint64], position: int, coding: Any, page: int, reference: int, sizes: Any, parts: Any
) -> int:
    """Append the record after its outdegree."""
    blocks, extra, spans, residuals = sizes
    if coding.window > 0:
        position = put_code(words, position, reference, coding.reference_code, 0)
    if reference > 0:
        position = put_code(words, position, blocks, coding.block_count_code, 0)
        for k in range(blocks):
            run = parts.blocks[k] - (1 if k > 0 else 0)
            position = put_code(words, position, run, coding.block_code, 0)
    if extra > 0 and coding.min_interval > 0:
        position = put_gamma(words, position, spans)
        right = np.int64(page)
        for k in range(spans):
            left = parts.spans[2 * k]
            gap = int_to_nat(left - page) if k == 0 else left - right - 1
            position = put_gamma(words, position, gap)
            position = put_gamma(words, position, parts.spans[2 * k + 1] - coding.min_interval)
            right = left + parts.spans[2 * k + 1]
    for k in range(residuals):
        target = parts.residuals[k]
        x = int_to_nat(target - page) if k == 0 else target - parts.residuals[k - 1] - 1
        position = put_code(words, position, x, coding.residual_code, coding.zeta_k)
    return position


@borrowing
def choose_reference(
    coding: Any, first: int, k: int, out_ptr: Any, out_idx: Any, chains: Ints, parts: Any
) -> tuple[int, int]:
    """(the cheapest reference for the block's page k, length in bits of its record after the outdegree)."""
    page = first + k
    start, stop = out_ptr[k], out_ptr[k + 1]
    best = np.int64(0)
    sizes = take_apart(coding, out_idx, start, stop, -1, -1, parts)
    least = cost(coding, page, 0, sizes, parts, np.int64(1) << 62)
    for reference in range(1, min(coding.window, k) + 1):
        ref, ref_stop = out_ptr[k - reference], out_ptr[k - reference + 1]
        if ref == ref_stop or chains[k - reference] >= coding.max_references:
            continue
        sizes = take_apart(coding, out_idx, start, stop, ref, ref_stop, parts)
        bits = cost(coding, page, reference, sizes, parts, least)
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
            reference, bits = choose_reference(coding, first, k, out_ptr, out_idx, chains, parts)
        need = (position + bits + code_length(degree, coding.outdegree_code, 0)) // 64 + 2
        if need > words.size:
            words = grown(words, 2 * need)
        position = put_code(words, position, degree, coding.outdegree_code, 0)
        if degree > 0:
            ref = out_ptr[k - reference] if reference > 0 else np.int64(-1)
            sizes = take_apart(coding, out_idx, out_ptr[k], out_ptr[k + 1], ref, out_ptr[k - reference + 1], parts)
            position = put_record(words, position, coding, first + k, reference, sizes, parts)
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
        self._coding = _coding(self.properties)
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
        self_linked = np.zeros(len(degrees), np.bool_)
        find_self_links(block.first, block.out_ptr, block.out_idx, self_linked)
        self.self_links += int(self_linked.sum())
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


def _coding(p: BvProperties) -> BvCoding:
    chain = UNLIMITED if p.max_references < 0 else p.max_references
    return BvCoding(
        p.window, chain, p.min_interval, p.zeta_k,
        p.outdegrees, p.references, p.block_count, p.blocks, p.residuals,
    )  # fmt: skip


def write_bvgraph(
    blocks: Iterable[Block], base: Path, *, pages: int, properties: BvProperties | None = None, threads: int = 1
) -> BvProperties:
    """Write all links, block by block; see BvWriter."""
    with BvWriter(base, pages=pages, properties=properties, threads=threads) as writer:
        for block in blocks:
            writer.append(block.out_ptr, block.out_idx)
    return writer.properties

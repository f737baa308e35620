"""Writing BVGraph as a stream: links come in page order, any number of pages at a time, and nothing is held back.

Memory: a few blocks of PAGES_PER_BLOCK pages, whatever the size of the graph. Blocks are coded by `threads` threads and
written in order; the bytes do not depend on their number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen, page_dtype
from seedbed.links.bit_writer import encode_numbers, shifted
from seedbed.links.bvgraph_decoding import find_self_links
from seedbed.links.bvgraph_encoding import BvCoding, encode_block
from seedbed.links.bvgraph_links import beside
from seedbed.links.bvgraph_properties import UNLIMITED, BvProperties
from seedbed.links.link_store import PAGES_PER_BLOCK, Block

Encoded = tuple[NDArray[np.uint64], int, NDArray[np.int64]]


class BitFile:
    """Appends runs of bits to a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._carry = np.uint64(0)
        self.bits = 0

    def append(self, words: NDArray[np.uint64], bits: int) -> None:
        """The first `bits` bits of words, most significant first."""
        used = self.bits % 64
        joined = shifted(words, bits, self._carry, used)  # type: ignore[arg-type]
        whole = (used + bits) // 64
        self._file.write(joined[:whole].astype(">u8").tobytes())
        self._carry = joined[whole]
        self.bits += bits

    def close(self) -> None:
        """Write what is left, filled up to a whole byte."""
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
        self._waiting: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
        self._waiting_pages = 0
        self._first = 0
        self.links = 0
        self.self_links = 0

    def append(self, out_ptr: NDArray[np.int64], out_idx: NDArray[Any]) -> None:
        """The links of the next pages."""
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
        """Write what is waiting, and the properties."""
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
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
    """All links, block by block; see BvWriter."""
    with BvWriter(base, pages=pages, properties=properties, threads=threads) as writer:
        for block in blocks:
            writer.append(block.out_ptr, block.out_idx)
    return writer.properties

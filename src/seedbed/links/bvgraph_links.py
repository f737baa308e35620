"""BVGraph, the compressed link store of WebGraph (Boldi, Vigna 2004), read in place.

A graph is `name.graph` (the bits), `name.properties` (how they are coded) and optionally `name.offsets` (where each
page's record starts, as coded gaps). Memory: the file is mapped; 8 bytes per page for the offsets, 8 for the
outdegrees. Cost to open: nothing; on first access O(pages) with offsets, one pass over the file without.

Links from a page to itself can be left out. A pass over all links finds the pages that have one, kept as one bit per
page. Lists are decoded unchanged, because others copy from them, and the link is removed from the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ids, Ints, frozen, page_dtype
from seedbed.common.atomic_files import map_bytes
from seedbed.common.memory import require
from seedbed.errors import CorruptLinks, InputError
from seedbed.links.bvgraph_decoding import (
    BvLinks,
    bv_successors,
    decode_range,
    drop_self_links,
    make_buffer,
    read_offsets,
    ring,
    skim,
    survey,
)
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.links.csr import Csr
from seedbed.links.link_store import PAGES_PER_BLOCK, Block, Buffer


def beside(base: Path, ending: str) -> Path:
    """The file of a graph with this ending; names may contain dots, so nothing is cut off."""
    return base.with_name(base.name + ending)


class BvGraph:
    """A compressed link store. Immutable."""

    kind = "bvgraph"

    def __init__(self, base: Path, properties: BvProperties, *, keep_self_links: bool = True) -> None:
        self.base = base
        self.properties = properties
        self.page_count = properties.nodes
        self._keep_self_links = keep_self_links or properties.self_links == 0
        self._stream = map_bytes(beside(base, ".graph"))
        if self.page_count > 8 * self._stream.size:
            raise InputError(
                f"{beside(base, '.properties')}: nodes={self.page_count}, but {base.name}.graph has only "
                f"{8 * self._stream.size} bits and a page takes at least one. Was the graph truncated? Fetch it again."
            )

    @classmethod
    def open(cls, base: Path | str, *, keep_self_links: bool = True) -> BvGraph:
        """The graph whose files are base.graph, base.properties and optionally base.offsets."""
        base = Path(base)
        return cls(base, BvProperties.read(beside(base, ".properties")), keep_self_links=keep_self_links)

    @property
    def link_count(self) -> int:
        """The number of links, excluding those left out."""
        return self.properties.arcs - self.left_out

    @cached_property
    def left_out(self) -> int:
        """How many links from a page to itself are left out."""
        return int(np.unpackbits(self._self_linked).sum())

    @cached_property
    def _self_linked(self) -> Bytes:
        """One bit per page, set if its link to itself is left out; empty if there is none."""
        if self._keep_self_links:
            return frozen(np.empty(0, np.uint8))
        found = []
        for start, pointers, out_idx in self._decoded_blocks(0, self.page_count):
            sources = Block(start, pointers, out_idx).sources
            found.append(np.packbits(np.isin(np.arange(start, start + len(pointers) - 1), out_idx[out_idx == sources])))
        return frozen(np.concatenate(found) if any(bits.any() for bits in found) else np.empty(0, np.uint8))

    @property
    def bits_per_link(self) -> float:
        """The size of the compressed links, in bits per link."""
        return 8 * self._stream.size / max(self.properties.arcs, 1)

    def arrays(self) -> BvLinks:
        """The stream and its offsets for kernels, which check every bit they read."""
        return self._arrays

    @cached_property
    def _arrays(self) -> BvLinks:
        return self._stored._replace(self_linked=self._self_linked)

    @cached_property
    def _stored(self) -> BvLinks:
        """The links as stored in the file, nothing left out."""
        return self._coded(frozen(self._offsets()))

    def _coded(self, offsets: Ints) -> BvLinks:
        return BvLinks(self._stream, offsets, self.properties.coding(), frozen(np.empty(0, np.uint8)))

    def _offsets(self) -> Ints:
        require(8 * (self.page_count + 1), f"{self.base.name}.graph: knowing where each page starts")
        offsets = np.empty(self.page_count + 1, np.int64)
        path = beside(self.base, ".offsets")
        if not path.exists():
            at = np.zeros(1, np.int64)
            with self.guarded(at):
                skim(self._coded(frozen(offsets[:0])), self.page_count, offsets, ring(self.properties.window), at)
            return offsets
        end = 8 * self._stream.size
        try:
            read = read_offsets(map_bytes(path), self.properties.offsets, offsets, end)
        except CorruptLinks:
            read = -1
        if read < offsets.size or not end - 64 < offsets[-1] <= end or offsets[0] != 0:
            raise InputError(
                f"{path}: does not fit {self.base.name}.graph, which has {self.page_count} pages in {end} bits. "
                "Delete the file; the graph can be read without it."
            )
        return offsets

    @cached_property
    def _survey(self) -> tuple[Ints, int, int]:
        """(out_ptr, largest outdegree, longest chain), from the heads of all records, nothing left out."""
        require(8 * (self.page_count + 1), f"{self.base.name}.graph: the number of links of each page")
        out_ptr = np.empty(self.page_count + 1, np.int64)
        at = np.zeros(1, np.int64)
        with self.guarded(at):
            largest, longest = survey(self._stored, out_ptr, ring(self.properties.window), at)
        if out_ptr[-1] != self.properties.arcs:
            raise InputError(
                f"{beside(self.base, '.properties')}: arcs={self.properties.arcs}, but the graph has {out_ptr[-1]} "
                "links. The two files are not from the same graph, or one is damaged; fetch them again."
            )
        return frozen(out_ptr), largest, longest

    @cached_property
    def _most(self) -> tuple[int, int]:
        """(largest outdegree, longest chain)."""
        return self._survey[1:]

    def release(self) -> None:
        """Free the 8 bytes per page that only a walk over all links needs; the next walk computes them again."""
        self.__dict__.pop("_survey", None)

    def buffer(self) -> Buffer:
        """Working space for `successors`, one per thread."""
        largest, longest = self._most
        require(8 * 5 * largest, f"{self.base.name}.graph: the links of its largest page")
        return make_buffer(largest, longest, self.properties.min_interval)

    def out_degrees(self) -> Ints:
        """The number of links on each page."""
        stored = np.diff(self._survey[0])
        if self.left_out:
            stored -= self._left_out_of(0, self.page_count)
        return stored

    def _left_out_of(self, first: int, last: int) -> Bytes:
        """1 for each page whose link to itself is left out, 0 for the others."""
        bits: Bytes = np.unpackbits(self._self_linked[first // 8 : -(-last // 8)])
        return bits[first % 8 :][: last - first]

    def successors(self, page: int) -> NDArray[Any]:
        """The pages that `page` links to, ascending."""
        if not 0 <= page < self.page_count:
            raise IndexError(f"page {page} is not in 0 … {self.page_count - 1}")
        with self.guarded(self._buffer.at):
            found: NDArray[Any] = bv_successors(self.arrays(), page, self._buffer).copy()
        return found.astype(page_dtype(self.page_count), copy=False)

    @cached_property
    def _buffer(self) -> Buffer:
        return self.buffer()

    def blocks(self, first: int = 0, last: int | None = None) -> Iterator[Block]:
        """All links in page order, PAGES_PER_BLOCK pages at a time, from page `first` up to `last`."""
        last = self.page_count if last is None else last
        for start, pointers, out_idx in self._decoded_blocks(first, last):
            yield Block(start, *self._without_self_links(start, frozen(pointers - pointers[0]), out_idx))

    def _decoded_blocks(self, first: int, last: int) -> Iterator[tuple[int, Ints, NDArray[Any]]]:
        """(first page, pointers with any start, links) of PAGES_PER_BLOCK pages at a time, nothing left out."""
        out_ptr, buffer = self._survey[0], self.buffer()
        for start in range(first, last, PAGES_PER_BLOCK):
            stop = min(start + PAGES_PER_BLOCK, last)
            pointers = out_ptr[start : stop + 1]
            out_idx = np.empty(pointers[-1] - pointers[0], page_dtype(self.page_count))
            self._decode(start, stop, pointers, out_idx, buffer)
            yield start, pointers, out_idx

    def _without_self_links(self, first: int, out_ptr: Ints, out_idx: Ids) -> tuple[Ints, NDArray[Any]]:
        """The pointers (from 0) and links of the pages from `first` on, without the links left out."""
        if self.left_out == 0:
            return out_ptr, frozen(out_idx)
        out_idx = out_idx[: drop_self_links(first, out_ptr, out_idx)]
        shorter = out_ptr.copy()
        shorter[1:] -= np.cumsum(self._left_out_of(first, first + len(out_ptr) - 1), dtype=np.int64)
        return frozen(shorter), frozen(out_idx)

    def to_csr(self, threads: int = 1) -> Csr:
        """All links decoded by `threads` threads; the result does not depend on how many."""
        links = self.properties.arcs
        size = links * np.dtype(page_dtype(self.page_count)).itemsize
        require(size + 16 * self.page_count, f"{self.base.name}.graph: holding all its links in memory")
        out_ptr = self._survey[0]
        out_idx = np.empty(links, page_dtype(self.page_count))
        cuts = np.searchsorted(out_ptr, np.linspace(0, links, threads + 1)[1:-1]).tolist()

        def decode(part: tuple[int, int]) -> None:
            start, stop = part
            piece = out_idx[out_ptr[start] : out_ptr[stop]]
            self._decode(start, stop, out_ptr[start : stop + 1], piece, self.buffer())

        parts = list(zip([0, *cuts], [*cuts, self.page_count], strict=True))
        if threads == 1:
            decode(parts[0])
        else:
            with ThreadPoolExecutor(threads) as pool:
                list(pool.map(decode, parts))
        return Csr(*self._without_self_links(0, out_ptr, out_idx), checked=True)

    def _decode(self, start: int, stop: int, out_ptr: Ints, out_idx: Ids, buffer: Buffer) -> None:
        with self.guarded(buffer.at):
            decode_range(self._stored, start, stop, out_ptr, out_idx, buffer)

    @contextmanager
    def guarded(self, at: Ints) -> Iterator[None]:
        """Wraps kernels that decode: corruption found at page at[0] becomes a one-line error that names the file."""
        try:
            yield
        except CorruptLinks as fault:
            raise InputError(
                f"{beside(self.base, '.graph')}: page {at[0]} is damaged: {fault}. "
                "Is the file whole and of the same graph as its .properties? Fetch it again."
            ) from None

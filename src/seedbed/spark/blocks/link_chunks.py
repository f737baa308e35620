"""What a task reads, in chunks of bounded size: links between names or between page numbers, and rows about pages.

    read/ID.names, .runs             the distinct names in a chunk, in order; see `numbering`
    read/ID.sources.u32, .targets.u32    its links, as places among those names
    read/ID.sources.i64, .targets.i64    or as page numbers

Self-links are counted and left out; their pages stay. A chunk has a name of its own, so that what a failed attempt left
is never taken for the work of another.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import chunk_of
from seedbed.errors import InputError
from seedbed.links.link_builder import MOST_PAGES
from seedbed.sources.named_links import Column
from seedbed.spark.blocks.link_kernels import pair_sum
from seedbed.spark.blocks.numbering import IS_PAGE, NameChunk, combined, write_chunk
from seedbed.spark.blocks.storage import Folder
from seedbed.urls.url_matching import hashes

READ = "building/read"
LIBRARIES = 300 << 20
"""Memory of a task that does nothing yet."""


@dataclass(frozen=True)
class TaskSizes:
    """How much a task takes on: the links of a block or of a chunk, the bytes of names in a chunk or in a part."""

    links_per_block: int = 8_000_000
    links_per_chunk: int = 4_000_000
    bytes_per_chunk: int = 1 << 28
    bytes_per_part: int = 1 << 27

    @classmethod
    def within(cls, memory: int | None) -> TaskSizes:
        """For tasks of about this many bytes: 100 per link of a block, 160 per link of a chunk, names ten times."""
        if memory is None:
            return cls()
        room = max(memory - LIBRARIES, memory // 8)
        return cls(max(1, room // 100), max(1, room // 160), max(1, room // 10), max(1, room // 10))


class LinkChunk(NamedTuple):
    """A chunk of links that was written. `links`: without self-links. `sum` tells sets of links apart."""

    file: str
    links: int
    self_links: int
    sum: int
    largest: int = -1
    names: NameChunk | None = None


class LinkChunks:
    """Takes what a task reads, and writes it to a folder whenever there is enough."""

    def __init__(self, folder: Folder, columns: Sequence[Column] = (), sizes: TaskSizes | None = None) -> None:
        self.written: list[LinkChunk] = []
        self._folder, self._columns, self._sizes = folder, tuple(columns), sizes or TaskSizes()
        self._ends: list[tuple[Any, ...]] = []
        self._rows: list[Any] = []
        self._ids: list[NDArray[np.int64]] = []
        self._links = self._bytes = 0

    def add_names(self, *ends: Any) -> None:
        """Add links between names: an Arrow array of sources and one of targets, or both in one, with dictionaries."""
        self._ends.append(ends)
        self._count(sum(map(len, ends)) // 2, sum(one.nbytes for one in ends))

    def add_pages(self, urls: Any, values: Mapping[str, Any], makes_page: Any) -> None:
        """Add rows that describe pages; if `makes_page` is false, only pages that something else names."""
        rows = self._described(urls, values, makes_page)
        self._rows.append(rows)
        self._count(0, rows.nbytes)

    def _described(self, urls: Any, values: Mapping[str, Any], makes_page: Any) -> Any:
        import pyarrow as pa

        flags = np.broadcast_to(np.asarray(makes_page, np.bool_), len(urls))
        numbers = {column.name: pa.array(np.asarray(values[column.name], np.int64)) for column in self._columns}
        return pa.table({"url": urls.cast(pa.large_string()), IS_PAGE: pa.array(flags), **numbers})

    def add_ids(self, sources: NDArray[Any], targets: NDArray[Any]) -> None:
        """Add links between page numbers."""
        pairs = np.stack([sources, targets]).astype(np.int64)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= MOST_PAGES):
            bad = int(np.argmax(((pairs < 0) | (pairs >= MOST_PAGES)).any(axis=0)))
            raise InputError(f"the link {sources[bad]} → {targets[bad]} has an id that is not in 0 … {MOST_PAGES - 1}.")
        self._ids.append(pairs)
        self._count(pairs.shape[1], 0)

    def _count(self, links: int, size: int) -> None:
        self._links += links
        self._bytes += size
        if self._links >= self._sizes.links_per_chunk or self._bytes >= self._sizes.bytes_per_chunk:
            self.flush()

    def flush(self) -> None:
        """Write what is held."""
        if self._ids:
            self.written.append(self._write_ids())
        elif self._ends or self._rows:
            self.written.append(self._write_names())
        self._ends, self._rows, self._ids = [], [], []
        self._links = self._bytes = 0

    def _write_ids(self) -> LinkChunk:
        file = f"{READ}/{uuid.uuid4().hex}"
        sources, targets = np.concatenate(self._ids, axis=1)
        total = pair_sum(*(ids.astype(np.uint64) for ids in (sources, targets)))
        largest = int(max(sources.max(initial=-1), targets.max(initial=-1)))
        links, loops = self._write_links(file, "i64", sources, targets)
        return LinkChunk(file, links, loops, int(total), largest)

    def _write_names(self) -> LinkChunk:
        import pyarrow as pa

        file = f"{READ}/{uuid.uuid4().hex}"
        if self._columns and not self._rows:  # all chunks have the columns, even those without a row about a page
            self._rows = [
                self._described(pa.array([], pa.large_string()), {one.name: [] for one in self._columns}, True)
            ]
        rows = pa.concat_tables(self._rows).combine_chunks() if self._rows else None
        described = [] if rows is None else rows.column("url").dictionary_encode().chunks
        coded = pa.dictionary(pa.int32(), pa.large_string())
        held = [one for both in self._ends for one in both]
        ends = pa.chunked_array([*held, *described], coded).unify_dictionaries().chunks
        links, about = iter(ends[: len(held)]), ends[len(held) :]
        names = ends[0].dictionary if ends else pa.array([], pa.large_string())
        pairs = [np.concatenate([next(links).indices.to_numpy() for _ in both]).reshape(2, -1) for both in self._ends]
        sources, targets = np.concatenate([np.empty((2, 0), np.int32), *pairs], axis=1)
        codes = np.concatenate([np.empty(0, np.int32), *(one.indices.to_numpy() for one in about)])
        values = {} if rows is None else self._values(rows, codes, names)
        if IS_PAGE in values:
            values[IS_PAGE][sources] = values[IS_PAGE][targets] = True
        hashed = hashes(*chunk_of(names))
        total = pair_sum(hashed[sources], hashed[targets])
        places, chunk = write_chunk(self._folder, file, names, "host", values)
        count, loops = self._write_links(file, "u32", *(places.astype(np.uint32)[ends] for ends in (sources, targets)))
        return LinkChunk(file, count, loops, int(total), names=chunk)

    def _values(self, rows: Any, codes: NDArray[Any], names: Any) -> dict[str, NDArray[Any]]:
        """What the rows say of each name."""
        is_page = np.zeros(len(names), np.bool_)
        is_page[codes[rows.column(IS_PAGE).to_numpy()]] = True
        found: dict[str, NDArray[Any]] = {IS_PAGE: is_page}
        return found | {one.name: combined(one, codes, rows.column(one.name), len(names)) for one in self._columns}

    def _write_links(self, file: str, kind: str, sources: NDArray[Any], targets: NDArray[Any]) -> tuple[int, int]:
        kept = sources != targets
        count = int(np.count_nonzero(kept))
        for name, ends in (("sources", sources), ("targets", targets)):
            self._folder.write(f"{file}.{name}.{kind}", ends if count == len(ends) else ends[kept])
        return count, len(sources) - count

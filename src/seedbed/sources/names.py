"""Links between named pages: pages are numbered in the order of their names' bytes.

In memory each name is kept once for every few MiB of links that use it, and 8 bytes a link. Beyond `memory` (half the
machine's by default) the pairs go through DuckDB on disk: the distinct names sorted, then each pair joined with the
numbers of its two names. Both ways give the same web.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.arrow import chunk_of
from seedbed.graph.memory import machine_memory
from seedbed.graph.spill import Spill
from seedbed.graph.urls import UrlTable
from seedbed.graph.web import Web
from seedbed.sources.options import ReadOptions

_NAMES_PER_CHUNK = 1 << 16
_COPIES = 3
"""Names and numbers are held once, once more while they are joined, and once as the web."""


def coded(sources: Any, targets: Any) -> Any:
    """Two Arrow arrays of strings as one, the targets behind the sources, in which each name is held once."""
    import pyarrow as pa

    return pa.concat_arrays([sources, targets]).dictionary_encode()


class NamedLinks:
    """Takes pairs of names and gives a web."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._memory = machine_memory() // 2 if options.memory is None else options.memory
        self._held: list[Any] = []
        self._bytes = 0
        self._spill: Spill | None = None

    def add(self, ends: Any) -> None:
        """Add links, as coded() gives them."""
        self._held.append(ends)
        self._bytes += ends.nbytes
        if self._spill is None and _COPIES * self._bytes > self._memory:
            self._spill = Spill(self._memory, self._options.scratch)
            self._spill.run("create table pairs (source varchar, target varchar)")
        while self._spill is not None and self._held:
            self._put(self._spill, self._held.pop())

    def _put(self, spill: Spill, ends: Any) -> None:
        import pyarrow as pa

        names = ends.dictionary_decode()
        half = len(names) // 2
        spill.insert("pairs", pa.table({"source": names[:half], "target": names[half:]}))

    def web(self, path: Path, kind: str) -> Web:
        """The web of all links. Nothing can be added any more."""
        if not self._bytes:
            raise InputError(f"{path}: no links in it.")
        return self._in_memory(path, kind) if self._spill is None else self._on_disk(self._spill, path, kind)

    def _urls(self, names: Iterator[Any]) -> UrlTable:
        return UrlTable.build(map(chunk_of, names), memory=self._options.memory, scratch=self._options.scratch)

    def _in_memory(self, path: Path, kind: str) -> Web:
        import pyarrow as pa
        import pyarrow.compute as pc

        ends = pa.chunked_array(self._held).unify_dictionaries()
        self._held.clear()
        names = ends.chunk(0).dictionary
        order = pc.array_sort_indices(names)
        page_of = np.empty(len(names), np.int64)
        page_of[order.to_numpy()] = np.arange(len(names))
        urls = self._urls(names.take(order[k : k + _NAMES_PER_CHUNK]) for k in range(0, len(names), _NAMES_PER_CHUNK))
        builder = self._options.builder(len(urls))
        for chunk in ends.chunks:
            pages = page_of[chunk.indices.to_numpy()]
            half = len(pages) // 2
            builder.add(pages[:half], pages[half:])
        return self._options.web(path, kind, builder, urls=urls)

    def _on_disk(self, spill: Spill, path: Path, kind: str) -> Web:
        spill.run(
            "create table names as select name, row_number() over (order by name) - 1 as page "
            "from (select source as name from pairs union select target from pairs)"
        )
        urls = self._urls(batch.column(0) for batch in spill.batches("select name from names order by page"))
        builder = self._options.builder(len(urls))
        for batch in spill.batches(
            "select a.page, b.page from pairs join names a on source = a.name join names b on target = b.name"
        ):
            builder.add(batch.column(0).to_numpy(), batch.column(1).to_numpy())
        spill.close()
        return self._options.web(path, kind, builder, urls=urls)

"""Links between named pages: pages are numbered in the order of their names' bytes.

The pairs go through DuckDB, in memory while it allows and on disk beyond: the distinct names sorted, then each pair
joined with the numbers of its two names. Memory: the limit given, half the machine's by default.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.memory import machine_memory
from seedbed.graph.spill import Spill
from seedbed.graph.urls import TextChunk, UrlTable
from seedbed.graph.web import Web
from seedbed.sources.options import ReadOptions


class NamedLinks:
    """Takes pairs of names and gives a web."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        memory = machine_memory() // 2 if options.memory is None else options.memory
        self._spill = Spill(memory, options.scratch)
        self._spill.run("create table pairs (source varchar, target varchar)")

    def add(self, sources: Any, targets: Any) -> None:
        """Add links between names, given as Arrow arrays of strings."""
        import pyarrow as pa

        self._spill.insert("pairs", pa.table({"source": sources, "target": targets}))

    def web(self, path: Path, kind: str) -> Web:
        """The web of all links. Nothing can be added any more."""
        self._spill.run(
            "create table names as select name, row_number() over (order by name) - 1 as page "
            "from (select source as name from pairs union select target from pairs)"
        )
        urls = UrlTable.build(self._names(), memory=self._options.memory, scratch=self._options.scratch)
        if not len(urls):
            raise InputError(f"{path}: no links in it.")
        builder = self._options.builder(len(urls))
        for batch in self._spill.batches(
            "select a.page, b.page from pairs join names a on source = a.name join names b on target = b.name"
        ):
            builder.add(batch.column(0).to_numpy(), batch.column(1).to_numpy())
        self._spill.close()
        return self._options.web(path, kind, builder, urls=urls)

    def _names(self) -> Iterator[TextChunk]:
        for batch in self._spill.batches("select name from names order by page"):
            yield text_of(batch.column(0))


def text_of(strings: Any) -> TextChunk:
    """An Arrow array of strings as a chunk of text."""
    import pyarrow as pa

    strings = strings.cast(pa.large_string())
    _, pointers, text = strings.buffers()
    text_ptr = np.frombuffer(pointers, np.int64, len(strings) + 1, 8 * strings.offset)
    return np.frombuffer(text or b"", np.uint8), text_ptr

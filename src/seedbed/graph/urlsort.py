"""Sorting URLs by their bytes, equal ones by id: in memory by Arrow or, past a limit, on disk by DuckDB."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.csr import frozen
from seedbed.graph.urlcode import Offsets
from seedbed.graph.urlpack import gather
from seedbed.graph.urlwrite import TextChunk, joined

STRINGS_PER_CHUNK = 1 << 15
LEAST_MEMORY = 1 << 27
BYTES_A_STRING = 40


def sorted_chunks(
    chunks: Iterable[TextChunk], memory: int, scratch: Path | None
) -> Iterator[tuple[Offsets, TextChunk]]:
    """(ids, strings) in ascending order, a chunk at a time; ids number the strings as they come."""
    chunks = iter(chunks)
    held: list[TextChunk] = []
    need = 0
    for text, text_ptr in chunks:
        held.append((text, text_ptr))
        need += 2 * int(text_ptr[-1] - text_ptr[0]) + BYTES_A_STRING * len(text_ptr)
        if need > memory:
            return _sorted_on_disk(itertools.chain(_drained(held), chunks), memory, scratch)
    return _sorted_in_memory(held)


def _drained(held: list[TextChunk]) -> Iterator[TextChunk]:
    held.reverse()
    while held:
        yield held.pop()


def _sorted_in_memory(held: list[TextChunk]) -> Iterator[tuple[Offsets, TextChunk]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text, text_ptr = joined(held)
    held.clear()
    order = pc.array_sort_indices(_binary(pa, (text, text_ptr))).to_numpy().astype(np.int64)
    for start in range(0, len(order), STRINGS_PER_CHUNK):
        ids = frozen(order[start : start + STRINGS_PER_CHUNK])
        yield ids, gather(text, frozen(text_ptr[ids]), frozen(text_ptr[ids + 1]))


def _sorted_on_disk(
    chunks: Iterable[TextChunk], memory: int, scratch: Path | None
) -> Iterator[tuple[Offsets, TextChunk]]:
    import duckdb

    limit = max(memory // 2, LEAST_MEMORY)
    threads = max(1, min(os.cpu_count() or 1, limit // (1 << 28)))
    with tempfile.TemporaryDirectory(prefix="seedbed-sort-", dir=scratch) as folder:
        config: dict[str, Any] = {
            "memory_limit": f"{limit}B",
            "temp_directory": folder,
            "threads": threads,
            "preserve_insertion_order": False,
        }
        try:
            with duckdb.connect(":memory:", config=config) as database:
                _insert(database, chunks)
                query = database.sql("SELECT id, url FROM urls ORDER BY url, id")
                for batch in query.to_arrow_reader(STRINGS_PER_CHUNK):
                    yield frozen(batch.column("id").to_numpy()), _chunk(batch.column("url"))
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise InputError(
                f"{scratch or tempfile.gettempdir()}: sorting the URLs there failed: {reason}. Allow more "
                "memory, or name a scratch folder on a disk with more room."
            ) from error


def _insert(database: Any, chunks: Iterable[TextChunk]) -> None:
    import pyarrow as pa

    database.execute("CREATE TABLE urls(id BIGINT, url BLOB)")
    count = 0
    for text, text_ptr in chunks:
        strings = _binary(pa, (text, text_ptr))
        database.register("chunk", pa.table({"id": np.arange(count, count + len(strings)), "url": strings}))
        database.execute("INSERT INTO urls SELECT id, url FROM chunk")
        database.unregister("chunk")
        count += len(strings)


def _binary(pa: Any, chunk: TextChunk) -> Any:
    text, text_ptr = chunk
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(text_ptr) - 1, [None, pa.py_buffer(text_ptr), pa.py_buffer(text)]
    )


def _chunk(strings: Any) -> TextChunk:
    """An Arrow array of bytes as a text chunk."""
    import pyarrow as pa

    strings = strings.cast(pa.large_binary())
    _, pointers, text = strings.buffers()
    text_ptr = np.frombuffer(pointers, np.int64, len(strings) + 1, strings.offset * 8)
    return frozen(np.frombuffer(text or b"", np.uint8)), frozen(text_ptr)

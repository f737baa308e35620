"""Sorting URLs by their bytes, equal ones by id: in memory by Arrow or, past a limit, on disk by DuckDB."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from seedbed.common.arrays import TextChunk, arrow_bytes, chunk_of, frozen
from seedbed.common.spill import Spill
from seedbed.urls.front_coding_reader import Offsets
from seedbed.urls.front_coding_writer import gather
from seedbed.urls.url_table_writer import joined

STRINGS_PER_CHUNK = 1 << 15
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
    import pyarrow.compute as pc

    text, text_ptr = joined(held)
    held.clear()
    order = pc.array_sort_indices(arrow_bytes((text, text_ptr))).to_numpy().astype(np.int64)
    for start in range(0, len(order), STRINGS_PER_CHUNK):
        ids = frozen(order[start : start + STRINGS_PER_CHUNK])
        yield ids, gather(text, frozen(text_ptr[ids]), frozen(text_ptr[ids + 1]))


def _sorted_on_disk(
    chunks: Iterable[TextChunk], memory: int, scratch: Path | None
) -> Iterator[tuple[Offsets, TextChunk]]:
    import pyarrow as pa

    spill = Spill(memory // 2, scratch)
    spill.run("create table urls (id bigint, url blob)")
    count = 0
    for chunk in chunks:
        strings = arrow_bytes(chunk)
        spill.insert("urls", pa.table({"id": np.arange(count, count + len(strings)), "url": strings}))
        count += len(strings)
    for batch in spill.batches("select id, url from urls order by url, id"):
        yield frozen(batch.column(0).to_numpy()), chunk_of(batch.column(1))
    spill.close()

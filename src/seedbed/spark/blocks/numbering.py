"""Numbers for names on Spark, by a global sort: exact, and the same whatever the tasks.

A task that reads names leaves them in a chunk: distinct, in order (`name_order`), with evenly spaced samples. From the
samples of all chunks follow the bounds of parts, each about as large as the others.

    chunk  → part     the names of the chunk that belong to the part, still in order
    part              distinct names, in order: a name's number is its place, plus the names in the parts before
    part   → chunk    the place of each name that the chunk sent, in the order sent

So a name moves once for each chunk that has it, its number comes back, and nothing else is ever looked up: no join, no
hash that could collide. A task holds one part, or one chunk.

Names may carry values, of which a name keeps the smallest or largest; and a name can be one that counts only if another
chunk has it too (`is_page` false).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, chunk_of
from seedbed.sources.named_links import Column
from seedbed.spark.blocks.name_order import By, sort_names
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected, keep_libraries, numbers_in, over_blocks
from seedbed.urls.url_matching import hashes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

SAMPLES = 32
NAME, IS_PAGE = "name", "is_page"
MOVED = "to int, sender int, moved binary"


class NameChunk(NamedTuple):
    """A chunk of names in a folder: its file, how many names, their bytes, and samples (key, name)."""

    file: str
    names: int
    size: int
    samples: list[tuple[str, str]]


@dataclass(frozen=True)
class Numbering:
    """Parts of sorted names in the folder `place`, and how many each has. `sum` tells sets of names apart."""

    place: str
    counts: tuple[int, ...]
    sum: int

    @property
    def starts(self) -> Ints:
        """The first number of each part, and the number of names."""
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def part(self, folder: Folder, number: int) -> pa.Table:
        """The names of a part in order, with their values."""
        return read_table(folder, f"{self.place}/{number:05d}.arrow")


def write_table(folder: Folder, name: str, table: pa.Table) -> None:
    """Write an Arrow table as a file."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(table)
    folder.write_bytes(name, sink.getvalue())


def read_table(folder: Folder, name: str) -> pa.Table:
    """The Arrow table in a file."""
    import pyarrow as pa

    with folder.opened(name) as file:
        return pa.ipc.open_file(file).read_all()


def write_chunk(
    folder: Folder, file: str, names: pa.Array, by: By, values: Mapping[str, Any]
) -> tuple[Ints, NameChunk]:
    """Write distinct names as a chunk; returns the place of each in it, too."""
    import pyarrow as pa

    order, keys, starts = sort_names(names, by)
    table = pa.table({NAME: names, **{name: pa.array(column) for name, column in values.items()}}).take(pa.array(order))
    write_table(folder, f"{file}.names", table)
    write_table(folder, f"{file}.runs", pa.table({"key": keys, "start": starts}))
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    at = np.unique(np.linspace(0, len(order) - 1, min(SAMPLES, len(order))).astype(np.int64))
    runs = np.searchsorted(starts, at, side="right") - 1
    sampled = zip(keys.take(pa.array(runs)).to_pylist(), table.column(NAME).take(pa.array(at)).to_pylist(), strict=True)
    size = names.nbytes
    return places, NameChunk(file, len(names), size, [(key.decode("latin-1"), name) for key, name in sampled])


def number_names(
    session: SparkSession,
    folder: Folder,
    place: str,
    chunks: Sequence[NameChunk],
    by: By,
    bytes_per_part: int,
    columns: Sequence[Column] = (),
) -> Numbering:
    """Sort the names of all chunks into parts."""
    splitters = _splitters(chunks, _part_count(session, chunks, bytes_per_part))
    uri, columns = folder.uri, tuple(columns)
    files = [chunk.file for chunk in chunks]

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = Folder(uri)
        for chunk in numbers_in(batches):
            table = read_table(own, f"{files[chunk]}.names")
            cuts = _cuts(table, read_table(own, f"{files[chunk]}.runs"), splitters)
            for part, (first, last) in enumerate(zip([0, *cuts], [*cuts, len(table)], strict=True)):
                if first < last or chunk == 0:
                    yield moved(part, chunk, packed(table.slice(first, last - first)))

    def receive(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        part, pieces = received(batches)
        if pieces:
            count, total = _write_part(Folder(uri), f"{place}/{part:05d}", pieces, len(files), by, columns)
            row = {"part": pa.array([part], pa.int32()), "count": pa.array([count]), "sum": pa.array([str(total)])}
            yield pa.RecordBatch.from_pydict(row)

    sent = over_blocks(session, len(chunks)).mapInArrow(send, MOVED)
    parts = len(splitters) + 1
    rows = collected(sent.repartitionById(parts, "to").mapInArrow(receive, "part int, count long, sum string"))
    counts = [row["count"] for row in sorted(rows, key=lambda row: int(row["part"]))]
    return Numbering(place, tuple(counts), sum(int(row["sum"]) for row in rows) % (1 << 64))


def numbers_to_chunks(session: SparkSession, folder: Folder, numbering: Numbering) -> DataFrame:
    """Rows that bring each chunk the places of its names; `numbers_of` reads them."""
    uri = folder.uri

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = Folder(uri)
        for part in numbers_in(batches):
            name = f"{numbering.place}/{part:05d}"
            cuts = own.array(f"{name}.cuts.i64")
            places = own.array(f"{name}.places.i32")
            for chunk in range(len(cuts) - 1):
                if cuts[chunk] < cuts[chunk + 1] or part == 0:
                    yield moved(chunk, part, places[cuts[chunk] : cuts[chunk + 1]].tobytes())

    return over_blocks(session, len(numbering.counts)).mapInArrow(send, MOVED)


def numbers_of(pieces: Mapping[int, Any], starts: Ints) -> Ints:
    """The numbers of the names of a chunk, in their order, from what the parts sent; −1 for names that do not count."""
    found = [np.empty(0, np.int64)]
    for part in sorted(pieces):
        places = np.frombuffer(pieces[part], np.int32).astype(np.int64)
        found.append(np.where(places < 0, -1, places + starts[part]))
    return np.concatenate(found)


def moved(to: int, sender: int, content: Any) -> pa.RecordBatch:
    """A row of what one task sends another."""
    import pyarrow as pa

    data = pa.py_buffer(content)
    bounds = pa.py_buffer(np.array([0, data.size], np.int32))
    column = pa.Array.from_buffers(pa.binary(), 1, [None, bounds, data])
    ends = pa.array([to], pa.int32()), pa.array([sender], pa.int32())
    return pa.record_batch([*ends, column], ["to", "sender", "moved"])


def received(batches: Iterator[pa.RecordBatch]) -> tuple[int, dict[int, Any]]:
    """What a task was sent, by sender, and whom it is for."""
    keep_libraries()
    to, pieces = -1, {}
    for batch in batches:
        for row in range(len(batch)):
            to = batch.column(0)[row].as_py()
            pieces[batch.column(1)[row].as_py()] = batch.column(2)[row].as_buffer()
    return to, pieces


def _part_count(session: SparkSession, chunks: Sequence[NameChunk], bytes_per_part: int) -> int:
    size, names = sum(chunk.size for chunk in chunks), sum(chunk.names for chunk in chunks)
    at_once = session.sparkContext.defaultParallelism
    return int(max(1, min(at_once, names // 1000), -(-size // bytes_per_part)))


def _splitters(chunks: Sequence[NameChunk], parts: int) -> list[tuple[bytes, bytes]]:
    """Where the second, third, … part begins: (key, name)."""
    samples = [
        (key.encode("latin-1"), name.encode(), chunk.names / len(chunk.samples))
        for chunk in chunks
        for key, name in chunk.samples
    ]
    samples.sort()
    weights = np.cumsum([weight for _, _, weight in samples])
    wanted = np.searchsorted(weights, np.arange(1, parts) * (weights[-1] / parts)) if samples else []
    return sorted({samples[min(place, len(samples) - 1)][:2] for place in wanted})


def _cuts(table: pa.Table, runs: pa.Table, splitters: Sequence[tuple[bytes, bytes]]) -> list[int]:
    """Where the names of a chunk are not below a splitter any more."""
    names, keys = table.column(NAME), runs.column("key").to_pylist()
    starts = [*runs.column("start").to_pylist(), len(table)]
    cuts = []
    for key, name in splitters:
        run = bisect_left(keys, key)
        cut = starts[run]
        if run < len(keys) and keys[run] == key:
            within = range(cut, starts[run + 1])
            cut += bisect_left(within, name, key=lambda at: names[at].as_py().encode())
        cuts.append(cut)
    return cuts


def packed(table: pa.Table) -> Any:
    """A table as bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def unpacked(data: Any) -> pa.Table:
    """The table in bytes."""
    import pyarrow as pa

    return pa.ipc.open_stream(data).read_all()


def _write_part(
    folder: Folder, name: str, pieces: Mapping[int, Any], chunks: int, by: By, columns: Sequence[Column]
) -> tuple[int, int]:
    """Write a part from what each chunk sent; returns how many names it has, and their sum."""
    import pyarrow as pa

    tables = [unpacked(pieces[sender]) for sender in sorted(pieces)]
    table = pa.concat_tables(tables).combine_chunks()
    sizes = np.zeros(chunks, np.int64)
    sizes[sorted(pieces)] = [len(one) for one in tables]
    del tables
    coded = _one_chunk(table.column(NAME)).dictionary_encode()
    codes, names = coded.indices.to_numpy(), coded.dictionary
    counts = np.ones(len(names), np.bool_)
    if IS_PAGE in table.column_names:
        counts[:] = False
        counts[codes[table.column(IS_PAGE).to_numpy()]] = True
    kept = np.flatnonzero(counts)
    order = kept[sort_names(names.take(pa.array(kept)), by).order]
    places = np.full(len(names), -1, np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    values = {column.name: combined(column, codes, table.column(column.name), len(names))[order] for column in columns}
    names = names.take(pa.array(order))
    write_table(folder, f"{name}.arrow", pa.table({NAME: names, **values}))
    folder.write(f"{name}.places.i32", places[codes])
    folder.write(f"{name}.cuts.i64", np.concatenate([[0], np.cumsum(sizes)]))
    return len(order), int(hashes(*chunk_of(names)).sum(dtype=np.uint64))


def combined(column: Column, codes: NDArray[Any], values: Any, names: int) -> Ints:
    """The smallest or largest value of each name; the least or largest number there is where none is known."""
    known = np.iinfo(np.int64)
    found = np.full(names, known.max if column.take == "min" else known.min)
    (np.minimum if column.take == "min" else np.maximum).at(found, codes, values.to_numpy(zero_copy_only=False))
    return found


def filled(column: Column, values: Ints) -> Ints:
    """The values with what a column says of pages without one."""
    known = np.iinfo(np.int64)
    return np.where(values == (known.max if column.take == "min" else known.min), column.without, values)


def _one_chunk(column: Any) -> Any:
    import pyarrow as pa

    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks or [pa.array([], column.type)])

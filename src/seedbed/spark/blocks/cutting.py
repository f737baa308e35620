"""Blocks from links of any number, on Spark; or from a web that this machine has open.

On Spark, links name pages by number or by URL. URLs are numbered by a global sort, in the order of `name_order`.

    building/read/…     what tasks read, in chunks; see `link_chunks`
    building/pages/…    the URLs, sorted, in parts; see `numbering`
    in/…, out/…         each block from its links
    urls/…, columns/…   what is known of its pages
    host/…, domain/…    their sites, once the names of all are numbered
    blocks.json         last: without it there is no web, and a second start goes on after the last whole step

Moved: 16 bytes per link (24 from 2³² pages on), and for each chunk that has a URL the URL, and 4 bytes back. A task
holds one chunk (some 40 bytes per link, and its URLs), one part, or the links of one block (some 90 bytes per link).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from seedbed.common.arrays import Ints
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, OptionError
from seedbed.graph.web import Origin
from seedbed.links.transpose import transposed_within_memory
from seedbed.sources.named_links import Column, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.spark.blocks.block_pages import (
    leave_site_names,
    number_sites,
    write_column,
    write_column_type,
    write_strings,
    write_urls,
)
from seedbed.spark.blocks.blocked_web import BlockedWeb, Direction, even_bounds, write_block
from seedbed.spark.blocks.building import BUILDING, Building
from seedbed.spark.blocks.link_chunks import LinkChunk, LinkChunks, TaskSizes
from seedbed.spark.blocks.link_kernels import locate_blocks, pair_sum, spread_by_block
from seedbed.spark.blocks.numbering import (
    MOVED,
    NAME,
    NameChunk,
    Numbering,
    filled,
    moved,
    number_names,
    numbers_of,
    numbers_to_chunks,
    packed,
    read_table,
    received,
    unpacked,
)
from seedbed.spark.blocks.reading import COLUMNS, read_source, source_at
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected, numbers_in, over_blocks, with_settings
from seedbed.urls.sites import SiteKind
from seedbed.urls.url_matching import hashes

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from seedbed.graph.web import Web

DIRECTIONS: tuple[Direction, Direction] = ("in", "out")
STEPS = 5
_ROWS_AT_ONCE = 1 << 18
_SHORT_IDS = 1 << 32


def blocks_for(links: int, sizes: TaskSizes | None = None) -> int:
    """How many blocks to cut, if nobody says."""
    return max(1, -(-links // (sizes or TaskSizes()).links_per_block))


@dataclass(frozen=True)
class Cutting:
    """What a web is cut from, once it is read: chunks of links, and where the web came from.

    `pages`: how many, if the chunks do not tell. `columns`: the values that names of pages carry.
    """

    chunks: tuple[LinkChunk, ...]
    origin: Origin
    pages: int | None = None
    columns: tuple[Column, ...] = ()
    vertices: tuple[str, ...] = ()
    """Files of page numbers and their URLs, where links are by number."""

    @property
    def links(self) -> int:
        """How many there are, repeated ones included."""
        return sum(chunk.links for chunk in self.chunks)


def cut_links(
    session: SparkSession,
    links: DataFrame,
    path: str,
    blocks: int | None = None,
    *,
    memory: int | None = None,
    sizes: TaskSizes | None = None,
    progress: Progress = no_progress,
) -> BlockedWeb:
    """The blocks of the links in a DataFrame: its first two columns, page numbers or URLs.

    Self-links are left out, repeated links count once. A start that was stopped is taken up again if the DataFrame is
    read from files. `memory`: bytes that a task may take (by default some 800 MB); or say how much each takes on.
    """
    sizes = sizes or TaskSizes.within(memory)
    ends = links.columns[:2]
    kinds = dict(links.dtypes)
    if len(ends) < 2 or (kinds[ends[0]] != kinds[ends[1]] and "string" in (kinds[ends[0]], kinds[ends[1]])):
        raise InputError(f"the links have the columns {kinds}; the first two must both be URLs, or both page numbers.")
    files = sorted(links.inputFiles())
    plan = {"files": _digest(*files), "columns": ends, "blocks": blocks, "links_per_block": sizes.links_per_block}
    building = Building(path, plan if files else None, STEPS, progress)
    chunks = chunks_of(building.step("read", lambda: _read_rows(links, ends, building.folder, sizes)))
    origin = Origin("a DataFrame", "dataframe", sum(chunk.self_links for chunk in chunks), None, removed=True)
    return cut_chunks(with_settings(session), building, Cutting(chunks, origin), blocks, sizes)


def cut_source(
    session: SparkSession,
    path: str,
    out: str,
    blocks: int | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    options: ReadOptions | None = None,
    memory: int | None = None,
    sizes: TaskSizes | None = None,
    progress: Progress = no_progress,
) -> BlockedWeb:
    """The blocks of the web at a path: read in tasks if its format allows it (see `reading`), else opened here.

    Options as in `cut_links`; of `options`, those that tasks understand: encoding, columns, drop_sessions.
    """
    options, sizes = options or ReadOptions(), sizes or TaskSizes.within(memory)
    source = source_at(path, format)
    if source is None:
        from seedbed.sources.opening import open_web

        web = open_web(path, format=format, options=replace(options, progress=progress))
        return cut_web(web, out, blocks or blocks_for(web.link_count, sizes))
    refuse_options(options)
    plan: dict[str, Any] = {"source": path, "format": source.format, "files": _digest(*source.shown, *source.sizes)}
    plan |= {"blocks": blocks, "links_per_block": sizes.links_per_block}
    building, own = Building(out, plan, STEPS + 1, progress), with_settings(session)
    read = building.step("read", lambda: read_source(own, building, source, options, sizes))
    chunks = chunks_of(read["chunks"])
    if not chunks:
        found = "".join(f" Found: {note}." for note in read["notes"])
        raise InputError(f"{path}: no links in it.{found}")
    loops = sum(chunk.self_links for chunk in chunks)
    origin = Origin(path, source.format, loops, None, removed=True, notes=tuple(read["notes"]))
    columns, pages = COLUMNS if source.format == "archive" else (), None
    if read["vertices"]:
        pages = _vertex_count(path, read["vertices"], chunks)
    vertices = tuple(file for file, *_ in read["vertices"])
    return cut_chunks(own, building, Cutting(chunks, origin, pages, columns, vertices), blocks, sizes)


def refuse_options(options: ReadOptions) -> None:
    """Refuse options that tasks do not understand."""
    for name in ("keep_self_links", "hosts", "drop_nofollow", "normalize"):
        if getattr(options, name):
            raise OptionError(
                f"{name} is not for webs read on Spark. Convert the web on one machine first, and cut the store."
            )


def _vertex_count(path: str, vertices: Sequence[Sequence[Any]], chunks: Sequence[LinkChunk]) -> int:
    """How many pages the vertices list: their ids must be 0, 1, 2, … without a gap."""
    _, counts, smallest, largest = zip(*vertices, strict=True)
    count, least, most = sum(counts), min(smallest), max(largest)
    if (least, most) != (0, count - 1):
        raise InputError(f"{path}: {count:,} vertices have the ids {least} … {most}, expected 0 … {count - 1:,}.")
    if (last := max(chunk.largest for chunk in chunks)) >= count:
        raise InputError(f"{path}: a link has the id {last}, but there are {count:,} vertices.")
    return int(count)


def _read_rows(links: DataFrame, ends: Sequence[str], folder: Folder, sizes: TaskSizes) -> list[Any]:
    """Write the rows as chunks."""
    uri, named = folder.uri, dict(links.dtypes)[ends[0]] == "string"

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        chunks = LinkChunks(Folder(uri), (), sizes)
        for batch in _joined(batches):
            if any(column.null_count for column in batch.columns):
                raise InputError("a link has a null at one of its ends; leave such rows out: links.na.drop().")
            if named:
                chunks.add_names(coded(*(column.cast(pa.large_string()) for column in batch.columns)))
            else:
                chunks.add_ids(*(column.cast(pa.int64()).to_numpy() for column in batch.columns))
        chunks.flush()
        yield pa.record_batch([pa.array([json.dumps(chunks.written)])], ["chunks"])

    rows = collected(links.select(*ends).mapInArrow(read, "chunks string"))
    return [chunk for row in rows for chunk in json.loads(row["chunks"])]


def _joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= _ROWS_AT_ONCE:
            yield pa.concat_batches(held)
            held = []
    if held:
        yield pa.concat_batches(held)


def chunks_of(found: Sequence[Any]) -> tuple[LinkChunk, ...]:
    """The chunks that tasks told of, from JSON."""
    chunks = (LinkChunk(*chunk) for chunk in sorted(found))
    return tuple(chunk._replace(names=None if chunk.names is None else NameChunk(*chunk.names)) for chunk in chunks)


def cut_chunks(
    session: SparkSession, building: Building, cutting: Cutting, blocks: int | None, sizes: TaskSizes | None = None
) -> BlockedWeb:
    """The blocks of a web that was read into chunks; the steps after reading."""
    folder, chunks, sizes = building.folder, cutting.chunks, sizes or TaskSizes()
    named = [chunk.names for chunk in chunks if chunk.names is not None]
    if not chunks or (named and len(named) < len(chunks)):
        raise InputError("there are no links: there is nothing to cut." if not chunks else "some links are by number.")
    numbering = None
    if named:
        place = f"{BUILDING}/pages"
        found = building.step(
            "numbers",
            lambda: vars(number_names(session, folder, place, named, "host", sizes.bytes_per_part, cutting.columns)),
        )
        numbering = Numbering(found["place"], tuple(found["counts"]), found["sum"])
        pages = sum(numbering.counts)
        if not pages:
            notes = "".join(f" Found: {note}." for note in cutting.origin.notes)
            raise InputError(f"{cutting.origin.source}: no page in it.{notes}")
    else:
        pages = cutting.pages or 1 + max(chunk.largest for chunk in chunks)
    blocks = blocks or blocks_for(cutting.links, sizes)
    bounds = even_bounds(pages, blocks)
    identity = _identity(cutting, numbering, bounds)
    count = building.step("links", lambda: _cut(session, folder, cutting, numbering, bounds, identity))
    columns = tuple(column.name for column in cutting.columns)
    if numbering is not None:
        sites = building.step("urls", lambda: _write_pages(session, folder, numbering, bounds, cutting.columns))
    elif cutting.vertices:
        sites, columns = building.step("urls", lambda: _write_vertices(session, folder, cutting.vertices, bounds))
    if numbering is not None or cutting.vertices:
        building.step(
            "sites", lambda: number_sites(session, folder, [NameChunk(*chunk) for chunk in sites], sizes.bytes_per_part)
        )
    origin = Origin(**{**vars(cutting.origin), "duplicate_links": cutting.links - count})
    is_named = numbering is not None or bool(cutting.vertices)
    return building.finish(BlockedWeb(folder.uri, identity, pages, count, bounds, is_named, tuple(columns), origin))


def _identity(cutting: Cutting, numbering: Numbering | None, bounds: Sequence[int]) -> str:
    """An id of the web to be: the same for the same links and blocks, whatever the tasks."""
    sums = sum(chunk.sum for chunk in cutting.chunks) % (1 << 64), 0 if numbering is None else numbering.sum
    return _digest(cutting.links, cutting.origin.self_links, *sums, *bounds)


def _digest(*parts: object) -> str:
    return hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=16).hexdigest()


def _cut(
    session: SparkSession,
    folder: Folder,
    cutting: Cutting,
    numbering: Numbering | None,
    bounds: tuple[int, ...],
    web: str,
) -> int:
    """Write the blocks of both directions; returns the number of distinct links."""
    uri, files, blocks = folder.uri, [chunk.file for chunk in cutting.chunks], len(bounds) - 1
    ids = np.uint32 if bounds[-1] <= _SHORT_IDS else np.int64

    def by_name(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        assert numbering is not None  # noqa: S101 - for the type checker
        chunk, pieces = received(batches)
        if pieces:
            numbers, file = numbers_of(pieces, numbering.starts), files[chunk]
            sources, targets = (numbers[Folder(uri).array(f"{file}.{name}.u32")] for name in ("sources", "targets"))
            yield from _to_blocks(chunk, sources, targets, bounds, ids)

    def by_id(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for chunk in numbers_in(batches):
            sources, targets = (Folder(uri).array(f"{files[chunk]}.{name}.i64") for name in ("sources", "targets"))
            yield from _to_blocks(chunk, sources, targets, bounds, ids)

    def cut(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        to, pieces = received(batches)
        if pieces:
            parts = [np.frombuffer(piece, np.uint8) for piece in pieces.values()]
            size = 4 + np.dtype(ids).itemsize
            rows = np.concatenate([part[: 4 * (len(part) // size)].view(np.uint32) for part in parts])
            others = np.concatenate([part[4 * (len(part) // size) :].view(ids) for part in parts])
            del parts, pieces
            direction, block = DIRECTIONS[to // blocks], to % blocks
            links = write_block(Folder(uri), direction, block, bounds, web, rows, others)
            yield pa.record_batch([pa.array([to], pa.int32()), pa.array([links], pa.int64())], ["to", "links"])

    if numbering is None:
        spread = over_blocks(session, len(files)).mapInArrow(by_id, MOVED)
    else:
        numbers = numbers_to_chunks(session, folder, numbering)
        spread = numbers.repartitionById(len(files), "to").mapInArrow(by_name, MOVED)
    done = collected(spread.repartitionById(2 * blocks, "to").mapInArrow(cut, "to int, links long"))
    return sum(row["links"] for row in done if row["to"] < blocks)


def _to_blocks(chunk: int, sources: Ints, targets: Ints, bounds: Sequence[int], ids: Any) -> Iterator[pa.RecordBatch]:
    """The links of a chunk for each block, in both directions: places of rows in the block, and others."""
    limits, blocks = np.asarray(bounds, np.int64), len(bounds) - 1
    for direction, rows, others in zip(DIRECTIONS, (targets, sources), (sources, targets), strict=True):
        block_of, counts = np.empty(len(rows), np.int32), np.zeros(blocks, np.int64)
        locate_blocks(rows, limits, block_of, counts)
        ends = np.cumsum(counts)
        out_rows, out_others = np.empty(len(rows), np.uint32), np.empty(len(rows), ids)
        spread_by_block(rows, others, block_of, limits, ends - counts, out_rows, out_others)
        for block, (first, last) in enumerate(zip((ends - counts).tolist(), ends.tolist(), strict=True)):
            if first < last or chunk == 0:
                to = DIRECTIONS.index(direction) * blocks + block
                yield moved(to, chunk, out_rows[first:last].tobytes() + out_others[first:last].tobytes())


def _write_pages(
    session: SparkSession, folder: Folder, numbering: Numbering, bounds: tuple[int, ...], columns: Sequence[Column]
) -> list[Any]:
    """Write the URLs and columns of each block from the parts that overlap it; returns the chunks of site names."""
    uri, starts, columns = folder.uri, numbering.starts.tolist(), tuple(columns)

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = Folder(uri)
        for block in numbers_in(batches):
            table = _rows_of_parts(own, numbering, starts, bounds[block], bounds[block + 1])
            for column in columns:
                values = filled(column, table.column(column.name).to_numpy())
                write_column(own, column.name, block, values.astype(column.type))
            yield told_urls(own, block, table.column(NAME))

    for column in columns:
        write_column_type(folder, column.name, column.type)
    rows = collected(over_blocks(session, len(bounds) - 1).mapInArrow(write, "block int, names string"))
    return site_chunks(rows)


def _rows_of_parts(folder: Folder, numbering: Numbering, starts: Sequence[int], first: int, last: int) -> pa.Table:
    """The pages first … last."""
    import pyarrow as pa

    found = []
    for part, (start, stop) in enumerate(pairwise(starts)):
        if max(first, start) < min(last, stop) or (first == last and part == 0):
            at = max(first, start)
            found.append(numbering.part(folder, part).slice(at - start, min(last, stop) - at if first < last else 0))
    return pa.concat_tables(found)


def _write_vertices(
    session: SparkSession, folder: Folder, files: Sequence[str], bounds: tuple[int, ...]
) -> tuple[list[Any], list[str]]:
    """Write the URLs of each block from lists of page numbers and URLs; returns the chunks of site names, columns."""
    uri, limits = folder.uri, np.asarray(bounds, np.int64)

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in numbers_in(batches):
            table = read_table(Folder(uri), files[number]).sort_by("id")
            cuts = np.searchsorted(table.column("id").to_numpy(), limits)
            for block, (first, last) in enumerate(pairwise(cuts.tolist())):
                if first < last or number == 0:
                    yield moved(block, number, packed(table.slice(first, last - first)))

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        block, pieces = received(batches)
        if pieces:
            table = pa.concat_tables([unpacked(piece) for piece in pieces.values()], promote_options="default")
            table = table.sort_by("id")
            if not np.array_equal(table.column("id").to_numpy(), np.arange(bounds[block], bounds[block + 1])):
                raise InputError(f"some ids of pages {bounds[block]} … {bounds[block + 1] - 1} are given to two pages.")
            if "n_hosts" in table.column_names:
                write_column(Folder(uri), "n_hosts", block, table.column("n_hosts").to_numpy())
            yield told_urls(Folder(uri), block, table.column(NAME))

    sent = over_blocks(session, len(files)).mapInArrow(send, MOVED)
    rows = collected(sent.repartitionById(len(bounds) - 1, "to").mapInArrow(write, "block int, names string"))
    columns = ["n_hosts"] if folder.has("columns/n_hosts") else []
    for name in columns:
        write_column_type(folder, name, np.int64)
    return site_chunks(rows), columns


def told_urls(folder: Folder, block: int, urls: pa.ChunkedArray) -> pa.RecordBatch:
    """Write the URLs of a block and the names of its sites; a row that tells the driver of those."""
    import pyarrow as pa

    write_urls(folder, block, urls)
    joined = pa.concat_arrays([*urls.chunks, pa.array([], pa.large_string())])
    names = json.dumps(leave_site_names(folder, block, joined))
    return pa.record_batch([pa.array([block], pa.int32()), pa.array([names])], ["block", "names"])


def site_chunks(rows: Sequence[Any]) -> list[Any]:
    """The chunks of site names of all blocks, in order."""
    return [json.loads(row["names"]) for row in sorted(rows, key=lambda row: int(row["block"]))]


def cut_web(web: Web, path: str, blocks: int | None = None) -> BlockedWeb:
    """The blocks of an open web, which keeps its numbers. Links are read block by block; beyond the memory, their
    transpose is on disk. Columns whose values 8-byte floats cannot hold are left out, and named in the notes.
    """
    blocks = blocks or blocks_for(web.link_count)
    building, bounds = Building(path, None), even_bounds(web.page_count, blocks)
    folder = building.folder
    identity = _digest(*_sums(web), *bounds)
    for direction, links in zip(DIRECTIONS, (transposed_within_memory(web.links), web.links), strict=True):
        for block, (first, last) in enumerate(pairwise(bounds)):
            rows, others = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
            for part in links.blocks(first, last):
                rows.append(part.sources - first)
                others.append(part.out_idx)
            write_block(folder, direction, block, bounds, identity, np.concatenate(rows), np.concatenate(others))
    columns, left_out = {}, []
    for name, column in web.columns.items():
        if column.dtype.kind == "f" or np.array_equal(column.astype(np.float64).astype(column.dtype), column):
            columns[name] = column
            write_column_type(folder, name, column.dtype)
        else:
            left_out.append(name)
    for block, (first, last) in enumerate(pairwise(bounds)):
        if web.urls is not None:
            write_urls(folder, block, web.urls.many(np.arange(first, last)))
        for name, column in columns.items():
            write_column(folder, name, block, column[first:last])
    if web.urls is not None or web.hosts is not None:
        for kind in get_args(SiteKind):
            sites = web.sites(kind)
            for block, (first, last) in enumerate(pairwise(bounds)):
                folder.write(f"{kind}/{block:05d}.i64", sites.of_page[first:last])
            write_strings(folder, f"{kind}s.parquet", "name", list(sites.names))
    notes = (*web.origin.notes, *([f"columns left out: {', '.join(left_out)}"] if left_out else []))
    origin = Origin(**{**vars(web.origin), "notes": notes})
    facts = (folder.uri, identity, web.page_count, web.link_count, bounds, web.urls is not None)
    return building.finish(BlockedWeb(*facts, tuple(columns), origin))


def _sums(web: Web) -> Iterator[int]:
    """Numbers that tell webs apart."""
    yield web.page_count
    yield web.link_count
    for block in web.links.blocks():
        yield int(pair_sum(block.sources.astype(np.uint64), block.out_idx.astype(np.uint64)))
    for chunk in () if web.urls is None else web.urls.chunks():
        yield int(hashes(*chunk).sum(dtype=np.uint64))

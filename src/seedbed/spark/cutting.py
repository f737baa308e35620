"""Blocks from links: on Spark, from a DataFrame of any size; or from a web that this machine has open.

On Spark, links may name pages by number or by URL. URLs are numbered by a global sort, by host read backwards and then
by the whole URL: exact, and the same whatever the partitions.

    building/pages      the distinct URLs, sorted; a file's first number is the sum of the rows in the files before it
    building/links      the links as pairs of numbers
    in/…, out/…         each block from its links: a task holds about 60 bytes per link of one block
    urls/…, blocks.json last: without it there is no web, and a second start goes on after the last whole step
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import InputError, OptionError
from seedbed.links.transpose import transposed
from seedbed.spark.blocked_web import FACTS, BlockedWeb, Direction, even_bounds, open_blocks, write_block
from seedbed.spark.storage import Folder
from seedbed.urls.sites import SiteKind, Sites

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from seedbed.graph.web import Web

DIRECTIONS: tuple[Direction, Direction] = ("in", "out")
LINKS_PER_BLOCK = 8_000_000
"""About half a gigabyte for the task that cuts it."""
BUILDING, DONE = "building", "_SUCCESS"
URLS_PER_BATCH = 1 << 16


def blocks_for(links: int) -> int:
    """How many blocks to cut, if nobody says."""
    return max(1, -(-links // LINKS_PER_BLOCK))


def cut_web(web: Web, path: str, blocks: int | None = None) -> BlockedWeb:
    """The blocks of an open web."""
    folder, blocks = _begun(path), blocks or blocks_for(web.link_count)
    bounds, identity = even_bounds(web.page_count, blocks), uuid.uuid4().hex
    out_links = web.links.to_csr()
    for direction, links in zip(DIRECTIONS, (transposed(out_links), out_links), strict=True):
        ptr, idx = links.arrays()
        for block in range(blocks):
            first, last = bounds[block], bounds[block + 1]
            rows = np.repeat(np.arange(first, last), np.diff(ptr[first : last + 1]))
            write_block(folder, direction, block, bounds, identity, rows, idx[ptr[first] : ptr[last]].astype(np.int64))
    columns = {name: column for name, column in web.columns.items() if column.dtype.kind in "biuf"}
    for block, (first, last) in enumerate(pairwise(bounds)):
        if web.urls is not None:
            write_urls(folder, block, [web.urls.many(np.arange(first, last))])
        for name, column in columns.items():
            folder.write(f"columns/{name}/{block:05d}.f64", column[first:last].astype(np.float64))
    if web.urls is not None or web.hosts is not None:
        for kind in get_args(SiteKind):
            _write_sites(folder, web.sites(kind), bounds)
    facts = BlockedWeb(
        folder.uri, identity, web.page_count, web.link_count, bounds, web.urls is not None, tuple(columns)
    )
    return finished(folder, facts)


def _write_sites(folder: Folder, sites: Sites, bounds: tuple[int, ...]) -> None:
    for block, (first, last) in enumerate(pairwise(bounds)):
        folder.write(f"{sites.kind}/{block:05d}.i64", sites.of_page[first:last].astype(np.int64))
    _write_strings(folder, f"{sites.kind}s.parquet", "name", [list(sites.names)])


def cut_links(
    session: SparkSession, links: DataFrame, path: str, blocks: int | None = None, *, progress: Progress = no_progress
) -> BlockedWeb:
    """The blocks of the links in a DataFrame: its first two columns, page numbers or URLs. Self-links are left out."""
    folder, steps = _begun(path), 6
    source, target = links.columns[:2]
    links = links.select(links[source].alias("source"), links[target].alias("target")).na.drop()
    links = links.where("source <> target")
    identity = _identity(folder)
    named = dict(links.dtypes)["source"] == "string"
    pages = None
    if named:
        counts = _sorted_pages(session, links, folder)
        progress("numbering", 1, steps)
        links, pages = _numbered(session, links, folder, counts), sum(counts)
    pairs = _stored_pairs(session, links, folder)
    progress("links", 2, steps)
    if pages is None:
        pages = _largest(pairs) + 1
    blocks = blocks or blocks_for(pairs.count())
    bounds = even_bounds(pages, blocks)
    count = 0
    for step, direction in enumerate(DIRECTIONS, 3):
        count = _cut(pairs, folder, direction, bounds, identity)
        progress("blocks", step, steps)
    if named:
        _urls_by_block(session, folder, counts, bounds)
    progress("urls", 5, steps)
    web = finished(folder, BlockedWeb(folder.uri, identity, pages, count, bounds, named))
    folder.remove(BUILDING)
    progress("done", steps, steps)
    return web


def _begun(path: str) -> Folder:
    folder = Folder(path)
    if folder.has(FACTS):
        raise OptionError(f"{path}: already holds the blocks of a web. Name a new folder, or remove that one.")
    return folder


def _identity(folder: Folder) -> str:
    """The id of the web to be, the same if building is taken up again."""
    found = folder.json(f"{BUILDING}/id.json")
    if found is None:
        found = uuid.uuid4().hex
        folder.write_json(f"{BUILDING}/id.json", found)
    return str(found)


def finished(folder: Folder, web: BlockedWeb) -> BlockedWeb:
    """Write blocks.json, which makes a folder of blocks a web."""
    folder.write_json(FACTS, web.facts())
    return open_blocks(folder.uri)


def backwards(url: Column) -> Column:
    """The host of a URL with its labels in reverse order: com.example.www. Pages of a site sort together."""
    from pyspark.sql import functions as f

    host = f.lower(f.regexp_extract(url, r"^(?:[A-Za-z][\w+.-]*:)?//(?:[^/?#@]*@)?([^/?#:]*)", 1))
    return f.concat_ws(".", f.reverse(f.split(host, r"\.")))


def _sorted_pages(session: SparkSession, links: DataFrame, folder: Folder) -> list[int]:
    """Write the distinct URLs in order; returns how many each file has."""
    from pyarrow import parquet
    from pyspark.sql import functions as f

    place = f"{folder.uri}/{BUILDING}/pages"
    if not folder.has(f"{BUILDING}/pages/{DONE}"):
        urls = links.select(f.explode(f.array("source", "target")).alias("url")).distinct()
        keyed = urls.withColumn("host", backwards(f.col("url")))
        parts = int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
        ordered = keyed.repartitionByRange(parts, "host", "url").sortWithinPartitions("host", "url")
        ordered.select("url").write.mode("overwrite").parquet(place)
    counts = []
    for name in _part_files(folder):
        with folder.opened(f"{BUILDING}/pages/{name}") as file:
            counts.append(parquet.read_metadata(file).num_rows)
    if not sum(counts):
        raise InputError("the links have no pages: there is nothing to cut.")
    return counts


def _part_files(folder: Folder) -> list[str]:
    """The files of sorted URLs; Spark numbers them in the order of their ranges."""
    return [name for name in folder.names(f"{BUILDING}/pages") if name.endswith(".parquet")]


def _numbered(session: SparkSession, links: DataFrame, folder: Folder, counts: list[int]) -> DataFrame:
    """The links with numbers for URLs."""
    starts, names, place = np.cumsum([0, *counts]).tolist(), _part_files(folder), folder.uri

    def numbers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        from pyarrow import parquet

        for batch in batches:
            for file in batch.column(0).to_pylist():
                at = starts[file]
                with Folder(place).opened(f"{BUILDING}/pages/{names[file]}") as opened:
                    for one in parquet.ParquetFile(opened).iter_batches(URLS_PER_BATCH):
                        ids = pa.array(np.arange(at, at + len(one)))
                        at += len(one)
                        yield pa.record_batch([one.column(0), ids], ["url", "id"])

    files = session.range(0, len(names), 1, len(names))
    ids = files.mapInArrow(numbers, "url string, id long")
    sources, targets = (ids.withColumnsRenamed({"url": name, "id": f"{name}_id"}) for name in ("source", "target"))
    joined = links.join(sources, "source").join(targets, "target")
    return joined.select(joined.source_id.alias("source"), joined.target_id.alias("target"))


def _stored_pairs(session: SparkSession, links: DataFrame, folder: Folder) -> DataFrame:
    """The links as numbers, stored, so that both directions are cut from the same rows."""
    place = f"{folder.uri}/{BUILDING}/links"
    if not folder.has(f"{BUILDING}/links/{DONE}"):
        links.selectExpr("cast(source as long) source", "cast(target as long) target").write.mode("overwrite").parquet(
            place
        )
    return session.read.parquet(place)


def _largest(pairs: DataFrame) -> int:
    """The largest page number."""
    from pyspark.sql import functions as f

    found = pairs.agg(f.greatest(f.max("source"), f.max("target")), f.least(f.min("source"), f.min("target"))).first()
    if found is None or found[0] is None:
        raise InputError("there are no links: there is nothing to cut.")
    if found[1] < 0:
        raise InputError(f"a link has page number {found[1]}; numbers start at 0.")
    return int(found[0])


def _cut(pairs: DataFrame, folder: Folder, direction: Direction, bounds: tuple[int, ...], web: str) -> int:
    """Write the blocks of one direction; returns the number of distinct links."""
    row, other = ("target", "source") if direction == "in" else ("source", "target")
    pages, blocks, place = bounds[-1], len(bounds) - 1, folder.uri

    def cut(key: Any, table: pa.Table) -> pa.Table:
        import pyarrow as pa

        block = key[0].as_py()
        rows, others = (table.column(name).to_numpy() for name in (row, other))
        links = write_block(Folder(place), direction, block, bounds, web, rows, others)
        return pa.table({"block": pa.array([block], pa.int32()), "links": pa.array([links], pa.int64())})

    # The last block whose bound, ⌊pages · block / blocks⌋, is not above the page.
    keyed = pairs.selectExpr("*", f"cast((({row} + 1) * {blocks} - 1) div {pages} as int) block")
    done = keyed.groupBy("block").applyInArrow(cut, "block int, links long").collect()
    empty = np.empty(0, np.int64)
    for block in set(range(blocks)) - {one["block"] for one in done}:
        write_block(folder, direction, block, bounds, web, empty, empty)
    return sum(one["links"] for one in done)


def _urls_by_block(session: SparkSession, folder: Folder, counts: list[int], bounds: tuple[int, ...]) -> None:
    """The URLs of each block, from the sorted files that overlap it."""
    starts, names, place = np.cumsum([0, *counts]).tolist(), _part_files(folder), folder.uri

    def gather(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        own = Folder(place)
        for batch in batches:
            for block in batch.column(0).to_pylist():
                found = []
                for file, name in enumerate(names):
                    first, last = max(bounds[block], starts[file]), min(bounds[block + 1], starts[file + 1])
                    if first < last:
                        with own.opened(f"{BUILDING}/pages/{name}") as opened:
                            urls = parquet.read_table(opened).column("url")
                        found.append(urls.slice(first - starts[file], last - first))
                write_urls(own, block, found)
            yield batch.select([0]).rename_columns(["block"])

    blocks = len(bounds) - 1
    session.range(0, blocks, 1, blocks).mapInArrow(gather, "block long").collect()


def write_urls(folder: Folder, block: int, parts: list[Any]) -> None:
    """The URLs of a block as Parquet."""
    _write_strings(folder, f"urls/{block:05d}.parquet", "url", parts)


def _write_strings(folder: Folder, name: str, column: str, parts: list[Any]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    chunks = [chunk for part in parts for chunk in getattr(part, "chunks", [pa.array(part, pa.string())])]
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table({column: pa.chunked_array(chunks, pa.string())}), sink, compression="zstd")
    folder.write_bytes(name, sink.getvalue())

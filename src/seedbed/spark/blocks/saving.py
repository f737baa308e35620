"""A web of blocks as one native store, or as folders of Parquet, a file per block.

store         a store of this machine, written block by block: memory for one block and the table of URLs
parquet       links/00003.parquet (from, to: page numbers), pages/00003.parquet (id, url, host, domain, columns)
url-parquet   the same, with links as URLs: each block is sent the URLs that its links lead to
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from seedbed.common.arrays import Ints, chunk_of, page_dtype
from seedbed.common.memory import show_size
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import NeedsHosts, OptionError, unknown
from seedbed.graph.native_store import StoreWriter, check_store_path
from seedbed.spark.blocks.blocked_web import BlockedWeb, LinkBlock
from seedbed.spark.blocks.numbering import MOVED, NAME, moved, packed, received, unpacked
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected, numbers_in, over_blocks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

SavedAs = Literal["store", "parquet", "url-parquet"]
KINDS = ("host", "domain")
WHOLE = "_SUCCESS"
_URL_BYTES = 16
_ROWS = 1 << 20


def save_web(
    session: SparkSession,
    web: BlockedWeb,
    path: str,
    format: SavedAs = "store",  # noqa: A002 - the word users know
    progress: Progress = no_progress,
) -> None:
    """Write the web; see above for the formats."""
    if format == "store":
        save_store(web, Path(path), progress)
    elif format in ("parquet", "url-parquet"):
        _save_parquet(session, web, path, by_url=format == "url-parquet")
    else:
        raise unknown("format to save blocks as", format, ("store", "parquet", "url-parquet"))


def save_store(web: BlockedWeb, path: Path, progress: Progress = no_progress) -> None:
    """A native store, equal to the one that the local engine writes of this web."""
    from seedbed.urls.url_table import UrlTable

    check_store_path(path)
    _check_room(web, path)
    folder, blocks = Folder(web.folder), range(web.blocks)
    with StoreWriter(path, pages=web.page_count, origin=web.origin) as store:
        for block in blocks:
            progress("links", block, web.blocks)
            links = web.links("out", block)
            store.add_links(links.ptr, links.needs.astype(page_dtype(web.page_count))[links.idx])
        for name in web.columns:
            for block in blocks:
                store.add_column(name, web.typed_column(name, block))
        if web.named:
            progress("URLs", 0, 0)
            urls = (chunk_of(chunk) for block in blocks for chunk in web.urls(block).chunks)
            UrlTable.build(urls).save(store.folder, "urls")
        if folder.has("hosts.parquet"):
            for block in blocks:
                store.add_hosts(web.sites("host", block))
            UrlTable.build(chunk_of(one) for one in web.site_names("host").chunks).save(store.folder, "host-names")


def _check_room(web: BlockedWeb, path: Path) -> None:
    """Refuse a store that does not fit on the disk."""
    size = 8 * web.page_count + np.dtype(page_dtype(web.page_count)).itemsize * web.link_count
    size += (_URL_BYTES * web.page_count if web.named else 0) + 8 * len(web.columns) * web.page_count
    free = shutil.disk_usage(path.resolve().parent).free
    if size > free:
        raise OptionError(
            f"{path}: the store takes about {show_size(size)}, {show_size(free)} are free. Save the web as parquet, "
            "which can be anywhere, or leave it in blocks."
        )


def _save_parquet(session: SparkSession, web: BlockedWeb, path: str, *, by_url: bool) -> None:
    folder = Folder(path)
    if folder.names():
        raise OptionError(f"{path}: is not empty. Name a new folder.")
    if by_url and not web.named:
        raise OptionError(f"{path}: links as URLs need URLs, which this web has not. Save it as parquet.")
    uri = folder.uri

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for block in numbers_in(batches):
            links = web.links("out", block)
            _write_links(Folder(uri), block, _sources(links, web.bounds[block]), links.needs[links.idx])
            yield _write_pages(Folder(uri), web, block)

    def write_urls(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        block, pieces = received(batches)
        if pieces:
            links = web.links("out", block)
            needed = pa.concat_tables([unpacked(pieces[sender]) for sender in sorted(pieces)]).column(NAME)
            sources = web.urls(block).take(pa.array(_sources(links, 0)))
            _write_links(Folder(uri), block, sources, needed.take(pa.array(links.idx)))
            yield _write_pages(Folder(uri), web, block)

    blocks = over_blocks(session, web.blocks)
    if by_url:
        sent = _needed_urls(session, web).repartitionById(web.blocks, "to")
        collected(sent.mapInArrow(write_urls, "block int"))
    else:
        collected(blocks.mapInArrow(write, "block int"))
    folder.write_bytes(WHOLE, b"")


def _needed_urls(session: SparkSession, web: BlockedWeb) -> DataFrame:
    """Rows that bring each block the URLs its links lead to."""

    def send(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for block in numbers_in(batches):
            urls = web.urls(block)
            for to in range(web.blocks):
                wanted = web.needed("out", to, block)
                if len(wanted) or to == block:
                    yield moved(to, block, packed(pa.table({NAME: urls.take(pa.array(wanted))})))

    return over_blocks(session, web.blocks).mapInArrow(send, MOVED)


def _sources(links: LinkBlock, first: int) -> Ints:
    """The page that each link is on, the first page of the block being `first`."""
    return np.repeat(np.arange(first, first + len(links.ptr) - 1), np.diff(links.ptr))


def _write_links(folder: Folder, block: int, sources: Any, targets: Any) -> None:
    _write_parquet(folder, f"links/{block:05d}.parquet", {"from": sources, "to": targets})


def _write_pages(folder: Folder, web: BlockedWeb, block: int) -> pa.RecordBatch:
    import pyarrow as pa

    table: dict[str, Any] = {"id": np.arange(web.bounds[block], web.bounds[block + 1])}
    if web.named:
        table["url"] = web.urls(block)
    try:
        for kind in KINDS:
            table[kind] = web.site_names(kind).take(pa.array(web.sites(kind, block)))  # type: ignore[arg-type]
    except NeedsHosts:
        pass
    table |= {name: web.column(name, block) for name in web.columns}
    _write_parquet(folder, f"pages/{block:05d}.parquet", table)
    return pa.record_batch([pa.array([block], pa.int32())], ["block"])


def _write_parquet(folder: Folder, name: str, columns: dict[str, Any]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(columns), sink, compression="zstd", row_group_size=_ROWS)
    folder.write_bytes(name, sink.getvalue())

"""The native store, BVGraph with its list of URLs, and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import page_dtype
from seedbed.common.atomic_files import moved_into
from seedbed.common.compression import ENDINGS as COMPRESSED
from seedbed.common.compression import written_compressed
from seedbed.common.outputs import WEB
from seedbed.common.parquet_files import parquet_writer
from seedbed.common.sidecar import parquet_metadata
from seedbed.errors import OptionError
from seedbed.graph.native_store import write_store as write_native_store
from seedbed.links.link_store import Block
from seedbed.writers.edges import last_pages
from seedbed.writers.job import Job, Saved
from seedbed.writers.text import refuse_urls

if TYPE_CHECKING:
    import pyarrow as pa

    from seedbed.graph.web import Web
    from seedbed.links.nofollow import Marks


def write_store(job: Job) -> Saved:
    """A folder."""
    write_native_store(
        job.web,
        job.path,
        links=job.links,
        properties=job.properties,
        threads=job.threads,
        progress=job.progress,
    )
    return Saved(job.path, "store", sum(file.stat().st_size for file in job.path.iterdir()))


def base_of(path: Path) -> Path:
    """What the names of a BVGraph's files have in common."""
    return path.with_name(path.name.removesuffix(".graph"))


def write_bvgraph(job: Job) -> Saved:
    """NAME.graph, .offsets, .properties, and .urls.gz where there are URLs."""
    from seedbed.links.bvgraph_links import beside
    from seedbed.links.bvgraph_writer import write_bvgraph as write_links

    base = base_of(job.path)
    _check_url_lists(job.web, base)
    if job.web.urls is not None:
        refuse_urls(job.web.urls, r"\n|\r$", "a line end in it, and BVGraph has URLs one a line")
    with moved_into(base.parent) as work:
        write_links(
            job.blocks(),
            work / base.name,
            pages=job.web.page_count,
            properties=job.properties,
            threads=job.threads,
        )
        if job.web.urls is not None:
            _write_url_list(job.web, beside(work / base.name, ".urls.gz"))
        size = sum(file.stat().st_size for file in work.iterdir())
    return Saved(base, "bvgraph", size, job.lost("nofollow", "columns"))


def _check_url_lists(web: Web, base: Path) -> None:
    """Refuse to write beside a list of URLs that a reader would take for those of the new graph."""
    from seedbed.links.bvgraph_links import beside

    for ending in ("", *COMPRESSED):
        path = beside(base, f".urls{ending}")
        if path.exists() and not (ending == ".gz" and web.urls is not None):
            raise OptionError(
                f"{path}: is there already, and would be taken for the URLs of the new graph. Move it away, or choose "
                "another name."
            )


def _write_url_list(web: Web, path: Path) -> None:
    assert web.urls is not None  # noqa: S101 - for the type checker; the caller has looked
    with written_compressed(path) as file:
        for text, text_ptr in web.urls.chunks():
            lines = np.insert(text, text_ptr[1:], ord("\n"))
            file.write(lines.tobytes())


def write_parquet(job: Job) -> Saved:
    """A link a row, by page ids, and which of them are nofollow where that is known."""
    pages = 0
    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        schema = _schema(job.web, job.web.nofollow)
        with parquet_writer(file, schema) as writer:
            for block in job.blocks():
                writer.write_table(_table(block, schema, job.web.nofollow))
                if len(block.out_idx):
                    last = block.first + int(np.flatnonzero(np.diff(block.out_ptr))[-1])
                    pages = max(pages, last + 1, int(block.out_idx.max()) + 1)
        size = file.stat().st_size
    return Saved(job.path, "parquet", size, job.lost("urls", "columns", pages=last_pages(job, pages)))


def _schema(web: Web, nofollow: Marks | None = None) -> pa.Schema:
    import pyarrow as pa

    page = pa.from_numpy_dtype(np.dtype(page_dtype(web.page_count)))
    ends = [pa.field("from", page), pa.field("to", page)]
    fields = ends if nofollow is None else [*ends, pa.field("nofollow", pa.bool_())]
    return pa.schema(fields, metadata=parquet_metadata(WEB, {"source": web.origin.source}))


def _table(block: Block, schema: pa.Schema, nofollow: Marks | None = None) -> pa.Table:
    """The links of a block, and which of them are nofollow where that is wanted."""
    import pyarrow as pa

    degrees = np.diff(block.out_ptr)
    pages = np.arange(block.first, block.first + len(degrees), dtype=block.out_idx.dtype)
    columns: list[Any] = [np.repeat(pages, degrees), block.out_idx]
    if nofollow is not None:
        columns.append(nofollow.in_block(block))
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema)

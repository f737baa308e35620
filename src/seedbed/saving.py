"""Writing a web in another format: the native store, BVGraph, a list of links as text, Parquet.

Every output appears in its place only when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from seedbed.errors import OptionError, unknown
from seedbed.graph.csr import Block
from seedbed.graph.files import moved_into
from seedbed.graph.outputs import WEB, check_output
from seedbed.graph.place import check_place
from seedbed.graph.progress import Progress, no_progress
from seedbed.graph.sidecar import parquet_metadata, write_sidecar
from seedbed.graph.store import LinkKind, write_store
from seedbed.graph.web import Web

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from seedbed.graph.bvproperties import BvProperties
    from seedbed.graph.marks import Marks

SEPARATORS = {".tsv": "\t", ".txt": "\t", ".csv": ","}
PACKED = {".gz": "gzip", ".zst": "zstd"}


@dataclass(frozen=True)
class Saved:
    """What was written, and what the format could not hold."""

    path: Path
    format: str
    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Job:
    web: Web
    path: Path
    links: LinkKind
    properties: BvProperties | None
    threads: int
    progress: Progress

    def blocks(self) -> Iterator[Block]:
        for block in self.web.links.blocks():
            self.progress("links", block.first, self.web.page_count)
            yield block


def save(
    web: Web,
    path: Path | str,
    *,
    to: str | None = None,
    links: LinkKind = "csr",
    properties: BvProperties | None = None,
    threads: int = 1,
    progress: Progress = no_progress,
    overwrite: bool = False,
) -> Saved:
    """Write a web as `to`, or as the path's ending says. `links` is for the store, `properties` for BVGraph.

    `overwrite`: also over files that seedbed did not write; never over a folder that is no store.
    """
    path = Path(path)
    name = checked_format(path, to)
    job = _Job(web, path, links, properties, threads, progress)
    if name == "store":
        return TARGETS[name](job)
    files = [file for file in files_written(path, name) if web.urls is not None or not file.name.endswith(".urls.gz")]
    check_output(files[0], WEB, beside=files[1:], overwrite=overwrite)
    saved = TARGETS[name](job)
    if name != "parquet":
        made = {"format": name, "pages": web.page_count, "links": web.link_count, "source": web.origin.source}
        write_sidecar(files[0], WEB, made, files=files[1:])
    return saved


def files_written(path: Path, name: str) -> list[Path]:
    """The files of a web in a format other than the store, at most; the one that gives it its name first."""
    if name != "bvgraph":
        return [path]
    base = path.name.removesuffix(".graph")
    return [path.with_name(base + ending) for ending in (".graph", ".properties", ".offsets", ".urls.gz")]


def checked_format(path: Path, to: str | None = None) -> str:
    """The format to write, if it is known and the place is free for it; worth asking before a long reading."""
    name = to or format_of(path)
    if name not in TARGETS:
        raise unknown("format to write", name, TARGETS)
    if name == "store":
        check_place(path)
    return name


def format_of(path: Path) -> str:
    """The format that an ending stands for."""
    ending = Path(path.name.removesuffix(path.suffix)).suffix if path.suffix in PACKED else path.suffix
    if ending == ".graph":
        return "bvgraph"
    if ending == ".parquet":
        return "parquet"
    return "edges" if ending in SEPARATORS else "store"


def _save_store(job: _Job) -> Saved:
    write_store(
        job.web,
        job.path,
        links=job.links,
        properties=job.properties,
        threads=job.threads,
        progress=job.progress,
    )
    return Saved(job.path, "store", sum(file.stat().st_size for file in job.path.iterdir()))


def _save_bvgraph(job: _Job) -> Saved:
    from seedbed.graph.bvgraph import beside
    from seedbed.graph.bvwriter import write_bvgraph

    base = job.path.with_name(job.path.name.removesuffix(".graph"))
    _check_url_lists(job.web, base)
    with moved_into(base.parent) as work:
        write_bvgraph(
            job.blocks(),
            work / base.name,
            pages=job.web.page_count,
            properties=job.properties,
            threads=job.threads,
        )
        if job.web.urls is not None:
            _write_urls(job.web, beside(work / base.name, ".urls.gz"))
        size = sum(file.stat().st_size for file in work.iterdir())
    return Saved(base, "bvgraph", size, _lost(job.web, "nofollow"))


def _check_url_lists(web: Web, base: Path) -> None:
    """Refuse to write beside a list of URLs that a reader would take for those of the new graph."""
    from seedbed.graph.bvgraph import beside

    for ending in (".urls", ".urls.gz", ".urls.zst"):
        path = beside(base, ending)
        if path.exists() and not (ending == ".urls.gz" and web.urls is not None):
            raise OptionError(
                f"{path}: is there already, and would be taken for the URLs of the new graph. Move it away, or choose "
                "another name."
            )


def _write_urls(web: Web, path: Path) -> None:
    import pyarrow as pa

    assert web.urls is not None  # noqa: S101 - for the type checker; the caller has looked
    with pa.CompressedOutputStream(str(path), "gzip") as file:
        first = 0
        for text, text_ptr in web.urls.chunks():
            _check_is_lines(text, text_ptr, first)
            first += len(text_ptr) - 1
            lines = np.insert(text, text_ptr[1:], ord("\n"))
            file.write(lines.tobytes())


def _check_is_lines(text: NDArray[np.uint8], text_ptr: NDArray[np.int64], first: int) -> None:
    """Refuse URLs that would not come back from a list, one a line."""
    ends = text_ptr[1:][np.diff(text_ptr) > 0] - 1
    places = np.concatenate([np.flatnonzero(text == ord("\n")), ends[text[ends] == ord("\r")]])
    if len(places):
        page = first + int(np.searchsorted(text_ptr, places.min(), side="right")) - 1
        raise OptionError(
            f"the URL of page {page} has a line end in it, and BVGraph has URLs one a line. Write a store instead."
        )


def _save_edges(job: _Job) -> Saved:
    import pyarrow as pa
    from pyarrow import csv

    packed = PACKED.get(job.path.suffix)
    ending = job.path.with_suffix("").suffix if packed else job.path.suffix
    style = csv.WriteOptions(include_header=False, delimiter=SEPARATORS.get(ending, "\t"))
    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        sink = pa.CompressedOutputStream(str(file), packed) if packed else pa.OSFile(str(file), "wb")
        with sink, csv.CSVWriter(sink, _schema(job.web), write_options=style) as writer:
            pages = _write_links(job, writer)
        size = file.stat().st_size
    return Saved(job.path, "edges", size, _lost(job.web, "urls", "nofollow", pages=pages))


def _save_parquet(job: _Job) -> Saved:
    from pyarrow import parquet

    with moved_into(job.path.parent) as work:
        file = work / job.path.name
        with parquet.ParquetWriter(file, _schema(job.web, job.web.nofollow), compression="zstd") as writer:
            pages = _write_links(job, writer, job.web.nofollow)
        size = file.stat().st_size
    return Saved(job.path, "parquet", size, _lost(job.web, "urls", pages=pages))


def _write_links(job: _Job, writer: Any, nofollow: Marks | None = None) -> int:
    """Write a row a link; gives how many pages that names: 0 … the largest id on any row."""
    pages = 0
    for block in job.blocks():
        writer.write_table(_table(block, job.web, nofollow))
        if len(block.out_idx):
            last = block.first + int(np.flatnonzero(np.diff(block.out_ptr))[-1])
            pages = max(pages, last + 1, int(block.out_idx.max()) + 1)
    return pages


TARGETS: dict[str, Callable[[_Job], Saved]] = {
    "store": _save_store,
    "bvgraph": _save_bvgraph,
    "edges": _save_edges,
    "parquet": _save_parquet,
}


def _schema(web: Web, nofollow: Marks | None = None) -> pa.Schema:
    import pyarrow as pa

    from seedbed.graph.csr import page_dtype

    page = pa.from_numpy_dtype(np.dtype(page_dtype(web.page_count)))
    ends = [pa.field("from", page), pa.field("to", page)]
    fields = ends if nofollow is None else [*ends, pa.field("nofollow", pa.bool_())]
    return pa.schema(fields, metadata=parquet_metadata(WEB, {"source": web.origin.source}))


def _table(block: Block, web: Web, nofollow: Marks | None = None) -> pa.Table:
    """The links of a block, and which of them are nofollow where that is wanted."""
    import pyarrow as pa

    degrees = np.diff(block.out_ptr)
    pages = np.arange(block.first, block.first + len(degrees), dtype=block.out_idx.dtype)
    columns: list[Any] = [np.repeat(pages, degrees), block.out_idx]
    if nofollow is not None:
        columns.append(nofollow.in_block(block))
    return pa.Table.from_arrays([pa.array(column) for column in columns], schema=_schema(web, nofollow))


def _lost(web: Web, *missing: Literal["urls", "nofollow"], pages: int | None = None) -> tuple[str, ...]:
    """What a format lost that never holds columns, nor what is `missing` from it, nor more than the first `pages`."""
    lost = ["URLs"] if "urls" in missing and web.urls is not None else []
    lost += ["hosts"] if web.hosts is not None and web.urls is None else []
    if pages is not None and pages < web.page_count:
        lost.append(f"the last {web.page_count - pages:,} pages, which have no links")
    lost += ["which links are nofollow"] if "nofollow" in missing and web.nofollow else []
    lost += [f"the column '{name}'" for name in web.columns]
    if not lost:
        return ()
    return (f"not in this format, and so left out: {', '.join(lost)}. A store holds everything.",)

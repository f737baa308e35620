"""Snapshots made in pieces by threads, and written in order: a few pieces are in memory at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.atomic_files import written_beside
from seedbed.common.messages import Progress
from seedbed.graph.native_store import StoreWriter
from seedbed.graph.web import Origin
from seedbed.synth.host_names import names
from seedbed.synth.link_making import end_of
from seedbed.synth.page_making import Columns, make_pages
from seedbed.synth.url_making import make_urls
from seedbed.synth.web_plan import Snapshot

PIECE_PAGES = 1 << 15
LinkKind = Literal["csr", "bvgraph"]


class Piece(NamedTuple):
    """Pages of consecutive hosts, ready to be written."""

    out_ptr: NDArray[np.int64]
    out_idx: NDArray[np.int32] | NDArray[np.int64]
    host: NDArray[np.int32]
    columns: Columns
    text: NDArray[np.uint8]
    text_ptr: NDArray[np.int64]


def write_snapshots(
    out: Path,
    snapshots: tuple[Snapshot, ...],
    links: LinkKind,
    threads: int,
    pool: ThreadPoolExecutor,
    progress: Progress,
) -> list[Path]:
    """Store one snapshot in `out`, two in out/old and out/new, which appear together when both are whole."""
    if len(snapshots) == 1:
        _write(out, snapshots[0], links, threads, pool, progress)
        return [out]
    with written_beside(out) as folder:
        for name, snapshot in zip(("old", "new"), snapshots, strict=True):
            _write(folder / name, snapshot, links, threads, pool, progress)
    return [out / "old", out / "new"]


def _write(
    path: Path, web: Snapshot, links: LinkKind, threads: int, pool: ThreadPoolExecutor, progress: Progress
) -> None:
    pages = int(end_of(web, len(web.order) - 1))
    origin = Origin(source="synthetic web", format="synth", self_links=0, duplicate_links=0)
    with StoreWriter(path, pages=pages, links=links, origin=origin, threads=threads) as store:
        present = web.hosts[web.order]
        for chunk in names(web.name_key, web.name_digits, present["domain"], present["place"]):
            store.add_host_names(*chunk)
        done = 0
        for piece in _pieces(web, pages, threads, pool):
            progress("pages", done, pages)
            store.add_links(piece.out_ptr, piece.out_idx)
            store.add_urls(piece.text, piece.text_ptr)
            store.add_hosts(piece.host)
            for name, values in piece.columns._asdict().items():
                store.add_column(name, values)
            done += len(piece.host)
        progress("checksums", 0, 0)


def _pieces(web: Snapshot, pages: int, threads: int, pool: ThreadPoolExecutor) -> Iterator[Piece]:
    """The web in order, made by threads a little ahead of the one who takes it."""
    first = web.hosts["first"][web.order]
    starts = np.unique(np.searchsorted(first, np.arange(0, pages, PIECE_PAGES)))
    starts = starts[starts < len(web.order)]
    bounds = [int(start) for start in starts] + [len(web.order)]
    ahead: deque[Future[Piece]] = deque()
    try:
        for start, stop in pairwise(bounds):
            ahead.append(pool.submit(_piece, web, start, stop, pages))
            if len(ahead) > threads:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        for future in ahead:
            future.cancel()


def _piece(web: Snapshot, start: int, stop: int, pages: int) -> Piece:
    made = make_pages(web, start, stop)
    text, text_ptr = make_urls(web, start, stop)
    out_idx = made.out_idx.astype(page_dtype(pages))
    return Piece(made.out_ptr, out_idx, made.host, made.columns, text, text_ptr)

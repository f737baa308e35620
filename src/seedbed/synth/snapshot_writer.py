"""Snapshots made in pieces by threads and written in order: only a few pieces are in memory at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ids, Ints, TextChunk, page_dtype
from seedbed.common.atomic_files import written_beside
from seedbed.common.messages import Progress
from seedbed.common.threads import Team
from seedbed.graph.native_store import LinkKind, StoreWriter
from seedbed.graph.web import Origin
from seedbed.synth.host_names import host_names
from seedbed.synth.link_making import end_of
from seedbed.synth.page_making import Columns, make_pages
from seedbed.synth.url_making import make_urls
from seedbed.synth.web_plan import Snapshot

PIECE_PAGES = 1 << 15


def write_snapshots(
    out: Path, snapshots: Sequence[Snapshot], links: LinkKind, team: Team, progress: Progress
) -> list[Path]:
    """Store one snapshot in `out`, or two in out/old and out/new, which appear together when both are complete."""
    if len(snapshots) == 1:
        _write(out, snapshots[0], links, team, progress)
        return [out]
    with written_beside(out) as folder:
        for name, snapshot in zip(("old", "new"), snapshots, strict=True):
            _write(folder / name, snapshot, links, team, progress)
    return [out / "old", out / "new"]


def _write(path: Path, web: Snapshot, links: LinkKind, team: Team, progress: Progress) -> None:
    pages = int(end_of(web, len(web.order) - 1))
    origin = Origin(source="synthetic web", format="synth", self_links=0, duplicate_links=0)
    with StoreWriter(path, pages=pages, links=links, origin=origin, threads=team.threads) as store:
        present = web.hosts[web.order]
        for chunk in host_names(web.name_key, web.name_digits, present["domain"], present["place"]):
            store.add_host_names(*chunk)
        done = 0

        def piece(hosts: tuple[int, int]) -> tuple[Ints, Ids, NDArray[np.int32], Columns, TextChunk]:
            out_ptr, out_idx, host_of, columns = make_pages(web, *hosts)
            return out_ptr, out_idx.astype(page_dtype(pages)), host_of, columns, make_urls(web, *hosts)

        for out_ptr, out_idx, host_of, columns, urls in team.ahead(piece, _runs_of_hosts(web, pages)):
            progress("pages", done, pages)
            store.add_links(out_ptr, out_idx)
            store.add_urls(*urls)
            store.add_hosts(host_of)
            for name, values in columns._asdict().items():
                store.add_column(name, values)
            done += len(host_of)
        progress("checksums", 0, 0)


def _runs_of_hosts(web: Snapshot, pages: int) -> list[tuple[int, int]]:
    """The hosts in order, in runs of about PIECE_PAGES pages."""
    first = web.hosts["first"][web.order]
    starts = np.unique(np.searchsorted(first, np.arange(0, pages, PIECE_PAGES)))
    return list(pairwise([*starts[starts < len(web.order)].tolist(), len(web.order)]))

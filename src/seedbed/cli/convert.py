"""seedbed convert: a web from one format to another."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    WHAT_A_WEB_IS,
    Between,
    Json,
    Last,
    LinkStore,
    Overwrite,
    Reading,
    Threads,
    Uniqueness,
    reads_web,
)
from seedbed.common.messages import counted
from seedbed.common.threads import thread_count
from seedbed.errors import UsageError

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.sources.writing import Saved


@reads_web
def convert(
    names: Annotated[
        list[Path],
        typer.Argument(
            metavar="WEB... OUT",
            help=f"WEB: {WHAT_A_WEB_IS} Archives, crawl logs and other crawlers' files may be several. OUT: its "
            "extension sets the format, as listed below; text may be compressed (.gz, .zst, .bz2, .xz).",
        ),
    ],
    overwrite: Overwrite = False,
    to: Annotated[
        str | None, typer.Option(help="Write this format, whatever the extension of OUT; listed below.")
    ] = None,
    links: LinkStore = "csr",
    window: Annotated[int, typer.Option(min=0, help="BVGraph: how many pages back a list may be copied from.")] = 7,
    max_references: Annotated[
        int, typer.Option(min=-1, help="BVGraph: longest chain of copies; -1 for any. Longer is smaller and slower.")
    ] = 3,
    min_interval: Annotated[
        int, typer.Option(min=0, help="BVGraph: shortest run of pages coded as an interval; 0 for none.")
    ] = 4,
    zeta: Annotated[int, typer.Option(min=1, max=30, help="BVGraph: k of the ζ code.")] = 3,
    transpose: Annotated[bool, typer.Option("--transpose", help="Reverse every link.")] = False,
    between: Between = None,
    nofollow: Annotated[
        Literal["keep", "drop"],
        typer.Option(
            help="Links marked nofollow (in archives, Scrapy items, native stores): drop them if your crawler does not "
            "follow them."
        ),
    ] = "keep",
    drop_session_parameters: Annotated[
        bool,
        typer.Option(
            "--drop-session-parameters",
            help="Archives and crawlers' files: remove sid, phpsessid, jsessionid, sessionid and utm_* from URLs.",
        ),
    ] = False,
    uniqueness: Uniqueness = None,
    last: Last = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Convert a web from one format to another.

    Example: seedbed convert edges.txt.gz my.web

    Example: seedbed convert 2025/*.warc.gz 2026/*.warc.gz crawl.web
    """
    from seedbed.graph.native_store import is_store
    from seedbed.links.bvgraph_properties import BvProperties
    from seedbed.seeds.given_uniqueness import add_uniqueness
    from seedbed.sources.saving import format_for, save

    start = time.perf_counter()
    *web, out = names
    if not web:
        raise UsageError(f"OUT is missing. Name the file or folder to write: seedbed convert {out} OUT.")
    if last is not None and uniqueness is None:
        raise UsageError("--last is what --uniqueness is estimated from; add --uniqueness estimate.")
    was_store = len(web) == 1 and is_store(web[0])
    check_target(out, format_for(out, to).files_written(out), reading.inputs(web, last, uniqueness), overwrite)
    properties = BvProperties(
        nodes=0, arcs=0, window=window, max_references=max_references, min_interval=min_interval, zeta_k=zeta
    )
    with shown_progress() as progress:
        opened = reading.open(
            web,
            progress,
            nofollow=nofollow,
            drop_session_parameters=drop_session_parameters,
            threads=threads,
        )
        if uniqueness is not None:
            opened = add_uniqueness(opened, uniqueness, say, last=last)
        if between is not None:
            opened = opened.without_links_inside(between)
        if transpose:
            opened = opened.transpose(memory=reading.memory_bytes, threads=thread_count(threads))
        saved = save(
            opened,
            out,
            to=to,
            links=links,
            properties=properties,
            threads=thread_count(threads),
            progress=progress,
            overwrite=overwrite,
        )
    kept = self_links_in(opened) if reading.keep_self_links or was_store else 0
    if json:
        print_json({**_summary(opened, saved, kept), "seconds": round(time.perf_counter() - start, 3)})
    else:
        _report(opened, saved, kept, was_store)


def _summary(web: Web, saved: Saved, kept: int) -> dict[str, Any]:
    origin = web.origin
    return {
        "out": str(saved.path),
        "format": saved.format,
        "bytes": saved.bytes,
        "pages": web.page_count,
        "links": web.link_count,
        "self_links": origin.self_links if origin.removed else kept,
        "self_links_kept": kept,
        "duplicate_links": origin.duplicate_links,
        "notes": [*origin.notes, *saved.notes],
    }


def _report(web: Web, saved: Saved, kept: int, was_store: bool) -> None:
    from seedbed.common.memory import show_size

    origin, size = web.origin, show_size(saved.bytes)
    show(f"{saved.path}: {saved.format}, {web.page_count:,} pages, {web.link_count:,} links, {size}")
    self_links, duplicates = (origin.self_links or 0) if origin.removed else 0, origin.duplicate_links or 0
    if (self_links or duplicates) and not was_store:
        say(f"left out on reading: {counted(self_links, 'self-link')}, {counted(duplicates, 'duplicate')}")
    if kept:
        say(f"kept: {counted(kept, 'self-link')}; only a native store is read with them without --keep-self-links")
    for note in (*(() if was_store else origin.notes), *saved.notes):
        say(note)


def self_links_in(web: Web) -> int:
    """The number of links from a page to itself."""
    from seedbed.shape.link_counts import count_self_links

    return sum(int(count_self_links(*block)) for block in web.links.blocks())


def check_target(out: Path, files: list[Path], inputs: list[Path], overwrite: bool) -> None:
    """Refuse an OUT that is an input or already exists, before any work is done."""
    from seedbed.common.outputs import WEB, check_not_read, check_output

    if not files:
        check_not_read(out.rglob("*"), inputs)
        return
    first, *others = files
    check_output(first, WEB, beside=others, reads=inputs, overwrite=overwrite)

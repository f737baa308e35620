"""seedbed convert: a web from one format to another."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    ENGINE,
    WHAT_A_WEB_IS,
    Between,
    Engine,
    Json,
    Last,
    LinkStore,
    Overwrite,
    Reading,
    Threads,
    Uniqueness,
    as_path,
    on_engines,
    reads_web,
)
from seedbed.common.messages import counted
from seedbed.common.threads import thread_count
from seedbed.errors import OptionError, UsageError

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.sources.read_options import ReadOptions
    from seedbed.sources.writing import Saved
    from seedbed.urls.sites import SiteKind


@on_engines
@reads_web
def convert(
    names: Annotated[
        list[Path],
        typer.Argument(
            metavar="WEB... OUT",
            help=f"WEB: {WHAT_A_WEB_IS} Archives, crawl logs and other crawlers' files may be several. OUT: its "
            "extension sets the format, as listed below; text may be compressed (.gz, .zst, .bz2, .xz). With spark, "
            "OUT is a folder of blocks; or, if WEB is one, a store (.web) or a folder of Parquet (.parquet).",
            parser=as_path,
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
    blocks: Annotated[
        int | None,
        typer.Option(
            min=1, help="spark: how many blocks to cut. Default: one per 8 million links.", rich_help_panel=ENGINE
        ),
    ] = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
    engine: Engine,
) -> None:
    """Convert a web from one format to another.

    Example: seedbed convert edges.txt.gz my.web

    Example: seedbed convert 2025/*.warc.gz 2026/*.warc.gz crawl.web

    Example: seedbed convert crawl/ crawl.blocks --engine spark
    """
    from seedbed.graph.native_store import is_store
    from seedbed.links.bvgraph_properties import BvProperties
    from seedbed.seeds.given_uniqueness import add_uniqueness
    from seedbed.sources.read_options import ReadOptions
    from seedbed.sources.saving import format_for, save

    start = time.perf_counter()
    *web, out = names
    if not web:
        raise UsageError(f"OUT is missing. Name the file or folder to write: seedbed convert {out} OUT.")
    if engine.is_spark:
        local_only = {
            "--transpose": transpose,
            "--nofollow drop": nofollow == "drop",
            "--uniqueness": uniqueness is not None,
            "--links bvgraph": links != "csr",
            "--overwrite": overwrite,
        }
        _refuse_on_spark([name for name, given in local_only.items() if given])
        shared = ("hosts", "encoding", "keep_self_links", "columns", "normalize")
        options = ReadOptions(
            **{name: getattr(reading, name) for name in shared},
            memory=reading.memory_bytes,
            drop_sessions=drop_session_parameters,
        )
        _convert_on_spark(web, out, to, between, blocks, options, reading.format, engine, json)
        return
    if blocks is not None:
        raise UsageError("--blocks is for --engine spark; add that.")
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


def _refuse_on_spark(given: list[str]) -> None:
    if given:
        raise OptionError(f"{given[0]} is not for --engine spark. Convert the web on one machine first.")


def _convert_on_spark(
    webs: list[Path],
    out: Path,
    to: str | None,
    between: SiteKind | None,
    blocks: int | None,
    options: ReadOptions,
    format: str | None,  # noqa: A002 - the word users know
    engine: Engine,
    json: bool,
) -> None:
    """Cut a web into blocks; or write blocks as another folder of blocks, a store or Parquet."""
    from seedbed.spark import cut
    from seedbed.spark import open as open_blocks
    from seedbed.spark.blocks.blocked_web import has_blocks

    start = time.perf_counter()
    if len(webs) > 1:
        raise UsageError(
            "--engine spark converts one WEB at a time; a folder, a pattern or a list may hold many files."
        )
    path = str(webs[0])
    target = to or {".web": "store", ".parquet": "parquet"}.get(out.suffix, "blocks")
    is_cut = has_blocks(path)
    if not is_cut and (between is not None or target != "blocks"):
        what = f"--between {between}" if between is not None else f"{out}: {target}"
        raise OptionError(
            f"{what} needs a folder of blocks. Make one first: seedbed convert {path} WEB.blocks --engine spark"
        )
    with shown_progress() as progress, engine.session() as session:
        if not is_cut:
            web = cut(
                session,
                path,
                str(out),
                blocks,
                format=format,
                options=options,
                memory=options.memory,
                progress=progress,
            )
        else:
            web = open_blocks(session, path)
            if between is not None:
                web = web.without_links_inside(between, str(out) if target == "blocks" else None, progress=progress)
            if target != "blocks":
                web.save(str(out), target, progress=progress)  # type: ignore[arg-type]
            elif between is None:
                raise OptionError(
                    f"{path}: is a folder of blocks already. Name OUT.web, OUT.parquet, or give --between."
                )
        origin, pages, links = web.blocks.origin, web.page_count, web.link_count
        made = web.blocks.blocks
    seconds = round(time.perf_counter() - start, 3)
    if json:
        counts = {"self_links": origin.self_links, "duplicate_links": origin.duplicate_links}
        facts = {"out": str(out), "format": target, "pages": pages, "links": links, "blocks": made}
        print_json({**facts, **counts, "notes": list(origin.notes), "seconds": seconds})
        return
    show(f"{out}: {target}, {pages:,} pages, {links:,} links, {counted(made, 'block')}")
    for note in origin.notes:
        say(note)


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

"""seedbed convert: a web from one format to another."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seedbed.cli import shared_options as options
from seedbed.cli.output_checks import check_file, check_folder
from seedbed.common.messages import counted
from seedbed.errors import UsageError

if TYPE_CHECKING:
    from seedbed.graph.web import Web


class Nofollow(StrEnum):
    """What becomes of links that are marked nofollow."""

    KEEP = "keep"
    DROP = "drop"


class LinkStoreKind(StrEnum):
    """How a store holds its links."""

    CSR = "csr"
    BVGRAPH = "bvgraph"


def convert(
    names: Annotated[
        list[Path],
        typer.Argument(
            metavar="WEB... OUT",
            help=f"WEB: {options.WHAT_A_WEB_IS} Several for one web of archives, crawl logs and what else crawlers "
            "write. OUT, told from its ending: .web or none (a folder, the native store), .graph (BVGraph), .parquet, "
            ".tsv, .csv or .txt (links, by URL where the web has them), NAME.nodes.tsv (tables of pages and links), "
            ".adj, .net, .graphml, .mtx; text also with .gz, .zst, .bz2 or .xz behind.",
            show_default=False,
        ),
    ],
    overwrite: options.Overwrite = False,
    to: Annotated[
        str | None,
        typer.Option(
            help="Write this format whatever the ending: store, bvgraph, parquet, tables, url-edges, edges (by id), "
            "adjacency, pajek, graphml, matrix-market.",
            show_default=False,
        ),
    ] = None,
    links: Annotated[
        LinkStoreKind, typer.Option(help="Links of a store. csr: quickest to use. bvgraph: some ten times smaller.")
    ] = LinkStoreKind.CSR,
    window: Annotated[int, typer.Option(min=0, help="BVGraph: pages back that a list may be copied from.")] = 7,
    max_references: Annotated[
        int, typer.Option(min=-1, help="BVGraph: longest chain of copies; -1 for any. Longer is smaller and slower.")
    ] = 3,
    min_interval: Annotated[
        int, typer.Option(min=0, help="BVGraph: shortest run of pages coded as an interval; 0 for none.")
    ] = 4,
    zeta: Annotated[int, typer.Option(min=1, max=30, help="BVGraph: k of the ζ code.")] = 3,
    transpose: Annotated[bool, typer.Option("--transpose", help="Turn every link round.")] = False,
    between: Annotated[
        str | None,
        typer.Option(
            help="Keep only links between sites, which are hosts (host) or registered domains (domain).",
            show_default=False,
        ),
    ] = None,
    nofollow: Annotated[
        Nofollow,
        typer.Option(
            help="Links marked nofollow, of archives, Scrapy items, and what was converted from them. drop: for "
            "crawlers that do not follow them."
        ),
    ] = Nofollow.KEEP,
    drop_session_parameters: Annotated[
        bool,
        typer.Option(
            "--drop-session-parameters",
            help="Archives and crawlers' files: take sid, phpsessid, jsessionid, sessionid and utm_* out of URLs.",
        ),
    ] = False,
    json: options.Json = False,
    format: options.Format = None,  # noqa: A002
    hosts: options.Hosts = None,
    memory: options.Memory = None,
    encoding: options.Encoding = None,
    keep_self_links: options.KeepSelfLinks = False,
    columns: options.Columns = None,
    normalize: options.Normalize = False,
    threads: options.Threads = None,
) -> None:
    """Convert a web: any format that can be read, to the native store, BVGraph, Parquet, text, graph programs' files.

    Example: seedbed convert edges.txt.gz my.web

    Example: seedbed convert 2025/*.warc.gz 2026/*.warc.gz crawl.web
    """
    from seedbed.common.memory import parse_size
    from seedbed.graph.native_store import is_store
    from seedbed.links.bvgraph_properties import BvProperties
    from seedbed.sources.saving import checked_format, save

    start = time.perf_counter()
    *web, out = names
    if not web:
        raise UsageError(f"OUT is missing: where is the web to be written? Write: seedbed convert {out} OUT.")
    was_store = len(web) == 1 and is_store(web[0])
    check_target(out, checked_format(out, to), web, format, hosts, overwrite)
    properties = BvProperties(
        nodes=0, arcs=0, window=window, max_references=max_references, min_interval=min_interval, zeta_k=zeta
    )
    with options.shown_progress() as progress:
        opened = options.open_any(
            web,
            format,
            hosts,
            memory,
            encoding,
            keep_self_links,
            progress,
            drop_nofollow=nofollow is Nofollow.DROP,
            drop_sessions=drop_session_parameters,
            processes=threads,
            columns=columns,
            normalize=normalize,
        )
        if between is not None:
            opened = opened.without_links_inside(between)  # type: ignore[arg-type]
        if transpose:
            allowed = None if memory is None else parse_size(memory)
            opened = opened.transpose(memory=allowed, threads=options.thread_count(threads))
        saved = save(
            opened,
            out,
            to=to,
            links=links.value,
            properties=properties,
            threads=options.thread_count(threads),
            progress=progress,
            overwrite=overwrite,
        )
    origin = opened.origin
    kept = self_links_in(opened) if keep_self_links or was_store else 0
    if json:
        options.print_json(
            {
                "out": str(saved.path),
                "format": saved.format,
                "bytes": saved.bytes,
                "pages": opened.page_count,
                "links": opened.link_count,
                "self_links": origin.self_links if origin.removed else kept,
                "self_links_kept": kept,
                "duplicate_links": origin.duplicate_links,
                "notes": [*origin.notes, *saved.notes],
                "seconds": round(time.perf_counter() - start, 3),
            }
        )
        return
    from seedbed.common.memory import show_size

    options.show(
        f"{saved.path}: {saved.format}, {opened.page_count:,} pages, {opened.link_count:,} links, "
        f"{show_size(saved.bytes)}"
    )
    self_links, duplicates = (origin.self_links or 0) if origin.removed else 0, origin.duplicate_links or 0
    if (self_links or duplicates) and not was_store:
        options.say(f"left out on reading: {counted(self_links, 'self-link')}, {counted(duplicates, 'duplicate')}")
    if kept:
        options.say(
            f"kept: {counted(kept, 'self-link')}; whatever is no store is read without them unless "
            "--keep-self-links is given"
        )
    for note in (*(() if was_store else origin.notes), *saved.notes):
        options.say(note)


def self_links_in(web: Web) -> int:
    """The number of links from a page to itself."""
    from seedbed.shape.link_walk import count_self_links

    return sum(int(count_self_links(block.first, block.out_ptr, block.out_idx)) for block in web.links.blocks())


def check_target(
    out: Path,
    to: str,
    webs: list[Path],
    format: str | None,  # noqa: A002
    hosts: Path | None,
    overwrite: bool,
) -> None:
    """Refuse an OUT that is read, or is not free; before the work, not after it."""
    from seedbed.sources.saving import files_written

    if to == "store":
        check_folder(out.rglob("*"), webs=webs, format=format, files=[hosts])
        return
    first, *others = files_written(out, to)
    check_file(first, "web", webs=webs, format=format, files=[hosts], beside=others, overwrite=overwrite)

"""seedbed synth: a synthetic web."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from seedbed.cli.console import print_json, show, shown_progress
from seedbed.cli.shared_options import Json, LinkStore, Seed, Threads


def synth(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The store to make.")],
    pages: Annotated[int, typer.Option(min=1, help="Pages of the web.")],
    links_per_page: Annotated[float, typer.Option(help="Links per page, on average.")] = 16,
    snapshots: Annotated[
        int, typer.Option(min=1, max=2, help="2: the web in OUT/old, and a later version of it in OUT/new.")
    ] = 1,
    seed: Seed = 1,
    survival: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pages whose URL still exists in the second snapshot.")
    ] = 0.11,
    outside: Annotated[float, typer.Option(help="Links to other hosts, as a multiple of the usual number.")] = 1.0,
    links: LinkStore = "csr",
    json: Json = False,
    threads: Threads = None,
) -> None:
    """Make a synthetic web, and optionally a later snapshot of it.

    Example: seedbed synth demo.web --pages 100000
    """
    from seedbed.graph.native_store import checksum, open_store
    from seedbed.synth import make_web

    start = time.perf_counter()
    with shown_progress() as progress:
        paths = make_web(
            out,
            pages=pages,
            links_per_page=links_per_page,
            snapshots=snapshots,
            seed=seed,
            survival=survival,
            outside=outside,
            links=links,
            threads=threads,
            progress=progress,
        )
    seconds = time.perf_counter() - start
    webs = {path: open_store(path) for path in paths}
    if json:
        rows = [
            {"path": str(path), "pages": web.page_count, "links": web.link_count, "checksum": checksum(path)}
            for path, web in webs.items()
        ]
        print_json({"seconds": round(seconds, 3), "webs": rows})
        return
    for path, web in webs.items():
        show(f"{path}: {web.page_count:,} pages, {web.link_count:,} links")

"""seedbed demo: the whole job on a synthetic web."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seedbed.cli import options


def demo(
    out: Annotated[Path, typer.Option(help="Where to put the web.")] = Path("demo.web"),
    pages: Annotated[int, typer.Option(min=1, help="Pages of the web.")] = 200_000,
) -> None:
    """Make a synthetic web, store it and describe it."""
    from rich.console import Console

    from seedbed.graph.store import open_store
    from seedbed.shape.describe import describe
    from seedbed.shape.text import render
    from seedbed.synth import make_web

    options.say(f"making a synthetic web of {pages:,} pages in {out} (the first time, kernels are compiled: a minute)")
    threads = options.thread_count(None)
    with options.shown_progress() as progress:
        make_web(out, pages=pages, threads=threads, progress=progress)
        shape = describe(open_store(out), threads=threads, progress=progress)
    render(shape, Console())
    options.say(f"\nthe web is in {out}; look at it again with: seedbed info {out}")

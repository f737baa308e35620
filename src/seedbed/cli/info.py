"""seedbed info: the size and shape of a web."""

from __future__ import annotations

from typing import Annotated

import typer

from seedbed.cli.console import print_json, shown_progress
from seedbed.cli.shared_options import Json, Reading, Seed, Threads, WebPath, reads_web


@reads_web
def info(
    web: WebPath,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Pages to measure distances from. Default: all if that is quick, else enough for a standard error "
            "of 1 %.",
        ),
    ] = None,
    seed: Seed = 1,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the checksums of a native store first.")] = False,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Describe a web: its size, hosts, components and distances.

    Example: seedbed info uk-2002   (with uk-2002.graph, uk-2002.properties and perhaps uk-2002.urls in this folder)
    """
    from seedbed.shape.describe import describe

    with shown_progress() as progress:
        if verify:
            from seedbed.errors import OptionError
            from seedbed.graph import native_store

            if not native_store.is_store(web):
                raise OptionError(f"{web}: only a native store has checksums to verify. Make one: seedbed convert.")
            native_store.verify(web, progress)
        shape = describe(
            reading.open(web, progress),
            samples=samples,
            seed=seed,
            threads=threads,
            memory=reading.memory_bytes,
            progress=progress,
        )
    if json:
        print_json(shape.to_dict())
        return
    from rich.console import Console

    from seedbed.shape.shape_text import render

    render(shape, Console())

"""seedbed info: the size and shape of a web."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from seedbed.cli.console import print_json, shown_progress
from seedbed.cli.shared_options import Engine, Json, Reading, Seed, Threads, WebPath, on_engines, reads_web
from seedbed.errors import OptionError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from seedbed.common.messages import Progress
    from seedbed.shape.web_shape import Shape


@on_engines
@reads_web
def info(
    web: WebPath,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Pages to measure distances from. Default: all if that is quick, else enough for a standard error "
            "of 1 %. Not with spark, which measures no distances.",
        ),
    ] = None,
    seed: Seed = 1,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the checksums of a native store first.")] = False,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
    engine: Engine,
) -> None:
    """Describe a web: its size, hosts, components and distances.

    Example: seedbed info uk-2002   (with uk-2002.graph, uk-2002.properties and perhaps uk-2002.urls in this folder)
    """
    if engine.is_spark and samples is not None:
        raise UsageError("--samples is for --engine local; distances are not measured on Spark.")
    with shown_progress() as progress:
        if verify:
            _verify(web, progress)
        if engine.is_spark:
            with engine.web(web, reading, progress) as blocks:
                # Blocks of a web that was cut for this command are in a folder that nobody knows.
                shape = replace(blocks.describe(progress=progress), source=str(web))
        else:
            shape = _described(web, reading, samples, seed, threads, progress)
    if json:
        print_json(shape.to_dict())
        return
    from rich.console import Console

    from seedbed.shape.shape_text import render

    render(shape, Console())


def _described(
    web: Path, reading: Reading, samples: int | None, seed: int, threads: int | None, progress: Progress
) -> Shape:
    from seedbed.shape.describe import describe

    return describe(
        reading.open(web, progress),
        samples=samples,
        seed=seed,
        threads=threads,
        memory=reading.memory_bytes,
        progress=progress,
    )


def _verify(web: Path, progress: Progress) -> None:
    """Compare the checksums of a native store."""
    from seedbed.graph import native_store

    if not native_store.is_store(web):
        raise OptionError(f"{web}: only a native store has checksums to verify. Make one: seedbed convert.")
    native_store.verify(web, progress)

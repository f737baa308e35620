"""seedbed info: the size and shape of a web."""

from __future__ import annotations

from typing import Annotated

import typer

from seedbed.cli import shared_options as options


def info(
    web: options.WebPath,
    json: options.Json = False,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Pages to search from for the average distance. Default: all where that is quick, else as many as "
            "bring its standard error down to 1 %.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random choice of those pages.")] = 1,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read all of a store and compare it with its checksums first.")
    ] = False,
    format: options.Format = None,  # noqa: A002
    hosts: options.Hosts = None,
    memory: options.Memory = None,
    encoding: options.Encoding = None,
    keep_self_links: options.KeepSelfLinks = False,
    columns: options.Columns = None,
    normalize: options.Normalize = False,
    threads: options.Threads = None,
) -> None:
    """Describe a web: pages, links, hosts, degrees, components, bow-tie, average distance.

    Example: seedbed info uk-2002   (with uk-2002.graph, uk-2002.properties and perhaps uk-2002.urls in this folder)
    """
    from seedbed.common.memory import parse_size
    from seedbed.shape.describe import describe

    with options.shown_progress() as progress:
        if verify:
            from seedbed.errors import OptionError
            from seedbed.graph import native_store as store

            if not store.is_store(web):
                raise OptionError(f"{web}: --verify is for stores, which have checksums. Make one: seedbed convert.")
            store.verify(web, progress)
        opened = options.open_any(
            web, format, hosts, memory, encoding, keep_self_links, progress, columns=columns, normalize=normalize
        )
        shape = describe(
            opened,
            samples=samples,
            seed=seed,
            threads=options.thread_count(threads),
            memory=None if memory is None else parse_size(memory),
            progress=progress,
        )
    if json:
        options.print_json(shape.to_dict())
        return
    from rich.console import Console

    from seedbed.shape.shape_text import render

    render(shape, Console())

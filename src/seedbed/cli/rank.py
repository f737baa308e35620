"""seedbed rank: the pages of a web by a score."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seedbed.cli import options

if TYPE_CHECKING:
    from seedbed.graph.progress import Progress
    from seedbed.graph.web import Web
    from seedbed.ranking.result import Ranking


class By(StrEnum):
    """What to rank by."""

    PAGERANK = "pagerank"
    HITS = "hits"
    HUBS = "hubs"
    AUTHORITIES = "authorities"
    HARMONIC = "harmonic"
    INDEGREE = "indegree"


def rank(
    web: options.WebPath,
    by: Annotated[
        By, typer.Option(help="The score. HITS has two: hits means its authorities, hubs the other.")
    ] = By.PAGERANK,
    top: Annotated[int, typer.Option(min=1, help="How many pages to print.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the score of every page here: .csv, .jsonl or .parquet.", show_default=False),
    ] = None,
    between: Annotated[
        str | None,
        typer.Option(help="Rank on the links between sites only: host or domain.", show_default=False),
    ] = None,
    json: options.Json = False,
    format: options.Format = None,  # noqa: A002
    hosts: options.Hosts = None,
    memory: options.Memory = None,
    encoding: options.Encoding = None,
    keep_self_links: options.KeepSelfLinks = False,
    threads: options.Threads = None,
) -> None:
    """Rank the pages of a web.

    Example: seedbed rank my.web --by pagerank --top 10
    """
    from seedbed.ranking.files import check_ending, write_ranking

    start = time.perf_counter()
    if out is not None:
        check_ending(out)
    with options.shown_progress() as progress:
        opened = options.open_any(web, format, hosts, memory, encoding, keep_self_links, progress)
        if between is not None:
            opened = opened.without_links_inside(between)  # type: ignore[arg-type]
        ranking = _ranked(opened, by, options.thread_count(threads), progress)
    if out is not None:
        write_ranking(opened, ranking, out)
    pages = ranking.top(top)
    names = [str(page) for page in pages] if opened.urls is None else opened.urls.many(pages)
    if json:
        options.print_json(
            {
                "by": by.value,
                "iterations": ranking.iterations,
                "error_bound": ranking.error_bound,
                "converged": ranking.converged,
                "seconds": round(time.perf_counter() - start, 3),
                "top": [
                    {"id": int(page), "name": name, "score": float(ranking.scores[page])}
                    for page, name in zip(pages, names, strict=True)
                ],
            }
        )
        return
    for page, name in zip(pages, names, strict=True):
        typer.echo(f"{ranking.scores[page]:.6g}\t{name}")
    options.say(repr(ranking))


def _ranked(web: Web, by: By, threads: int, progress: Progress) -> Ranking:
    if by is By.PAGERANK:
        from seedbed.ranking.pagerank import pagerank

        return pagerank(web, threads=threads, progress=progress)
    if by is By.HARMONIC:
        from seedbed.ranking.harmonic import harmonic

        return harmonic(web, threads=threads, progress=progress)
    if by is By.INDEGREE:
        from seedbed.ranking.indegree import indegree

        return indegree(web, progress=progress)
    from seedbed.ranking.hits import hits

    hubs, authorities = hits(web, threads=threads, progress=progress)
    return hubs if by is By.HUBS else authorities

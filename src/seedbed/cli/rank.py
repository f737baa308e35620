"""seedbed rank: the pages of a web by a score."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seedbed.api import Score
from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    Between,
    Engine,
    Json,
    Overwrite,
    Reading,
    Threads,
    WebPath,
    as_path,
    on_engines,
    reads_web,
)
from seedbed.common.messages import safe_url
from seedbed.errors import UsageError

if TYPE_CHECKING:
    from seedbed.ranking.ranking import Ranking
    from seedbed.spark.spark_ranking import SparkRanking


@on_engines
@reads_web
def rank(
    web: WebPath,
    by: Annotated[Score, typer.Option(help="The score; hits means the authorities of HITS.")] = "pagerank",
    top: Annotated[int, typer.Option(min=1, help="How many pages to print.")] = 20,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the score of every page here: .csv, .jsonl or .parquet; with spark, a folder of such files.",
            metavar="FILE",
            parser=as_path,
        ),
    ] = None,
    overwrite: Overwrite = False,
    between: Between = None,
    damping: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="pagerank: the probability that a surfer follows a link. Default: 0.85."),
    ] = None,
    precision: Annotated[
        int | None,
        typer.Option(
            help="harmonic: counters of 2^PRECISION bytes per page, 4 to 14; one more halves the variance and doubles "
            "the memory. Default: 7."
        ),
    ] = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
    engine: Engine,
) -> None:
    """Rank the pages of a web.

    Example: seedbed rank my.web --by pagerank --top 10
    """
    from seedbed.api import rank as score
    from seedbed.common.outputs import RANKING, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.ranking.ranking_files import ENDINGS, write_ranking

    start = time.perf_counter()
    own = {name: value for name, value in (("damping", damping), ("precision", precision)) if value is not None}
    for name in own:
        user = "pagerank" if name == "damping" else "harmonic"
        if user != by:
            raise UsageError(f"--{name} is for --by {user}; {by} does not use it.")
    if out is not None:
        check_ending(out, ENDINGS)
    ranking: Ranking | SparkRanking
    if engine.is_spark:
        with shown_progress() as progress, engine.web(web, reading, progress) as blocks:
            ranking = blocks.rank(by, between=between, progress=progress, **own)
            if out is not None:
                ranking.save(str(out), overwrite=overwrite)
            rows = ranking.rows(top)
    else:
        if out is not None:
            check_output(out, RANKING, reads=reading.inputs([web]), overwrite=overwrite)
        with shown_progress() as progress:
            opened = reading.open(web, progress)
            ranking = score(opened, by, between=between, threads=threads, progress=progress, **own)
        if out is not None:
            write_ranking(opened, ranking, out, overwrite=overwrite)
        rows = ranking.rows(top)
    if json:
        print_json(
            {
                "by": by,
                "iterations": ranking.iterations,
                "error_bound": ranking.error_bound,
                "converged": ranking.converged,
                "seconds": round(time.perf_counter() - start, 3),
                "top": [{"id": page, "url": url, "score": points} for page, url, points in rows],
            }
        )
        return
    for page, url, points in rows:
        show(f"{points:.6g}", page if url is None else safe_url(url))
    say(_how(ranking))


def _how(ranking: Ranking | SparkRanking) -> str:
    """How the scores were computed, as readable text."""
    words = [f"{len(ranking):,} pages by {ranking.name}"]
    if ranking.iterations > 1:
        words.append(f"{ranking.iterations:,} iterations")
    if ranking.error_bound and ranking.name == "harmonic":
        words.append(f"standard error {100 * ranking.error_bound:.2g} %")
    elif ranking.error_bound:
        words.append(f"error at most {ranking.error_bound:.1e}")
    if not ranking.converged:
        words.append("not converged")
    return ", ".join(words)

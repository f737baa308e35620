"""seedbed rank: the pages of a web by a score."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.api import Score
from seedbed.api import rank as score
from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.export import RankingTo
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
from seedbed.errors import OptionError, UsageError

if TYPE_CHECKING:
    from seedbed.ranking.ranking import Ranking
    from seedbed.spark.scores.spark_ranking import SparkRanking


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
    to: RankingTo = None,
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
    start = time.perf_counter()
    own = _own_options(by, damping=damping, precision=precision)
    _check_output(out, to)
    with shown_progress() as progress:
        ranking: Ranking | SparkRanking
        how: dict[str, Any] = {"by": by, "between": between, "progress": progress, **own}
        if engine.is_spark:
            with engine.web(web, reading, progress) as blocks:
                ranking = blocks.rank(**how)
                notes = _written_by_tasks(ranking, out, to, overwrite)
                rows = ranking.rows(top)
        else:
            _check_file(out, to, reading.inputs([web]), overwrite)
            ranking = score(reading.open(web, progress), threads=threads, **how)
            notes = _written(ranking, out, to, overwrite)
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
    for line in (_how(ranking), *notes):
        say(line)


def _own_options(by: str, **given: float | None) -> dict[str, float]:
    """The options that only one score has."""
    own = {name: value for name, value in given.items() if value is not None}
    for name in own:
        user = "pagerank" if name == "damping" else "harmonic"
        if user != by:
            raise UsageError(f"--{name} is for --by {user}; {by} does not use it.")
    return own


def _check_output(out: Path | None, to: str | None) -> None:
    """Refuse what cannot be written, whatever the web."""
    if to is not None:
        from seedbed.exports import EXPORTS
        from seedbed.exports.export import check_takes_ranking

        if out is None:
            raise OptionError(f"--to {to} needs a file to write: add --out FILE.")
        check_takes_ranking(EXPORTS[to])
    elif out is not None:
        from seedbed.common.row_files import check_ending
        from seedbed.ranking.ranking_files import ENDINGS

        check_ending(out, ENDINGS)


def _check_file(out: Path | None, to: str | None, reads: list[Path], overwrite: bool) -> None:
    """Refuse to write over what is not ours."""
    from seedbed.common.outputs import RANKING, SCORED, check_output

    if out is not None:
        check_output(out, RANKING if to is None else SCORED, reads=reads, overwrite=overwrite)


def _written(ranking: Ranking, out: Path | None, to: str | None, overwrite: bool) -> list[str]:
    """Write the scores if asked; returns what the user should know."""
    if out is not None and to is not None:
        from seedbed.exports.export import export

        return export(ranking, to, out, overwrite=overwrite).notes
    if out is not None:
        ranking.save(out, overwrite=overwrite)
    return []


def _written_by_tasks(ranking: SparkRanking, out: Path | None, to: str | None, overwrite: bool) -> list[str]:
    if out is not None and to is not None:
        return ranking.export(to, str(out), overwrite=overwrite)
    if out is not None:
        ranking.save(str(out), overwrite=overwrite)
    return []


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

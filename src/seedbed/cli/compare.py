"""seedbed compare: compare strategies and orders, and write a report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import plain_table, print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    Hops,
    Json,
    Overwrite,
    Reading,
    Seed,
    Threads,
    Values,
    WebPath,
    reads_web,
    split_names,
    values_files,
)

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Comparison

WIDEST = 300
"""Columns of the table: a narrow terminal wraps lines rather than truncating numbers."""


@reads_web
def compare(
    web: WebPath,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help="Strategies to compare, comma-separated or repeated. Default: cores, cover, pagerank, maxweight, "
            "random."
        ),
    ] = None,
    seeds: Annotated[
        list[Path] | None, typer.Option(help="Your own seed files to compare with them; repeatable.")
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            help="Orders to compare, comma-separated or repeated. Default: fpr@100, bfs, opic, random, oracle "
            "(a yardstick, never recommended)."
        ),
    ] = None,
    k: Annotated[
        int,
        typer.Option(
            "-k",
            min=1,
            help="Seeds per strategy. If a strategy runs out, the pages with the most links are added; if a seed file "
            "has fewer, all start from that many.",
        ),
    ] = 100,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Pages that each crawl fetches. Default: a fifth of the web.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for the report.")] = Path("report"),
    overwrite: Overwrite = False,
    hops: Hops = 5,
    values: Values = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Crawls per pair; use 10 or more for intervals you can trust.")
    ] = 10,
    failure: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pages that cannot be fetched, drawn again for each crawl.")
    ] = 0.05,
    seed: Seed = 1,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Compare strategies and orders, and write a report.

    Crawls with every order from the seeds of every strategy: which pair is best, and how certain is that?

    Example: seedbed compare my.web --strategy cores,cover --seeds mine.txt --order fpr@100,bfs --out report
    """
    from seedbed.common.outputs import check_not_read
    from seedbed.evaluation.compare import DEFAULT_ORDERS, DEFAULT_STRATEGIES, Task
    from seedbed.evaluation.compare import compare as run
    from seedbed.report.report_files import REPORT_FILES, check_report_folder, write_report
    from seedbed.seeds.values import values_of

    task = Task(
        strategies=(*(split_names(strategy) or DEFAULT_STRATEGIES), *map(str, seeds or ())),
        orders=split_names(order) or DEFAULT_ORDERS,
        k=k,
        budget=budget,
        hops=hops,
        repeats=repeats,
        failure=failure,
        seed=seed,
    )
    check_report_folder(out, overwrite=overwrite)
    inputs = reading.inputs([web], *values_files(values), *(seeds or ()))
    check_not_read((out / name for name in REPORT_FILES), inputs)
    with shown_progress() as progress:
        opened = reading.open(web, progress)
        worth = values_of(opened, values, say)
        comparison = run(opened, task, values=worth, threads=threads, memory=reading.memory_bytes, progress=progress)
        command = shlex.join(["seedbed", *sys.argv[1:]])
        report = write_report(comparison, out, web=web, command=command, overwrite=overwrite)
    report_on(comparison, report, json)


def report_on(comparison: Comparison, report: Path, json: bool = False) -> None:
    """Print what to use, how certain that is, and where the report is."""
    from seedbed.evaluation.comparison_files import summary
    from seedbed.report.report_sentences import answer, recommended

    if json:
        files = sorted(path.name for path in report.parent.iterdir() if path.is_file())
        print_json({**summary(comparison), "report": str(report), "files": files})
        return
    _table(comparison)
    show()
    show(recommended(comparison))
    for line in (*answer(comparison).cautions, *comparison.notes):
        say(line)
    show(f"the report is {report}; the seeds are {report.parent / 'seeds.jsonl'}")


def _table(comparison: Comparison) -> None:
    from rich.console import Console
    from rich.markup import escape

    from seedbed.common.messages import counted, visible
    from seedbed.report.report_tables import pair_rows

    table = plain_table(("seeds", "order"), ("PageRank held", "how early", "against the best, points"))
    rows, k = pair_rows(comparison), comparison.facts["k"]
    for row in rows:
        cells: tuple[Any, ...] = (row.mass_text, f"{100 * row.how_early:.1f} %", row.against_best_text)
        style = "bold" if row.best else "dim" if row.pair.oracle else ""
        added = f" ({k - row.added} + {row.added} added)" if row.added else ""
        names = (escape(visible(row.pair.strategy + added)), escape(visible(row.pair.order)))
        table.add_row(*names, *cells, style=style)
    console = Console()
    console.width = max(console.width, WIDEST)
    console.print(table)
    show(f"each crawl: {counted(comparison.facts['budget'], 'page')} from {counted(k, 'seed')}")
    show(
        "how early: PageRank held, averaged over the crawl, as a share of the maximum that any order could hold from "
        "any of these seeds"
    )
    if any(row.pair.count > 1 for row in rows):
        show("after ±: the 95 % interval; those in the last column all hold simultaneously")
    if any(row.pair.oracle for row in rows):
        show("oracle: best-first by true PageRank; it knows the whole web, which no crawler does")

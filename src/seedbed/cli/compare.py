"""seedbed compare: strategies and orders side by side, and a report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli import shared_options as options
from seedbed.cli.output_checks import check_folder

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Comparison

Strategies = Annotated[
    list[str] | None,
    typer.Option(
        "--seeds",
        help="Strategies that choose seeds, or seed files of your own; commas or several times. Default: cores, cover, "
        "pagerank, maxweight, random.",
        show_default=False,
    ),
]
Orders = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        help="Orders to fetch in; commas or several times. Default: fpr@100, bfs, opic, random, oracle (best-first by "
        "true PageRank, to hold the others against; it is never recommended).",
        show_default=False,
    ),
]
Out = Annotated[Path, typer.Option(help="The folder for report.html and the files beside it.")]
Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Pages that each crawl fetches; more than the web has means all. Default: a fifth.",
        show_default=False,
    ),
]
Repeats = Annotated[int, typer.Option(min=1, help="Crawls of each pair; 10 or more give intervals to be trusted.")]
Failure = Annotated[
    float, typer.Option(min=0, max=1, help="Share of pages that cannot be fetched, drawn anew in every repeat.")
]
Values = Annotated[
    str | None, typer.Option(help="What pages are worth, as in: seedbed seeds --values.", show_default=False)
]
SEEDS_OF_EACH = (
    "Seeds of each strategy. One that has nothing left to choose is filled up with the pages that have the most links; "
    "where a seed file has fewer, all start from as many."
)
WIDEST = 300
"""Columns of a table's lines: a narrow terminal shall wrap them rather than cut numbers off."""


def compare(
    web: options.WebPath,
    seeds: Strategies = None,
    order: Orders = None,
    k: Annotated[int, typer.Option("-k", min=1, help=SEEDS_OF_EACH)] = 100,
    budget: Budget = None,
    out: Out = Path("report"),
    overwrite: options.Overwrite = False,
    hops: Annotated[int, typer.Option(min=0, help="Links that coverage reaches from a seed.")] = 5,
    values: Values = None,
    repeats: Repeats = 10,
    failure: Failure = 0.05,
    seed: Annotated[int, typer.Option(min=0, help="Seed of random choices.")] = 1,
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
    """Crawl with every order from the seeds of every strategy, and see which pair pays, and how sure that is.

    Example: seedbed compare my.web --seeds cores,cover,mine.txt --order fpr@100,bfs -k 100 --budget 100000 --out report
    """
    from seedbed.cli.user_inputs import values_files, values_of
    from seedbed.common.memory import parse_size
    from seedbed.evaluation.compare import COMPARED_ORDERS, COMPARED_STRATEGIES, Task
    from seedbed.evaluation.compare import compare as run
    from seedbed.report.report_files import FILES, check_report_folder, write_report

    task = Task(
        strategies=named(seeds) or COMPARED_STRATEGIES,
        orders=named(order) or COMPARED_ORDERS,
        k=k,
        budget=budget,
        hops=hops,
        repeats=repeats,
        failure=failure,
        seed=seed,
    )
    check_report_folder(out, overwrite=overwrite)
    lists = [hosts, *values_files(values), *task.strategies]
    check_folder((out / name for name in FILES), webs=[web], format=format, files=lists)
    with options.shown_progress() as progress:
        opened = options.open_any(
            web, format, hosts, memory, encoding, keep_self_links, progress, columns=columns, normalize=normalize
        )
        comparison = run(
            opened,
            task,
            values=values_of(opened, values),
            threads=options.thread_count(threads),
            memory=None if memory is None else parse_size(memory),
            progress=progress,
        )
        command = shlex.join(["seedbed", *sys.argv[1:]])
        report = write_report(comparison, out, web=web, command=command, overwrite=overwrite)
    show(comparison, report, json)


def named(given: list[str] | None) -> tuple[str, ...]:
    """Names that were given one by one or with commas between them."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def show(comparison: Comparison, report: Path, json: bool = False) -> None:
    """Say what to use, how sure that is, and where the report is."""
    from seedbed.evaluation.comparison_files import summary
    from seedbed.report.report_sentences import answer, recommended

    if json:
        files = sorted(path.name for path in report.parent.iterdir() if path.is_file())
        options.print_json({**summary(comparison), "report": str(report), "files": files})
        return
    _table(comparison)
    options.show()
    options.show(recommended(comparison))
    for line in (*answer(comparison).cautions, *comparison.notes):
        options.say(line)
    options.show(f"the report is {report}; the seeds are {report.parent / 'seeds.jsonl'}")


def _table(comparison: Comparison) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from seedbed.common.messages import counted, visible
    from seedbed.report.report_tables import pair_rows

    table = Table(box=None, pad_edge=False)
    table.add_column("seeds", no_wrap=True)
    table.add_column("order", no_wrap=True)
    for name in ("PageRank held", "how early", "against the best, points"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in pair_rows(comparison):
        cells: tuple[Any, ...] = (row.mass_text, f"{100 * row.how_early:.1f} %", row.behind_text or "best")
        style = "bold" if row.best else "dim" if row.pair.oracle else ""
        filled = f" ({comparison.facts['k'] - row.filled} + {row.filled} filled up)" if row.filled else ""
        names = (escape(visible(row.pair.strategy + filled)), escape(visible(row.pair.order)))
        table.add_row(*names, *cells, style=style)
    console = Console()
    console.width = max(console.width, WIDEST)
    console.print(table)
    options.show(
        f"each crawl: {counted(comparison.facts['budget'], 'page')} from {counted(comparison.facts['k'], 'seed')}"
    )
    options.show(
        "how early: PageRank held on the way, as a share of the most that any order could hold from these seeds"
    )
    if any(row.mass.low is not None for row in pair_rows(comparison)):
        options.show("after ±: the 95 % interval; in the last column all hold together")
    if any(row.pair.oracle for row in pair_rows(comparison)):
        options.show("oracle: best-first by true PageRank; it knows the whole web, which no crawler does")

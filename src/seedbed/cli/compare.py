"""seedbed compare: compare strategies and orders, and write a report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import plain_table, print_json, say, show, shown_progress
from seedbed.cli.shared_options import (
    WHAT_A_WEB_IS,
    Hops,
    Json,
    Last,
    Overwrite,
    Reading,
    Seed,
    Site,
    Threads,
    Uniqueness,
    reads_web,
    split_names,
    values_files,
)
from seedbed.errors import UsageError

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Comparison

WIDEST = 300
"""Columns of the table: a narrow terminal wraps lines rather than truncating numbers."""


@reads_web
def compare(
    web: Annotated[Path | None, typer.Argument(metavar="WEB", help=WHAT_A_WEB_IS, show_default=False)] = None,
    old: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="WEB",
            help="An older snapshot to choose seeds from; they are judged on --new. Repeat both for more pairs.",
        ),
    ] = None,
    new: Annotated[list[Path] | None, typer.Option(metavar="WEB", help="The newer snapshot, in place of WEB.")] = None,
    last: Last = None,
    hide_hosts: Annotated[
        float,
        typer.Option(min=0, max=1, help="With one snapshot only: hide this share of hosts from the choice of seeds."),
    ] = 0.0,
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
            help="Orders to compare, comma-separated or repeated. Default: live-pagerank, fpr@100, opic, bfs, "
            "oracle (a yardstick, never recommended)."
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
    values: Annotated[
        str | None,
        typer.Option(
            help="What pages are worth to strategies, as for 'seedbed seeds'; 'last' is what --last knew, or else "
            "--old. Default: 1 each."
        ),
    ] = None,
    uniqueness: Uniqueness = None,
    repeats: Annotated[
        int, typer.Option(min=1, help="Crawls per pair; use 10 or more for intervals you can trust.")
    ] = 10,
    failure: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pages that cannot be fetched, drawn again for each crawl.")
    ] = 0.05,
    site: Site = "host",
    seed: Seed = 1,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Compare strategies and orders, and write a report.

    Crawls with every order from the seeds of every strategy: which pair is best, and how certain is that? With two
    snapshots, seeds are chosen on the older one and judged on the newer, which they have not seen.

    Example: seedbed compare --old 2013.web --new 2016.web --strategy cores,cover --order live-pagerank,bfs --out report
    """
    from seedbed.api import compared
    from seedbed.common.outputs import check_not_read
    from seedbed.evaluation.compare import DEFAULT_ORDERS, DEFAULT_STRATEGIES, Task
    from seedbed.report.report_files import REPORT_FILES, check_report_folder, write_report

    newer, older = _webs(web, old or [], new or [])
    task = Task(
        strategies=(*(split_names(strategy) or DEFAULT_STRATEGIES), *map(str, seeds or ())),
        orders=split_names(order) or DEFAULT_ORDERS,
        k=k,
        budget=budget,
        hops=hops,
        repeats=repeats,
        failure=failure,
        site=site,
        seed=seed,
        hide_hosts=hide_hosts,
    )
    check_report_folder(out, overwrite=overwrite)
    inputs = reading.inputs([*newer, *older], last, *values_files(values, uniqueness), *(seeds or ()))
    check_not_read((out / name for name in REPORT_FILES), inputs)
    with shown_progress() as progress:
        opened = [reading.open(one, progress) for one in (*newer, *older)]
        how: Any = {"last": last, "threads": threads, "memory": reading.memory_bytes, "progress": progress}
        comparison = compared(opened[: len(newer)], opened[len(newer) :], task, values, uniqueness, how)
        command = shlex.join(["seedbed", *sys.argv[1:]])
        report = write_report(comparison, out, web=newer[-1], chosen_on=older, command=command, overwrite=overwrite)
    report_on(comparison, report, json)


def _webs(web: Path | None, old: list[Path], new: list[Path]) -> tuple[list[Path], list[Path]]:
    """The webs that judge, and the older ones that seeds are chosen on, if there are any."""
    if web is not None and (old or new):
        raise UsageError(f"{web}: give either one WEB, or an older and a newer one with --old and --new.")
    if web is None and not old and not new:
        raise UsageError("give a WEB, or an older and a newer one with --old and --new.")
    if len(old) != len(new):
        raise UsageError(f"--old is given {_times(len(old))} and --new {_times(len(new))}; give one for each other.")
    return ([web], []) if web is not None else (new, old)


def _times(number: int) -> str:
    return ("never", "once")[number] if number < 2 else f"{number} times"


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
    for line in recommended(comparison):
        show(line)
    for line in (*answer(comparison).cautions, *comparison.notes):
        say(line)
    show(f"the report is {report}; the seeds are {report.parent / 'seeds.jsonl'}")


def _table(comparison: Comparison) -> None:
    from rich.console import Console
    from rich.markup import escape

    from seedbed.common.messages import counted, visible
    from seedbed.evaluation.comparison_crawls import WITH_LAST
    from seedbed.evaluation.out_of_sample import average
    from seedbed.report.report_tables import pair_rows

    heads = ("PageRank held", "how early", "against the best, points")
    out_of_sample = bool(comparison.in_sample)
    table = plain_table(("seeds", "order"), (*heads, "in-sample, points more") if out_of_sample else heads)
    rows, k = pair_rows(comparison), comparison.facts["k"]
    has_spam = any(row.spam_text for row in rows)
    if has_spam:
        table.add_column("spam", justify="right", no_wrap=True)
    for row in rows:
        cells: tuple[Any, ...] = (row.mass_text, f"{100 * row.how_early:.1f} %", row.against_best_text)
        cells += (row.in_sample_text,) if out_of_sample else ()
        cells += (row.spam_text,) if has_spam else ()
        style = "bold" if row.best else "dim" if row.pair.oracle else ""
        added = f" ({average(row.left - row.added)} + {row.added} added)" if row.added else ""
        added += f" ({average(row.left)} of {k:,} left)" if row.left < k else ""
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
    if out_of_sample:
        show("in-sample: what it holds more, averaged over the crawl, with seeds chosen on the web that judges them")
    if any(row.pair.count > 1 for row in rows):
        show("after ±: the 95 % interval; those against the best all hold simultaneously")
    if any(row.pair.order.endswith(WITH_LAST) for row in rows):
        show(f"{WITH_LAST}: the order is given what the last crawl knew, as with: seedbed crawl --last")
    if any(row.pair.oracle for row in rows):
        show("oracle: best-first by true PageRank; it knows the whole web, which no crawler does")

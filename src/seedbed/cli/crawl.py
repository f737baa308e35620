"""seedbed crawl: simulate a crawl and see what an order fetches first."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import plain_table, print_json, say, show, shown_progress
from seedbed.cli.failures import fail
from seedbed.cli.shared_options import (
    Json,
    Last,
    Overwrite,
    Reading,
    Seed,
    SeedFile,
    Site,
    Threads,
    WebPath,
    names_from,
    reads_web,
)
from seedbed.common.messages import counted
from seedbed.common.user_lists import list_text
from seedbed.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web

ROWS = 10


@reads_web
def crawl(
    web: WebPath,
    seeds: SeedFile,
    order: Annotated[
        str,
        typer.Option(
            help="Which page to fetch next; listed below.",
            autocompletion=names_from("seedbed.crawling.orders", "ORDERS"),
        ),
    ] = "live-pagerank",
    last: Last = None,
    site: Site = "host",
    budget: Annotated[int | None, typer.Option(min=1, help="Pages to fetch. Default: all that can be reached.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the run here (.parquet), a row per page fetched. If the crawl is stopped, the same command "
            "resumes it from FILE.checkpoint."
        ),
    ] = None,
    overwrite: Overwrite = False,
    until_mass: Annotated[
        float | None,
        typer.Option(
            help="RankMass orders: stop when this share of the mass has been fetched for certain. The mass is that of "
            "a surfer who always starts at the seeds, not the web's own PageRank."
        ),
    ] = None,
    per_host: Annotated[int | None, typer.Option(min=1, help="Fetch at most this many pages per host.")] = None,
    max_depth: Annotated[
        int | None, typer.Option(min=0, help="Fetch nothing further than this many links from a seed.")
    ] = None,
    failure: Annotated[float, typer.Option(min=0, max=1, help="The probability that a fetch fails.")] = 0.0,
    failures: Annotated[
        Path | None, typer.Option(help="The same per host: a CSV file with the columns host and probability.")
    ] = None,
    fetches_per_tick: Annotated[
        int | None,
        typer.Option(
            min=1, help="Be polite: time runs in ticks of this many fetches, with at most one per host in each."
        ),
    ] = None,
    crawled_only: Annotated[
        bool, typer.Option("--crawled-only", help="Pages with 0 in the column `crawled` cannot be fetched.")
    ] = False,
    skip_missing: Annotated[bool, typer.Option("--skip-missing", help="Ignore seeds that are not in the web.")] = False,
    damping: Annotated[
        float, typer.Option(min=0, max=1, help="The probability that a surfer follows a link: PageRank's α.")
    ] = 0.85,
    seed: Seed = 1,
    no_mass: Annotated[
        bool, typer.Option("--no-mass", help="Skip the PageRank of the web, which may take longer than the crawl.")
    ] = False,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Simulate a crawl: how soon does an order reach important pages?

    Example: seedbed crawl my.web --seeds seeds.jsonl --last last.web --budget 100000 --out run.parquet
    """
    from seedbed.api import crawl as simulate
    from seedbed.api import pages_in
    from seedbed.common.outputs import RUN, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.crawling.orders import find_order
    from seedbed.crawling.run_files import ENDINGS, save_run
    from seedbed.ranking.pagerank import pagerank

    chances = failure if failures is None else read_failures(failures, failure)
    found, kept = find_order(order), None
    if out is not None:
        check_ending(out, ENDINGS)
        check_output(out, RUN, reads=reading.inputs([web], seeds, failures, last), overwrite=overwrite)
        if found.python is None:
            kept = Checkpoint(out.with_name(out.name + ".checkpoint"), lasting=True)
            if kept.stands():
                say(f"resuming from {kept.folder}")
    with shown_progress() as progress:
        opened = reading.open(web, progress)
        if budget is not None and budget > opened.page_count:
            say(f"--budget {budget:,} exceeds the web's {opened.page_count:,} pages, so it means all of them")
        remedy = "Ignore them with --skip-missing, or find their successors with: seedbed refresh."
        start, missing = pages_in(opened, seeds, remedy, skip_missing=skip_missing)
        if missing:
            say(f"{seeds}: {missing:,} of its {len(start) + missing:,} seeds are not in the web and are ignored")
        if not start:
            raise InputError(f"{seeds}: none of its seeds is in the web. A crawl needs at least one.")
        ranked = partial(pagerank, opened, damping=damping, threads=threads, progress=progress)
        scores = ranked().scores if found.oracle else None
        try:
            run = simulate(
                opened,
                start,
                order,
                budget,
                until_mass=until_mass,
                per_host=per_host,
                max_depth=max_depth,
                failure=chances,
                fetches_per_tick=fetches_per_tick,
                crawled_only=crawled_only,
                damping=damping,
                last=last,
                site=site,
                seed=seed,
                scores=scores,
                checkpoint=kept,
                progress=progress,
            )
            if scores is None and not no_mass:
                scores = ranked().scores
            if out is not None:
                save_run(run, out, overwrite=overwrite)
        except KeyboardInterrupt:
            if kept is None or not kept.folder.exists():
                raise
            raise fail(
                f"stopped. The same command resumes from {kept.folder}; delete that folder to start over."
            ) from None
        if kept is not None:
            kept.remove()
    report(opened, run, None if no_mass else scores, out, json)


def read_failures(path: Path, others: float) -> Mapping[str, float]:
    """Probabilities by host; `others` for hosts not listed."""
    chances = {"": others}
    reader = csv.DictReader(list_text(path).split("\n"))
    try:
        if not {"host", "probability"} <= set(reader.fieldnames or ()):
            raise InputError(f"{path}: has the columns {reader.fieldnames}; host and probability are needed.")
        for row in reader:
            chances[row["host"]] = float(row["probability"])
    except (TypeError, ValueError):
        raise InputError(f"{path}, line {reader.line_num}: '{row['probability']}' is not a probability.") from None
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num + 1}: is not CSV: {error}.") from None
    return chances


def report(web: Web, run: Run, scores: NDArray[np.float64] | None, out: Path | None, json: bool) -> None:
    """Print what the run reached."""
    import numpy as np

    from seedbed.crawling.measures import curves

    if json:
        print_json(summary(run, curves(run, web, pagerank=scores, at=np.array([len(run)]))))
        return
    curve = curves(run, web, pagerank=scores, points=ROWS)
    from rich.console import Console

    table = plain_table((), ("pages", "PageRank", "hosts"))
    for k, fetched in enumerate(curve.fetched.tolist()):
        share = "" if curve.pagerank is None else f"{100 * curve.pagerank[k]:.2f} %"
        table.add_row(f"{fetched:,}", share, "" if curve.hosts is None else f"{curve.hosts[k]:,}")
    show(f"{run.order}: what was fetched first")
    Console().print(table)
    for line in remarks(run):
        say(line)
    if out is not None:
        show(f"{out}: {len(run):,} pages, in the order fetched")


def summary(run: Run, curve: Any) -> dict[str, Any]:
    """The run in a few numbers; `curve` holds those at its end."""
    return {
        "order": run.order,
        "fetched": len(run),
        "known": run.known,
        "pagerank_mass": None if curve.pagerank is None else round(float(curve.pagerank[0]), 9),
        "guaranteed_mass": run.guaranteed_mass,
        "hosts": None if curve.hosts is None else int(curve.hosts[0]),
        "deepest": int(run.depth.max(initial=0)),
        "failed": run.failed,
        "refused": run.refused,
        "ticks": None if run.tick is None else int(run.tick.max(initial=0)) + 1,
        "oracle": run.oracle,
        "exhausted": run.exhausted,
        "seconds": round(run.seconds, 3),
        "pages_per_second": round(len(run) / run.seconds) if run.seconds > 0 else None,
        "options": dict(run.options),
        "notes": list(run.notes),
    }


def remarks(run: Run) -> list[str]:
    """What a reader of the table should also know."""
    deepest = counted(int(run.depth.max(initial=0)), "link")
    lines = [*run.notes, f"{counted(len(run), 'page')} fetched of {run.known:,} known, up to {deepest} from a seed"]
    if run.exhausted:
        lines.append("nothing was left to fetch: all pages reachable under these conditions were fetched")
    if run.failed:
        lines.append(f"{counted(run.failed, 'fetch', 'fetches')} failed")
    if run.refused:
        lines.append(f"skipped, because their host had reached its limit: {counted(run.refused, 'page')}")
    if run.tick is not None:
        lines.append(f"it took {int(run.tick.max(initial=0)) + 1:,} ticks")
    if run.guaranteed_mass is not None:
        lines.append(
            f"at least {100 * run.guaranteed_mass:.2f} % of the mass of a surfer who starts at the seeds was fetched; "
            "the PageRank above is that of one who starts anywhere"
        )
    if run.oracle:
        lines.append("this order is an oracle: it used the PageRank of the whole web, which no crawler has")
    return lines

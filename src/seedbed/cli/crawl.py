"""seedbed crawl: simulate a crawl and see what an order fetches first."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.failures import fail
from seedbed.cli.shared_options import (
    Damping,
    Json,
    Order,
    Overwrite,
    Reading,
    Seed,
    SeedFile,
    Threads,
    WebPath,
    reads_web,
)
from seedbed.common.messages import counted
from seedbed.common.threads import thread_count
from seedbed.common.user_lists import list_text
from seedbed.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seedbed.crawling.checkpoint import Checkpoint
    from seedbed.crawling.run import Run
    from seedbed.graph.web import Web

ROWS = 10

Budget = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Pages to fetch. Default: all that can be reached.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="Write the run here (.parquet), a row per page fetched. If the crawl is stopped, the same command resumes "
        "it from FILE.checkpoint.",
        show_default=False,
    ),
]
UntilMass = Annotated[
    float | None,
    typer.Option(
        help="RankMass orders: stop when this share of the mass has been fetched for certain. The mass is that of a "
        "surfer who always starts at the seeds, not the web's own PageRank.",
        show_default=False,
    ),
]
PerHost = Annotated[int | None, typer.Option(min=1, help="Fetch at most this many pages per host.", show_default=False)]
MaxDepth = Annotated[
    int | None, typer.Option(min=0, help="Fetch nothing further than this many links from a seed.", show_default=False)
]
Failure = Annotated[float, typer.Option(min=0, max=1, help="The probability that a fetch fails.")]
Failures = Annotated[
    Path | None,
    typer.Option(help="The same per host: a CSV file with the columns host and probability.", show_default=False),
]
FetchesPerTick = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Be polite: time runs in ticks of this many fetches, with at most one per host in each.",
        show_default=False,
    ),
]
CrawledOnly = Annotated[
    bool, typer.Option("--crawled-only", help="Pages with 0 in the column `crawled` cannot be fetched.")
]
SkipMissing = Annotated[bool, typer.Option("--skip-missing", help="Ignore seeds that are not in the web.")]
NoMass = Annotated[
    bool, typer.Option("--no-mass", help="Skip the PageRank of the web, which may take longer than the crawl.")
]


@reads_web
def crawl(
    web: WebPath,
    seeds: SeedFile,
    order: Order = None,
    budget: Budget = None,
    out: Out = None,
    overwrite: Overwrite = False,
    until_mass: UntilMass = None,
    per_host: PerHost = None,
    max_depth: MaxDepth = None,
    failure: Failure = 0.0,
    failures: Failures = None,
    fetches_per_tick: FetchesPerTick = None,
    crawled_only: CrawledOnly = False,
    skip_missing: SkipMissing = False,
    damping: Damping = 0.85,
    seed: Seed = 1,
    no_mass: NoMass = False,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Simulate a crawl: how soon does an order reach important pages?

    Example: seedbed crawl my.web --seeds seeds.jsonl --order fpr@100 --budget 100000 --out run.parquet
    """
    from seedbed.common.outputs import RUN, check_output
    from seedbed.common.row_files import check_ending
    from seedbed.crawling.conditions import Conditions
    from seedbed.crawling.orders import find_order
    from seedbed.crawling.run_files import ENDINGS, save_run
    from seedbed.crawling.simulator import crawl as simulate
    from seedbed.ranking.pagerank import pagerank

    conditions = Conditions(
        per_host=per_host,
        max_depth=max_depth,
        failure=failure if failures is None else read_failures(failures, failure),
        fetches_per_tick=fetches_per_tick,
        crawled_only=crawled_only,
        seed=seed,
    )
    found = find_order(order or "fpr")
    if out is not None:
        check_ending(out, ENDINGS)
        check_output(out, RUN, reads=reading.inputs([web], seeds, failures), overwrite=overwrite)
    kept = checkpoint_beside(out) if found.python is None else None
    with shown_progress() as progress:
        opened = reading.open(web, progress)
        note_budget(opened, budget)
        start = first_pages(opened, seeds, skip_missing)
        ranked = partial(pagerank, opened, damping=damping, threads=thread_count(threads), progress=progress)
        scores = ranked().scores if found.oracle else None
        try:
            run = simulate(
                opened,
                start,
                order,
                budget,
                conditions=conditions,
                until_mass=until_mass,
                damping=damping,
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


def note_budget(web: Web, budget: int | None) -> None:
    """Print that a budget larger than the web means the whole web."""
    if budget is not None and budget > web.page_count:
        say(f"--budget {budget:,} exceeds the web's {web.page_count:,} pages, so it means all of them")


def checkpoint_beside(out: Path | None) -> Checkpoint | None:
    """The checkpoint of a run in progress."""
    if out is None:
        return None
    from seedbed.crawling.checkpoint import Checkpoint

    kept = Checkpoint(out.with_name(out.name + ".checkpoint"), lasting=True)
    if kept.stands():
        say(f"resuming from {kept.folder}")
    return kept


def first_pages(web: Web, path: Path, skip_missing: bool) -> list[int]:
    """The seeds in a file; seeds that are not in the web are an error, unless they are to be skipped."""
    from seedbed.seeds.seed_files import listed

    entries = listed(web, path)
    missing = [name for name, page in entries if page < 0]
    if missing and not skip_missing:
        raise InputError(
            f"{path}: {len(missing):,} of its {len(entries):,} seeds are not in the web, the first is {missing[0]}. "
            "Ignore them with --skip-missing, or find their successors with: seedbed refresh."
        )
    if missing:
        say(f"{path}: {len(missing):,} of its {len(entries):,} seeds are not in the web and are ignored")
    if len(missing) == len(entries):
        raise InputError(f"{path}: none of its seeds is in the web. A crawl needs at least one.")
    return [page for _, page in entries if page >= 0]


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
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("pages", "PageRank", "hosts"):
        table.add_column(name, justify="right", no_wrap=True)
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
    }


def remarks(run: Run) -> list[str]:
    """What a reader of the table should also know."""
    deepest = counted(int(run.depth.max(initial=0)), "link")
    lines = [f"{counted(len(run), 'page')} fetched of {run.known:,} known, up to {deepest} from a seed"]
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

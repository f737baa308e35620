"""seedbed demo: the whole workflow on two snapshots of a synthetic web."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seedbed.cli.console import plain_table, say, show, shown_progress

if TYPE_CHECKING:
    from rich.console import Console

    from seedbed.common.messages import Progress
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds
    from seedbed.shape.web_shape import Shape

HOPS = 3
BUDGET = 0.1
NARROWEST = 100
"""Columns of the table of orders: a narrower terminal wraps lines rather than truncating numbers."""
SURVIVAL = 0.5
"""The share of the pages of the older snapshot that are still there in the newer."""


def demo(
    out: Annotated[
        Path, typer.Option(help="Where to put the two webs, old and new; the report goes next to it.")
    ] = Path("demo.web"),
    pages: Annotated[int, typer.Option(min=10, help="Pages of the older web.")] = 100_000,
    k: Annotated[int, typer.Option("-k", min=1, help="Seeds to choose with each strategy.")] = 10,
) -> None:
    """Try everything on a synthetic web, then open the report.

    Makes two snapshots of a web, chooses seeds on the older one with every strategy, crawls the newer one from them,
    and writes a report.
    """
    from rich.console import Console

    from seedbed.graph.native_store import open_store
    from seedbed.report.report_files import check_report_folder
    from seedbed.seeds import STRATEGIES
    from seedbed.seeds.select import select
    from seedbed.shape.describe import describe
    from seedbed.shape.shape_text import render
    from seedbed.synth import make_web

    place = report_place(out)
    check_report_folder(place)
    say(f"making two snapshots of a web of {pages:,} pages in {out} (the first run spends a minute compiling)")
    with shown_progress() as progress:
        paths = make_web(out, pages=pages, snapshots=2, survival=SURVIVAL, progress=progress)
        old, new = map(open_store, paths)
        shape = describe(new, progress=progress)
        chosen = []
        for done, strategy in enumerate(STRATEGIES):
            progress("choosing seeds", done, len(STRATEGIES))
            chosen.append(select(old, strategy, min(k, pages), hops=HOPS))
        masses = _crawled(old, new, chosen, progress)
        report, said = _reported(old, new, paths, place, shape, chosen, progress)
    console = Console()
    render(shape, console)
    _side_by_side(old, chosen, console)
    _show_masses(masses, console)
    show()
    for line in said:
        show(line)
    again = shlex.join(["seedbed", "seeds", str(paths[1]), "-k", str(k), "--strategy", "cover", "--hops", str(HOPS)])
    say(f"the webs are in {out}; continue with: {again}")
    show(f"the report is in {report}; open it in a browser")


def report_place(web: Path) -> Path:
    """The folder of the report, next to the web."""
    place = web.with_suffix(".report")
    return place if place != web else web.with_name(f"{web.name}.report")


def _side_by_side(web: Web, chosen: list[Seeds], console: Console) -> None:
    best = max(chosen, key=lambda seeds: float(seeds.gain.value[-1]) if seeds.gain and len(seeds) else 0.0)
    title = f"What seeds chosen on the older web cover there within {HOPS} links"
    table = plain_table(["strategy"], ("seeds", "pages", "of all", "seconds"), title=title, title_justify="left")
    table.add_column("first seed", overflow="ellipsis", no_wrap=True, max_width=38)
    for seeds in chosen:
        covered = int(seeds.gain.pages[-1]) if seeds.gain and len(seeds) else 0
        url = web.urls[seeds[0].page] if web.urls is not None and len(seeds) else ""
        share = f"{100 * covered / web.page_count:.1f} %"
        style = "bold" if seeds is best else ""
        table.add_row(seeds.strategy, str(len(seeds)), f"{covered:,}", share, f"{seeds.seconds:.1f}", url, style=style)
    console.print()
    console.print(table)


def _crawled(old: Web, new: Web, chosen: list[Seeds], progress: Progress) -> dict[str, dict[str, float]]:
    """The PageRank of the newer web fetched from the seeds of each strategy, by order; and the most possible."""
    from seedbed.crawling.bound import bound
    from seedbed.crawling.simulator import crawl
    from seedbed.evaluation.compare import DEFAULT_ORDERS
    from seedbed.evaluation.comparison_crawls import compared_orders
    from seedbed.evaluation.comparison_seeds import Choice, topped_up
    from seedbed.evaluation.out_of_sample import older_side
    from seedbed.last_crawl import open_last
    from seedbed.ranking.pagerank import pagerank

    scores, side, known = pagerank(new).scores, older_side(old, new), open_last(old).about(new).scores
    budget = max(int(BUDGET * new.page_count), 1)
    masses: dict[str, dict[str, float]] = {}
    for done, seeds in enumerate(chosen):
        progress("crawling", done, len(chosen))
        all_k = topped_up(old, seeds, seeds.options["k"])
        left = side.carried(Choice(seeds.strategy, (all_k,)), new).seeds
        if not len(left):
            continue
        held = masses[f"{seeds.strategy} ({len(left)})"] = {}
        for order in compared_orders(DEFAULT_ORDERS, last_known=True):
            memory = known if order.with_last else None
            run = crawl(new, left, order.given, budget, scores=scores, last=memory)
            held[order.name] = float(scores[run.pages].sum())
        held["bound"] = float(bound(new, left, scores, budget)[-1])
    return masses


def _show_masses(masses: dict[str, dict[str, float]], console: Console) -> None:
    orders = list(next(iter(masses.values())))
    table = plain_table(["seeds by"], orders)
    for strategy, shares in masses.items():
        table.add_row(strategy, *(f"{100 * share:.1f} %" for share in shares.values()))
    console.print(f"\nPageRank fetched with the first {100 * BUDGET:.0f} % of the newer web's pages, by order")
    console.width = max(console.width, NARROWEST)
    console.print(table)
    console.print("in brackets: how many of the seeds chosen on the older web are still there in the newer")
    console.print("+last: the order is given what the last crawl knew, here the older web")
    console.print("oracle: best-first by true PageRank; it knows the whole web, which no crawler does")
    console.print("bound: no order can fetch more from these seeds")


def _reported(
    old: Web, new: Web, paths: list[Path], out: Path, shape: Shape, chosen: list[Seeds], progress: Progress
) -> tuple[Path, list[str]]:
    """Compare strategies and orders, with intervals, in a report; returns its path and recommendation."""
    from seedbed.evaluation.compare import DEFAULT_STRATEGIES, Task, compare
    from seedbed.report.report_files import write_report
    from seedbed.report.report_sentences import recommended

    k, budget = chosen[0].options["k"], max(int(BUDGET * new.page_count), 1)
    task = Task(strategies=DEFAULT_STRATEGIES, k=k, hops=HOPS, budget=budget)
    found = compare(new, task, old=old, shape=shape, seeds=chosen, progress=progress)
    words = ["compare", "--old", paths[0], "--new", paths[1], "-k", k, "--hops", HOPS, "--budget", budget, "--out", out]
    command = shlex.join(["seedbed", *map(str, words)])
    report = write_report(found, out, web=paths[1], chosen_on=paths[:1], command=command)
    return report, recommended(found)

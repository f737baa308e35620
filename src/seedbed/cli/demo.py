"""seedbed demo: the whole workflow on a synthetic web."""

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
ORDERS = ("bfs", "opic", "fpr", "fpr@100", "oracle")
BUDGET = 0.1


def demo(
    out: Annotated[Path, typer.Option(help="Where to put the web; the report goes next to it.")] = Path("demo.web"),
    pages: Annotated[int, typer.Option(min=10, help="Pages of the web.")] = 100_000,
    k: Annotated[int, typer.Option("-k", min=1, help="Seeds to choose with each strategy.")] = 10,
) -> None:
    """Try everything on a synthetic web, then open the report.

    Makes and describes a web, chooses seeds with every strategy, crawls from them, and writes a report.
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
    say(f"making a synthetic web of {pages:,} pages in {out} (the first run spends a minute compiling)")
    with shown_progress() as progress:
        make_web(out, pages=pages, progress=progress)
        web = open_store(out)
        shape = describe(web, progress=progress)
        chosen = []
        for done, strategy in enumerate(STRATEGIES):
            progress("choosing seeds", done, len(STRATEGIES))
            chosen.append(select(web, strategy, min(k, pages), hops=HOPS))
        masses = _crawled(web, chosen, progress)
        report, said = _reported(web, out, place, shape, chosen, progress)
    console = Console()
    render(shape, console)
    _side_by_side(web, chosen, console)
    _show_masses(web, masses, console)
    show()
    show(said)
    again = shlex.join(["seedbed", "seeds", str(out), "-k", str(k), "--strategy", "cover", "--hops", str(HOPS)])
    say(f"the web is in {out}; continue with: {again}")
    show(f"the report is in {report}; open it in a browser")


def report_place(web: Path) -> Path:
    """The folder of the report, next to the web."""
    place = web.with_suffix(".report")
    return place if place != web else web.with_name(f"{web.name}.report")


def _side_by_side(web: Web, chosen: list[Seeds], console: Console) -> None:
    best = max(chosen, key=lambda seeds: float(seeds.gain.value[-1]) if seeds.gain and len(seeds) else 0.0)
    title = f"What seeds cover within {HOPS} links"
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


def _crawled(web: Web, chosen: list[Seeds], progress: Progress) -> dict[str, list[float]]:
    """The PageRank fetched from the seeds of each strategy, by order; and the maximum that any order could fetch."""
    from seedbed.crawling.bound import bound
    from seedbed.crawling.simulator import crawl
    from seedbed.evaluation.comparison_seeds import chosen_by_strategy, topped_up
    from seedbed.ranking.pagerank import pagerank

    scores = pagerank(web).scores
    budget = max(int(BUDGET * web.page_count), 1)
    masses: dict[str, list[float]] = {}
    for done, seeds in enumerate(chosen):
        progress("crawling", done, len(chosen))
        if len(seeds):
            all_k = topped_up(web, seeds, seeds.options["k"])
            runs = [crawl(web, all_k, order, budget, scores=scores) for order in ORDERS]
            own = chosen_by_strategy(all_k)
            name = seeds.strategy if own == len(all_k) else f"{seeds.strategy} ({own} + {len(all_k) - own})"
            most = float(bound(web, all_k, scores, budget)[-1])
            masses[name] = [*(float(scores[run.pages].sum()) for run in runs), most]
    return masses


def _show_masses(web: Web, masses: dict[str, list[float]], console: Console) -> None:
    from seedbed.evaluation.comparison_seeds import HOW_ADDED

    table = plain_table(["seeds by"], (*ORDERS, "bound"))
    for strategy, shares in masses.items():
        table.add_row(strategy, *(f"{100 * share:.1f} %" for share in shares))
    console.print(f"\nPageRank fetched with the first {100 * BUDGET:.0f} % of the pages, by order")
    console.print(table)
    console.print("oracle: best-first by true PageRank; it knows the whole web, which no crawler does")
    console.print("bound: no order can fetch more from these seeds")
    if any("+" in name for name in masses):
        console.print(f"(2 + 8): the strategy ran out after 2 seeds; {HOW_ADDED.format(8)}")


def _reported(
    web: Web, path: Path, out: Path, shape: Shape, chosen: list[Seeds], progress: Progress
) -> tuple[Path, str]:
    """Compare strategies and orders, with intervals, in a report; returns its path and recommendation."""
    from seedbed.evaluation.compare import DEFAULT_STRATEGIES, Task, compare
    from seedbed.report.report_files import write_report
    from seedbed.report.report_sentences import recommended

    k = chosen[0].options["k"]
    with_seeds = {seeds.strategy for seeds in chosen if len(seeds)}
    strategies = tuple(name for name in DEFAULT_STRATEGIES if name in with_seeds)
    task = Task(strategies=strategies, k=k, hops=HOPS, budget=max(int(BUDGET * web.page_count), 1))
    found = compare(web, task, shape=shape, seeds=chosen, progress=progress)
    named = [] if strategies == DEFAULT_STRATEGIES else ["--strategy", ",".join(strategies)]
    words = ["compare", path, *named, "-k", k, "--hops", HOPS, "--budget", task.budget, "--out", out]
    command = shlex.join(["seedbed", *map(str, words)])
    return write_report(found, out, web=path, command=command), recommended(found)

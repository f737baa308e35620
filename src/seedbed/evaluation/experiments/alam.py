"""Alam, Ha, Sim, Lee 2009: crawl orders by Fractional PageRank against Windowed RankMass (Table 1, Figures 3 and 4).

Crawls of three quarters of the web (the paper: 80 of 106 million pages) from the 160 pages with the highest PageRank:
seconds against pages fetched (Figure 3), and PageRank against pages fetched (Figure 4). The latter also shows
breadth-first, best-first by true PageRank (the oracle), and the bound that no order can beat. Its intervals come from
crawls from random halves of the seeds, the same for all orders.
Seconds are those of the simulated crawl, the median of several interleaved runs; no seed reproduces them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.bound import bound
from seedbed.crawling.measures import curves
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.crawl_measures import area_share, reached
from seedbed.evaluation.experiments.experiment import Experiment, Paper, Settings, larger, plain
from seedbed.evaluation.intervals import Interval, by_doubt, mean_interval, paired_interval
from seedbed.evaluation.tables_and_figures import MARK_MEANING, Figure, Table, curve
from seedbed.graph.web import Web
from seedbed.ranking.pagerank import pagerank
from seedbed.shape.link_counts import count_between

REFERENCE = "Alam, Ha, Sim, Lee: The impact of inter-host links in crawling important pages early. 2009."
WINDOWED = "windowed-rankmass@5"
FRACTIONAL = ("fpr", "fpr@2", "fpr@20", "fpr@100")
PAPER = (*FRACTIONAL, WINDOWED)
BESIDE = ("bfs", "oracle")
BOUND = "bound: no order can fetch more"
SEEDS, SHARE, POINTS, WARM = 160, 0.75, 60, 1000
SIMILAR = 1.0


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """How large the experiment is."""

    k: Annotated[
        int | None, Option("Seeds, the pages with the highest PageRank; 160, or 1 % of the pages.", least=1)
    ] = None
    budget: Annotated[int | None, Option("Pages to fetch; three quarters of the web.", least=1)] = None
    draws: Annotated[int, Option("How many times to draw half of the seeds.", least=1)] = 10
    repeats: Annotated[int, Option("Timed runs of each crawl.", least=1)] = 5


class Crawler:
    """Crawls of one web; its PageRank is computed once."""

    def __init__(self, web: Web, options: Options, progress: Progress) -> None:
        self.web, self.options, self.progress = web, options, progress
        self.ranking = pagerank(web, threads=options.threads, progress=progress)
        self.scores = self.ranking.scores
        self.budget = min(options.budget or max(int(SHARE * web.page_count), 1), web.page_count)
        wanted = options.k or min(SEEDS, max(web.page_count // 100, 1))
        self.seeds = self.ranking.top(min(wanted, web.page_count))

    def run(self, order: str, seeds: NDArray[Any], budget: int | None = None) -> Run:
        """One crawl."""
        return crawl(self.web, seeds.tolist(), order, budget or self.budget, scores=self.scores)

    def curve(self, run: Run) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pages fetched, and the PageRank that the crawl holds by then."""
        found = curves(run, self.web, pagerank=self.scores, points=POINTS)
        assert found.pagerank is not None  # noqa: S101
        return found.fetched, found.pagerank

    def bound(self, seeds: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pages fetched, and the most PageRank that any order can hold by then."""
        most = bound(self.web, seeds.tolist(), self.scores, self.budget)
        at = np.unique(np.linspace(0, len(most) - 1, POINTS + 1).astype(np.int64))[1:]
        return at, most[at]

    def areas(self, seeds: NDArray[Any]) -> dict[str, float]:
        """The area under the curve of each order, in per cent of the bound's, from the same seeds."""
        found = {order: self.curve(self.run(order, seeds)) for order in (*PAPER, *BESIDE)}
        most = self.bound(seeds)
        return {order: 100 * area_share(*one, *most) for order, one in found.items()}


def experiment(web: Web, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on one web."""
    links = inter_host_links(web)
    crawler = Crawler(web, options, progress)
    runs = {order: crawler.run(order, crawler.seeds) for order in (*PAPER, *BESIDE)}
    areas = areas_by_draw(crawler)
    settings = {"web": web.origin.source, "seeds": len(crawler.seeds), "budget": crawler.budget}
    settings |= {"draws": options.draws, "repeats": options.repeats, "seed": options.seed}
    return Experiment(
        "alam",
        REFERENCE,
        (table_1(web, links), area_table(crawler, runs, areas)),
        (figure_3(crawler), figure_4(crawler, runs, areas)),
        settings,
        ("Figure 3 shows seconds on this machine; everything else is determined by the seed.",),
    )


def inter_host_links(web: Web) -> int:
    """Links that lead from one host to another. One pass."""
    host = web.sites("host").of_page
    return sum(count_between(*block, host) for block in web.links.blocks())


def table_1(web: Web, links: int) -> Table:
    """The web."""
    columns = ("web", "pages", "links", "inter-host links")
    row = (web.origin.source, web.page_count, web.link_count, links)
    share = 100 * links / max(web.link_count, 1)
    claim = "A small portion of links are inter-host links"
    verdicts = (Verdict(plain(claim), share < 10, f"{share:.1f} % are (the paper: 4 %)"),)
    return Table("table-1", "The web", columns, (row,), verdicts)


def areas_by_draw(crawler: Crawler) -> dict[str, NDArray[np.float64]]:
    """For each order, the area in every draw of half of the seeds."""
    halves = drawn_halves(crawler.seeds, crawler.options)
    rows = []
    with ThreadPoolExecutor(crawler.options.threads) as pool:
        for row in pool.map(crawler.areas, halves):
            rows.append(row)
            crawler.progress("crawls from half of the seeds", len(rows), len(halves))
    return {order: np.array([row[order] for row in rows]) for order in (*PAPER, *BESIDE)}


def drawn_halves(seeds: NDArray[Any], options: Options) -> list[NDArray[Any]]:
    """Halves of the seeds, one per draw. Few seeds have few halves: a repeated one is left out."""
    half = max(len(seeds) // 2, 1)
    drawn = (np.random.default_rng([options.seed, draw]) for draw in range(options.draws))
    halves = (np.sort(random.choice(seeds, half, replace=False)) for random in drawn)
    return list({one.tobytes(): one for one in halves}.values())


def figure_3(crawler: Crawler) -> Figure:
    """Seconds against pages fetched: the orders take turns, after a short run of each that compiles it."""
    repeats = crawler.options.repeats
    runs: dict[str, list[Run]] = {order: [] for order in PAPER}
    for order in PAPER:
        crawler.run(order, crawler.seeds, min(WARM, crawler.budget))
    for repeat in range(repeats):
        crawler.progress("timed crawls", repeat, repeats)
        for order in PAPER:
            runs[order].append(crawler.run(order, crawler.seeds))
    series, total = [], {}
    for order, own in runs.items():
        seconds = np.array([run.samples.seconds for run in own])
        total[order], median = seconds[:, -1], np.median(seconds, axis=0)
        keep = np.unique(np.linspace(0, len(median) - 1, min(POINTS, len(median))).astype(np.int64))
        series.append(curve(order, own[0].samples.fetched[keep], median[keep]))
    about = f"The median of {counted(repeats, 'run')} on this machine."
    title, verdicts = "Seconds against pages fetched", claims_on_time(total)
    return Figure("figure-3", title, "pages fetched", "seconds", tuple(series), verdicts, about=about)


def claims_on_time(total: Mapping[str, NDArray[np.float64]]) -> tuple[Verdict, ...]:
    """What the paper says about Figure 3, by the seconds of each whole run."""
    found = []
    for order, ratio in (("fpr", "4.5"), ("fpr@100", "more than 1")):
        times = float(np.median(total[WINDOWED]) / max(float(np.median(total[order])), 1e-9))
        what = f"{WINDOWED} takes {times:.1f} times as long (the paper: {ratio}); the difference"
        difference = paired_interval(total[WINDOWED], total[order])
        found.append(larger(f"{order} takes less time than {WINDOWED}", difference, what, " s"))
    return tuple(found)


def figure_4(crawler: Crawler, runs: Mapping[str, Run], areas: Mapping[str, NDArray[np.float64]]) -> Figure:
    """PageRank against pages fetched."""
    series = [curve(order, *crawler.curve(run), own=True) for order, run in runs.items()]
    series.append(curve(BOUND, *crawler.bound(crawler.seeds)))
    about = (
        f"{MARK_MEANING}: the seeds, the same for all orders, are the pages with the highest PageRank, as in the paper."
    )
    title, label, verdicts = "PageRank against pages fetched", "share of the web's PageRank", claims_on_areas(areas)
    return Figure("figure-4", title, "pages fetched", label, tuple(series), verdicts, about=about)


def claims_on_areas(areas: Mapping[str, NDArray[np.float64]]) -> tuple[Verdict, ...]:
    """What the paper says about Figure 4, by the area under each curve in per cent of the bound's, for each draw."""
    unit = " % of the bound's area"

    def gap(order: str, other: str) -> Interval:
        return paired_interval(areas[order], areas[other])

    alike = gap("fpr", WINDOWED)
    rival = min((other for other in PAPER if other != "fpr@100"), key=lambda other: by_doubt(gap("fpr@100", other)))
    slowing = paired_interval(areas["fpr@20"] - areas["fpr@2"], areas["fpr@100"] - areas["fpr@20"])
    return (
        Verdict(
            plain(f"fpr is almost as effective as {WINDOWED}"),
            abs(alike.mean) < SIMILAR,
            f"fpr differs by {alike.mean:+.2g}{unit}; less than {SIMILAR:g} counts as almost",
        ),
        larger(f"fpr@2 performs better than {WINDOWED}", gap("fpr@2", WINDOWED), "its lead", unit),
        larger("fpr@100 outperforms the others", gap("fpr@100", rival), f"its smallest lead, over {rival},", unit),
        larger("From M = 20 to 100 there is less to gain than from 2 to 20", slowing, "the difference", unit),
    )


def area_table(crawler: Crawler, runs: Mapping[str, Run], areas: Mapping[str, Sequence[float] | NDArray[Any]]) -> Table:
    """The orders in numbers: area, and what the crawl from all seeds has reached at the end of the budget."""
    rows = []
    for order, run in runs.items():
        one, mean = reached(run, crawler.web), mean_interval(areas[order])
        spam = None if one.spam_share is None else 100 * one.spam_share
        mass = 100 * float(crawler.scores[run.pages].sum())
        rows.append((order, mean.mean, mean.low, mean.high, mass, one.hosts, one.communities, spam, int(run.oracle)))
    columns = ("order", "area, % of the bound's", "from", "to (95 %)", "PageRank fetched, %", "hosts", "communities",
               "spam, %", "uses scores of the whole web")  # fmt: skip
    draws = len(next(iter(areas.values())))
    about = (
        f"Area: the mean over {counted(draws, 'draw')} of half of the seeds; 100 is what no order can beat. The other "
        "columns: from all seeds."
    )
    return Table("areas", "The orders in numbers", columns, tuple(rows), about=about)


PAPER_EXPERIMENT = Paper(
    name="alam",
    meaning="crawl orders by Fractional PageRank, against Windowed RankMass and breadth-first",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
)

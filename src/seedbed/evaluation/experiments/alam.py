"""Alam, Ha, Sim, Lee 2009: crawl orders by Fractional PageRank against Windowed RankMass (Table 1, Figures 3 and 4).

Crawls of three quarters of the web (the paper: 80 of 106 million pages) from the 160 pages of the highest PageRank:
seconds against pages fetched (Figure 3), and PageRank against pages fetched (Figure 4), to which are added
breadth-first, best-first by true PageRank (the oracle), and the bound that no order can beat. How sure the second is:
crawls from halves of the seeds, drawn several times, the same for all orders.
Seconds are those of the simulated crawl, the median of several runs in turn; no seed reproduces them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.bound import bound
from seedbed.crawling.measures import Curves, curves
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from seedbed.evaluation.areas import area_share
from seedbed.evaluation.experiments.experiment import Experiment, Figure, Series, Table, Verdict, curve, larger
from seedbed.evaluation.intervals import Interval, doubt, mean_interval, paired_interval
from seedbed.evaluation.marks import MEANING
from seedbed.evaluation.reached import reached
from seedbed.graph.web import Web
from seedbed.ranking.pagerank import pagerank
from seedbed.shape.link_walk import count_between

REFERENCE = "Alam, Ha, Sim, Lee: The impact of inter-host links in crawling important pages early. 2009."
WINDOWED = "windowed-rankmass@5"
FRACTIONAL = ("fpr", "fpr@2", "fpr@20", "fpr@100")
PAPER = (*FRACTIONAL, WINDOWED)
BESIDE = ("bfs", "oracle")
BOUND = "bound: no order can fetch more"
SEEDS, SHARE, POINTS, WARM = 160, 0.75, 60, 1000
SIMILAR = 1.0


@dataclass(frozen=True)
class Options:
    """`seeds`: so many of the highest PageRank; `budget`: pages to fetch; `repeats`: runs for the seconds."""

    seeds: int | None = None
    budget: int | None = None
    draws: int = 10
    repeats: int = 5
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("seeds", "budget", "draws", "repeats", "threads"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise OptionError(f"{name} is {value}; give 1 or more.")


class Crawler:
    """Crawls on one web, that has its PageRank at hand."""

    def __init__(self, web: Web, options: Options, progress: Progress) -> None:
        self.web, self.options, self.progress = web, options, progress
        self.ranking = pagerank(web, threads=options.threads, progress=progress)
        self.scores = self.ranking.scores
        self.budget = min(options.budget or max(int(SHARE * web.page_count), 1), web.page_count)
        wanted = options.seeds or min(SEEDS, max(web.page_count // 100, 1))
        self.seeds = self.ranking.top(min(wanted, web.page_count))

    def run(self, order: str, seeds: NDArray[Any], budget: int | None = None) -> Run:
        """One crawl."""
        return crawl(self.web, seeds.tolist(), order, budget or self.budget, scores=self.scores)

    def curve(self, run: Run) -> Curves:
        """What it has reached, page by page."""
        return curves(run, self.web, pagerank=self.scores, points=POINTS)

    def bound(self, seeds: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Pages fetched, and the most PageRank that any order can have by then."""
        most = bound(self.web, seeds.tolist(), self.scores, self.budget)
        at = np.unique(np.linspace(0, len(most) - 1, POINTS + 1).astype(np.int64))[1:]
        return at, most[at]

    def areas(self, seeds: NDArray[Any]) -> dict[str, float]:
        """The area under the curve of each order, in per cent of the bound's, from the same seeds."""
        found = {order: self.curve(self.run(order, seeds)) for order in (*PAPER, *BESIDE)}
        most = self.bound(seeds)
        return {order: 100 * area_share(one.fetched, _mass(one), *most) for order, one in found.items()}


class Times(NamedTuple):
    """Of one order: pages fetched at some points, and seconds until then; a row a run."""

    fetched: NDArray[np.int64]
    seconds: NDArray[np.float64]


def _mass(one: Curves) -> NDArray[np.float64]:
    assert one.pagerank is not None  # noqa: S101
    return one.pagerank


def experiment(web: Web, options: Options | None = None, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on one web."""
    options = options or Options()
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
        (figure_3(timed(crawler)), figure_4(crawler, runs, areas)),
        settings,
        ("Figure 3 shows seconds on this machine; all else follows from the seed.",),
    )


def inter_host_links(web: Web) -> int:
    """Links that lead from one host to another. One pass."""
    host = web.sites("host").of_page
    return sum(count_between(block.first, block.out_ptr, block.out_idx, host) for block in web.links.blocks())


def table_1(web: Web, links: int) -> Table:
    """The web."""
    columns = ("web", "pages", "links", "inter-host links")
    row = (web.origin.source, web.page_count, web.link_count, links)
    share = 100 * links / max(web.link_count, 1)
    verdict = Verdict(
        "A small portion of links are inter-host links", share < 10, f"{share:.1f} % are (the paper: 4 %)"
    )
    return Table("table-1", "The web", columns, (row,), (verdict,))


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
    """Halves of the seeds, one a draw. Few seeds have few halves: one drawn again tells nothing new and is left out."""
    half = max(len(seeds) // 2, 1)
    drawn = (np.random.default_rng([options.seed, draw]) for draw in range(options.draws))
    halves = (np.sort(random.choice(seeds, half, replace=False)) for random in drawn)
    return list({one.tobytes(): one for one in halves}.values())


def timed(crawler: Crawler) -> dict[str, Times]:
    """The seconds of each of the paper's orders, run in turn; a short run first, which compiles it."""
    found: dict[str, list[Run]] = {order: [] for order in PAPER}
    for order in PAPER:
        crawler.run(order, crawler.seeds, min(WARM, crawler.budget))
    for repeat in range(crawler.options.repeats):
        crawler.progress("timed crawls", repeat, crawler.options.repeats)
        for order in PAPER:
            found[order].append(crawler.run(order, crawler.seeds))
    return {
        order: Times(runs[0].samples.fetched, np.array([run.samples.seconds for run in runs]))
        for order, runs in found.items()
    }


def figure_3(times: Mapping[str, Times]) -> Figure:
    """Seconds against pages fetched."""
    series = []
    for order, one in times.items():
        median = np.median(one.seconds, axis=0)
        keep = np.unique(np.linspace(0, len(median) - 1, min(POINTS, len(median))).astype(np.int64))
        series.append(curve(order, one.fetched[keep].tolist(), median[keep].tolist()))
    total = {order: one.seconds[:, -1] for order, one in times.items()}
    repeats = len(next(iter(times.values())).seconds)
    return Figure(
        "figure-3", "Seconds against pages fetched", "pages fetched", "seconds", tuple(series), verdicts_on_time(total),
        about=f"The median of {repeats} runs on this machine.",
    )  # fmt: skip


def verdicts_on_time(total: Mapping[str, NDArray[np.float64]]) -> tuple[Verdict, ...]:
    """What the paper says of Figure 3; seconds of each run to the end, by order."""
    found = []
    for order, ratio in (("fpr", "4.5"), ("fpr@100", "more than 1")):
        times = float(np.median(total[WINDOWED]) / max(float(np.median(total[order])), 1e-9))
        what = f"{WINDOWED} takes {times:.1f} times as long (the paper: {ratio}); the difference"
        difference = paired_interval(total[WINDOWED], total[order])
        found.append(larger(f"{order} takes less time than {WINDOWED}", difference, what, " s"))
    return tuple(found)


def figure_4(crawler: Crawler, runs: Mapping[str, Run], areas: Mapping[str, NDArray[np.float64]]) -> Figure:
    """PageRank against pages fetched."""
    series: list[Series] = []
    for order, run in runs.items():
        one = crawler.curve(run)
        series.append(curve(order, one.fetched.tolist(), _mass(one).tolist(), own=True))
    at, most = crawler.bound(crawler.seeds)
    series.append(curve(BOUND, at.tolist(), most.tolist()))
    about = f"{MEANING}: the seeds, the same for all orders, are the pages of the highest PageRank, as in the paper."
    return Figure(
        "figure-4", "PageRank against pages fetched", "pages fetched", "share of the web's PageRank", tuple(series),
        verdicts_on_areas(areas), about=about,
    )  # fmt: skip


def verdicts_on_areas(areas: Mapping[str, NDArray[np.float64]]) -> tuple[Verdict, ...]:
    """What the paper says of Figure 4, by the area under the curve in per cent of the bound's; one a draw of seeds."""
    unit = " % of the bound's area"

    def gap(order: str, other: str) -> Interval:
        return paired_interval(areas[order], areas[other])

    alike = gap("fpr", WINDOWED)
    rival = min((other for other in PAPER if other != "fpr@100"), key=lambda other: doubt(gap("fpr@100", other)))
    slowing = paired_interval(areas["fpr@20"] - areas["fpr@2"], areas["fpr@100"] - areas["fpr@20"])
    return (
        Verdict(
            f"fpr is almost as effective as {WINDOWED}",
            abs(alike.mean) < SIMILAR,
            f"fpr is {alike.mean:+.2g}{unit} away; below {SIMILAR:g} counts as almost",
        ),
        larger(f"fpr@2 performs better than {WINDOWED}", gap("fpr@2", WINDOWED), "its lead", unit),
        larger("fpr@100 outperforms the others", gap("fpr@100", rival), f"its least lead, over {rival},", unit),
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
        f"Area: the mean over {counted(draws, 'draw')} of half of the seeds, where 100 is what no order can beat. The "
        "rest: from all seeds."
    )
    return Table("areas", "The orders in numbers", columns, tuple(rows), about=about)

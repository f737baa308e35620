"""Alam, Ha, Sim, Lee 2009: crawl orders by Fractional PageRank against Windowed RankMass (Table 1, Figures 3 and 4).

Crawls of three quarters of the web (the paper: 80 of 106 million pages) from the 160 pages with the highest PageRank:
seconds against pages fetched (Figure 3), and PageRank against pages fetched (Figure 4). The latter also shows
breadth-first, best-first by true PageRank (the oracle), and the bound that no order can beat. Beside the figures there
are the orders that the paper only mentions: a larger M, a window of 100 %, and on small webs RankMass itself.
Seconds are those of the simulated crawl, the median of several interleaved runs; no seed reproduces them. The claims,
and how they are judged: alam_claims.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.crawling.bound import bound
from seedbed.crawling.measures import curves
from seedbed.crawling.orders import find_order
from seedbed.crawling.run import Run
from seedbed.crawling.simulator import crawl
from seedbed.evaluation.crawl_measures import area_share, reached
from seedbed.evaluation.experiments.alam_claims import (
    BREADTH_FIRST,
    CLAIMS,
    EARLY,
    LARGER_M,
    PAPER,
    RANKMASS,
    WHOLE_WINDOW,
    ByOrder,
    judge_areas,
    judge_spam,
    judge_time,
)
from seedbed.evaluation.experiments.experiment import Experiment, Paper, Settings
from seedbed.evaluation.intervals import halves_interval
from seedbed.evaluation.tables_and_figures import MARK_MEANING, Figure, Table, curve
from seedbed.graph.web import Web
from seedbed.ranking.pagerank import pagerank
from seedbed.shape.link_counts import count_between
from seedbed.urls.sites import SiteKind

REFERENCE = "Alam, Ha, Sim, Lee: The impact of inter-host links in crawling important pages early. 2009."
BESIDE = (BREADTH_FIRST, "oracle")
MENTIONED = (LARGER_M, WHOLE_WINDOW)
BOUND = "bound: no order can fetch more"
SEEDS, SHARE, POINTS, WARM = 160, 0.75, 60, 1000
RANKMASS_PAGES = 150_000
"""On larger webs RankMass would take longer than everything else together."""


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """How large the experiment is."""

    k: Annotated[
        int | None, Option("Seeds, the pages with the highest PageRank; 160, or 1 % of the pages.", least=1)
    ] = None
    budget: Annotated[int | None, Option("Pages to fetch; three quarters of the web.", least=1)] = None
    draws: Annotated[int, Option("How many times to draw half of the seeds.", least=1)] = 10
    repeats: Annotated[int, Option("Timed runs of each crawl.", least=1)] = 5
    site: Annotated[SiteKind, Option("What M counts as a site.")] = "host"


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
        site = self.options.site if find_order(order).needs_hosts else "host"
        return crawl(self.web, seeds.tolist(), order, budget or self.budget, scores=self.scores, site=site)

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

    @property
    def orders(self) -> tuple[str, ...]:
        """All orders: the paper's, those beside them in Figure 4, and those that it mentions."""
        rankmass = () if self.no_rankmass else (RANKMASS,)
        return (*PAPER, *BESIDE, *MENTIONED, *rankmass)

    @property
    def no_rankmass(self) -> str:
        """Why RankMass is not run, if so."""
        pages = self.web.page_count
        return "" if pages <= RANKMASS_PAGES else f"RankMass is run on webs of at most {RANKMASS_PAGES:,} pages only"

    @property
    def no_spam(self) -> str:
        """Why spam cannot be counted, if so."""
        spam = self.web.columns.get("spam")
        if spam is None:
            return "the web does not say which pages are spam"
        return "" if np.any(spam) else "no page of the web is spam"

    def measures(self, seeds: NDArray[Any]) -> dict[str, tuple[float, float]]:
        """By order, from the same seeds: the area under its curve, in per cent of the bound's, and its early spam."""
        most, found = self.bound(seeds), {}
        for order in self.orders:
            run = self.run(order, seeds)
            found[order] = 100 * area_share(*self.curve(run), *most), self.early_spam(run)
        return found

    def early_spam(self, run: Run) -> float:
        """Spam in per cent of the pages fetched, up to a tenth of the web; nan if it is not known."""
        if self.no_spam or not len(run.pages):
            return float("nan")
        early = run.pages[: max(int(EARLY * self.web.page_count), 1)]
        return 100 * float(np.mean(np.asarray(self.web.columns["spam"])[early] != 0))


class Draws(NamedTuple):
    """By order, one number per draw of half of the seeds: areas, and early spam, if it is known."""

    areas: ByOrder
    spam: ByOrder

    @property
    def about(self) -> str:
        """What the intervals cover."""
        count = counted(len(next(iter(self.areas.values()))), "draw")
        return (
            f"Intervals come from {count} of half of the seeds, and cover the choice of seeds on this web; more draws "
            "do not narrow them. One web is one draw."
        )


def experiment(web: Web, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on one web."""
    links = inter_host_links(web)
    crawler = Crawler(web, options, progress)
    runs = {order: crawler.run(order, crawler.seeds) for order in crawler.orders}
    draws = drawn(crawler)
    settings = {"web": web.origin.source, "seeds": len(crawler.seeds), "budget": crawler.budget}
    settings |= {"draws": options.draws, "repeats": options.repeats, "site": options.site}
    settings |= {"seed": options.seed}
    return Experiment(
        "alam",
        REFERENCE,
        (table_1(web, links), area_table(crawler, runs, draws)),
        (figure_3(crawler), figure_4(crawler, runs, draws), differences(crawler, runs)),
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
    return Table("table-1", "The web", columns, (row,), about=f"{share:.1f} % of the links are inter-host links.")


def drawn(crawler: Crawler) -> Draws:
    """What every order does in each draw of half of the seeds."""
    halves = drawn_halves(crawler.seeds, crawler.options)
    rows = []
    with ThreadPoolExecutor(crawler.options.threads) as workers:
        for row in workers.map(crawler.measures, halves):
            rows.append(row)
            crawler.progress("crawls from half of the seeds", len(rows), len(halves))
    areas, spam = ({order: np.array([row[order][k] for row in rows]) for order in crawler.orders} for k in (0, 1))
    return Draws(areas, {} if crawler.no_spam else spam)


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
    series, at_first, total = [], {}, {}
    for order, own in runs.items():
        seconds, fetched = np.array([run.samples.seconds for run in own]), own[0].samples.fetched
        early = EARLY * float(fetched[-1])
        at_first[order] = np.array([np.interp(early, fetched, one) for one in seconds])
        total[order], median = seconds[:, -1], np.median(seconds, axis=0)
        keep = np.unique(np.linspace(0, len(median) - 1, min(POINTS, len(median))).astype(np.int64))
        series.append(curve(order, fetched[keep], median[keep]))
    about = (
        f"The median of {counted(repeats, 'run')} on this machine, in which the orders took turns; intervals cover "
        "further runs on this machine."
    )
    title, verdicts = "Seconds against pages fetched", judge_time(at_first, total)
    return Figure("figure-3", title, "pages fetched", "seconds", tuple(series), verdicts, about=about)


def figure_4(crawler: Crawler, runs: Mapping[str, Run], draws: Draws) -> Figure:
    """PageRank against pages fetched."""
    series = [curve(order, *crawler.curve(runs[order]), own=True) for order in (*PAPER, *BESIDE)]
    series.append(curve(BOUND, *crawler.bound(crawler.seeds)))
    about = (
        f"{MARK_MEANING}: the seeds, the same for all orders, are the pages with the highest PageRank, as in the "
        f"paper. {draws.about}"
    )
    title, label = "PageRank against pages fetched", "share of the web's PageRank"
    verdicts = judge_areas(draws.areas, crawler.no_rankmass)
    return Figure("figure-4", title, "pages fetched", label, tuple(series), verdicts, about=about)


def differences(crawler: Crawler, runs: Mapping[str, Run]) -> Figure:
    """Figure 4 again, as differences to fpr, since its curves lie on top of each other."""
    fetched, base = crawler.curve(runs["fpr"])
    series = []
    for order in (*PAPER, *crawler.orders[len(PAPER) + len(BESIDE) :]):
        if order in ("fpr", WHOLE_WINDOW):
            continue
        places, mass = crawler.curve(runs[order])
        series.append(curve(order, fetched, 100 * (np.interp(fetched, places, mass) - base), own=True))
    title, label = "PageRank fetched, compared with fpr", "% of the web's PageRank more than fpr"
    about = f"{MARK_MEANING}. The curves of Figure 4 less that of fpr, from all seeds."
    return Figure("figure-4-differences", title, "pages fetched", label, tuple(series), (), about=about)


def area_table(crawler: Crawler, runs: Mapping[str, Run], draws: Draws) -> Table:
    """The orders in numbers: area and early spam from halves of the seeds, and what the crawl from all has reached."""
    rows = []
    for order, run in runs.items():
        one = reached(run, crawler.web)
        cells = [cell for values in draws for cell in _cells(values, order)]
        spam = None if one.spam_share is None else 100 * one.spam_share
        mass = 100 * float(crawler.scores[run.pages].sum())
        rows.append((order, *cells, mass, one.hosts, one.communities, spam, int(run.oracle)))
    columns = ("order", "area, % of the bound's", "from", "to (95 %)", "early spam, %", "spam from", "spam to (95 %)",
               "PageRank fetched, %", "hosts", "communities", "spam, %", "uses scores of the whole web")  # fmt: skip
    about = (
        f"Area: 100 is what no order can beat. Early: among the first pages fetched, as many as a tenth of the web. "
        f"{draws.about} The other columns: from all seeds."
    )
    return Table(
        "areas", "The orders in numbers", columns, tuple(rows), judge_spam(draws.spam, crawler.no_spam), about=about
    )


def _cells(values: ByOrder, order: str) -> tuple[float | None, float | None, float | None]:
    if order not in values:
        return None, None, None
    found = halves_interval(values[order])
    return found.mean, found.low, found.high


PAPER_EXPERIMENT = Paper(
    name="alam",
    meaning="crawl orders by Fractional PageRank, against Windowed RankMass and breadth-first",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
    claims=CLAIMS,
)

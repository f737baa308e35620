"""Daneshpajouh, Nasiri, Ghodsi 2008: seeds from cores, on a web and on a later one (Tables 1 and 2, Figures 4 to 12).

Cores of the old and the new web: their sizes (Figures 4, 5), and the distances between those of the old one (6). Then
breadth-first crawls from the best ten seeds of each web against random ones: average PageRank and pages by depth (7 to
10). Last, the seeds of the old web whose URLs are still in the new one, crawled there (11, 12), next to those carried
over by `refresh`. The paper counts depths from 1; here depth 0 is the seeds. With one web only, what one web allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.simulator import crawl
from seedbed.errors import InputError, OptionError
from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.core_distances import CoreDistances, core_distances, core_map
from seedbed.evaluation.crawl_measures import Baseline, DepthProfile, baseline_of, depth_profile, reached
from seedbed.evaluation.experiments.experiment import BaselineSettings, Experiment, Paper, larger, plain
from seedbed.evaluation.intervals import Interval, column_intervals, difference, mean_interval
from seedbed.evaluation.tables_and_figures import Cell, Figure, Series, Table, curve, line
from seedbed.graph.web import Web, how_to_add_urls
from seedbed.ranking.pagerank import pagerank
from seedbed.seeds.seeds import Core, Seeds
from seedbed.seeds.select import select
from seedbed.shape.distances import Distances, average_distance

if TYPE_CHECKING:
    from seedbed.urls.url_table import UrlTable

REFERENCE = (
    "Daneshpajouh, Nasiri, Ghodsi: A fast community based algorithm for generating web crawler seeds set. WEBIST 2008."
)
MAPPED, CRAWLED, MAX_HUBS, DRAWN_PAGES = 56, 10, 999, 10_000
OURS, CARRIED = "seeds from cores", "seeds carried over (ours)"
PAGERANK_CLAIM = "The first pages crawled have a higher average PageRank from seeds of cores than from random seeds"
PAGES_CLAIM = "Down to the same depth, a crawl from seeds of cores has more pages than one from random seeds"


@dataclass(frozen=True, kw_only=True)
class Options(BaselineSettings):
    """How large the experiment is."""

    cores: Annotated[int, Option("Cores to find on each web.", least=1)] = 100
    draws: Annotated[int, Option("How many times to draw random seeds.", least=1)] = 20
    samples: Annotated[int | None, Option("Pages to measure distances from; see seedbed info.", least=1)] = None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One of the two webs, and what is computed on it on demand."""

    name: str
    web: Web
    options: Options
    max_hubs: int | None
    progress: Progress = field(repr=False)

    @cached_property
    def pruned(self) -> Web:
        """Without the links inside sites."""
        return self.web.without_links_inside("host")

    @cached_property
    def distance(self) -> Distances:
        """The web's average distance."""
        asked: dict[str, Any] = {name: getattr(self.options, name) for name in ("samples", "seed", "threads")}
        return average_distance(self.web.links, progress=self.progress, **asked)

    @cached_property
    def seeds(self) -> Seeds:
        """One per core."""
        k, threads = min(self.options.cores, self.web.page_count), self.options.threads
        found = select(self.web, "cores", k, threads=threads, progress=self.progress, max_hubs=self.max_hubs)
        if not len(found):
            source = self.web.origin.source or f"the {self.name} web"
            raise OptionError(f"{source}: no link between sites, so there are no cores. Give a web of several sites.")
        return found

    @property
    def cores(self) -> list[Core]:
        """In the order they were found."""
        return [seed.core for seed in self.seeds if seed.core is not None]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """PageRank on the whole web."""
        return pagerank(self.web, threads=self.options.threads, progress=self.progress).scores

    def crawled(self, *seed_sets: NDArray[Any]) -> DepthProfile:
        """A crawl from each set of seeds."""
        return depth_profile(self.web, seed_sets, self.scores, self.progress)

    @cached_property
    def baseline(self) -> Baseline:
        """The pages that random seeds are drawn from."""
        return self.options.baseline(self.web)

    def random_sets(self, size: int) -> list[NDArray[np.int64]]:
        """Sets of random seeds, `size` in each."""
        return self.baseline.sets(size, self.options.draws, self.options.seed)


@dataclass(frozen=True, eq=False)
class Survival:
    """`pages`: per old seed, the page of the new web with its URL, −1 if there is none. Survival shares of both.

    `kind`: what pages in general are: pages, or crawled pages.
    """

    pages: NDArray[np.int64]
    seeds: Interval
    all_pages: Interval
    kind: str = "pages"

    @property
    def survivors(self) -> NDArray[np.int64]:
        """The seeds that are still there, as pages of the new web, in their order, each once."""
        there = self.pages[self.pages >= 0]
        _, first = np.unique(there, return_index=True)
        return there[np.sort(first)]


def survival(old: Web, new: Web, seeds: NDArray[Any], *, seed: int = 1, baseline: Baseline | None = None) -> Survival:
    """The share of seeds whose URL is still there, next to that of random pages (all of them, on a small web).

    Random pages are drawn from `baseline`, by default the crawled pages, if it is known which are.
    """
    before, after = _urls(old), _urls(new)
    found = after.find_many(before.many(np.asarray(seeds, np.int64)))
    pool = baseline or baseline_of(old)
    size = min(DRAWN_PAGES, len(pool.pages))
    sample = np.sort(np.random.default_rng(seed).choice(pool.pages, size, replace=False))
    base = after.find_many(before.many(sample))
    return Survival(found, mean_interval(found >= 0), mean_interval(base >= 0), pool.kind)


def _urls(web: Web) -> UrlTable:
    if web.urls is None:
        source = web.origin.source or "this web"
        hint = how_to_add_urls(web.origin.format)
        raise InputError(f"{source}: has no URLs, by which pages of two snapshots are matched. {hint}")
    return web.urls


def experiment(old: Web, new: Web | None, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment; without a new web, what one web allows."""
    webs = [Snapshot("old", old, options, MAX_HUBS, progress)]
    if new is not None:
        webs.append(Snapshot("new", new, options, None, progress))
    distances = core_distances(old, webs[0].cores[:MAPPED], threads=options.threads, progress=progress)
    tables = [table_1(webs), table_2(webs), distance_table(webs[0], distances), reached_table(webs[0])]
    figures = [*size_figures(webs), figure_6(webs[0], distances), *crawl_figures(webs[0], (7, 8))]
    notes = [f"{one.name} web: {note}" for one in webs for note in one.seeds.notes]
    notes += [f"{one.name} web: random pages are {one.baseline.note}." for one in webs if one.baseline.note]
    if new is None:
        notes.append("one web was given: Figures 5 and 9 to 12 need a newer one.")
    else:
        lasting = survival(old, new, webs[0].seeds.pages, seed=options.seed, baseline=webs[0].baseline)
        tables.append(survival_table(lasting))
        figures += [*crawl_figures(webs[1], (9, 10)), *survivor_figures(webs[0], webs[1], lasting)]
    figures.sort(key=lambda figure: int(figure.name.split("-")[1]))
    settings: dict[str, Any] = {one.name: one.web.origin.source for one in webs}
    settings |= {"cores": options.cores, "draws": options.draws, "seed": options.seed}
    settings |= {"crawled_only": options.crawled_only}
    return Experiment("daneshpajouh", REFERENCE, tuple(tables), tuple(figures), settings, tuple(notes))


def table_1(webs: list[Snapshot]) -> Table:
    """The webs as they are."""
    rows = [
        (one.name, one.web.page_count, one.web.link_count, one.distance.average, one.distance.error) for one in webs
    ]
    columns = ("web", "pages", "links", "average distance", "standard error")
    verdict = claim_on_distance([one.distance.average for one in webs])
    return Table("table-1", "The webs before pruning", columns, tuple(rows), (verdict,))


def table_2(webs: list[Snapshot]) -> Table:
    """The webs without the links inside sites."""
    rows = tuple((one.name, one.pruned.page_count, one.pruned.link_count) for one in webs)
    verdict = claim_on_pruning([1 - one.pruned.link_count / max(one.web.link_count, 1) for one in webs])
    return Table("table-2", "The webs after pruning", ("web", "pages", "links"), rows, (verdict,))


def distance_table(one: Snapshot, distances: CoreDistances) -> Table:
    """The core distances in numbers, next to the web's average distance."""
    columns = ("cores", "smallest", "mean", "largest", "pairs with a path, %", "average distance of the web")
    row = (len(distances.matrix), distances.minimum, distances.mean, distances.maximum, 100 * distances.connected)
    return Table("core-distances", "Distances between cores", columns, ((*row, one.distance.average),))


def reached_table(one: Snapshot) -> Table:
    """Hosts, communities and spam in the first hundredth of the web fetched from the best seeds."""
    seeds = one.seeds.pages[:CRAWLED]
    budget = max(one.web.page_count // 100, len(seeds))
    sets = [seeds, *one.random_sets(len(seeds))]
    ours, *random = [reached(crawl(one.web, pages.tolist(), "bfs", budget), one.web) for pages in sets]
    rows: list[tuple[Cell, ...]] = []
    for name, unit in (("hosts", 1), ("communities", 1), ("spam_share", 100)):
        if (own := getattr(ours, name)) is not None:
            mean = mean_interval([unit * getattr(draw, name) for draw in random])
            rows.append((name if unit == 1 else "spam, %", unit * own, mean.mean, mean.low, mean.high))
    verdict = claim_on_communities(ours.communities, [draw.communities for draw in random])
    columns = ("reached", OURS, one.baseline.seeds, "from", "to (95 %)")
    return Table("reached", f"What the first {budget:,} pages reach, old web", columns, tuple(rows), (verdict,))


def survival_table(lasting: Survival) -> Table:
    """How many old seeds are in the new web, next to pages in general."""
    rows = []
    for what, one in ((OURS, lasting.seeds), (f"{lasting.kind} drawn at random", lasting.all_pages)):
        rows.append((what, one.n, *(None if share is None else 100 * share for share in (one.mean, one.low, one.high))))
    columns = ("what", "number", "still there, %", "from", "to (95 %)")
    title = "Seeds that survive into the new web"
    return Table("survival", title, columns, tuple(rows), (claim_on_survival(lasting),))


def size_figures(webs: list[Snapshot]) -> list[Figure]:
    """Figures 4 and 5: hubs and authorities of each core."""
    figures = []
    for number, one in zip((4, 5), webs, strict=False):
        hubs, authorities = [len(core.hubs) for core in one.cores], [len(core.authorities) for core in one.cores]
        rounds = range(1, len(hubs) + 1)
        series = (curve("hubs", rounds, hubs), curve("authorities", rounds, authorities))
        title = f"Core sizes, round by round, on the {one.name} web"
        verdicts = (claim_on_sizes(hubs, authorities),)
        figures.append(Figure(f"figure-{number}", title, "round", "pages", series, verdicts, log_y=True))
    return figures


def figure_6(one: Snapshot, distances: CoreDistances) -> Figure:
    """The map of cores."""
    places = core_map(distances.matrix)
    x, y = (tuple(map(float, axis)) for axis in places.T)
    series = Series("cores", x, y, labels=tuple(str(core.number) for core in one.cores[: len(places)]))
    verdicts = (claim_on_core_distances(distances, one.distance.average),)
    about = "The number of a core is the round in which it was found."
    title = "Cores by distance, on the old web"
    return Figure("figure-6", title, "links", "links", (series,), verdicts, kind="map", about=about)


def crawl_figures(one: Snapshot, numbers: tuple[int, int]) -> list[Figure]:
    """Figures 7 and 8, or 9 and 10: the best seeds of a web against random ones."""
    seeds = one.seeds.pages[:CRAWLED]
    ours, random = one.crawled(seeds), one.crawled(*one.random_sets(len(seeds)))
    verdicts = claim_on_pagerank(ours, random, (1, 4)), claim_on_page_counts(ours, random, None)
    where = f"{len(seeds)} seeds, on the {one.name} web"
    return _two_figures(numbers, where, {OURS: ours}, random, verdicts, one.baseline)


def survivor_figures(old: Snapshot, new: Snapshot, lasting: Survival) -> list[Figure]:
    """Figures 11 and 12: the surviving seeds of the old web, in the new one."""
    seeds = lasting.survivors
    if not len(seeds):
        none_left = [Verdict(plain(claim), None, "no seed of the old web is in the new one") for claim in
                     (PAGERANK_CLAIM, PAGES_CLAIM)]  # fmt: skip
        random = new.crawled(*new.random_sets(CRAWLED))
        return _two_figures((11, 12), "no old seed is in the new web", {}, random, none_left, new.baseline)
    ours, random = new.crawled(seeds), new.crawled(*new.random_sets(len(seeds)))
    lines = {OURS: ours, CARRIED: new.crawled(carried_over(old, new, len(seeds)))}
    verdicts = claim_on_pagerank(ours, random, (0, 3)), claim_on_page_counts(ours, random, (3, 15))
    where = f"{len(seeds)} old seeds, on the new web"
    return _two_figures((11, 12), where, lines, random, verdicts, new.baseline)


def carried_over(old: Snapshot, new: Snapshot, k: int) -> NDArray[np.int64]:
    """As many seeds as survive: the first ones, carried over to the new web by `refresh`."""
    from seedbed.seeds.refresh.refresh import refresh

    first = old.seeds.pages[:k].tolist()
    found = refresh(old.web, new.web, first, strategy="cores", threads=old.options.threads, progress=old.progress)
    return found.pages


def _two_figures(
    numbers: tuple[int, int],
    where: str,
    lines: dict[str, DepthProfile],
    random: DepthProfile,
    verdicts: Sequence[Verdict],
    baseline: Baseline,
) -> list[Figure]:
    """Average PageRank, and pages, by depth. `baseline`: what random seeds are drawn from."""
    ranks = [curve(name, range(one.depths), one.pagerank[0]) for name, one in lines.items()]
    pages = [
        curve(name, range(one.depths), np.where(one.pages[0] > 0, one.pages[0], np.nan)) for name, one in lines.items()
    ]
    ranks.append(line(baseline.seeds, range(random.depths), column_intervals(random.pagerank)))
    means = [one if one is not None and one.mean > 0 else None for one in column_intervals(random.pages)]
    pages.append(line(baseline.seeds, range(random.depths), means))
    about = f"Random: the mean of {len(random.pages)} draws of {baseline.kind} and its standard error."
    kinds = (
        ("Average PageRank by depth", "average PageRank", ranks),
        ("Pages by depth", "pages fetched at this depth", pages),
    )
    return [
        Figure(f"figure-{number}", f"{title}: {where}", "depth", label, tuple(series), (one,), log_y=True, about=about)
        for number, (title, label, series), one in zip(numbers, kinds, verdicts, strict=True)
    ]


# The paper's claims, tested on the numbers found.


def claim_on_distance(averages: Sequence[float | None]) -> Verdict:
    """Table 1: pages are about 15 links apart (14.9 and 15.7)."""
    claim = "Pages are about 15 links apart on average"
    known = [one for one in averages if one is not None]
    if not known:
        return Verdict(plain(claim), None, "no page reaches another")
    return Verdict(
        plain(claim), all(10 <= one <= 20 for one in known), f"{_listed(known)} links; 10 to 20 counts as about 15"
    )


def claim_on_pruning(shares: Sequence[float]) -> Verdict:
    """Table 2: pruning took 92 % and 80 % of the links."""
    percent = [100 * share for share in shares]
    found = f"{_listed(percent)} % of the links are"
    return Verdict(plain("Most links are inside sites"), all(one > 50 for one in percent), found)


def _listed(numbers: Sequence[float]) -> str:
    return " and ".join(f"{number:.1f}" for number in numbers)


def claim_on_sizes(hubs: Sequence[int], authorities: Sequence[int]) -> Verdict:
    """Figures 4 and 5."""
    more = sum(one > other for one, other in zip(hubs, authorities, strict=True))
    mean = f"{np.mean(hubs):.1f} hubs and {np.mean(authorities):.1f} authorities on average"
    claim = "Cores normally have more hubs than authorities"
    return Verdict(plain(claim), 2 * more > len(hubs), f"{more} of {len(hubs)} do; {mean}")


def claim_on_core_distances(distances: CoreDistances, average: float | None) -> Verdict:
    """Figure 6: the paper's cores were 1 to 13 links apart, 7.15 on average; its pages 14.9."""
    claim = "Cores of successive rounds are at least as far apart as pages are on average"
    following = np.diagonal(distances.matrix, 1)
    known = following[np.isfinite(following)]
    if len(distances.matrix) < 2:
        return Verdict(plain(claim), None, "there is only one core")
    if not len(known) or average is None or distances.mean is None:
        return Verdict(plain(claim), None, "no path joins such cores")
    found = (
        f"{known.mean():.2f} links against {average:.2f}; all cores are {distances.minimum} to {distances.maximum} "
        f"apart, {distances.mean:.2f} on average, and {100 * distances.connected:.0f} % of the pairs have a path"
    )
    return Verdict(plain(claim), bool(known.mean() >= average), found)


def claim_on_pagerank(ours: DepthProfile, random: DepthProfile, span: tuple[int, int]) -> Verdict:
    """Figures 7, 9 (depths 1 to 3) and 11 (depths 0 to 2)."""
    claim = f"{PAGERANK_CLAIM} (depths {span[0]} to {span[1] - 1})"
    means = column_intervals(random.pagerank)
    within = range(span[0], min(span[1], ours.depths, random.depths))
    depths = [depth for depth in within if np.isfinite(ours.pagerank[0, depth]) and means[depth] is not None]
    return _depth_verdict(claim, depths, ours.pagerank[0], means, "the average PageRank")


def claim_on_page_counts(ours: DepthProfile, random: DepthProfile, span: tuple[int, int] | None) -> Verdict:
    """Figures 8, 10 (every depth) and 12 (depths 3 to 14).

    Pages are counted up to each depth: at a single depth, a crawl that is ahead must fall behind once little is left.
    """
    last = min(ours.depths, random.depths)
    first, stop = span or (1, last)
    claim = f"{PAGES_CLAIM} (depths {first} to {span[1] - 1})" if span else f"{PAGES_CLAIM} (all depths)"
    means = column_intervals(random.pages_so_far)
    depths = list(range(first, min(stop, last)))
    return _depth_verdict(claim, depths, ours.pages_so_far[0], means, "the number of pages so far")


def _depth_verdict(
    claim: str, depths: list[int], ours: NDArray[np.float64], random: list[Interval | None], what: str
) -> Verdict:
    """Whether ours is above the interval of random at every depth; a single draw has no interval, and cannot tell."""
    if not depths:
        return Verdict(plain(claim), None, "the crawls are not that deep")
    means = [one.mean if (one := random[depth]) is not None and one.mean > 0 else float("nan") for depth in depths]
    ratios = [float(ours[depth]) / mean for depth, mean in zip(depths, means, strict=True)]
    above = [_is_above(float(ours[depth]), random[depth]) for depth in depths]
    wins = [depth for depth, wins in zip(depths, above, strict=True) if wins]
    best = depths[int(np.argmax(ratios))]
    times = f"{min(ratios):.2f} to {max(ratios):.2f} times that from random seeds, most at depth {best}"
    if all(one is None for one in above):
        return Verdict(plain(claim), None, f"{what} is {times}, but from one draw only")
    some = f" ({_ranges(wins)})" if 0 < len(wins) < len(depths) else ""
    at = f"at {len(wins)} of {len(depths)} depths{some}"
    undecided = None in above and False not in above
    found = f"{what} is above the 95 % interval of random seeds {at}, {times}"
    return Verdict(plain(claim), None if undecided else all(above), found)


def _is_above(value: float, one: Interval | None) -> bool | None:
    return None if one is None or one.high is None else value > one.high


def _ranges(numbers: list[int]) -> str:
    """1, 3–5, 9 for 1, 3, 4, 5, 9."""
    starts = [one for one in numbers if one - 1 not in numbers]
    ends = [one for one in numbers if one + 1 not in numbers]
    return ", ".join(f"{start}" if start == end else f"{start}–{end}" for start, end in zip(starts, ends, strict=True))


def claim_on_survival(lasting: Survival) -> Verdict:
    """Section 1: hubs are durable; section 3.5.4: 11 % of the seeds were left after three years."""
    seeds, pages = lasting.seeds, lasting.all_pages
    what = (
        f"{100 * seeds.mean:.1f} % of {seeds.n} seeds are still there, and {100 * pages.mean:.1f} % of "
        f"{lasting.kind} in general; the difference of the shares"
    )
    return larger("Hubs last longer than pages in general", difference(seeds, pages), what)


def claim_on_communities(ours: int | None, random: Sequence[int | None]) -> Verdict:
    """Abstract: pages from different communities."""
    claim = "A crawl from seeds of cores soon reaches more communities than one from random seeds"
    known = [one for one in random if one is not None]
    if ours is None or not known:
        return Verdict(plain(claim), None, "the web does not say which communities its pages are in")
    mean = mean_interval(known)
    one = "" if mean.n > 1 else ", but from one draw only"
    return Verdict(plain(claim), _is_above(ours, mean), f"{ours} against {mean.mean:.1f} on average{one}")


PAPER_EXPERIMENT = Paper(
    name="daneshpajouh",
    meaning="seeds from cores, on a web and on a later one",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
    pair=True,
)

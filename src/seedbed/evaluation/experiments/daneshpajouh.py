"""Daneshpajouh, Nasiri, Ghodsi 2008: seeds from cores, on a web and on a later one (Tables 1 and 2, Figures 4 to 12).

Cores of the old and the new web: their sizes (Figures 4, 5), the distances between those of the old one (6). Then
breadth-first crawls from the best ten seeds of each web against random ones: average PageRank and pages by depth (7 to
10). Last, the seeds of the old web that are still in the new one, crawled there (11, 12), beside those carried over by
`refresh`. The paper counts depths from 1; here depth 0 is the seeds. Without a new web: what can be done on one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from seedbed.evaluation.by_depth import ByDepth, by_depth, column_intervals, random_sets
from seedbed.evaluation.core_distances import CoreDistances, core_distances
from seedbed.evaluation.core_map import core_map
from seedbed.evaluation.experiments import claims_on_cores as claims
from seedbed.evaluation.experiments.experiment import Cell, Experiment, Figure, Series, Table, curve, line
from seedbed.evaluation.intervals import mean_interval
from seedbed.evaluation.reached import reached
from seedbed.evaluation.survival import Survival, survival
from seedbed.graph.web import Web
from seedbed.ranking.pagerank import pagerank
from seedbed.seeds.seeds import Core, Seeds
from seedbed.seeds.select import select
from seedbed.shape.distances import Distances, average_distance

REFERENCE = (
    "Daneshpajouh, Nasiri, Ghodsi: A fast community based algorithm for generating web crawler seeds set. WEBIST 2008."
)
MAPPED, CRAWLED, MAX_HUBS = 56, 10, 999
OURS, RANDOM, CARRIED = "seeds from cores", "random seeds", "seeds carried over (ours)"


@dataclass(frozen=True)
class Options:
    """`cores` are sought on each web, random seeds drawn `draws` times; `samples`: see average_distance."""

    cores: int = 100
    draws: int = 20
    samples: int | None = None
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("cores", "draws", "threads"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} is {getattr(self, name)}; give 1 or more.")


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two webs, and what is found on it when asked for."""

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
        options = self.options
        return average_distance(
            self.web.links, samples=options.samples, seed=options.seed, threads=options.threads, progress=self.progress
        )

    @cached_property
    def seeds(self) -> Seeds:
        """One a core."""
        k = min(self.options.cores, self.web.page_count)
        found = select(
            self.web, "cores", k, threads=self.options.threads, progress=self.progress, max_hubs=self.max_hubs
        )
        if not len(found):
            source = self.web.origin.source or f"the {self.name} web"
            raise OptionError(
                f"{source}: has no link between sites, and so no cores. A web of several sites is needed."
            )
        return found

    @property
    def cores(self) -> list[Core]:
        """In the order found."""
        return [seed.core for seed in self.seeds if seed.core is not None]

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """PageRank on the whole web."""
        return pagerank(self.web, threads=self.options.threads, progress=self.progress).scores

    def crawled(self, seeds: NDArray[Any]) -> ByDepth:
        """A crawl from some seeds."""
        return by_depth(self.web, [seeds], self.scores, self.progress)

    def at_random(self, size: int) -> ByDepth:
        """Crawls from so many random seeds."""
        sets = random_sets(self.web.page_count, size, self.options.draws, self.options.seed)
        return by_depth(self.web, sets, self.scores, self.progress)


def experiment(
    old: Web, new: Web | None = None, options: Options | None = None, progress: Progress = no_progress
) -> Experiment:
    """The whole experiment; without a new web, what one web can tell."""
    options = options or Options()
    sides = [Side("old", old, options, MAX_HUBS, progress)]
    if new is not None:
        sides.append(Side("new", new, options, None, progress))
    tables = [table_1(sides), table_2(sides)]
    distances = core_distances(old, sides[0].cores[:MAPPED], threads=options.threads, progress=progress)
    tables.append(distance_table(sides[0], distances))
    tables.append(reached_table(sides[0]))
    figures = [*sizes(sides), figure_6(sides[0], distances), *crawls(sides[0], ("figure-7", "figure-8"))]
    notes = [f"{side.name} web: {note}" for side in sides for note in side.seeds.notes]
    if new is None:
        notes.append("one web was given: Figures 5 and 9 to 12 need a newer one.")
    else:
        lasting = survival(old, new, sides[0].seeds.pages, seed=options.seed)
        tables.append(survival_table(lasting))
        figures += crawls(sides[1], ("figure-9", "figure-10"))
        figures += crawls_of_survivors(sides, lasting)
    figures.sort(key=lambda figure: int(figure.name.split("-")[1]))
    settings: dict[str, Any] = {side.name: side.web.origin.source for side in sides}
    settings |= {"cores": options.cores, "draws": options.draws, "seed": options.seed}
    return Experiment("daneshpajouh", REFERENCE, tuple(tables), tuple(figures), settings, tuple(notes))


def table_1(sides: list[Side]) -> Table:
    """The webs as they are."""
    rows = [
        (side.name, side.web.page_count, side.web.link_count, side.distance.average, side.distance.error)
        for side in sides
    ]
    columns = ("web", "pages", "links", "average distance", "standard error")
    verdicts = (claims.on_distance([side.distance.average for side in sides]),)
    return Table("table-1", "The webs before pruning", columns, tuple(rows), verdicts)


def table_2(sides: list[Side]) -> Table:
    """The webs without the links inside sites."""
    rows = [(side.name, side.pruned.page_count, side.pruned.link_count) for side in sides]
    shares = [1 - side.pruned.link_count / max(side.web.link_count, 1) for side in sides]
    return Table(
        "table-2", "The webs after pruning", ("web", "pages", "links"), tuple(rows), (claims.on_pruning(shares),)
    )


def distance_table(side: Side, distances: CoreDistances) -> Table:
    """The core distances in numbers, beside the web's average distance."""
    columns = ("cores", "smallest", "mean", "largest", "pairs with a way, %", "average distance of the web")
    row = (len(distances.matrix), distances.minimum, distances.mean, distances.maximum, 100 * distances.connected)
    return Table("core-distances", "Distances between cores", columns, ((*row, side.distance.average),))


def reached_table(side: Side) -> Table:
    """Hosts, communities and spam in the first hundredth of the web that is fetched from the best seeds."""
    seeds = side.seeds.pages[:CRAWLED]
    budget = max(side.web.page_count // 100, len(seeds))
    sets = [seeds, *random_sets(side.web.page_count, len(seeds), side.options.draws, side.options.seed)]
    ours, *random = [reached(crawl(side.web, one.tolist(), "bfs", budget), side.web) for one in sets]
    rows: list[tuple[Cell, ...]] = []
    for name, unit in (("hosts", 1), ("communities", 1), ("spam_share", 100)):
        if (own := getattr(ours, name)) is not None:
            mean = mean_interval([unit * getattr(one, name) for one in random])
            rows.append((name if unit == 1 else "spam, %", unit * own, mean.mean, mean.low, mean.high))
    verdict = claims.on_communities(ours.communities, [one.communities for one in random])
    columns = ("reached", OURS, RANDOM, "from", "to (95 %)")
    return Table("reached", f"What the first {budget:,} pages reach, old web", columns, tuple(rows), (verdict,))


def sizes(sides: list[Side]) -> list[Figure]:
    """Figures 4 and 5: hubs and authorities of each core."""
    figures = []
    for number, side in zip((4, 5), sides, strict=False):
        hubs, authorities = ([len(pages) for pages in flank] for flank in _flanks(side.cores))
        rounds = range(1, len(hubs) + 1)
        series = (curve("hubs", rounds, hubs), curve("authorities", rounds, authorities))
        title = f"Core sizes, round by round, on the {side.name} web"
        verdicts = (claims.on_sizes(hubs, authorities),)
        figures.append(Figure(f"figure-{number}", title, "round", "pages", series, verdicts, log_y=True))
    return figures


def _flanks(cores: list[Core]) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    return [core.hubs for core in cores], [core.authorities for core in cores]


def figure_6(side: Side, distances: CoreDistances) -> Figure:
    """The map of cores."""
    places = core_map(distances.matrix)
    labels = tuple(str(core.round) for core in side.cores[: len(places)])
    x, y = (tuple(float(place) for place in axis) for axis in places.T) if len(places) else ((), ())
    verdicts = (claims.on_core_distances(distances, side.distance.average),)
    return Figure(
        "figure-6", "Cores by distance, on the old web", "links", "links", (Series("cores", x, y, labels=labels),),
        verdicts, kind="map", about="The number of a core is the round in which it was found.",
    )  # fmt: skip


def crawls(side: Side, names: tuple[str, str]) -> list[Figure]:
    """Figures 7 and 8, or 9 and 10: the best seeds of a web against random ones."""
    seeds = side.seeds.pages[:CRAWLED]
    ours, random = side.crawled(seeds), side.at_random(len(seeds))
    where = f"{len(seeds)} seeds, on the {side.name} web"
    return _pair(
        names, where, {OURS: ours}, random,
        (claims.on_pagerank(ours, random, (1, 4)),), (claims.on_pages(ours, random, None),),
    )  # fmt: skip


def crawls_of_survivors(sides: list[Side], lasting: Survival) -> list[Figure]:
    """Figures 11 and 12: the seeds of the old web that are left, in the new one."""
    old, new = sides
    seeds = lasting.survivors
    if not len(seeds):
        return _pair(("figure-11", "figure-12"), "no old seed is in the new web", {}, new.at_random(CRAWLED),
                     (claims.none_left("pagerank"),), (claims.none_left("pages"),))  # fmt: skip
    ours, random = new.crawled(seeds), new.at_random(len(seeds))
    lines = {OURS: ours, CARRIED: new.crawled(carried_over(old, new, len(seeds)))}
    return _pair(
        ("figure-11", "figure-12"), f"{len(seeds)} old seeds, on the new web", lines, random,
        (claims.on_pagerank(ours, random, (0, 3)),), (claims.on_pages(ours, random, (3, 15)),),
    )  # fmt: skip


def carried_over(old: Side, new: Side, k: int) -> NDArray[np.int64]:
    """As many seeds as are left, the first ones carried over to the new web by `refresh`."""
    from seedbed.seeds.refresh.refresh import refresh

    first = old.seeds.pages[:k].tolist()
    found = refresh(old.web, new.web, first, strategy="cores", threads=old.options.threads, progress=old.progress)
    return found.pages


def _pair(
    names: tuple[str, str],
    where: str,
    lines: dict[str, ByDepth],
    random: ByDepth,
    on_pagerank: tuple[Any, ...],
    on_pages: tuple[Any, ...],
) -> list[Figure]:
    """Average PageRank, and pages, by depth."""
    ranks = [curve(name, range(one.depths), one.pagerank[0]) for name, one in lines.items()]
    pages = [
        curve(name, range(one.depths), np.where(one.pages[0] > 0, one.pages[0], np.nan)) for name, one in lines.items()
    ]
    ranks.append(line(RANDOM, range(random.depths), column_intervals(random.pagerank)))
    counted = [one if one is not None and one.mean > 0 else None for one in column_intervals(random.pages)]
    pages.append(line(RANDOM, range(random.depths), counted))
    about = f"Random: the mean of {len(random.pages)} draws and its standard error."
    return [
        Figure(names[0], f"Average PageRank by depth: {where}", "depth", "average PageRank", tuple(ranks), on_pagerank,
               log_y=True, about=about),
        Figure(names[1], f"Pages by depth: {where}", "depth", "pages fetched at this depth", tuple(pages), on_pages,
               log_y=True, about=about),
    ]  # fmt: skip


def survival_table(lasting: Survival) -> Table:
    """How many old seeds are in the new web, beside pages in general."""
    rows = [
        (
            what,
            one.n,
            100 * one.mean,
            None if one.low is None else 100 * one.low,
            None if one.high is None else 100 * one.high,
        )
        for what, one in (("seeds from cores", lasting.seeds), ("pages drawn at random", lasting.all_pages))
    ]
    columns = ("what", "number", "still there, %", "from", "to (95 %)")
    return Table(
        "survival", "Seeds that survive into the new web", columns, tuple(rows), (claims.on_survival(lasting),)
    )

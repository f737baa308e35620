"""Zheng, Dmitriev, Giles 2009: seeds inside sites, and how much more they cover than random ones (Figures 2 to 5).

For each of many sites, every strategy chooses up to 10 seeds at 5 hops, and 5 seeds at 1 to 5 hops; pages and value
covered are compared with those of random seeds (see evaluation.coverage). Strategies choose one seed after the other,
so 10 seeds at 5 hops also tell what fewer cover. Values are by the paper's rule where the web has the columns for it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.evaluation.experiments import claims_on_coverage as claims
from seedbed.evaluation.experiments.claims_on_coverage import OURS, RANDOM
from seedbed.evaluation.experiments.experiment import Experiment, Figure, Table, Verdict, line
from seedbed.evaluation.marks import MEANING, Measure, own_measure
from seedbed.evaluation.site_coverage import (
    Covered,
    Way,
    better_than,
    choose_sites,
    covered_at_random,
    covered_by,
    stacked,
)
from seedbed.graph.web import Web

if TYPE_CHECKING:
    from seedbed.evaluation.intervals import Interval

REFERENCE = "Zheng, Dmitriev, Giles: Graph-based seed selection for web-scale crawlers. CIKM 2009."
MOST_SEEDS, FEW_SEEDS, MOST_HOPS = 10, 5, 5
WAYS = (
    Way("PageRank", "pagerank"),
    Way("OutDegree", "outdegree"),
    Way("MaxOut", "maxout"),
    Way("MaxWeight, 2 hops", "maxweight", {"depth": 2}),
    Way("MaxWeight, 3 hops", "maxweight", {"depth": 3}),
    Way("MaxSCC", "maxscc"),
    Way("RootSCC", "rootscc"),
    Way(OURS, "cover"),
)


@dataclass(frozen=True)
class Options:
    """`sites` are drawn among those with `least` pages; random seeds are drawn `draws` times on each."""

    sites: int = 200
    least: int = 100
    draws: int = 10
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for name, least in (("sites", 1), ("least", 2), ("draws", 1), ("threads", 1)):
            if getattr(self, name) < least:
                raise OptionError(f"{name} is {getattr(self, name)}; give {least} or more.")


class Found(NamedTuple):
    """By the name of a strategy: what 1 … 10 seeds cover at 5 hops, and what 5 seeds cover at 1 … 5; a row a site."""

    by_seeds: dict[str, Covered]
    by_hops: dict[str, Covered]


def experiment(web: Web, options: Options | None = None, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on the hosts of one web."""
    from seedbed.seeds.values import paper_values

    options = options or Options()
    values = paper_values(web)
    even = bool((values == values[:1]).all())
    sites, notes = choose_sites(web, values, options.sites, options.least, options.seed)
    found = measure(web, values, sites, options, progress)
    if even:
        notes = (*notes, "all pages of this web are worth the same, so value coverage is page coverage.")
    return Experiment(
        "zheng",
        REFERENCE,
        (coverage_table(found, even),),
        figures(found, even),
        {"web": web.origin.source, "sites": len(sites), "draws": options.draws, "seed": options.seed},
        notes,
    )


def measure(
    web: Web, values: NDArray[np.float64], sites: NDArray[np.int64], options: Options, progress: Progress = no_progress
) -> Found:
    """What every strategy covers on every site. Threads share out the sites; each draws by its own numbers."""
    from seedbed.seeds.per_site import links_by_site

    of_page = web.sites("host").of_page
    wanted = np.zeros(len(web.sites("host")), np.bool_)
    wanted[sites] = True
    parted = links_by_site(web.links, of_page, wanted)

    def judge(site: int) -> list[tuple[Covered, Covered]]:
        inside, worth = Web(parted.links_of(site)), values[parted.pages_of(site)]
        return [judged(inside, worth, way, options.draws, options.seed + site) for way in (None, *WAYS)]

    rows = []
    with ThreadPoolExecutor(options.threads) as pool:
        for row in pool.map(judge, sites.tolist()):
            rows.append(row)
            progress("sites", len(rows), len(sites))
    names = (RANDOM, *(way.name for way in WAYS))
    return Found(
        {name: stacked(row[k][0] for row in rows) for k, name in enumerate(names)},
        {name: stacked(row[k][1] for row in rows) for k, name in enumerate(names)},
    )


def judged(web: Web, worth: NDArray[np.float64], way: Way | None, draws: int, seed: int) -> tuple[Covered, Covered]:
    """(what 1 … 10 seeds cover at 5 hops, what 5 seeds cover at 1 … 5 hops); `way` None: seeds at random."""

    def covered(k: int, hops: int) -> Covered:
        if way is None:
            return covered_at_random(web, worth, k, hops, draws, seed)
        return covered_by(web, worth, way, k, hops, seed)

    most = covered(MOST_SEEDS, MOST_HOPS)
    fewer = [covered(FEW_SEEDS, hops) for hops in range(1, MOST_HOPS)]
    last = FEW_SEEDS - 1
    pages = [*(one.pages[last] for one in fewer), most.pages[last]]
    value = [*(one.value[last] for one in fewer), most.value[last]]
    return most, Covered(np.array(pages), np.array(value))


def figures(found: Found, even: bool) -> tuple[Figure, ...]:
    """Figures 2 to 5."""
    by_seeds, by_hops = found
    pages, value = (shares(by_hops, what) for what in ("pages", "value"))
    return (
        figure("figure-2", by_seeds, "pages", even, claims.on_pages(shares(by_seeds, "pages"))),
        figure("figure-3", by_seeds, "value", even, claims.on_value(shares(by_seeds, "value"))),
        figure("figure-4", by_hops, "pages", even, claims.on_hops(pages)),
        figure("figure-5", by_hops, "value", even, claims.on_both(pages, value)),
    )


def shares(found: dict[str, Covered], what: str) -> dict[str, NDArray[np.float64]]:
    """Pages or value only."""
    return {name: getattr(one, what) for name, one in found.items()}


def figure(name: str, found: dict[str, Covered], what: str, even: bool, verdicts: tuple[Verdict, ...]) -> Figure:
    """Per cent better than Random, a line a strategy, with standard errors over sites."""
    by_hops = name in ("figure-4", "figure-5")
    places = list(range(1, (MOST_HOPS if by_hops else MOST_SEEDS) + 1))
    kind: Measure = "pages covered" if what == "pages" else "value covered"
    gains = improvements(shares(found, what))
    series = [
        line(way.name, places, gains[way.name], own=own_measure(way.strategy, kind, values_are_even=even))
        for way in WAYS
    ]
    fixed, moving = (f"{FEW_SEEDS} seeds a site", "hops") if by_hops else (f"{MOST_HOPS} hops", "seeds a site")
    title = f"{kind.capitalize()} by {moving} at {fixed}"
    return Figure(name, title, moving, "% better than Random", tuple(series), verdicts, about=MEANING)


def improvements(found: dict[str, NDArray[np.float64]]) -> dict[str, list[Interval]]:
    """Per cent better than Random for every number of seeds or hops."""
    base = found[RANDOM]
    columns = range(base.shape[1])
    return {name: [better_than(one[:, k], base[:, k]) for k in columns] for name, one in found.items()}


def coverage_table(found: Found, even: bool) -> Table:
    """What five seeds cover at five hops, in numbers."""
    rows = []
    at = FEW_SEEDS - 1
    pages, value = (shares(found.by_seeds, what) for what in ("pages", "value"))
    for name in pages:
        way = next((one for one in WAYS if one.name == name), None)
        own = way is not None and own_measure(way.strategy, "value covered", values_are_even=even)
        better = [better_than(one[name][:, at], one[RANDOM][:, at]) for one in (pages, value)]
        cells = [cell for one in better for cell in (one.mean, one.error)]
        covered = (100 * float(one[name][:, at].mean()) for one in (pages, value))
        rows.append((name, *covered, *cells, int(own)))
    columns = ("strategy", "pages covered, %", "value covered, %", "pages, % better than Random", "standard error",
               "value, % better than Random", "standard error of it", "chosen by value")  # fmt: skip
    return Table("coverage", f"{FEW_SEEDS} seeds a site, {MOST_HOPS} hops", columns, tuple(rows))

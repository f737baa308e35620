"""Zheng, Dmitriev, Giles 2009: seeds inside sites, and how much more they cover than random ones (Figures 2 to 5).

On each of many sites, every strategy chooses up to 10 seeds at 5 hops, and 5 seeds at 1 to 5 hops. A site is its pages
that were crawled, judged on its own: seeds are chosen among them, and paths use the links among them. What k seeds
cover within h links is a share of the site's pages, or of its value: of Σ |w|, so that spam subtracts what it is worth
and no site counts more than once, either way. Values follow the paper's rule if the web has the columns for it. Over
all sites s

    per cent better than Random = 100 · (Σ x_s / Σ r_s − 1)

where x_s is the share covered, and r_s that covered by random seeds, the mean of several draws. Sites count equally,
whatever their size, and one where random seeds cover nothing does no harm. The error is that of a ratio (see
intervals.py). The claims, and how they are judged: zheng_claims.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import OptionError
from seedbed.evaluation.crawl_measures import Baseline, baseline_of
from seedbed.evaluation.experiments.experiment import Experiment, Paper, Settings
from seedbed.evaluation.experiments.zheng_claims import (
    CLAIMS,
    EVEN,
    FEW_SEEDS,
    MOST_HOPS,
    MOST_SEEDS,
    OURS,
    RANDOM,
    WORTHLESS,
    Coverage,
    Placed,
    is_worthless,
    judge_by_hops,
    judge_by_seeds,
    judge_sites,
    percent_better,
)
from seedbed.evaluation.intervals import column_intervals, mean_interval
from seedbed.evaluation.tables_and_figures import MARK_MEANING, Figure, Table, line
from seedbed.graph.transforms import subweb
from seedbed.graph.web import Web
from seedbed.seeds import STRATEGIES
from seedbed.seeds.gain import gain_of
from seedbed.seeds.select import select
from seedbed.shape.components import strong_components

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.seeds import Gain
    from seedbed.seeds.strategy import Measure

Floats = NDArray[np.float64]
Both = Mapping[str, Floats]
"""By the name of a strategy, the shares of pages and of value it covers: two rows, each as in `Shares`."""

REFERENCE = "Zheng, Dmitriev, Giles: Graph-based seed selection for web-scale crawlers. CIKM 2009."
SMALLEST_SITE = 2
"""A smaller site leaves nothing to choose."""

VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "PageRank": ("pagerank", {}),
    "OutDegree": ("outdegree", {}),
    "MaxOut": ("maxout", {}),
    "MaxWeight (2 hops)": ("maxweight", {"depth": 2}),
    "MaxWeight (3 hops)": ("maxweight", {"depth": 3}),
    "MaxSCC": ("maxscc", {}),
    "RootSCC": ("rootscc", {}),
    OURS: ("cover", {}),
}
"""By the paper's names: strategies and their options."""


@dataclass(frozen=True, kw_only=True)
class Options(Settings):
    """How large the experiment is."""

    sites: Annotated[int, Option("Sites to choose seeds on.", least=1)] = 200
    least: Annotated[int, Option("Minimum number of pages on a site.", least=2)] = 100
    draws: Annotated[int, Option("How many times to draw random seeds on each site.", least=1)] = 10
    values: Annotated[str, Option("What pages are worth: as --values of 'seedbed seeds'.")] = "paper"
    uniqueness: Annotated[
        str | None, Option("How likely a newly crawled page is new: as --uniqueness of 'seedbed seeds'.")
    ] = None
    crawled_only: Annotated[
        bool, Option("Judge only pages that were crawled, as in the paper, if it is known which were.")
    ] = True


class Measured(NamedTuple):
    """What strategies cover by seeds and by hops; of each site, its strong components and the share of the largest."""

    by_seeds: Both
    by_hops: Both
    pages: NDArray[np.int64]
    components: NDArray[np.int64]
    largest: Floats


def experiment(web: Web, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on the hosts of one web."""
    from seedbed.seeds.given_uniqueness import default_source
    from seedbed.seeds.values import values_of

    said: list[str] = []
    values = values_of(web, options.values, said.append, uniqueness=options.uniqueness)
    judged, values = crawled_part(web, values, said) if options.crawled_only else (web, values)
    sites, notes = choose_sites(judged, values, options.sites, options.least, options.seed)
    on_sites = values[np.isin(judged.sites("host").of_page, sites)]
    even = bool((on_sites == on_sites[:1]).all())
    found = measure(judged, values, sites, options, progress)
    if even:
        said.append("all pages of these sites are worth the same, so value covered equals pages covered.")
    settings = {"web": web.origin.source, "sites": len(sites), "draws": options.draws, "seed": options.seed}
    uniqueness = default_source(web) if options.uniqueness is None else str(options.uniqueness)
    settings |= {"values": options.values, "uniqueness": uniqueness, "crawled_only": options.crawled_only}
    return Experiment(
        "zheng",
        REFERENCE,
        (sites_table(found), coverage_table(found.by_seeds, even)),
        figures(found, even, options.seed),
        settings,
        (*notes, *said),
    )


def crawled_part(web: Web, values: Floats, said: list[str]) -> tuple[Web, Floats]:
    """The pages that were crawled, the links among them, and their values; everything if it is not known."""
    crawled = web.baseline_pages()
    if len(crawled) == web.page_count:
        return web, values
    said.append(f"sites are the {len(crawled):,} crawled pages of {web.page_count:,}.")
    return subweb(web, crawled), values[crawled]


def choose_sites(
    web: Web, values: Floats, count: int, least: int, seed: int
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """(sites to judge, ascending; notes): hosts drawn at random among those with `least` pages or more and some value.

    They must have links inside and from other hosts. If there are too few, the largest are taken; if no host has a link
    from another, such links are not required.
    """
    hosts = web.sites("host")
    sizes = hosts.sizes()
    inside, from_elsewhere = links_to_sites(web.links, hosts.of_page, len(hosts))
    usable = (sizes >= SMALLEST_SITE) & inside & (np.bincount(hosts.of_page, values, len(hosts)) > 0)
    linked = usable & from_elsewhere
    notes = []
    if linked.any():
        usable = linked
    else:
        notes.append("no site has a link from another one, so sites without such links were taken.")
    enough = np.flatnonzero(usable & (sizes >= least))
    if len(enough) >= count:
        return np.sort(np.random.default_rng(seed).choice(enough, count, replace=False)), tuple(notes)
    pool = np.flatnonzero(usable)
    if not len(pool):
        raise OptionError("no site of the web has links inside and any value, so there is nothing to choose seeds on.")
    largest = np.sort(pool[np.argsort(-sizes[pool], kind="stable")[:count]])
    notes.append(
        f"{counted(len(enough), 'site')} of {least} pages or more where {count} were asked for. So the largest sites "
        f"were taken, {len(largest)} of them, down to {sizes[largest].min()} pages; they are no random sample."
    )
    return largest, tuple(notes)


def links_to_sites(links: LinkStore, of_page: NDArray[Any], sites: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(sites with a link among their own pages, sites that a page of another site links to). One pass."""
    inside, from_elsewhere = np.zeros(sites, np.bool_), np.zeros(sites, np.bool_)
    for block in links.blocks():
        count = len(block.out_ptr) - 1
        source = np.repeat(of_page[block.first : block.first + count], np.diff(block.out_ptr))
        target = of_page[block.out_idx]
        inside[target[target == source]] = True
        from_elsewhere[target[target != source]] = True
    return inside, from_elsewhere


def measure(
    web: Web, values: Floats, sites: NDArray[np.int64], options: Options, progress: Progress = no_progress
) -> Measured:
    """What 1 … 10 seeds cover at 5 hops, and what 5 seeds cover at 1 … 5. Each site has its own random numbers."""
    from seedbed.seeds.per_site import links_by_site

    of_page = web.sites("host").of_page
    wanted = np.zeros(len(web.sites("host")), np.bool_)
    wanted[sites] = True
    parted = links_by_site(web.links, of_page, wanted)
    names = (RANDOM, *VARIANTS)

    def judge(site: int) -> tuple[list[tuple[Floats, Floats]], tuple[int, int, float]]:
        pages = parted.pages_of(site)
        inside, worth, seed = Web(parted.links_of(site)), values[pages], options.seed + site
        covered = [judge_site(inside, worth, name, options.draws, seed) for name in names]
        strong = strong_components(inside.links)
        return covered, (len(pages), strong.count, strong.largest / len(pages))

    rows, parts = [], []
    with ThreadPoolExecutor(options.threads) as workers:
        for row, part in workers.map(judge, sites.tolist()):
            rows.append(row)
            parts.append(part)
            progress("sites", len(rows), len(sites))
    by_seeds, by_hops = (
        {name: np.stack([row[k][part] for row in rows], axis=1) for k, name in enumerate(names)} for part in (0, 1)
    )
    pages, components, largest = (np.array(column) for column in zip(*parts, strict=True))
    return Measured(by_seeds, by_hops, pages, components, largest)


def judge_site(web: Web, worth: Floats, name: str, draws: int, seed: int) -> tuple[Floats, Floats]:
    """(what 1 … 10 seeds cover at 5 hops, what 5 seeds cover at 1 … 5 hops), pages and value.

    Strategies choose one seed after another, so 10 seeds at 5 hops also show what fewer cover.
    """

    def covered(k: int, hops: int) -> Floats:
        if name == RANDOM:
            return covered_at_random(web, worth, k, hops, draws, seed)
        strategy, options = VARIANTS[name]
        return covered_by(web, worth, strategy, k, hops, seed, **options)

    most = covered(MOST_SEEDS, MOST_HOPS)
    by_hops = [*(covered(FEW_SEEDS, hops) for hops in range(1, MOST_HOPS)), most]
    return most, np.stack([one[:, FEW_SEEDS - 1] for one in by_hops], axis=1)


def covered_by(web: Web, values: Floats, strategy: str, k: int, hops: int, seed: int = 1, **options: Any) -> Floats:
    """The shares of pages and of value that the first 1, 2, … seeds of a strategy cover."""
    size = min(k, web.page_count)
    seeds = select(web, strategy, size, hops=hops, values=values, seed=seed, threads=1, **options)
    return _shares(seeds.gain, values, k)


def covered_at_random(
    web: Web, values: Floats, k: int, hops: int, draws: int, seed: int, baseline: Baseline | None = None
) -> Floats:
    """The same for random seeds, the mean of several draws."""
    sets = (baseline or baseline_of(web)).sets(k, draws, seed)
    found = [_shares(gain_of(web, pages.tolist(), values, hops), values, k) for pages in sets]
    return np.asarray(np.mean(found, axis=0))


def _shares(gain: Gain | None, values: Floats, k: int) -> Floats:
    """Two rows, pages and value; flat after the last seed that was found."""
    assert gain is not None  # noqa: S101
    totals = gain.total_pages, float(np.abs(values).sum())
    rows = np.zeros((2, k))
    for row, covered, total in zip(rows, (gain.pages, gain.value), totals, strict=True):
        if total and len(covered):
            row[: len(covered)], row[len(covered) :] = covered / total, covered[-1] / total
    return rows


def figures(found: Measured, even: bool, seed: int) -> tuple[Figure, ...]:
    """Figures 2 to 5."""
    by_seeds = coverages(found.by_seeds, "figure-2", "figure-3", even)
    by_hops = coverages(found.by_hops, "figure-4", "figure-5", even)
    placed = [*judge_by_seeds(*by_seeds), *judge_by_hops(*by_hops, *by_seeds, seed)]
    return (
        *(figure(one, "seeds", even, placed) for one in by_seeds),
        *(figure(one, "hops", even, placed) for one in by_hops),
    )


def coverages(both: Both, pages: str, value: str, even: bool) -> tuple[Coverage, Coverage]:
    """What strategies cover in pages and in value, by the names of their figures."""
    in_pages, in_value = ({name: one[row] for name, one in both.items()} for row in (0, 1))
    undecided = EVEN if even else WORTHLESS if is_worthless(in_value) else ""
    return Coverage(pages, "pages", in_pages), Coverage(value, "value", in_value, undecided=undecided)


def figure(found: Coverage, by: str, even: bool, placed: list[Placed]) -> Figure:
    """Per cent better than Random, one line per strategy, with standard errors over sites."""
    measure: Measure = "pages covered" if found.measure == "pages" else "value covered"
    series = []
    for variant, (strategy, _) in VARIANTS.items() if found.undecided != WORTHLESS else ():
        better = column_intervals(found.leads(variant))
        own = STRATEGIES[strategy].chooses_by(measure, values_are_even=even)
        series.append(line(variant, range(1, len(better) + 1), better, own=own))
    fixed = f"by {FEW_SEEDS} seeds a site" if by == "hops" else f"within {MOST_HOPS} hops"
    moving, title = "hops" if by == "hops" else "seeds a site", f"{measure.capitalize()} {fixed}, by number of {by}"
    verdicts = tuple(one for name, one in placed if name == found.figure)
    about = f"{MARK_MEANING}. {what_varies(found.sites)}"
    return Figure(found.figure, title, moving, "% better than Random", tuple(series), verdicts, about=about)


def what_varies(sites: int) -> str:
    """What error bars and intervals cover."""
    return (
        f"Error bars (standard errors) and intervals are over {counted(sites, 'site')}: they cover other sites of this "
        "web, not other webs. One web is one draw."
    )


def sites_table(found: Measured) -> Table:
    """The sites and their strong components."""
    rows = []
    for name, values in (
        ("pages", found.pages),
        ("strong components", found.components),
        ("share of the largest component, %", 100 * found.largest),
    ):
        rows.append((name, float(values.min()), float(np.median(values)), float(values.mean()), float(values.max())))
    verdicts = tuple(judge_sites(found.components, found.largest))
    columns = ("of a site", "least", "median", "mean", "most")
    return Table("sites", "Sites and their strong components", columns, tuple(rows), verdicts,
                 about=what_varies(len(found.pages)))  # fmt: skip


def coverage_table(by_seeds: Both, even: bool) -> Table:
    """What five seeds cover at five hops, in numbers."""
    rows = []
    for name, both in by_seeds.items():
        own = name in VARIANTS and STRATEGIES[VARIANTS[name][0]].chooses_by("value covered", values_are_even=even)
        covered, random = both[:, :, FEW_SEEDS - 1], by_seeds[RANDOM][:, :, FEW_SEEDS - 1]
        cells = [cell for shares in zip(covered, random, strict=True) for cell in _better(*shares)]
        rows.append((name, *(100 * covered.mean(axis=1)).tolist(), *cells, int(own)))
    columns = ("strategy", "pages covered, %", "value covered, %", "pages, % better than Random", "standard error",
               "value, % better than Random", "standard error of it", "chosen by value")  # fmt: skip
    return Table("coverage", f"{FEW_SEEDS} seeds a site, {MOST_HOPS} hops", columns, tuple(rows))


def _better(covered: Floats, random: Floats) -> tuple[float | None, float | None]:
    """Per cent better than Random and its standard error; none if random seeds cover nothing of value."""
    if random.mean() <= 0:
        return None, None
    found = mean_interval(percent_better(covered, random))
    return found.mean, found.error


PAPER_EXPERIMENT = Paper(
    name="zheng",
    meaning="seeds inside sites, and how much more they cover than random ones",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
    claims=CLAIMS,
)

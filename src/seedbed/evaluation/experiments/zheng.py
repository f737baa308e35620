"""Zheng, Dmitriev, Giles 2009: seeds inside sites, and how much more they cover than random ones (Figures 2 to 5).

On each of many sites, every strategy chooses up to 10 seeds at 5 hops, and 5 seeds at 1 to 5 hops. A site is judged on
its own: seeds are chosen among its pages, and paths use the links among them. What k seeds cover within h links is a
share of the site's pages, or of its value: of Σ |w|, so that spam subtracts what it is worth and no site counts more
than once, either way. Values follow the paper's rule if the web has the columns for it. Over all sites s

    per cent better than Random = 100 · (Σ x_s / Σ r_s − 1)

where x_s is the share covered, and r_s that covered by random seeds, the mean of several draws. Sites count equally,
whatever their size, and one where random seeds cover nothing does no harm. The error is that of a ratio (Cochran 1977,
chapter 6):

    error² = 100² · Σ (x_s − R·r_s)² / (n − 1) / n / mean(r)²        R = Σ x_s / Σ r_s
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.crawl_measures import Baseline, baseline_of
from seedbed.evaluation.experiments.experiment import BaselineSettings, Experiment, Paper, larger, plain
from seedbed.evaluation.intervals import Interval, by_doubt, column_intervals, mean_interval, paired_interval
from seedbed.evaluation.tables_and_figures import MARK_MEANING, Figure, Table, line
from seedbed.graph.web import CRAWLED, Web
from seedbed.seeds import STRATEGIES
from seedbed.seeds.gain import gain_of
from seedbed.seeds.select import select

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.seeds import Gain
    from seedbed.seeds.strategy import Measure

Floats = NDArray[np.float64]
Shares = Mapping[str, Floats]
"""By the name of a strategy, the share of each site it covers: a row per site, a column per number of seeds or hops."""
Both = Mapping[str, Floats]
"""The same for pages and for value: an array of both per strategy."""

REFERENCE = "Zheng, Dmitriev, Giles: Graph-based seed selection for web-scale crawlers. CIKM 2009."
MOST_SEEDS, FEW_SEEDS, MOST_HOPS = 10, 5, 5
SMALLEST_SITE = 2
"""A smaller site leaves nothing to choose."""
DIGITS = 9
SIMILAR = 1.0
UNIT = " % of what Random covers"

RANDOM, OURS = "Random", "cover (ours)"
HEURISTIC = ("PageRank", "OutDegree")
MAX_WEIGHT = ("MaxWeight, 2 hops", "MaxWeight, 3 hops")
BY_COMPONENTS = ("MaxSCC", "RootSCC")
GRAPH_BASED = ("MaxOut", *MAX_WEIGHT, *BY_COMPONENTS)
PAPER = (*HEURISTIC, *GRAPH_BASED)


VARIANTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "PageRank": ("pagerank", {}),
    "OutDegree": ("outdegree", {}),
    "MaxOut": ("maxout", {}),
    "MaxWeight, 2 hops": ("maxweight", {"depth": 2}),
    "MaxWeight, 3 hops": ("maxweight", {"depth": 3}),
    "MaxSCC": ("maxscc", {}),
    "RootSCC": ("rootscc", {}),
    OURS: ("cover", {}),
}
"""By the paper's names: strategies and their options."""


@dataclass(frozen=True, kw_only=True)
class Options(BaselineSettings):
    """How large the experiment is."""

    sites: Annotated[int, Option("Sites to choose seeds on.", least=1)] = 200
    least: Annotated[int, Option("Minimum number of pages on a site.", least=2)] = 100
    draws: Annotated[int, Option("How many times to draw random seeds on each site.", least=1)] = 10


def experiment(web: Web, options: Options, progress: Progress = no_progress) -> Experiment:
    """The whole experiment on the hosts of one web."""
    from seedbed.seeds.values import paper_values

    values = paper_values(web)
    even = bool((values == values[:1]).all())
    sites, notes = choose_sites(web, values, options.sites, options.least, options.seed)
    by_seeds, by_hops = measure(web, values, sites, options, progress)
    whole = options.baseline(web)
    if whole.note:
        notes = (*notes, f"random pages are {whole.note}.")
    if even:
        notes = (*notes, "all pages of this web are worth the same, so value covered equals pages covered.")
    return Experiment(
        "zheng",
        REFERENCE,
        (coverage_table(by_seeds, even),),
        figures(by_seeds, by_hops, even, whole.kind),
        {"web": web.origin.source, "sites": len(sites), "draws": options.draws, "seed": options.seed}
        | {"crawled_only": options.crawled_only},
        notes,
    )


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
        f"only {len(enough)} sites have {least} pages or more, and {count} were asked for. The {len(largest)} largest "
        f"were taken instead, down to {sizes[largest].min()} pages."
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
) -> tuple[Both, Both]:
    """What 1 … 10 seeds cover at 5 hops, and what 5 seeds cover at 1 … 5. Each site has its own random numbers."""
    from seedbed.seeds.per_site import links_by_site

    of_page = web.sites("host").of_page
    wanted = np.zeros(len(web.sites("host")), np.bool_)
    wanted[sites] = True
    parted = links_by_site(web.links, of_page, wanted)

    names = (RANDOM, *VARIANTS)

    def judge(site: int) -> list[tuple[Floats, Floats]]:
        pages = parted.pages_of(site)
        known = {} if web.crawled is None else {CRAWLED: web.crawled[pages]}
        inside = Web(parted.links_of(site), columns=known)
        baseline = options.baseline(inside)
        return [judge_site(inside, values[pages], name, options.draws, options.seed + site, baseline) for name in names]

    rows = []
    with ThreadPoolExecutor(options.threads) as pool:
        for row in pool.map(judge, sites.tolist()):
            rows.append(row)
            progress("sites", len(rows), len(sites))
    by_seeds, by_hops = (
        {name: np.stack([row[k][part] for row in rows], axis=1) for k, name in enumerate(names)} for part in (0, 1)
    )
    return by_seeds, by_hops


def judge_site(web: Web, worth: Floats, name: str, draws: int, seed: int, baseline: Baseline) -> tuple[Floats, Floats]:
    """(what 1 … 10 seeds cover at 5 hops, what 5 seeds cover at 1 … 5 hops), pages and value.

    Strategies choose one seed after another, so 10 seeds at 5 hops also show what fewer cover.
    """

    def covered(k: int, hops: int) -> Floats:
        if name == RANDOM:
            return covered_at_random(web, worth, k, hops, draws, seed, baseline)
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


def percent_better(shares: Floats, baseline: Floats) -> Floats:
    """One number per site (a row): their mean is per cent better than the baseline, their spread gives its error.

        100 · (R − 1) + 100 · (x_s − R·r_s) / mean(r)

    So two strategies, or two numbers of seeds, can be compared site by site.
    """
    if len(shares) != len(baseline) or not len(shares):
        raise OptionError(f"{len(shares)} sites cannot be compared with {len(baseline)}; the numbers must be equal.")
    mean = baseline.mean(axis=0)
    if np.any(mean <= 0):
        raise OptionError("random seeds cover nothing of value on these sites, so nothing can be a per cent of it.")
    ratio = shares.mean(axis=0) / mean
    # Rounded, so that strategies that cover the same differ by exactly zero.
    return np.round(100 * (ratio - 1) + 100 * (shares - ratio * baseline) / mean, DIGITS) + 0.0


def figures(by_seeds: Both, by_hops: Both, even: bool, kind: str = "pages") -> tuple[Figure, ...]:
    """Figures 2 to 5. `kind`: what random seeds are drawn from."""
    (pages, value), (pages_by_hops, value_by_hops) = split(by_seeds), split(by_hops)
    return (
        figure("figure-2", pages, "pages covered", "seeds", even, claims_on_pages(pages), kind),
        figure("figure-3", value, "value covered", "seeds", even, claims_on_value(value), kind),
        figure("figure-4", pages_by_hops, "pages covered", "hops", even, claims_on_hops(pages_by_hops), kind),
        figure(
            "figure-5", value_by_hops, "value covered", "hops", even, claims_on_both(pages_by_hops, value_by_hops), kind
        ),
    )


def split(both: Both) -> tuple[Shares, Shares]:
    """Pages, and value."""
    return {name: one[0] for name, one in both.items()}, {name: one[1] for name, one in both.items()}


def figure(
    name: str, shares: Shares, measure: Measure, by: str, even: bool, verdicts: tuple[Verdict, ...], kind: str
) -> Figure:
    """Per cent better than Random, one line per strategy, with standard errors over sites."""
    series = []
    for variant, (strategy, _) in VARIANTS.items():
        better = column_intervals(percent_better(shares[variant], shares[RANDOM]))
        own = STRATEGIES[strategy].chooses_by(measure, values_are_even=even)
        series.append(line(variant, range(1, len(better) + 1), better, own=own))
    fixed, moving = (f"{FEW_SEEDS} seeds a site", "hops") if by == "hops" else (f"{MOST_HOPS} hops", "seeds a site")
    title = f"{measure.capitalize()} by {moving} at {fixed}"
    about = f"{MARK_MEANING}. Random: {kind} of the site."
    return Figure(name, title, moving, "% better than Random", tuple(series), verdicts, about=about)


def coverage_table(by_seeds: Both, even: bool) -> Table:
    """What five seeds cover at five hops, in numbers."""
    rows = []
    for name, both in by_seeds.items():
        own = name in VARIANTS and STRATEGIES[VARIANTS[name][0]].chooses_by("value covered", values_are_even=even)
        covered, random = both[:, :, FEW_SEEDS - 1], by_seeds[RANDOM][:, :, FEW_SEEDS - 1]
        better = [mean_interval(percent_better(*shares)) for shares in zip(covered, random, strict=True)]
        cells = [cell for one in better for cell in (one.mean, one.error)]
        rows.append((name, *(100 * covered.mean(axis=1)).tolist(), *cells, int(own)))
    columns = ("strategy", "pages covered, %", "value covered, %", "pages, % better than Random", "standard error",
               "value, % better than Random", "standard error of it", "chosen by value")  # fmt: skip
    return Table("coverage", f"{FEW_SEEDS} seeds a site, {MOST_HOPS} hops", columns, tuple(rows))


# The paper's claims, paired by site, in per cent of what Random covers.


def gap(shares: Shares, name: str, other: str) -> Interval:
    """How much better one strategy is than another: the mean over numbers of seeds or hops."""
    ours, theirs = (percent_better(shares[one], shares[RANDOM]).mean(axis=1) for one in (name, other))
    return paired_interval(ours, theirs)


def _lead(shares: Shares, at: int) -> Floats:
    """How much better than Random the paper's strategies are on average at one number of seeds or hops, per site."""
    return np.asarray(np.mean([percent_better(shares[name], shares[RANDOM])[:, at] for name in PAPER], axis=0))


def beats(claim: str, shares: Shares, names: Sequence[str], others: Sequence[str]) -> Verdict:
    """The claim that all of the names do better than all of the others; decided by the pair with the weakest lead."""
    pair, lead = weakest(shares, names, others)
    return larger(claim, lead, f"the smallest lead, {pair},", UNIT)


def weakest(shares: Shares, names: Sequence[str], others: Sequence[str]) -> tuple[str, Interval]:
    """The pair, one of the names and one of the others, in which the first does worst, or is least certainly better."""
    pairs = {f"{name} over {other}": gap(shares, name, other) for name in names for other in others if name != other}
    worst = min(pairs, key=lambda pair: by_doubt(pairs[pair]))
    return worst, pairs[worst]


def claims_on_pages(shares: Shares) -> tuple[Verdict, ...]:
    """Figure 2."""
    fall = paired_interval(_lead(shares, 0), _lead(shares, -1))
    what = f"the lead with 1 seed less that with {shares[RANDOM].shape[1]}, averaged over all strategies,"
    return (
        beats("All strategies outperform Random", shares, PAPER, [RANDOM]),
        beats("PageRank performs worse than OutDegree", shares, ["OutDegree"], ["PageRank"]),
        beats("All graph-based strategies outperform the heuristics", shares, GRAPH_BASED, HEURISTIC),
        beats("MaxOut performs best in terms of pages", shares, ["MaxOut"], PAPER),
        larger("The improvement over Random is larger when the number of seeds is small", fall, what, UNIT),
    )


def claims_on_value(shares: Shares) -> tuple[Verdict, ...]:
    """Figure 3, and our claim about our own strategy."""
    alike = gap(shares, MAX_WEIGHT[1], MAX_WEIGHT[0]).mean
    rival, ours = weakest(shares, [OURS], PAPER)
    return (
        beats("MaxWeight performs better than MaxSCC and RootSCC", shares, MAX_WEIGHT, BY_COMPONENTS),
        beats("RootSCC performs worse than OutDegree", shares, ["OutDegree"], ["RootSCC"]),
        beats("MaxOut performs worse than MaxWeight", shares, MAX_WEIGHT, ["MaxOut"]),
        Verdict(
            plain("MaxWeight performs similarly with 2 and with 3 hops"),
            abs(alike) < SIMILAR,
            f"3 hops differ from 2 by {alike:+.2g}{UNIT}; less than {SIMILAR:g} counts as similar",
        ),
        larger("Ours: cover performs at least as well as all of them", ours, f"the smallest lead, {rival},", UNIT),
    )


def claims_on_hops(shares: Shares) -> tuple[Verdict, ...]:
    """Figure 4."""
    rise = paired_interval(_lead(shares, -1), _lead(shares, 0))
    what = f"the lead at {shares[RANDOM].shape[1]} hops less that at 1, averaged over all strategies,"
    return (larger("The improvement over Random increases with the number of hops", rise, what, UNIT),)


def claims_on_both(pages: Shares, value: Shares) -> tuple[Verdict, ...]:
    """Figure 5."""
    claim = "The increase with hops is higher for pages and smaller for value"
    if all(np.array_equal(pages[name], value[name]) for name in pages):
        return (Verdict(plain(claim), None, "all pages are worth the same"),)
    rise, rise_of_value = (_lead(one, -1) - _lead(one, 0) for one in (pages, value))
    what = "the rise for pages less that for value, from the first to the last number of hops,"
    return (larger(claim, paired_interval(rise, rise_of_value), what, UNIT),)


PAPER_EXPERIMENT = Paper(
    name="zheng",
    meaning="seeds inside sites, and how much more they cover than random ones",
    paper=REFERENCE,
    experiment=experiment,
    settings=Options,
)

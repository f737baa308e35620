"""What Zheng et al. claim of their strategies, put to the test: paired by site, in per cent of what Random covers.

Found is, by the name of a strategy, the share of each site that it covers: a row a site, a column a number of seeds or
of hops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.experiments.experiment import Verdict, larger, not_smaller
from seedbed.evaluation.intervals import Interval, doubt, paired_interval
from seedbed.evaluation.site_coverage import percent_better

Shares = Mapping[str, NDArray[np.float64]]

RANDOM = "Random"
HEURISTIC = ("PageRank", "OutDegree")
MAX_WEIGHT = ("MaxWeight, 2 hops", "MaxWeight, 3 hops")
BY_COMPONENTS = ("MaxSCC", "RootSCC")
GRAPH_BASED = ("MaxOut", *MAX_WEIGHT, *BY_COMPONENTS)
OURS = "cover (ours)"
PAPER = (*HEURISTIC, *GRAPH_BASED)
UNIT = " % of what Random covers"
SIMILAR = 1.0


def gap(found: Shares, name: str, other: str) -> Interval:
    """How much better one is than the other: the mean over seeds or hops."""
    return paired_interval(_per_site(found, name), _per_site(found, other))


def _per_site(found: Shares, name: str) -> NDArray[Any]:
    base = found[RANDOM]
    return np.mean([percent_better(found[name][:, k], base[:, k]) for k in range(base.shape[1])], axis=0)


def _lead(found: Shares, at: int) -> NDArray[Any]:
    """How much better than Random the paper's strategies are on average at one number of seeds or hops; one a site."""
    return np.mean([percent_better(found[name][:, at], found[RANDOM][:, at]) for name in PAPER], axis=0)


def beats(claim: str, found: Shares, names: Sequence[str], others: Sequence[str]) -> Verdict:
    """The claim that all of the names do better than all of the others; told by the pair in which they do worst."""
    pair, lead = weakest(found, names, others)
    return larger(claim, lead, f"the least lead, {pair},", UNIT)


def weakest(found: Shares, names: Sequence[str], others: Sequence[str]) -> tuple[str, Interval]:
    """The pair, one of the names and one of the others, in which the first does worst, or least surely better."""
    pairs = {f"{name} over {other}": gap(found, name, other) for name in names for other in others if name != other}
    worst = min(pairs, key=lambda pair: doubt(pairs[pair]))
    return worst, pairs[worst]


def on_pages(found: Shares) -> tuple[Verdict, ...]:
    """Figure 2."""
    fall = paired_interval(_lead(found, 0), _lead(found, -1))
    seeds = found[RANDOM].shape[1]
    return (
        beats("All strategies outperform Random", found, PAPER, [RANDOM]),
        beats("PageRank performs worse than OutDegree", found, ["OutDegree"], ["PageRank"]),
        beats("All graph-based strategies outperform the heuristics", found, GRAPH_BASED, HEURISTIC),
        beats("MaxOut performs best in terms of pages", found, ["MaxOut"], PAPER),
        larger(
            "The improvement over Random is larger when the number of seeds is small",
            fall,
            f"the lead with 1 seed less that with {seeds}, mean of all strategies,",
            UNIT,
        ),
    )


def on_value(found: Shares) -> tuple[Verdict, ...]:
    """Figure 3, and what we say of ours."""
    three, two = MAX_WEIGHT[1], MAX_WEIGHT[0]
    alike = gap(found, three, two).mean
    rival, ours = weakest(found, [OURS], PAPER)
    return (
        beats("MaxWeight performs better than MaxSCC and RootSCC", found, MAX_WEIGHT, BY_COMPONENTS),
        beats("RootSCC performs worse than OutDegree", found, ["OutDegree"], ["RootSCC"]),
        beats("MaxOut performs worse than MaxWeight", found, MAX_WEIGHT, ["MaxOut"]),
        Verdict(
            "MaxWeight performs similarly with 2 and with 3 hops",
            abs(alike) < SIMILAR,
            f"3 hops are {alike:+.2g}{UNIT} away from 2; below {SIMILAR:g} counts as similar",
        ),
        not_smaller("Ours: cover performs at least as well as all of them", ours, f"the least lead, {rival},", UNIT),
    )


def on_hops(found: Shares) -> tuple[Verdict, ...]:
    """Figure 4."""
    rise = paired_interval(_lead(found, -1), _lead(found, 0))
    hops = found[RANDOM].shape[1]
    what = f"the lead at {hops} hops less that at 1, mean of all strategies,"
    return (larger("The improvement over Random increases with the number of hops", rise, what, UNIT),)


def on_both(pages: Shares, value: Shares) -> tuple[Verdict, ...]:
    """Figure 5."""
    claim = "The increase with hops is higher for pages and smaller for value"
    if all(np.array_equal(pages[name], value[name]) for name in pages):
        return (Verdict(claim, None, "all pages are worth the same"),)
    rises = [_lead(one, -1) - _lead(one, 0) for one in (pages, value)]
    what = "the rise for pages less that for value, from the first to the last number of hops,"
    return (larger(claim, paired_interval(*rises), what, UNIT),)

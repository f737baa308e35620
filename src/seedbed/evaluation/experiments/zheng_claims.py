"""The claims of Zheng, Dmitriev and Giles 2009, and how each is judged.

A strategy's lead is what it covers in per cent of what Random covers, less 100. Leads are averaged over the numbers of
seeds (or hops) and compared site by site. A claim about each of several strategies is judged for each of them, never by
their average, and all intervals of a claim hold simultaneously. They cover the choice of sites: other sites of the same
web. A whole web is one draw.

The paper says "similar" and "much worse" without numbers. For both, and on all webs, the border is a tenth of the lead
over Random: less is similar, more is much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError
from seedbed.evaluation.claims import Claim, Verdict
from seedbed.evaluation.intervals import Interval, joint_confidence, mean_interval, ratio_values, share_interval
from seedbed.evaluation.rank_agreement import tau_interval

Floats = NDArray[np.float64]
Shares = Mapping[str, Floats]
"""By the name of a strategy, the share of each site it covers: a row per site, a column per number of seeds or hops."""

MOST_SEEDS, FEW_SEEDS, MOST_HOPS = 10, 5, 5
RANDOM, OURS = "Random", "cover (ours)"
HEURISTIC = ("PageRank", "OutDegree")
MAX_WEIGHT = ("MaxWeight (2 hops)", "MaxWeight (3 hops)")
BY_COMPONENTS = ("MaxSCC", "RootSCC")
GRAPH_BASED = ("MaxOut", *MAX_WEIGHT, *BY_COMPONENTS)
PAPER = (*HEURISTIC, *GRAPH_BASED)

DIGITS = 9
UNIT = " % of what Random covers"
BORDER = 10.0
"""Per cent of a lead over Random: a smaller difference counts as similar, a larger one as much."""
POOR = 50.0
"""Per cent of what the best strategy covers: Random does poorly if it covers less."""
SAME_ORDER = 0.6
"""Kendall's tau from which two orders are similar: 17 of the 21 pairs of seven strategies, if none is tied."""
MOST = 0.5
"""Most sites: more than this share of them."""
MANY, SMALL = 10, 0.5
"""A site is many small components if it has at least this many, and the largest has less than this share of it."""

EVEN = "all pages are worth the same"
WORTHLESS = "random seeds do not cover a positive value beyond chance, so nothing can be a per cent of it"

OVER_SEEDS, OVER_HOPS = "averaged over 1 to 10 seeds at 5 hops", "averaged over 1 to 5 hops with 5 seeds"
ABOVE_ZERO = "the whole interval is above zero"

NOT_CONNECTED = Claim(
    "not-connected", "Section 1", "Many large sites are not strongly connected",
    "the share of sites with more than one strong component", "its whole interval is above one half",
)  # fmt: skip
SMALL_COMPONENTS = Claim(
    "small-components", "Section 3", "Most sites consist of many small strong components",
    f"the share of sites with at least {MANY} strong components, the largest of which has less than half of the pages",
    "its whole interval is above one half",
)  # fmt: skip
RANDOM_IS_POOR = Claim(
    "random-is-poor", "Figures 2, 3", "Random performs rather poorly",
    f"what Random covers in per cent of what the best strategy of the paper covers, {OVER_SEEDS}",
    f"the whole interval is below {POOR:g}",
)  # fmt: skip
BEAT_RANDOM = Claim(
    "beat-random", "Figures 2, 3", "All other strategies outperform Random",
    f"the lead of each over Random, {OVER_SEEDS}", ABOVE_ZERO,
)  # fmt: skip
FEW_SEEDS_PAY = Claim(
    "few-seeds-pay", "Figures 2, 3", "The improvement over Random is larger when the number of seeds is small",
    f"for each strategy, its lead over Random with 1 seed less that with {MOST_SEEDS}", ABOVE_ZERO,
)  # fmt: skip
PAGERANK_IS_WORSE = Claim(
    "pagerank-is-worse", "Figures 2, 3", "PageRank performs much worse than OutDegree",
    f"how far the lead of PageRank is below that of OutDegree, in per cent of the latter, {OVER_SEEDS}",
    f"the whole interval is above {BORDER:g}",
)  # fmt: skip
GRAPH_BEATS_HEURISTICS = Claim(
    "graph-beats-heuristics", "Figures 2, 3", "All graph-based strategies outperform the heuristics",
    f"the lead of each over each, {OVER_SEEDS}; RootSCC against OutDegree in value is a claim of its own", ABOVE_ZERO,
)  # fmt: skip
MAXOUT_IS_BEST = Claim(
    "maxout-is-best", "Figure 2", "MaxOut performs best in terms of pages",
    f"its lead over each of the others, {OVER_SEEDS}", ABOVE_ZERO,
)  # fmt: skip
MAXOUT_IS_WORSE = Claim(
    "maxout-is-worse", "Figure 3", "MaxOut performs much worse than most of the graph-based strategies in value",
    f"how far its lead is below that of each, in per cent of the latter, {OVER_SEEDS}",
    f"the whole interval is above {BORDER:g} for at least three of the four",
)  # fmt: skip
DEPTH_BEATS_COMPONENTS = Claim(
    "depth-beats-components", "Figures 2, 3", "MaxWeight performs better than MaxSCC and RootSCC",
    f"the lead of each over each, {OVER_SEEDS}", ABOVE_ZERO,
)  # fmt: skip
ROOTSCC_IS_WORSE = Claim(
    "rootscc-is-worse", "Figure 3", "RootSCC performs worse than OutDegree in value",
    f"the lead of OutDegree over RootSCC, {OVER_SEEDS}", ABOVE_ZERO,
)  # fmt: skip
TWO_HOPS_ARE_ENOUGH = Claim(
    "two-hops-are-enough", "Figures 2, 3", "MaxWeight performs similarly with 2 and with 3 hops",
    f"the lead with 3 hops less that with 2, in per cent of the latter, {OVER_SEEDS}",
    f"the whole interval is within ±{BORDER:g}",
)  # fmt: skip
HOPS_PAY = Claim(
    "hops-pay", "Figures 4, 5", "The improvement over Random increases with the number of hops",
    f"for each strategy, its lead over Random at {MOST_HOPS} hops less that at 1", ABOVE_ZERO,
)  # fmt: skip
HOPS_PAY_IN_PAGES = Claim(
    "hops-pay-in-pages", "Figures 4, 5", "The increase with hops is higher for pages than for value",
    f"for each strategy, how much its lead grows from 1 to {MOST_HOPS} hops in pages, less how much in value",
    ABOVE_ZERO,
)  # fmt: skip
ORDER_IS_KEPT = Claim(
    "order-is-kept", "Figures 4, 5", "By hops, the order of the strategies is similar to that by seeds",
    f"Kendall's tau between the leads {OVER_SEEDS} and {OVER_HOPS}, without 5 seeds at 5 hops, which is part of both",
    f"its whole interval is above {SAME_ORDER:g}: 17 of 21 pairs of strategies in the same order",
)  # fmt: skip
COVER_IS_BEST = Claim(
    "cover-is-best", "–", "cover performs better than each strategy of the paper",
    f"its lead over each in value (in pages, if all are worth the same), {OVER_SEEDS}", ABOVE_ZERO, "ours",
)  # fmt: skip
CLAIMS = (
    NOT_CONNECTED, SMALL_COMPONENTS, RANDOM_IS_POOR, BEAT_RANDOM, FEW_SEEDS_PAY, PAGERANK_IS_WORSE,
    GRAPH_BEATS_HEURISTICS, MAXOUT_IS_BEST, MAXOUT_IS_WORSE, DEPTH_BEATS_COMPONENTS, ROOTSCC_IS_WORSE,
    TWO_HOPS_ARE_ENOUGH, HOPS_PAY, HOPS_PAY_IN_PAGES, ORDER_IS_KEPT, COVER_IS_BEST,
)  # fmt: skip


def percent_better(shares: Floats, baseline: Floats) -> Floats:
    """One number per site (a row): their mean is per cent better than the baseline, their spread gives its error.

        100 · (R − 1) + 100 · (x_s − R·r_s) / mean(r)        R = Σ x_s / Σ r_s

    So two strategies, or two numbers of seeds, can be compared site by site.
    """
    if len(shares) != len(baseline) or not len(shares):
        raise OptionError(f"{len(shares)} sites cannot be compared with {len(baseline)}; the numbers must be equal.")
    if np.any(baseline.mean(axis=0) <= 0):
        raise OptionError("random seeds cover nothing of value on these sites, so nothing can be a per cent of it.")
    # Rounded, so that strategies that cover the same differ by exactly zero.
    return np.round(100 * (ratio_values(shares, baseline) - 1), DIGITS) + 0.0


@dataclass(frozen=True, eq=False)
class Coverage:
    """What every strategy covers in one figure. `undecided`: why it can decide no claim, if so."""

    figure: str
    measure: str
    shares: Shares
    undecided: str = field(default="", kw_only=True)

    @property
    def sites(self) -> int:
        """How many sites there are."""
        return len(self.shares[RANDOM])

    def leads(self, name: str) -> Floats:
        """Per cent better than Random: a row per site, a column per number of seeds or hops."""
        return percent_better(self.shares[name], self.shares[RANDOM])

    def lead(self, name: str) -> Floats:
        """The same, averaged over the columns."""
        return np.asarray(self.leads(name).mean(axis=1))

    def growth(self, name: str) -> Floats:
        """How much the lead grows from the first column to the last."""
        leads = self.leads(name)
        return leads[:, -1] - leads[:, 0]


def is_worthless(shares: Shares) -> bool:
    """Whether random seeds cover nothing, or as good as nothing, so that per cents of it mean nothing."""
    columns = [mean_interval(column) for column in shares[RANDOM].T]
    return any(one.mean <= 0 or (one.low is not None and one.low <= 0) for one in columns)


Statistic = Callable[[Coverage], "Floats | str"]
"""One number per site, or why there is none."""
Case = tuple[Coverage, str, Statistic]
"""A figure, what the verdict is about, and its statistic."""
Test = Callable[[Claim, Interval, str], Verdict]
"""(claim, interval of the statistic, what it is about) → verdict."""
Placed = tuple[str, Verdict]
"""The name of a table or figure, and a verdict that stands there."""


def over(name: str, other: str) -> Statistic:
    """The lead of one strategy over another."""
    return lambda found: found.lead(name) - found.lead(other)


def over_each(names: Iterable[str], others: Sequence[str]) -> dict[str, Statistic]:
    """The leads of each of the names over each of the others."""
    return {f"{name} over {other}": over(name, other) for name in names for other in others}


def growth(name: str, sign: float = 1.0, base: Coverage | None = None) -> Statistic:
    """± how much the lead of a strategy grows from the first number of seeds or hops to the last, on top of `base`."""
    return lambda found: sign * found.growth(name) + (base.growth(name) if base else 0.0)


def above_lead_of(name: str, other: str, sign: float = 1.0) -> Statistic:
    """The lead of one strategy less that of another, in per cent of the latter; with sign −1 the other way round."""

    def relative(found: Coverage) -> Floats | str:
        base = found.lead(other)
        certain = mean_interval(base)
        if certain.mean <= 0 or (certain.low is not None and not certain.above_zero):
            return f"{other} has no lead over Random beyond chance, so there is none to compare with"
        return np.round(100 * sign * ratio_values(found.lead(name) - base, base), DIGITS) + 0.0

    return relative


def larger(what: str) -> Test:
    """The statistic must be above zero."""
    return lambda claim, interval, of: claim.larger(interval, what, UNIT, of)


def judged(claim: Claim, cases: Iterable[Case], test: Test) -> list[Placed]:
    """A verdict for each case (figure, what it is about, statistic). All of their intervals hold simultaneously."""
    named = named_cases(list(cases))
    statistics = [(found, of, found.undecided or statistic(found)) for found, of, statistic in named]
    confidence = joint_confidence(sum(not isinstance(values, str) for _, _, values in statistics))
    return [
        (
            found.figure,
            claim.verdict(None, values, of)
            if isinstance(values, str)
            else test(claim, mean_interval(values, confidence), of),
        )
        for found, of, values in statistics
    ]


def named_cases(cases: Sequence[Case]) -> list[Case]:
    """The same cases; if they are about several measures, their names say which."""
    if len({found.measure for found, _, _ in cases}) == 1:
        return list(cases)
    return [(found, f"{of} in {found.measure}" if of else found.measure, one) for found, of, one in cases]


def in_each(figures: Iterable[Coverage], statistics: Mapping[str, Statistic]) -> list[Case]:
    """Every statistic in every figure."""
    return [(found, of, statistic) for found in figures for of, statistic in statistics.items()]


def judge_by_seeds(pages: Coverage, value: Coverage) -> list[Placed]:
    """The claims on Figures 2 and 3."""
    both = (pages, value)
    graph = over_each(GRAPH_BASED, HEURISTIC)
    in_value = {of: one for of, one in graph.items() if of != "RootSCC over OutDegree"}
    few = f"its lead with 1 seed less that with {MOST_SEEDS}"
    own = pages if value.undecided == EVEN else value
    maxout = over_each(["MaxOut"], [name for name in PAPER if name != "MaxOut"])
    return [
        *judged(RANDOM_IS_POOR, in_each(both, {"": random_of_best}), poor),
        *judged(BEAT_RANDOM, in_each(both, {name: over(name, RANDOM) for name in PAPER}), larger("its lead")),
        *judged(FEW_SEEDS_PAY, in_each(both, {name: growth(name, -1) for name in PAPER}), larger(few)),
        *judged(PAGERANK_IS_WORSE, in_each(both, {"": above_lead_of("PageRank", "OutDegree", -1)}), much),
        *judged(GRAPH_BEATS_HEURISTICS, [*in_each([pages], graph), *in_each([value], in_value)], larger("the lead")),
        *judged(MAXOUT_IS_BEST, in_each([pages], maxout), larger("the lead")),
        most_are_better(value),
        *judged(DEPTH_BEATS_COMPONENTS, in_each(both, over_each(MAX_WEIGHT, BY_COMPONENTS)), larger("the lead")),
        *judged(ROOTSCC_IS_WORSE, [(value, "", over("OutDegree", "RootSCC"))], larger("the lead of OutDegree")),
        *judged(TWO_HOPS_ARE_ENOUGH, in_each(both, {"": above_lead_of(*MAX_WEIGHT[::-1])}), similar),
        *judged(COVER_IS_BEST, in_each([own], over_each([OURS], PAPER)), larger("the lead")),
    ]  # fmt: skip


def judge_by_hops(
    pages: Coverage, value: Coverage, pages_by_seeds: Coverage, value_by_seeds: Coverage, seed: int
) -> list[Placed]:
    """The claims on Figures 4 and 5."""
    rise = {name: growth(name) for name in PAPER}
    more = {name: growth(name, -1, pages) for name in PAPER}
    confidence = joint_confidence(1 if value.undecided else 2)
    return [
        *judged(HOPS_PAY, in_each((pages, value), rise), larger(f"its lead at {MOST_HOPS} hops less that at 1")),
        *judged(HOPS_PAY_IN_PAGES, in_each([value], more), larger("the growth in pages less that in value")),
        order_is_kept(pages, pages_by_seeds, seed, confidence),
        order_is_kept(value, value_by_seeds, seed, confidence),
    ]


def judge_sites(components: NDArray[np.int64], largest: Floats) -> list[Verdict]:
    """The claims on strong components: how many each site has, and the share of its pages in the largest."""
    count = len(components)
    several = share_interval(int(np.count_nonzero(components > 1)), count)
    small = share_interval(int(np.count_nonzero((components >= MANY) & (largest < SMALL))), count)
    what = f"the share among {count} site{'s' if count > 1 else ''}"
    return [NOT_CONNECTED.above(several, MOST, what), SMALL_COMPONENTS.above(small, MOST, what)]


def random_of_best(found: Coverage) -> Floats:
    """What Random covers in per cent of what the best strategy of the paper covers."""
    covered = {name: shares.mean(axis=1) for name, shares in found.shares.items()}
    best = max(PAPER, key=lambda name: float(covered[name].mean()))
    return 100 * ratio_values(covered[RANDOM], covered[best])


def most_are_better(value: Coverage) -> Placed:
    """Whether the lead of MaxOut is much below that of most other graph-based strategies."""
    if value.undecided:
        return value.figure, MAXOUT_IS_WORSE.verdict(None, value.undecided)
    others = [name for name in GRAPH_BASED if name != "MaxOut"]
    cases = in_each([value], {name: above_lead_of("MaxOut", name, -1) for name in others})
    each = [one for _, one in judged(MAXOUT_IS_WORSE, cases, much)]
    sure, perhaps = (sum(one.holds in which for one in each) for which in ((True,), (True, None)))
    holds = True if 2 * sure > len(each) else False if 2 * perhaps <= len(each) else None
    told = "; ".join(f"{one.of}: {one.found}" for one in each)
    return value.figure, MAXOUT_IS_WORSE.verdict(holds, f"it is much worse than {sure} of {len(each)}. {told}")


def order_is_kept(by_hops: Coverage, by_seeds: Coverage, seed: int, confidence: float) -> Placed:
    """Whether the strategies have a similar order by hops and by seeds."""
    why = by_hops.undecided or by_seeds.undecided or too_close(by_seeds)
    if why:
        return by_hops.figure, ORDER_IS_KEPT.verdict(None, why, by_hops.measure)

    def scores(weights: Floats) -> tuple[Floats, Floats]:
        return mean_leads(by_seeds.shares, weights, FEW_SEEDS - 1), mean_leads(by_hops.shares, weights, MOST_HOPS - 1)

    tau = tau_interval(scores, by_hops.sites, seed, confidence)
    return by_hops.figure, ORDER_IS_KEPT.above(tau, SAME_ORDER, "Kendall's tau", of=by_hops.measure)


def too_close(found: Coverage) -> str:
    """Why there is no order to keep: fewer than half of the pairs of strategies can be told apart. Else nothing."""
    pairs = list(combinations(PAPER, 2))
    confidence = joint_confidence(len(pairs))
    leads = [mean_interval(found.lead(one) - found.lead(other), confidence) for one, other in pairs]
    apart = sum(lead.above_zero or lead.below_zero for lead in leads)
    return "" if 2 * apart >= len(pairs) else f"by seeds, only {apart} of {len(pairs)} pairs of strategies differ"


def mean_leads(shares: Shares, weights: Floats, without: int) -> Floats:
    """The leads of the paper's strategies for each row of weights of the sites, without one column."""
    sums = {name: np.delete(weights @ shares[name], without, axis=1) for name in (RANDOM, *PAPER)}
    # A draw of sites in which random seeds cover nothing of value ranks by what the strategies cover.
    base = np.where(sums[RANDOM] > 0, sums[RANDOM], 1.0)
    return np.round(np.stack([(sums[name] / base).mean(axis=1) for name in PAPER], axis=1), DIGITS)


def poor(claim: Claim, interval: Interval, of: str) -> Verdict:
    """Random must cover less than half of what the best covers."""
    return claim.below(interval, POOR, "what Random covers", " % of what the best covers", of)


def much(claim: Claim, interval: Interval, of: str) -> Verdict:
    """The shortfall must be more than a tenth of the lead."""
    return claim.above(interval, BORDER, "the shortfall", " % of the other's lead", of)


def similar(claim: Claim, interval: Interval, of: str) -> Verdict:
    """The difference must be less than a tenth of the lead."""
    return claim.similar(interval, BORDER, "the lead with 3 hops less that with 2", " % of the latter", of)

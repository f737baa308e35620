"""What we expect of crawl orders and link farms, and how each claim is judged.

All claims are about the largest farm, a tenth as large as the web, in each shape. There is one number per draw;
intervals are over draws of seeds and of the pages that link to the farm, and orders are compared draw by draw. All
intervals of a claim hold simultaneously. The claims and their borders, 5 % of the area and 1 % of the fetches, were
settled before any crawl was run; that rings are judged too, after those with a hub had been crawled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.claims import Claim, Verdict
from seedbed.evaluation.intervals import Interval, joint_confidence, mean_interval, paired_interval

ByOrder = Mapping[str, NDArray[np.float64]]
"""By the name of an order, one number per draw."""
Shape = Literal["hub", "ring"]
SHAPES: dict[Shape, str] = {"hub": "the target links to all of them", "ring": "each links to the next five"}

BREADTH_FIRST, LIVE, FRACTIONAL = "bfs", "live-pagerank", "fpr@100"
WEIGHTED = {"fpr@100": "fpr", "live-pagerank@20": "live-pagerank"}
"""Orders that prefer links to other hosts, and the same orders without that."""
OTHERS = ("opic", "fpr", "fpr@100", "windowed-rankmass@5", "live-pagerank", "live-pagerank@20")
CRAWLERS = (BREADTH_FIRST, *OTHERS)

COSTLY, MORE = 5.0, 1.0
"""Per cent of the area that a farm may cost, and of the fetches that count as more."""
SHARE, FETCHES = "the farm's share of the first half of the crawl", " % of the fetches"
ABOVE_ZERO = "the whole interval is above zero"

FAIR_SHARE = Claim(
    "fair-share", "–", "A farm gets less of a crawl than its part of all pages",
    f"{SHARE}, for each order", "the whole interval is below the farm's part of all pages", "ours",
)  # fmt: skip
LIVE_IS_SAFE = Claim(
    "live-is-safe", "–", f"{LIVE} gives a farm no more of the crawl than {FRACTIONAL}",
    f"the farm's share with {LIVE} less that with {FRACTIONAL}, of the first tenth and half of the crawl",
    f"the whole interval is below {MORE:g} % of the fetches", "ours",
)  # fmt: skip
HOSTS_INVITE = Claim(
    "hosts-invite", "–", "Preferring links to other hosts gives a farm on many hosts more of the crawl",
    f"{SHARE} with the preference less that without", ABOVE_ZERO, "ours",
)  # fmt: skip
COSTS_LITTLE = Claim(
    "costs-little", "–", f"A farm of a tenth of the web costs less than {COSTLY:g} % of the area",
    "the area lost, for each order", f"the whole interval is below {COSTLY:g} %", "ours",
)  # fmt: skip
BREADTH_LOSES_MORE = Claim(
    "breadth-loses-more", "–", "A farm costs breadth-first more than every other order",
    "the area that breadth-first loses less that of the order", ABOVE_ZERO, "ours",
)  # fmt: skip
CLAIMS = (FAIR_SHARE, LIVE_IS_SAFE, HOSTS_INVITE, COSTS_LITTLE, BREADTH_LOSES_MORE)


def judge_shares(early: ByOrder, half: ByOrder, part: float, shape: Shape) -> tuple[Verdict, ...]:
    """The claims on the farm's share of the first tenth and half of the crawl. `part`: its part of all pages, in %."""
    verdicts = []
    for order in CRAWLERS:
        share = mean_interval(half[order], joint(len(CRAWLERS)))
        verdicts.append(FAIR_SHARE.below(share, part, "its share", FETCHES, f"{order} ({shape})"))
    for when, of in (("first tenth", early), ("first half", half)):
        gap = difference(of, LIVE, FRACTIONAL, 2)
        verdicts.append(LIVE_IS_SAFE.below(gap, MORE, "the difference", FETCHES, f"the {when} ({shape})"))
    for order, plain in WEIGHTED.items():
        gap = difference(half, order, plain, len(WEIGHTED))
        verdicts.append(HOSTS_INVITE.larger(gap, "the difference", FETCHES, f"{order} ({shape})"))
    return decided(verdicts, half)


def judge_losses(lost: ByOrder, shape: Shape) -> tuple[Verdict, ...]:
    """The claims on the area that the farm costs each order, in per cent."""
    verdicts = []
    for order in CRAWLERS:
        loss = mean_interval(lost[order], joint(len(CRAWLERS)))
        verdicts.append(COSTS_LITTLE.below(loss, COSTLY, "the loss", " %", f"{order} ({shape})"))
    for order in OTHERS:
        gap = difference(lost, BREADTH_FIRST, order, len(OTHERS))
        verdicts.append(BREADTH_LOSES_MORE.larger(gap, "the difference", " % of the area", f"{order} ({shape})"))
    return decided(verdicts, lost)


def decided(verdicts: list[Verdict], values: ByOrder) -> tuple[Verdict, ...]:
    """The verdicts; none is decided if no crawl met the farm, as on webs hardly larger than the seeds."""
    if any(values[order].any() for order in CRAWLERS):
        return tuple(verdicts)
    return tuple(one.claim.verdict(None, "no crawl met the farm", one.of) for one in verdicts)


def difference(values: ByOrder, order: str, other: str, comparisons: int) -> Interval:
    """How much one order is above another, draw by draw."""
    return paired_interval(values[order], values[other], joint(comparisons))


def joint(comparisons: int) -> float:
    """The confidence of each of so many intervals for each shape, so that all hold simultaneously."""
    return joint_confidence(comparisons * len(SHAPES))

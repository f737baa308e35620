"""The claims of Alam, Ha, Sim and Lee 2009, and how each is judged.

Orders are compared by the area under their curve of Figure 4, in per cent of the bound's, from the same seeds. One
crawl has no interval, so areas are measured from random halves of the seeds; intervals are those of a delete-half
jackknife (see intervals.py) and cover the choice of seeds on this web. A whole web is one draw. Intervals of seconds
cover repeated runs on this machine. All intervals of a claim hold simultaneously.

The paper says "almost" and "similar" without numbers. The border, on all webs, is a tenth of a lead over breadth-first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.claims import Claim, Verdict
from seedbed.evaluation.intervals import (
    Interval,
    halves_interval,
    joint_confidence,
    paired_interval,
    ratio_values,
)

Floats = NDArray[np.float64]
ByOrder = Mapping[str, Floats]
"""By the name of an order, one number per draw or run."""

WINDOWED, WHOLE_WINDOW, RANKMASS, BREADTH_FIRST = "windowed-rankmass@5", "windowed-rankmass@100", "rankmass", "bfs"
EXTENDED = ("fpr@2", "fpr@20", "fpr@100")
FRACTIONAL = ("fpr", *EXTENDED)
LARGER_M = "fpr@1000"
PAPER = (*FRACTIONAL, WINDOWED)

BORDER = 10.0
"""Per cent of a lead over breadth-first: a smaller difference counts as similar."""
EARLY = 0.1
"""The first part of a crawl (for seconds), or of the web (for spam)."""
UNIT = " % of the bound's area"
AREA = "the difference in area, from halves of the seeds"
ABOVE_ZERO = "the whole interval is above zero"
SIMILAR = f"the whole interval is within ±{BORDER:g}"

FPR_IS_FASTER = Claim(
    "fpr-is-faster", "Figure 3", f"fpr takes less time than {WINDOWED}",
    "seconds of the whole crawl, the difference run by run", ABOVE_ZERO,
)  # fmt: skip
M_IS_SLOWER_AT_FIRST = Claim(
    "m-is-slower-at-first", "Section 4.2", "fpr@M takes more time at first",
    "seconds until a tenth of the crawl is fetched, the difference run by run, for either reading: than fpr, or than "
    f"{WINDOWED}", ABOVE_ZERO,
)  # fmt: skip
M_IS_FASTER_OVERALL = Claim(
    "m-is-faster-overall", "Section 4.2", f"Overall, fpr@M takes less time than {WINDOWED}",
    "seconds of the whole crawl, the difference run by run, for each M", ABOVE_ZERO,
)  # fmt: skip
FPR_IS_AS_GOOD = Claim(
    "fpr-is-as-good", "Figure 4", f"fpr is almost as effective as {WINDOWED}",
    f"{AREA}, in per cent of the lead of {WINDOWED} over breadth-first", SIMILAR,
)  # fmt: skip
M_IS_BETTER = Claim(
    "m-is-better", "Figure 4", f"Every fpr@M is more effective than {WINDOWED}", f"{AREA}, for each M", ABOVE_ZERO,
)  # fmt: skip
HIGH_M_IS_BETTER = Claim(
    "high-m-is-better", "Figure 4", "The higher M, the more effective",
    f"{AREA}, for each step from 1 to 100", ABOVE_ZERO,
)  # fmt: skip
M_100_IS_BEST = Claim(
    "m-100-is-best", "Figure 4", "fpr@100 outperforms the others", f"{AREA}, for each of them", ABOVE_ZERO,
)  # fmt: skip
LESS_TO_GAIN = Claim(
    "less-to-gain", "Figure 4", "From M = 20 to 100 there is less to gain than from 2 to 20",
    "the gain in area from 2 to 20 less that from 20 to 100, from halves of the seeds", ABOVE_ZERO,
)  # fmt: skip
MORE_M_IS_THE_SAME = Claim(
    "more-m-is-the-same", "Section 4.3", "M above 100 gives almost the same crawl",
    f"{AREA}, of {LARGER_M} to fpr@100, in per cent of the lead of fpr@100 over breadth-first", SIMILAR,
)  # fmt: skip
WHOLE_WINDOW_IS_BFS = Claim(
    "whole-window-is-bfs", "Section 4.1", "A window of 100 % is similar to breadth-first",
    f"{AREA}, of {WHOLE_WINDOW} to breadth-first, in per cent of the lead of {WINDOWED} over it", SIMILAR,
)  # fmt: skip
WINDOW_IS_RANKMASS = Claim(
    "window-is-rankmass", "Section 4.1", "A window of 5 % is as effective as RankMass",
    f"{AREA}, of {WINDOWED} to {RANKMASS}, in per cent of the lead of {RANKMASS} over breadth-first", SIMILAR,
)  # fmt: skip
LESS_SPAM = Claim(
    "less-spam", "Section 5", f"FPR crawlers resist spam better than {WINDOWED}",
    f"the share of spam in the first tenth of the web that {WINDOWED} fetches, less that of each, from halves of the "
    "seeds", ABOVE_ZERO, "later work",
)  # fmt: skip
CLAIMS = (
    FPR_IS_FASTER, M_IS_SLOWER_AT_FIRST, M_IS_FASTER_OVERALL, FPR_IS_AS_GOOD, M_IS_BETTER, HIGH_M_IS_BETTER,
    M_100_IS_BEST, LESS_TO_GAIN, MORE_M_IS_THE_SAME, WHOLE_WINDOW_IS_BFS, WINDOW_IS_RANKMASS, LESS_SPAM,
)  # fmt: skip


def judge_time(at_first: ByOrder, total: ByOrder) -> tuple[Verdict, ...]:
    """The claims on seconds: those until a tenth of the crawl is fetched, and of the whole crawl, for each run."""
    times = float(np.median(total[WINDOWED]) / max(float(np.median(total["fpr"])), 1e-9))
    what = f"{WINDOWED} takes {times:.1f} times as long (the paper: 4.5); the difference"
    slower = {
        f"{order} than {other}": (at_first[order], at_first[other]) for other in ("fpr", WINDOWED) for order in EXTENDED
    }
    return (
        *larger(FPR_IS_FASTER, {"": (total[WINDOWED], total["fpr"])}, what, " s", by_run),
        *larger(M_IS_SLOWER_AT_FIRST, slower, "the difference", " s", by_run),
        *larger(
            M_IS_FASTER_OVERALL, {order: (total[WINDOWED], total[order]) for order in EXTENDED}, "the difference", " s",
            by_run,
        ),
    )  # fmt: skip


def judge_areas(areas: ByOrder, no_rankmass: str = "") -> tuple[Verdict, ...]:
    """The claims on areas, one per draw. `no_rankmass`: why RankMass was not run, if so."""

    def over(*pairs: tuple[str, str]) -> dict[str, tuple[Floats, Floats]]:
        return {f"{order} over {other}": (areas[order], areas[other]) for order, other in pairs}

    others = [order for order in PAPER if order != "fpr@100"]
    gains = {"": (areas["fpr@20"] - areas["fpr@2"], areas["fpr@100"] - areas["fpr@20"])}
    return (
        similar(FPR_IS_AS_GOOD, areas, "fpr", WINDOWED),
        *larger(M_IS_BETTER, {order: (areas[order], areas[WINDOWED]) for order in EXTENDED}, "its lead", UNIT),
        *larger(HIGH_M_IS_BETTER, over(*zip(EXTENDED, FRACTIONAL, strict=False)), "its lead", UNIT),
        *larger(M_100_IS_BEST, over(*(("fpr@100", other) for other in others)), "its lead", UNIT),
        *larger(LESS_TO_GAIN, gains, "the first gain less the second", UNIT),
        similar(MORE_M_IS_THE_SAME, areas, LARGER_M, "fpr@100"),
        similar(WHOLE_WINDOW_IS_BFS, areas, WHOLE_WINDOW, BREADTH_FIRST, base=WINDOWED),
        WINDOW_IS_RANKMASS.verdict(None, no_rankmass)
        if no_rankmass
        else similar(WINDOW_IS_RANKMASS, areas, WINDOWED, RANKMASS),
    )


def judge_spam(spam: ByOrder, unknown: str = "") -> tuple[Verdict, ...]:
    """The claim on spam, in per cent of the pages fetched early, one number per draw. `unknown`: why there is none."""
    if unknown:
        return tuple(LESS_SPAM.verdict(None, unknown, order) for order in FRACTIONAL)
    pairs = {order: (spam[WINDOWED], spam[order]) for order in FRACTIONAL}
    return tuple(larger(LESS_SPAM, pairs, f"the share of {WINDOWED} less its own", " % of the pages fetched"))


def by_draw(values: Floats, others: Floats, confidence: float) -> Interval:
    """The difference between two orders from the same halves of the seeds."""
    return halves_interval(values - others, confidence)


def by_run(values: Floats, others: Floats, confidence: float) -> Interval:
    """The difference between two orders in the same turn."""
    return paired_interval(values, others, confidence)


def larger(
    claim: Claim,
    pairs: Mapping[str, tuple[Floats, Floats]],
    what: str,
    unit: str,
    interval: Callable[[Floats, Floats, float], Interval] = by_draw,
) -> list[Verdict]:
    """Whether the first of each pair is above the second. All intervals hold simultaneously."""
    confidence = joint_confidence(len(pairs))
    return [claim.larger(interval(*pair, confidence), what, unit, of) for of, pair in pairs.items()]


def similar(claim: Claim, areas: ByOrder, order: str, other: str, base: str | None = None) -> Verdict:
    """Whether two orders differ by less than a tenth of what `base`, or else the second, leads breadth-first by."""
    base = base or other
    lead = areas[base] - areas[BREADTH_FIRST]
    known = halves_interval(lead)
    if known.mean <= 0 or (known.low is not None and not known.above_zero):
        return claim.verdict(None, f"{base} has no lead over breadth-first beyond chance, so there is no scale")
    gap = halves_interval(100 * ratio_values(areas[order] - areas[other], lead))
    unit = f" % of the lead of {base} over breadth-first"
    return claim.similar(gap, BORDER, f"{order} less {other}", unit)

"""How certain a mean is: 95 % confidence intervals by Student's t.

    mean ± t(0.975, n − 1) · s / √n        s² = Σ (x − mean)² / (n − 1)

To compare one thing with m others such that all m statements hold simultaneously, each interval has to be wider:
1 − 0.05 / m instead of 95 % (Bonferroni).

A ratio of means R = Σ x / Σ b over the same cases has the error of the mean of R + (x − R·b) / mean(b) (Cochran 1977,
chapter 6). Where the cases are random halves of one sample, the spread among them is the standard error of what the
whole sample gives (delete-half jackknife: Shao, Wu 1989), so the interval is mean ± t · s: more halves narrow nothing.

If two things were measured on the same sites, snapshots or draws, the interval of their differences is much narrower
than that of either: what they have in common cancels out. A single value has a mean and no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError

CONFIDENCE = 0.95
Numbers = Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Interval:
    """The mean of n values and its confidence interval, None if n is 1. `error`: its standard error."""

    mean: float
    low: float | None
    high: float | None
    n: int
    error: float | None = None
    confidence: float = CONFIDENCE

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval is above zero: the mean is positive beyond chance."""
        return self.low is not None and self.low > 0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below zero."""
        return self.high is not None and self.high < 0

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g} (one value, no interval)"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


def joint_confidence(comparisons: int) -> float:
    """The confidence that each of several intervals needs for all of them to hold simultaneously, 95 times in 100."""
    return 1 - (1 - CONFIDENCE) / max(comparisons, 1)


def mean_interval(values: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The mean of some values, with its interval."""
    numbers = np.asarray(values, np.float64)
    count = len(numbers)
    if not count:
        raise OptionError("a mean of no values; at least one value is needed.")
    mean = float(numbers.mean())
    if count == 1:
        return Interval(mean, None, None, 1, confidence=confidence)
    return _around(mean, float(numbers.std(ddof=1)) / math.sqrt(count), count, confidence)


def paired_interval(values: Numbers, others: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The mean of the paired differences values − others, with its interval."""
    if len(values) != len(others):
        raise OptionError(f"{len(values)} values cannot be paired with {len(others)}; give equally many.")
    return mean_interval(np.asarray(values, np.float64) - np.asarray(others, np.float64), confidence)


def ratio_values(values: Numbers, base: Numbers) -> NDArray[np.float64]:
    """One number per case (a row): their mean is Σ values / Σ base, and their spread gives its error."""
    ours, theirs = np.asarray(values, np.float64), np.asarray(base, np.float64)
    mean = theirs.mean(axis=0)
    ratio = ours.mean(axis=0) / mean
    return np.asarray(ratio + (ours - ratio * theirs) / mean)


def halves_interval(values: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The mean of what random halves of one sample gave, with the interval for the whole sample."""
    found = mean_interval(values, confidence)
    if found.error is None:
        return found
    return _around(found.mean, float(np.std(np.asarray(values), ddof=1)), found.n, confidence)


def share_interval(hits: int, count: int, confidence: float = CONFIDENCE) -> Interval:
    """The share of cases that are hits, with its exact interval (Clopper, Pearson 1934)."""
    from scipy.special import betaincinv

    if not count:
        raise OptionError("a share of no cases; at least one is needed.")
    tail = (1 - confidence) / 2
    low = float(betaincinv(hits, count - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, count - hits, 1 - tail)) if hits < count else 1.0
    return Interval(hits / count, low, high, count, confidence=confidence)


def jackknife_interval(whole: float, without_each: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """A statistic with its interval, from its values without each case in turn (Tukey 1958)."""
    values = np.asarray(without_each, np.float64)
    count = len(values)
    if count < 2:
        return Interval(whole, None, None, 1, confidence=confidence)
    error = math.sqrt((count - 1) / count * float(np.square(values - values.mean()).sum()))
    return _around(whole, error, count, confidence)


def share_difference(one: Interval, other: Interval) -> Interval:
    """The difference of two independent shares, from the interval of each (Newcombe 1998; Zou, Donner 2008)."""
    gap = one.mean - other.mean
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return Interval(gap, None, None, min(one.n, other.n))
    low = gap - math.hypot(one.mean - one.low, other.high - other.mean)
    high = gap + math.hypot(one.high - one.mean, other.mean - other.low)
    return Interval(gap, low, high, min(one.n, other.n), confidence=min(one.confidence, other.confidence))


def slope_interval(x: Numbers, y: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The slope of the least-squares line through some points, with its interval; two points have none."""
    places, heights = np.asarray(x, np.float64), np.asarray(y, np.float64)
    centred = places - places.mean()
    square = float(centred @ centred)
    if len(places) < 2 or square == 0:
        raise OptionError("a slope needs points at two places or more.")
    slope = float(centred @ heights) / square
    freedom = len(places) - 2
    if not freedom:
        return Interval(slope, None, None, 2, confidence=confidence)
    rest = heights - heights.mean() - slope * centred
    error = math.sqrt(float(rest @ rest) / freedom / square)
    reach = _quantile(freedom, confidence) * error
    return Interval(slope, slope - reach, slope + reach, len(places), error, confidence)


def difference(one: Interval, other: Interval) -> Interval:
    """The difference of two means that are not paired, with its interval (Welch 1947); `n` is the smaller one."""
    mean, n = one.mean - other.mean, min(one.n, other.n)
    if one.error is None or other.error is None:
        return Interval(mean, None, None, n)
    parts = (one.error**2, other.error**2)
    error = math.sqrt(sum(parts))
    if error == 0:
        return Interval(mean, mean, mean, n, 0.0)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (one.n - 1) + parts[1] ** 2 / (other.n - 1))
    reach = _quantile(freedom) * error
    return Interval(mean, mean - reach, mean + reach, n, error)


def by_doubt(lead: Interval) -> tuple[bool, bool, float]:
    """A sort key: the lead that speaks most against a claim first. Certainly none, perhaps none, then the smallest.

    The mean alone is not enough: a larger one may vary so much that it is chance.
    """
    return not lead.below_zero, lead.above_zero, lead.mean


def column_intervals(rows: NDArray[np.float64]) -> list[Interval | None]:
    """The mean of each column with its interval, over the rows that have a number there; None if none has."""
    columns = (column[np.isfinite(column)] for column in rows.T)
    return [mean_interval(column) if len(column) else None for column in columns]


def _around(mean: float, error: float, count: int, confidence: float) -> Interval:
    reach = _quantile(count - 1, confidence) * error
    return Interval(mean, mean - reach, mean + reach, count, error, confidence)


def _quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))

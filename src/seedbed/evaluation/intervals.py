"""How sure a mean is: 95 % intervals by Student's t.

    mean ± t(0.975, n − 1) · s / √n        s² = Σ (x − mean)² / (n − 1)

Where one thing is held against m others and all m statements shall hold together, each interval has to be wider:
1 − 0.05 / m in place of 95 % (Bonferroni).

Where two things were measured on the same sites, snapshots or draws, the interval of their differences is much narrower
than that of each: what they have in common cancels out. With one value there is a mean and no interval.
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
    """A mean of n values and the interval that holds the true one 95 times in 100; None where n is 1."""

    mean: float
    low: float | None
    high: float | None
    n: int
    error: float | None = None
    """The standard error of the mean."""

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval is above zero: the mean is positive, and that is no chance."""
        return self.low is not None and self.low > 0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below zero."""
        return self.high is not None and self.high < 0

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.4g} (one value, no interval)"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


def together(comparisons: int) -> float:
    """The confidence of each of some intervals that are to hold all together, 95 times in 100."""
    return 1 - (1 - CONFIDENCE) / max(comparisons, 1)


def mean_interval(values: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The mean of some values, with its interval."""
    numbers = np.asarray(values, np.float64)
    count = len(numbers)
    if not count:
        raise OptionError("there is nothing to take the mean of; at least one value is needed.")
    mean = float(numbers.mean())
    if count == 1:
        return Interval(mean, None, None, 1)
    error = float(numbers.std(ddof=1)) / math.sqrt(count)
    reach = _quantile(count - 1, confidence) * error
    return Interval(mean, mean - reach, mean + reach, count, error)


def paired_interval(values: Numbers, others: Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The mean of the differences values − others, which belong together pair by pair, with its interval."""
    if len(values) != len(others):
        raise OptionError(f"{len(values)} values cannot be paired with {len(others)}; give as many of each.")
    return mean_interval(np.asarray(values, np.float64) - np.asarray(others, np.float64), confidence)


def difference(one: Interval, other: Interval) -> Interval:
    """The difference of two means that are not paired, with its interval (Welch 1947); `n` is the smaller of both."""
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


def doubt(lead: Interval) -> tuple[bool, bool, float]:
    """A key by which the lead that speaks most against a claim comes first: surely none, then perhaps none, then least.

    The least mean alone would not do: a larger one may vary so much that it is chance.
    """
    return not lead.below_zero, lead.above_zero, lead.mean


def _quantile(freedom: float, confidence: float = CONFIDENCE) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))

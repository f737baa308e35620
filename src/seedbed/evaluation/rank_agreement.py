"""Whether two measurements put the same things in the same order: Kendall's tau-b, with an interval over cases.

    τ_b = (pairs in the same order − pairs in the other order) / √(pairs not tied in one · pairs not tied in the other)

The interval comes from drawing the cases (sites, say) again with replacement: the middle 95 % of what the draws give
(percentile bootstrap: Efron, Tibshirani 1993, chapter 13).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.intervals import CONFIDENCE, Interval

Floats = NDArray[np.float64]
RESAMPLES = 1000


def kendall_tau(one: NDArray[Any], other: NDArray[Any]) -> Floats:
    """τ_b along the last axis; 0 if one of them has only ties."""
    first, second = np.triu_indices(one.shape[-1], 1)
    signs, others = (np.sign(scores[..., first] - scores[..., second]) for scores in (one, other))
    untied = np.sqrt(np.count_nonzero(signs, axis=-1) * np.count_nonzero(others, axis=-1))
    return np.asarray((signs * others).sum(axis=-1) / np.maximum(untied, 1.0))


def tau_interval(
    scores: Callable[[Floats], tuple[Floats, Floats]], cases: int, seed: int, confidence: float = CONFIDENCE
) -> Interval:
    """τ_b between two lists of scores, with its interval over cases.

    `scores(weights)` gives both lists for each row of weights, which say how much each case counts; rows add up to 1.
    """
    tau = float(kendall_tau(*scores(np.full((1, cases), 1 / cases)))[0])
    if cases == 1:
        return Interval(tau, None, None, 1, confidence=confidence)
    drawn = np.random.default_rng(seed).multinomial(cases, np.full(cases, 1 / cases), RESAMPLES) / cases
    tail = 50 * (1 - confidence)
    low, high = np.percentile(kendall_tau(*scores(drawn)), [tail, 100 - tail])
    return Interval(tau, float(low), float(high), cases, confidence=confidence)

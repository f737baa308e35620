"""The gain curve: what seeds cover, one after another, and how many of them pay.

    value(i) = Σ w(q) over the pages q within h links of one of the first i seeds, or of a seed that was already there

Cost: one walk of h links for each seed, which ends at what earlier seeds cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import UsageError
from seedbed.graph.web import Web
from seedbed.seeds.coverage.covered import Covered
from seedbed.seeds.seeds import Gain


def gain_of(web: Web, pages: Iterable[int], values: NDArray[np.float64], hops: int, taken: Sequence[int] = ()) -> Gain:
    """Pages and value covered after each seed. `total_value`: the sum of all positive values, the maximum possible."""
    covered = Covered(web.links, values, hops)
    for page in taken:
        covered.cover(page)
    held = covered.pages, covered.value
    reached: list[int] = []
    value: list[float] = []
    for page in pages:
        covered.cover(int(page))
        reached.append(covered.pages)
        value.append(covered.value)
    total = covered.most * covered.unit
    return Gain(np.array(reached, np.int64), np.array(value, np.float64), web.page_count, total, *held)


def enough(gain: Gain, share: float) -> int:
    """The fewest seeds that cover this share of the value: none if it was covered before, all if they cover less."""
    if not 0 <= share <= 1:
        raise UsageError(f"--until is {share}; it is a share of the value, from 0 to 1. For 90 % write 0.9.")
    there = np.flatnonzero(np.append(gain.held_value, gain.value) >= share * gain.total_value * (1 - 1e-12))
    return int(there[0]) if len(there) else len(gain.value)

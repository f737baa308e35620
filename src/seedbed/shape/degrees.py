"""How many pages have each number of links on them, or to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen
from seedbed.common.kernels import kernel


@dataclass(frozen=True)
class Bin:
    """The number of items whose size is at least `first` and at most `last`."""

    first: int
    last: int
    count: int

    def to_dict(self) -> dict[str, int]:
        """For JSON."""
        return {"from": self.first, "to": self.last, "count": self.count}


@dataclass(frozen=True, eq=False)
class Distribution:
    """The degrees that occur, ascending, and how many pages have each."""

    degrees: Ints
    pages: Ints

    @property
    def zero(self) -> int:
        """Pages of degree 0."""
        return int(self.pages[0]) if len(self.degrees) and self.degrees[0] == 0 else 0

    @property
    def mean(self) -> float:
        """Links per page; 0 in a web without pages."""
        total = int(self.pages.sum())
        return int(self.degrees @ self.pages) / total if total else 0.0

    @property
    def largest(self) -> int:
        """The highest degree."""
        return int(self.degrees.max(initial=0))

    @property
    def bins(self) -> tuple[Bin, ...]:
        """Pages of degree 0, 1, 2–3, 4–7, …"""
        return size_bins(self.degrees, self.pages)


def distribution(degree_of_page: NDArray[Any]) -> Distribution:
    """How many pages have each degree."""
    pages = tally(degree_of_page, int(degree_of_page.max(initial=0)) + 1)
    occurring = np.flatnonzero(pages)
    return Distribution(frozen(occurring.astype(np.int64)), frozen(pages[occurring]))


def size_bins(sizes: Ints, counts: Ints | int = 1) -> tuple[Bin, ...]:
    """How many sizes fall into bins 0, 1, 2–3, 4–7, …, from the first non-empty bin to the last; each counts[k] times.

    Bin w holds 2^(w − 1) … 2^w − 1.
    """
    if not len(sizes):
        return ()
    width = np.where(sizes > 0, np.frexp(sizes.astype(np.float64))[1], 0)
    totals = np.zeros(int(width.max()) + 1, np.int64)
    np.add.at(totals, width, counts)
    return tuple(Bin((1 << w) >> 1, (1 << w) - 1, int(totals[w])) for w in range(int(width.min()), len(totals)))


@kernel
def tally(numbers: Any, count: int) -> Ints:
    """How often each of 0 … count − 1 occurs."""
    counts = np.zeros(count, np.int64)
    for number in numbers:
        counts[number] += 1
    return counts

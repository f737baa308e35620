"""How many links pages have, and how many links lead to them.

Out-degrees and in-degrees are counted as the links come in, block by block; only the number of pages with
each degree is kept. O(pages + links); 12 bytes per page while counting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen, page_dtype
from seedbed.common.kernels import kernel
from seedbed.links.link_store import Block, count_targets

if TYPE_CHECKING:
    pass


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

    @cached_property
    def bins(self) -> tuple[Bin, ...]:
        """Pages of degree 0, 1, 2–3, 4–7, …"""
        return in_powers_of_two(self.degrees, self.pages)


@dataclass(frozen=True)
class Degrees:
    """Links on each page and links to each page."""

    out: Distribution
    in_: Distribution

    @property
    def dangling(self) -> int:
        """Pages that link nowhere."""
        return self.out.zero

    @property
    def unreachable(self) -> int:
        """Pages that nothing links to."""
        return self.in_.zero


class DegreeCount:
    """Degrees, counted as the links come in, block by block."""

    def __init__(self, pages: int) -> None:
        self._out = np.zeros(pages, np.int64)
        self._in = np.zeros(pages, page_dtype(pages))

    def add(self, block: Block) -> None:
        """Count the links of a block."""
        self._out[block.first : block.first + len(block.out_ptr) - 1] = np.diff(block.out_ptr)
        count_targets(block.out_idx, self._in)

    def degrees(self) -> Degrees:
        """The degrees counted so far."""
        return Degrees(distribution(self._out), distribution(self._in))


def distribution(degree_of_page: NDArray[Any]) -> Distribution:
    """How many pages have each degree."""
    pages = tally(degree_of_page, int(degree_of_page.max(initial=0)) + 1)
    occurring = np.flatnonzero(pages)
    return Distribution(frozen(occurring.astype(np.int64)), frozen(pages[occurring]))


def in_powers_of_two(sizes: Ints, counts: Ints) -> tuple[Bin, ...]:
    """Counts of ascending sizes in bins 0, 1, 2–3, 4–7, …, from the first non-empty bin to the last."""
    if not len(sizes):
        return ()
    width = np.where(sizes > 0, np.frexp(sizes.astype(np.float64))[1], 0)
    totals = np.zeros(int(width[-1]) + 1, np.int64)
    np.add.at(totals, width, counts)
    return tuple(Bin(*_range_of(w), count) for w, count in enumerate(totals.tolist()) if w >= int(width[0]))


def size_bins(sizes: Ints) -> tuple[Bin, ...]:
    """How many of the sizes, in any order, fall into each bin."""
    found, counts = np.unique(sizes, return_counts=True)
    return in_powers_of_two(found, counts)


def _range_of(width: int) -> tuple[int, int]:
    return (1 << (width - 1), (1 << width) - 1) if width else (0, 0)


@kernel
def tally(numbers: Any, count: int) -> Ints:
    """How often each of 0 … count − 1 occurs."""
    counts = np.zeros(count, np.int64)
    for number in numbers:
        counts[number] += 1
    return counts

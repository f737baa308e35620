"""Growing one core on the links between sites: who may join, and how dense the core would be.

A page that may become a hub has a link to some authority of the core, one that may become an authority has a link from
some hub. `ties` of such a page counts those links, so the density of the core with it is known at once. Each page that
joins costs its own links; choosing one costs a pass over those that may join.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel

Ints = NDArray[np.int64]


class Flank:
    """The hubs or the authorities of a core: its members, and the pages that may join them."""

    def __init__(self, pages: int) -> None:
        self.members: list[int] = []
        self.ties = np.zeros(pages, np.int32)
        self._waiting = np.empty(1024, np.int64)
        self._count = 0

    @property
    def waiting(self) -> Ints:
        """The pages with ties."""
        return self._waiting[: self._count]

    def tie(self, neighbours: NDArray[Any], alive: NDArray[np.bool_]) -> None:
        """Count a link with each of these pages that is still there."""
        if self._count + len(neighbours) > len(self._waiting):
            longer = np.empty(2 * (self._count + len(neighbours)), np.int64)
            longer[: self._count] = self.waiting
            self._waiting = longer
        self._count = add_ties(neighbours, alive, self.ties, self._waiting, self._count)

    def clear(self) -> None:
        """Be ready for the next core."""
        self.ties[self.waiting] = 0
        self._count = 0
        self.members = []


@kernel
def add_ties(neighbours: Any, alive: Any, ties: Any, waiting: Ints, count: int) -> int:
    """One tie more for each neighbour; those that had none are appended to waiting[:count]."""
    for page in neighbours:
        if alive[page]:
            if ties[page] == 0:
                waiting[count] = page
                count += 1
            ties[page] += 1
    return count


@kernel
def best_of(
    waiting: Ints,
    ties: Any,
    in_core: Any,
    least_ties: int,
    of_page: Any,
    scores: NDArray[np.float64],
    error: float,
    near: Ints,
) -> tuple[int, int]:
    """(the page with the highest score, how many pages of other classes are too near to tell).

    Pages in the core, and those with fewer than `least_ties` ties, are passed over; −1 where none is left. Of one class
    the smallest page counts. `near` takes the smallest page of each class that is near.
    """
    best, best_page = -1.0, -1
    for page in waiting:
        if not in_core[page] and ties[page] >= least_ties:
            score = scores[of_page[page]]
            if score > best or (score == best and page < best_page):
                best, best_page = score, page
    if best_page < 0:
        return -1, 0
    limit = best * (1.0 - error)
    count = 0
    for page in waiting:
        if in_core[page] or ties[page] < least_ties or scores[of_page[page]] < limit:
            continue
        k = 0
        while k < count and of_page[near[k]] != of_page[page]:
            k += 1
        if k == count:
            if count == near.size:
                return best_page, count
            near[count] = page
            count += 1
        else:
            near[k] = min(near[k], page)
    return (near[0] if count == 1 else best_page), count

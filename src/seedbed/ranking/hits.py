"""HITS (Kleinberg 1999): good hubs link to good authorities, and good authorities are linked from good hubs.

    a = Aᵀh,  a ← a/‖a‖₂,  h = Aa,  h ← h/‖h‖₂        A(x, y) = 1 if x links to y; h starts at 1

An iteration is both steps, and the number of iterations is fixed. The vectors converge to the leading singular vectors
of A at a rate that depends on the web, so there is no error bound. `converged` is True if the last iteration no longer
changed anything.

Cost: O(pages + links) per iteration; 12 bytes per link and 30 per page. Links that do not fit in memory are read from
the store twice in every iteration: slower, 16 bytes per page.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel
from seedbed.common.memory import require
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team
from seedbed.errors import UsageError
from seedbed.graph.web import Web
from seedbed.links.transpose import transposed
from seedbed.ranking.link_sums import LinkSums, add_targets, add_to_targets, fits, part_bounds, sum_part, with_filler
from seedbed.ranking.ranking import Ranking

STILL = 1e-12
"""A change in L2 norm below this counts as none."""


def hits(
    web: Web,
    *,
    iterations: int = 60,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> tuple[Ranking, Ranking]:
    """(hubs, authorities) after this many iterations, each of L2 norm 1, or 0 in a web without links.

    `converged`: the last iteration changed the vector by less than 1e-12. `memory`: bytes that decoded links may take;
    by default half the machine's memory.
    """
    start = time.perf_counter()
    if iterations < 1:
        raise UsageError(f"iterations is {iterations}; it must be at least 1. The usual value is 60.")
    pages = web.page_count
    require(32 * pages, "HITS: the scores")
    hubs, authorities = Vector(pages, 1.0), Vector(pages, 0.0)
    with Team(threads) as team:
        over_in_links, over_out_links = both_sums(web, team, memory)
        for done in range(1, iterations + 1):
            before = (hubs.unit(), authorities.unit()) if done == iterations else None
            authorities.update(over_in_links, hubs)
            hubs.update(over_out_links, authorities)
            (progress or no_progress)("hits", done, iterations)
    seconds = time.perf_counter() - start
    found = []
    for name, vector, old in zip(("hubs", "authorities"), (hubs, authorities), before or (), strict=True):
        scores = vector.unit()
        still = float(np.linalg.norm(scores - old)) < STILL
        found.append(Ranking(name, scores, iterations, None, still, seconds))
    return found[0], found[1]


def iterations_to_settle(
    web: Web,
    tolerance: float = 1e-6,
    *,
    most: int = 600,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> int | None:
    """The first iteration that moves neither vector by `tolerance` or more in L2 norm; None: not one of the first."""
    hubs, authorities = Vector(web.page_count, 1.0), Vector(web.page_count, 0.0)
    with Team(threads) as team:
        over_in_links, over_out_links = both_sums(web, team, None)
        for done in range(1, most + 1):
            before = hubs.unit(), authorities.unit()
            authorities.update(over_in_links, hubs)
            hubs.update(over_out_links, authorities)
            progress("hits", done, most)
            moved = (np.linalg.norm(new.unit() - old) for new, old in zip((hubs, authorities), before, strict=True))
            if max(moved) < tolerance:
                return done
    return None


def both_sums(web: Web, team: Team, memory: int | None) -> tuple[LinkSums, LinkSums]:
    """Sums over in-links, which turn hubs into authorities, and over out-links, which turn authorities into hubs."""
    out_links = web.links.to_csr() if fits(web.links, 4, memory) else None
    in_links = None if out_links is None else transposed(out_links)
    return LinkSums(web.links, team, in_links, add_to_targets), LinkSums(web.links, team, out_links, add_targets)


class Vector:
    """Values and their L2 norm. The next step divides by the norm, so normalising needs no pass of its own."""

    def __init__(self, pages: int, value: float) -> None:
        self.values = with_filler(np.full(pages, value))
        self.norm = math.sqrt(pages) * value
        self._squares = np.zeros(len(part_bounds(pages)) - 1)

    def update(self, sums: LinkSums, other: Vector) -> None:
        """Set this vector to the sums over links of the other one, normalised."""
        sums.run(scale_parts, other.values, self.values, 1 / other.norm if other.norm else 0.0, self._squares)
        self.norm = math.sqrt(math.fsum(self._squares))

    def unit(self) -> NDArray[np.float64]:
        """The vector scaled to norm 1; a zero vector stays 0."""
        values = self.values[:-1]
        return values / self.norm if self.norm else values.copy()


@kernel
def scale_parts(
    lists: Any, first: int, last: int, values: Any, sums: Any, scale: float, squares: NDArray[np.float64]
) -> None:
    """The sums of some parts, scaled, and the sums of their squares, while they are still in cache."""
    bounds = lists.bounds
    for part in range(first, last):
        own = sums[bounds[part] : bounds[part + 1]]
        sum_part(lists, part, values, own)
        squares[part] = scale_part(own, scale)


@inlined
def scale_part(sums: Any, scale: float) -> float:
    """Scale the sums of a part; returns the sum of their squares, in four accumulators so that no addition waits."""
    squares = (0.0, 0.0, 0.0, 0.0)
    for k in range(sums.size):
        value = scale * sums[k]
        sums[k] = value
        squares = (squares[1], squares[2], squares[3], squares[0] + value * value)
    return (squares[0] + squares[1]) + (squares[2] + squares[3])

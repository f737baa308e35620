"""HITS (Kleinberg 1999): good hubs link to good authorities, and good authorities are linked to by good hubs.

    a = Aᵀh,  a ← a/‖a‖₂,  h = Aa,  h ← h/‖h‖₂        A(x, y) = 1 where x links to y; h starts at 1

Each round is both steps, and the number of rounds is fixed. The vectors go towards the leading singular vectors of A,
at a speed that the web decides, so there is no bound on the distance to them; whether the last round still changed
anything is told.

Cost: O(pages + links) a round; 12 bytes a link and 30 a page. Links that do not fit in memory are read from the store
twice in every round: slower, 16 bytes a page.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
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
from seedbed.ranking.list_sums import Lists, cost, lay_out, part_bounds, sum_part, with_nil
from seedbed.ranking.ranking import Ranking
from seedbed.ranking.streamed_sums import fits, stream_in, stream_out

STILL = 1e-12
"""A change in L2 norm that is held to be none."""

Step = Callable[[NDArray[np.float64], NDArray[np.float64], float, NDArray[np.float64]], None]


def hits(
    web: Web,
    *,
    rounds: int = 60,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> tuple[Ranking, Ranking]:
    """(hubs, authorities) after `rounds` rounds, each of L2 norm 1, or 0 in a web without links.

    `converged`: the last round changed the vector by less than 1e-12. `memory`: bytes that decoded links may take, by
    default half of the machine's.
    """
    start = time.perf_counter()
    if rounds < 1:
        raise UsageError(f"rounds is {rounds}; at least 1 is needed. The usual number is 60.")
    pages = web.page_count
    require(32 * pages, "HITS: the scores")
    hubs, authorities = Vector(pages, 1.0), Vector(pages, 0.0)
    with Team(threads) as team:
        to_authorities, to_hubs = steps(web, team, memory)
        for done in range(1, rounds + 1):
            before = (hubs.unit(), authorities.unit()) if done == rounds else None
            authorities.set(to_authorities, hubs)
            hubs.set(to_hubs, authorities)
            (progress or no_progress)("hits", done, rounds)
    seconds = time.perf_counter() - start
    found = []
    for name, vector, old in zip(("hubs", "authorities"), (hubs, authorities), before or (), strict=True):
        scores = vector.unit()
        still = float(np.linalg.norm(scores - old)) < STILL
        found.append(Ranking(name, scores, rounds, None, still, seconds))
    return found[0], found[1]


class Vector:
    """Values and their L2 norm, by which the next step divides: so normalising takes no pass of its own."""

    def __init__(self, pages: int, value: float) -> None:
        self.values = with_nil(np.full(pages, value))
        self.norm = math.sqrt(pages) * value
        self._squares = np.zeros(len(part_bounds(pages)) - 1)

    def set(self, step: Step, other: Vector) -> None:
        """Sums over links of the other vector, normalised."""
        step(other.values, self.values, 1 / other.norm if other.norm else 0.0, self._squares)
        self.norm = math.sqrt(math.fsum(self._squares))

    def unit(self) -> NDArray[np.float64]:
        """The vector at norm 1; 0 if it is 0."""
        values = self.values[:-1]
        return values / self.norm if self.norm else values.copy()


def steps(web: Web, team: Team, memory: int | None) -> tuple[Step, Step]:
    """From hubs to authorities, and back."""
    if fits(web.links, 4, memory):
        out_links = web.links.to_csr()
        return in_memory(lay_out(transposed(out_links), team), team), in_memory(lay_out(out_links, team), team)
    bounds = part_bounds(web.page_count)

    def to_authorities(values: Any, sums: Any, scale: float, squares: Any) -> None:
        stream_in(web.links, team, values, sums)
        settle_parts(bounds, sums, scale, squares)

    def to_hubs(values: Any, sums: Any, scale: float, squares: Any) -> None:
        stream_out(web.links, team, values, sums)
        settle_parts(bounds, sums, scale, squares)

    return to_authorities, to_hubs


def in_memory(lists: Lists, team: Team) -> Step:
    """Sums over lists that are laid out."""
    shares = team.shares(cost(lists))

    def step(values: Any, sums: Any, scale: float, squares: Any) -> None:
        team.run(lambda first, last: step_of_parts(lists, first, last, values, sums, scale, squares), shares)

    return step


@kernel
def step_of_parts(
    lists: Any, first: int, last: int, values: Any, sums: Any, scale: float, squares: NDArray[np.float64]
) -> None:
    """The sums of some parts, scaled, and their squares, while they are still in the cache."""
    bounds = lists.bounds
    for part in range(first, last):
        own = sums[bounds[part] : bounds[part + 1]]
        sum_part(lists, part, values, own)
        squares[part] = settle(own, scale)


@kernel
def settle_parts(bounds: Any, sums: Any, scale: float, squares: NDArray[np.float64]) -> None:
    """Scale all sums, and sum their squares part by part."""
    for part in range(bounds.size - 1):
        squares[part] = settle(sums[bounds[part] : bounds[part + 1]], scale)


@inlined
def settle(sums: Any, scale: float) -> float:
    """Scale the sums of a part; gives the sum of their squares, in four strands as no addition should wait."""
    squares = (0.0, 0.0, 0.0, 0.0)
    for k in range(sums.size):
        value = scale * sums[k]
        sums[k] = value
        squares = (squares[1], squares[2], squares[3], squares[0] + value * value)
    return (squares[0] + squares[1]) + (squares[2] + squares[3])

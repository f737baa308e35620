"""How far cores are from each other, and a map of them.

    d(i, j) = min { links on a path from p to q : p in core i, q in core j },  ∞ if there is none

Daneshpajouh et al. 2008 (§3.5): cores of different communities are about as far apart as the web's pages are on
average. Paths use the whole web, links inside sites included. Minimum, mean and maximum are over ordered pairs of
different cores that have a path. Cost: one breadth-first search per core, O(pages + links) each, in threads; 8 bytes
per page and thread.

The map places nearby cores close together in a plane, by multidimensional scaling:

    stress = Σ_{i<j} (‖x_i − x_j‖ − d_ij)²        d_ij: the mean of the distances there and back, if there are any

Pairs without a path are placed one link beyond the largest distance. It starts from classical scaling (Torgerson 1952)
and continues by majorisation (de Leeuw 1977), in which the stress never rises. O(cores²) per iteration. Distances along
links need not fit a plane, so the map is an approximation; the matrix is exact.

All pairs of a core change with it, so the interval of the mean distance comes from leaving out one core at a time
(jackknife: Tukey 1958), and whether cores found in close rounds are close to each other is tested by shuffling the
cores (Mantel 1967).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team
from seedbed.links.link_store import successors

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.seeds import Core

Floats = NDArray[np.float64]
PAGES_PER_CALL = 1 << 20
HEAD, TAIL = range(2)
MAP_ITERATIONS = 200
MAP_DIGITS = 6


@dataclass(frozen=True, eq=False)
class CoreDistances:
    """matrix[i, j]: the distance from core i to core j, inf if there is no path. The rest: None if no pair has one."""

    matrix: Floats
    minimum: int | None
    mean: float | None
    maximum: int | None

    @property
    def connected(self) -> float:
        """The share of ordered pairs of different cores that have a path."""
        count = len(self.matrix)
        return len(_finite(self.matrix)) / max(count * (count - 1), 1)


def core_distances(
    web: Web, cores: Sequence[Core], *, threads: int | None = None, progress: Progress = no_progress
) -> CoreDistances:
    """The distances from every core to every other, on the whole web."""
    members = [np.unique(np.concatenate([core.hubs, core.authorities])) for core in cores]
    matrix = np.full((len(members), len(members)), np.inf)
    stop = Event()

    def distances_from(core: int) -> list[float]:
        distance = _search(web.links, members[core], stop)
        near = (distance[pages].astype(np.float64) for pages in members)
        return [float(np.min(one, initial=np.inf, where=one >= 0)) for one in near]

    with Team(threads) as team:
        try:
            for core, row in enumerate(team.ahead(distances_from, range(len(members)))):
                matrix[core] = row
                progress("core distances", core + 1, len(members))
        finally:
            stop.set()
    found = _finite(matrix)
    if not len(found):
        return CoreDistances(matrix, None, None, None)
    return CoreDistances(matrix, int(found.min()), float(found.mean()), int(found.max()))


def mean_without_each(matrix: Floats) -> Floats:
    """The mean distance without each core in turn, of those without which some pair still has a path."""
    left = (_finite(np.delete(np.delete(matrix, core, axis=0), core, axis=1)) for core in range(len(matrix)))
    return np.array([found.mean() for found in left if len(found)])


@dataclass(frozen=True)
class RoundCorrelation:
    """Spearman's correlation of distance and rounds between, and the shares of shuffles with one as low, as high."""

    correlation: float
    as_low: float
    as_high: float


def round_correlation(matrix: Floats, shuffles: int = 999, seed: int = 1) -> RoundCorrelation | None:
    """Whether cores that were found many rounds apart are far from each other. None if all pairs are equally far.

    Pairs without a path count as the farthest. The rounds are shuffled; the shuffle that was found counts as one.
    """
    count = len(matrix)
    pairs = np.triu_indices(count, 1)
    far = _standardised_ranks(undirected(matrix)[pairs])
    rounds = np.arange(count)
    between = np.zeros((count, count))
    between[pairs] = _standardised_ranks(np.abs(rounds[pairs[0]] - rounds[pairs[1]]))
    between += between.T
    if not far.any() or not between.any():
        return None
    rng = np.random.default_rng([seed, count])
    orders = [rounds, *(rng.permutation(count) for _ in range(shuffles))]
    found = np.array([far @ between[order[pairs[0]], order[pairs[1]]] for order in orders]) / len(far)
    as_low, as_high = (float(np.mean(side)) for side in (found <= found[0] + 1e-12, found >= found[0] - 1e-12))
    return RoundCorrelation(float(found[0]), as_low, as_high)


def _standardised_ranks(numbers: NDArray[Any]) -> Floats:
    """Ranks, equal numbers sharing theirs, with mean 0 and deviation 1; all 0 if all numbers are equal."""
    _, group, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - counts + (counts - 1) / 2)[group]
    spread = ranks.std() if len(ranks) else 0.0
    return np.asarray((ranks - ranks.mean()) / spread if spread else np.zeros(len(ranks)))


def _finite(matrix: Floats) -> Floats:
    """The distances of ordered pairs of different cores that have a path."""
    return matrix[np.isfinite(matrix) & ~np.eye(len(matrix), dtype=np.bool_)]


def _search(links: LinkStore, sources: NDArray[np.int64], stop: Event) -> NDArray[np.int32]:
    """The distance of every page from the nearest source; −1 if there is no path. Ends early once `stop` is set."""
    arrays, buffer = links.arrays(), links.buffer()
    distance = np.full(links.page_count, -1, np.int32)
    queue = np.empty(links.page_count, page_dtype(links.page_count))
    distance[sources], queue[: len(sources)] = 0, sources
    state = np.array([0, len(sources)], np.int64)
    while state[HEAD] < state[TAIL] and not stop.is_set():
        with links.guarded(buffer.at):
            spread(arrays, buffer, distance, queue, state, PAGES_PER_CALL)
    return distance


@kernel
def spread(links: Any, buffer: Any, distance: Any, queue: Any, state: NDArray[np.int64], budget: int) -> None:
    """Continue a breadth-first search for `budget` pages; queue[head:tail] are still to be expanded."""
    head, tail = state
    stop = head + budget
    while head < tail and head < stop:
        page = queue[head]
        further = distance[page] + 1
        for target in successors(links, page, buffer):
            if distance[target] < 0:
                distance[target] = further
                queue[tail] = target
                tail += 1
        head += 1
    state[HEAD], state[TAIL] = head, tail


def core_map(matrix: Floats) -> Floats:
    """A position (x, y) for each core, rounded so that it does not depend on the last digits of a sum."""
    wanted = undirected(matrix)
    places = _classical(wanted)
    for _ in range(MAP_ITERATIONS):
        places = _majorised(places, wanted)
    return np.round(places, MAP_DIGITS) + 0.0


def undirected(matrix: Floats) -> Floats:
    """Distances without direction: the mean of there and back, or the one that exists; past the largest if neither."""
    known = _finite(matrix)
    beyond = float(known.max()) + 1 if len(known) else 1.0
    ways = np.stack([matrix, matrix.T])
    exists = np.isfinite(ways)
    count = exists.sum(axis=0)
    wanted = np.where(count > 0, np.where(exists, ways, 0.0).sum(axis=0) / np.maximum(count, 1), beyond)
    np.fill_diagonal(wanted, 0.0)
    return wanted


def _classical(wanted: Floats) -> Floats:
    """The two main axes of the squared distances, centred; an axis points to its farthest core."""
    count = len(wanted)
    middle = np.eye(count) - 1 / max(count, 1)
    values, axes = np.linalg.eigh(-0.5 * middle @ np.square(wanted) @ middle)
    places = np.zeros((count, 2))
    for axis, k in enumerate(range(count - 1, max(count - 3, -1), -1)):
        line = axes[:, k] * np.sqrt(max(values[k], 0.0))
        places[:, axis] = line * (1 if line[np.abs(line).argmax()] >= 0 else -1)
    return places


def _majorised(places: Floats, wanted: Floats) -> Floats:
    """One iteration of majorisation."""
    apart = np.sqrt(np.square(places[:, None] - places[None]).sum(axis=2))
    pull = np.divide(wanted, apart, out=np.zeros_like(wanted), where=apart > 1e-12)
    moved = (pull.sum(axis=1)[:, None] * places - pull @ places) / max(len(places), 1)
    return np.asarray(moved - moved.mean(axis=0) if len(moved) else moved)

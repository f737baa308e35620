"""How far cores are from each other: the shortest directed way from any page of one to any page of the other.

    d(i, j) = min { links on a way from p to q : p in core i, q in core j },  ∞ where there is none

Daneshpajouh et al. 2008 (§3.5): cores of different communities are about as far apart as the web's pages are on
average. Ways lead over the whole web, links inside sites included. Minimum, mean and maximum are over ordered pairs of
different cores that have a way.

Cost: one breadth-first search a core, O(pages + links) each, in threads; 8 bytes a page and thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import thread_count
from seedbed.links.link_access import successors

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.seeds import Core

PAGES_PER_CALL = 1 << 20
HEAD, TAIL = range(2)


@dataclass(frozen=True, eq=False)
class CoreDistances:
    """matrix[i, j]: the distance from core i to core j, inf where there is no way; the others: None if none has one."""

    matrix: NDArray[np.float64]
    minimum: int | None
    mean: float | None
    maximum: int | None

    @property
    def connected(self) -> float:
        """The share of ordered pairs of different cores that have a way."""
        count = len(self.matrix)
        return len(between(self.matrix)) / max(count * (count - 1), 1)


def core_distances(
    web: Web, cores: Sequence[Core], *, threads: int | None = None, progress: Progress = no_progress
) -> CoreDistances:
    """The distances from every core to every other, on the whole web."""
    members = [np.unique(np.concatenate([core.hubs, core.authorities])) for core in cores]
    matrix = np.full((len(members), len(members)), np.inf)
    workers = max(1, min(thread_count(threads), len(members)))
    searchers: SimpleQueue[Searcher] = SimpleQueue()
    stop = Event()
    for _ in range(workers):
        searchers.put(Searcher(web.links, stop))

    def search(core: int) -> None:
        searcher = searchers.get()
        try:
            distance = searcher.search(members[core])
            matrix[core] = [nearest(distance[pages]) for pages in members]
        finally:
            searchers.put(searcher)

    with ThreadPoolExecutor(workers) as pool:
        try:
            for done, _ in enumerate(pool.map(search, range(len(members))), 1):
                progress("core distances", done, len(members))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    found = between(matrix)
    if not len(found):
        return CoreDistances(matrix, None, None, None)
    return CoreDistances(matrix, int(found.min()), float(found.mean()), int(found.max()))


def between(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distances of ordered pairs of different cores that have a way."""
    return matrix[np.isfinite(matrix) & ~np.eye(len(matrix), dtype=np.bool_)]


def nearest(distance: NDArray[np.int32]) -> float:
    """The smallest distance of those pages that were reached."""
    reached = distance[distance >= 0]
    return float(reached.min()) if len(reached) else np.inf


class Searcher:
    """The working space of one thread, used for one search after another."""

    def __init__(self, links: LinkStore, stop: Event) -> None:
        self._links, self._stop = links, stop
        self._arrays, self._buffer = links.arrays(), links.buffer()
        self._distance = np.empty(links.page_count, np.int32)
        self._queue = np.empty(links.page_count, page_dtype(links.page_count))

    def search(self, sources: NDArray[np.int64]) -> NDArray[np.int32]:
        """The distance of every page from the nearest source; −1 where there is no way."""
        self._distance.fill(-1)
        self._distance[sources] = 0
        self._queue[: len(sources)] = sources
        state = np.array([0, len(sources)], np.int64)
        while state[HEAD] < state[TAIL] and not self._stop.is_set():
            with self._links.guarded(self._buffer.at):
                spread(self._arrays, self._buffer, self._distance, self._queue, state, PAGES_PER_CALL)
        return self._distance


@kernel
def spread(links: Any, buffer: Any, distance: Any, queue: Any, state: NDArray[np.int64], budget: int) -> None:
    """Go on with a breadth-first search for `budget` pages; queue[head:tail] wait to be looked at."""
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

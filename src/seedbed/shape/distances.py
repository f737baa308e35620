"""The average connected distance of a web: the mean length of the shortest way from a page to one it reaches.

    D = Σ S(u) / Σ N(u)     N(u): pages that u reaches, without u;  S(u): the sum of their distances from u

Broder et al. 2000; Daneshpajouh et al. 2008 (§3.2.2) call it the diameter. The sums run over m pages
drawn without replacement, and a breadth-first search from each gives its N and S exactly. The error is
that of a ratio estimator in a finite population of n pages (Cochran 1977, chapter 6):

    error² = (1 − m/n) · Σ (S − D·N)² / (m − 1) / m / mean(N)²

Cost: m searches of at most O(pages + links); 5 bytes a page and thread. Searches are shared out over
threads, and what each finds is whole numbers, so the result is the same for any number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError
from seedbed.graph.access import successors
from seedbed.graph.csr import page_dtype
from seedbed.graph.kernel import kernel
from seedbed.graph.progress import Progress, no_progress

if TYPE_CHECKING:
    from seedbed.graph.web import LinkStore

WORK = 2_000_000_000
PAGES_PER_CALL = 1 << 20

HEAD, TAIL, LEVEL_END, LEVEL, SUM = range(5)


@dataclass(frozen=True)
class Distances:
    """The average connected distance, as seen from `samples` pages."""

    average: float | None
    """None if none of the pages reaches another."""
    error: float | None
    """Its standard error: 0 if every page was searched from, None if only one of several was."""
    longest: int
    """The largest distance seen."""
    connected: float
    """The share of ordered pairs of pages that have a way from the first to the second."""
    samples: int


def default_samples(links: int) -> int:
    """As many searches as read two thousand million links if each reads all; at least 8, at most 256."""
    return min(max(WORK // max(links, 1), 8), 256)


def sample_count(links: int, samples: int | None) -> int:
    """The number of searches asked for, or the default."""
    if samples is not None and samples < 1:
        raise OptionError(f"{samples} samples: distances are measured from at least 1 page. Ask for 1 or more.")
    return default_samples(links) if samples is None else samples


def thread_count(threads: int | None) -> int:
    """The number of threads asked for, or one for each core this process may use."""
    if threads is not None and threads < 1:
        raise OptionError(f"{threads} threads: at least 1 is needed. Leave the option out to use all cores.")
    return len(os.sched_getaffinity(0)) if threads is None else threads


def average_distance(
    links: LinkStore,
    *,
    samples: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> Distances:
    """The average connected distance from `samples` pages drawn with `seed`; exact if that is all of them."""
    wanted = sample_count(links.links, samples)
    pages = links.pages
    if wanted >= pages:
        sources = np.arange(pages)
    else:
        sources = np.sort(np.random.default_rng(seed).choice(pages, wanted, replace=False))
    reached, total, longest = search_from(links, sources, threads=threads, progress=progress)
    average, error = ratio(reached, total, pages)
    pairs = len(sources) * (pages - 1)
    connected = int(reached.sum()) / pairs if pairs else 0.0
    return Distances(average, error, int(longest.max(initial=0)), connected, len(sources))


def ratio(reached: NDArray[np.int64], total: NDArray[np.int64], pages: int) -> tuple[float | None, float | None]:
    """(D, its standard error) from the N and S of some of `pages` pages."""
    samples, pairs = len(reached), int(reached.sum())
    if not pairs:
        return None, None
    average = int(total.sum()) / pairs
    if samples == pages:
        return average, 0.0
    if samples < 2:
        return average, None
    spread = float(np.square(total - average * reached).sum()) / (samples - 1)
    return average, float(np.sqrt((1 - samples / pages) * spread * samples)) / pairs


def search_from(
    links: LinkStore,
    sources: NDArray[np.int64],
    *,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each source: pages it reaches, the sum of their distances, the largest distance."""
    workers = min(thread_count(threads), max(len(sources), 1))
    found = np.zeros((3, len(sources)), np.int64)
    searchers: SimpleQueue[Searcher] = SimpleQueue()
    stop = Event()
    for _ in range(workers):
        searchers.put(Searcher(links, stop))

    def search(place: slice) -> None:
        searcher = searchers.get()
        try:
            for k in range(place.start, place.stop):
                found[:, k] = searcher.search(int(sources[k]))
        finally:
            searchers.put(searcher)

    with ThreadPoolExecutor(workers) as pool:
        try:
            waiting = [pool.submit(search, place) for place in _shares(len(sources), workers)]
            for done, future in enumerate(as_completed(waiting), 1):
                future.result()
                progress("distances", done, len(waiting))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    reached, total, longest = found
    return reached, total, longest


def _shares(count: int, workers: int) -> Iterator[slice]:
    step = max(1, min(16, count // (8 * workers)))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


class Searcher:
    """The working space of one thread, used for one search after another."""

    def __init__(self, links: LinkStore, stop: Event) -> None:
        self._links = links
        self._arrays = links.arrays()
        self._buffer = links.buffer()
        self._seen = np.zeros(links.pages, np.uint8)
        self._queue = np.empty(links.pages, page_dtype(links.pages))
        self._stop = stop

    def search(self, source: int) -> tuple[int, int, int]:
        """(pages reached, sum of their distances, largest distance)."""
        state = np.array([0, 1, 1, 0, 0], np.int64)
        self._queue[0] = source
        self._seen[source] = 1
        while state[HEAD] < state[TAIL] and not self._stop.is_set():
            with self._links.guarded(self._buffer.at):
                search_on(self._arrays, self._buffer, self._seen, self._queue, state, PAGES_PER_CALL)
        forget(self._seen, self._queue[: state[TAIL]])
        return int(state[TAIL]) - 1, int(state[SUM]), int(state[LEVEL])


@kernel
def search_on(links: Any, buffer: Any, seen: Any, queue: Any, state: NDArray[np.int64], budget: int) -> None:
    """Go on with a breadth-first search for `budget` pages.

    queue[head:tail] are pages found but not yet looked at; those before level_end are `level` links away,
    those after it one more.
    """
    head, tail, level_end, level, total = state
    stop = head + budget
    while head < tail and head < stop:
        if head == level_end:
            level += 1
            level_end = tail
        total += level
        for target in successors(links, queue[head], buffer):
            if seen[target] == 0:
                seen[target] = 1
                queue[tail] = target
                tail += 1
        head += 1
    state[HEAD], state[TAIL], state[LEVEL_END] = head, tail, level_end
    state[LEVEL], state[SUM] = level, total


@kernel
def forget(seen: Any, queue: Any) -> None:
    """Clear the marks of a search."""
    for page in queue:
        seen[page] = 0

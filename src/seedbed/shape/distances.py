"""The average connected distance of a web: the mean length of the shortest path from a page to one it reaches.

    D = Σ S(u) / Σ N(u)     N(u): pages that u reaches, without u;  S(u): the sum of their distances from u

Broder et al. 2000; Daneshpajouh et al. 2008 (§3.2.2) call it the diameter. A breadth-first search from a page gives its
N and S exactly. Pages that link to no other page are never searched from. The others are stratified by a lower bound on
how much they reach: on real webs a tenth of them may reach nearly everything and the rest almost nothing, and a simple
random sample then misses the few that matter. The lower bound is the longest chain of strong components,

    low(c) = |c| + max over components c' that c links to of low(c')

and within a stratum it varies by at most a factor of 4. If affordable, every page is searched from. Otherwise pages are
drawn until the standard error (see stratified_sampling.py) is one per cent of D, or the allowed work is used up.

Most paths pass through the page with the most in-links (the hub). One search along the transposed links gives the
distance of every page to it. A page that is one link farther from the hub is about one link farther from all that it
reaches, so a sample of pages that are too near or too far is corrected for that: on cnr-2000, 20 times fewer searches
give the same error. If the transposed links would take too much memory, there is no such correction.

Cost: O(pages + links) for the strata, at most O(pages + links) per search; 64 searches run together and share what they
read. They share more if they reach a page at the same step, so the nearer a search is to the hub, the later it starts.
32 bytes per page and thread, 11 on webs of more than 16 million pages; 4 bytes per link for a moment, if there is room.
Searches yield integers, so the result is the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.common.threads import Team, thread_count
from seedbed.errors import OptionError
from seedbed.links.link_store import successors
from seedbed.links.transpose import fits_in_memory, transposed
from seedbed.shape.bow_tie import by_component
from seedbed.shape.components import Components, strong_components
from seedbed.shape.stratified_sampling import Stratum, draws_for_error, estimate, next_draws

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore

WORK = 2_000_000_000
"""Links that the searches for an estimate may follow in total."""
GOOD_ERROR = 0.01
"""The standard error that is good enough, as a share of the average."""
MOST_FIRST_DRAWS = 32
PAGES_FOR_WIDE_MASKS = 1 << 24
PAGES_PER_CALL = 1 << 20
EVERY_BYTE = np.uint64(0x0101010101010101)


@dataclass(frozen=True)
class Distances:
    """The average connected distance, and how it was found."""

    average: float | None
    """None if no page reaches another."""
    error: float | None
    """Its standard error: 0 if it is exact, None if there were too few searches to estimate it."""
    longest: int
    """The largest distance seen."""
    connected: float
    """The share of ordered pairs of pages in which the first reaches the second."""
    connected_error: float | None
    """Its standard error, likewise."""
    samples: int
    """Pages whose distances are known: all of them, or those that were searched from."""


def check_samples(samples: int | None) -> None:
    """Reject a number of searches below 1."""
    if samples is not None and samples < 1:
        raise OptionError(f"{samples} samples: distances are measured from at least 1 page. Ask for 1 or more.")


def average_distance(
    links: LinkStore,
    *,
    strong: Components | None = None,
    samples: int | None = None,
    seed: int = 1,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress = no_progress,
) -> Distances:
    """The average connected distance, from `samples` searches, or from as many as a good estimate needs.

    `strong`: the strong components of the same links, if already known.
    """
    check_samples(samples)
    threads = thread_count(threads)
    strong = strong_components(links, progress=progress) if strong is None else strong
    to_hub = distances_to_hub(links, memory)
    strata = _strata(reach_at_least(links, strong), to_hub, samples, np.random.default_rng(seed))
    first = max(WORK // max(links.link_count, 1), 2) if samples is None else samples // max(len(strata), 1)
    draws = [min(stratum.size, first, MOST_FIRST_DRAWS) for stratum in strata]
    longest = 0
    while any(draws):
        longest = max(longest, _draw(links, strata, draws, to_hub, threads, progress))
        draws = _next(strata, links, samples)
    result, pages = estimate(strata), links.page_count
    ordered_pairs = max(pages * (pages - 1), 1)
    return Distances(
        result.ratio,
        result.ratio_error,
        longest,
        result.pairs / ordered_pairs,
        None if result.pairs_error is None else result.pairs_error / ordered_pairs,
        sum(stratum.drawn for stratum in strata) if any(stratum.left for stratum in strata) else pages,
    )


def _strata(
    at_least: NDArray[Any], to_hub: NDArray[np.int32], samples: int | None, rng: np.random.Generator
) -> list[Stratum]:
    """The pages that reach another, grouped by the lower bound on their reach, each stratum in random order."""
    stratum_of_page = np.frexp(at_least.astype(np.float64))[1] + 1 >> 1
    counts = np.bincount(stratum_of_page)
    found = np.flatnonzero(counts[1:]) + 1
    if samples is not None and samples < 2 * len(found):
        stratum_of_page, found = np.minimum(stratum_of_page, 1), found[:1] * 0 + 1
    parts = (np.flatnonzero(stratum_of_page == stratum).astype(at_least.dtype) for stratum in found)
    return [Stratum(rng.permutation(pages), to_hub) for pages in parts]


def _draw(
    links: LinkStore,
    strata: Sequence[Stratum],
    draws: Sequence[int],
    to_hub: NDArray[np.int32],
    threads: int,
    progress: Progress,
) -> int:
    """Search from the next pages of each stratum; returns the largest distance seen."""
    chosen = [stratum.pages[stratum.drawn :][:count] for stratum, count in zip(strata, draws, strict=True)]
    sources = np.concatenate(chosen).astype(np.int64)
    reached, total, longest = search_from(links, sources, to_hub=to_hub, threads=threads, progress=progress)
    ends = np.cumsum(draws)
    for stratum, start, end in zip(strata, ends - draws, ends, strict=True):
        stratum.add(reached[start:end], total[start:end])
    return int(longest.max(initial=0))


def _next(strata: Sequence[Stratum], links: LinkStore, samples: int | None) -> list[int]:
    """How many pages to search from next in each stratum; empty if the estimate is good or the work used up."""
    drawn, left = sum(stratum.drawn for stratum in strata), [stratum.left for stratum in strata]
    found = estimate(strata)
    if not any(left) or found.ratio is None:
        return []
    if samples is not None:
        wanted = min(samples - drawn, drawn)
        return next_draws(strata, found.ratio, wanted) if wanted > 0 else []
    per_page = links.link_count / links.page_count
    room = WORK - per_page * sum(stratum.drawn * stratum.cost for stratum in strata)
    if per_page * sum(stratum.left * stratum.cost for stratum in strata) <= room:
        return left
    if found.ratio_error is None or found.ratio_error <= GOOD_ERROR * found.ratio:
        return []
    draws = draws_for_error(strata, found.ratio, GOOD_ERROR * found.ratio * found.pairs, most=drawn)
    cost = per_page * sum(count * stratum.cost for count, stratum in zip(draws, strata, strict=True))
    return draws if cost <= room else []


def reach_at_least(links: LinkStore, strong: Components) -> NDArray[Any]:
    """For each page, a lower bound on the number of others it reaches: 0 only if it reaches none."""
    order = by_component(strong.of_page, strong.sizes)
    low = strong.sizes.copy()
    arrays, buffer = links.arrays(), links.buffer()
    for start in range(0, len(order), PAGES_PER_CALL):
        with links.guarded(buffer.at):
            lengthen_chains(arrays, buffer, strong.of_page, strong.sizes, order[start : start + PAGES_PER_CALL], low)
    return (low[strong.of_page] - 1).astype(page_dtype(links.page_count))


@kernel
def lengthen_chains(links: Any, buffer: Any, of_page: Any, sizes: Any, order: Any, low: Ints) -> None:
    """In reverse topological order: low[c], the pages on the longest chain of components that starts at c."""
    for page in order:
        own = of_page[page]
        for target in successors(links, page, buffer):
            other = of_page[target]
            if other != own:
                low[own] = max(low[own], sizes[own] + low[other])


def distances_to_hub(links: LinkStore, memory: int | None = None) -> NDArray[np.int32]:
    """The distance from each page to the hub, the page with the most in-links; 0 if it does not reach it.

    Estimates are as good without it, only after more searches, so it is 0 for all if the transposed links would take
    too much memory.
    """
    to_hub = np.zeros(links.page_count, np.int32)
    if not links.link_count or not fits_in_memory(links, memory and memory // 4):
        return to_hub
    back = transposed(links).arrays()
    search_from_hub(back, int(np.argmax(np.diff(back.out_ptr))), to_hub, np.empty(links.page_count, np.int64))
    return to_hub


@kernel
def search_from_hub(back: Any, hub: int, to_hub: NDArray[np.int32], queue: Ints) -> None:
    """A breadth-first search from the hub along the transposed links."""
    queue[0], count, k = hub, 1, 0
    while k < count:
        page = queue[k]
        k += 1
        for other in back.out_idx[back.out_ptr[page] : back.out_ptr[page + 1]]:
            if to_hub[other] == 0 and other != hub:
                to_hub[other] = to_hub[page] + 1
                queue[count] = other
                count += 1


def search_from(
    links: LinkStore,
    sources: Ints,
    *,
    to_hub: NDArray[np.int32] | None = None,
    threads: int | None = None,
    progress: Progress = no_progress,
) -> tuple[Ints, Ints, Ints]:
    """For each source: the number of pages it reaches, the sum of their distances, the largest distance."""
    batch = 8 * mask_dtype(links.page_count).itemsize
    from_hub = np.zeros(len(sources), np.int32) if to_hub is None else to_hub[sources]
    order = np.lexsort((sources, from_hub))
    batches = [order[start : start + batch] for start in range(0, len(sources), batch)]
    found = np.zeros((3, len(sources)), np.int64)
    stop = Event()

    def search(places: Ints) -> None:
        delays = from_hub[places].max() - from_hub[places]
        found[:, places] = search_together(links, sources[places], delays, stop)

    with Team(min(thread_count(threads), max(len(batches), 1))) as team:
        try:
            for done, _ in enumerate(team.ahead(search, batches), 1):
                progress("distances", done, len(batches))
        finally:
            stop.set()
    reached, total, longest = found
    return reached, total, longest


def mask_dtype(pages: int) -> np.dtype[Any]:
    """One bit per search that runs at the same time: 64, or 8 on webs so large that memory per page matters."""
    return np.dtype(np.uint64 if pages <= PAGES_FOR_WIDE_MASKS else np.uint8)


def bytes_per_page_and_thread(pages: int) -> int:
    """The memory that one thread's searches take per page."""
    return 3 * mask_dtype(pages).itemsize + 2 * np.dtype(page_dtype(pages)).itemsize


def search_together(links: LinkStore, sources: Ints, delays: NDArray[np.int32], stop: Event) -> Ints:
    """Three rows with a column per source: pages reached, sum of their distances, largest distance.

    Masks have one bit per search, so that a link read once serves all searches (Then et al. 2014, "The more the
    merrier": multi-source breadth-first search). The search from sources[k] starts delays[k] steps after the first;
    delays descend. All end early once `stop` is set.
    """
    dtype, page = mask_dtype(links.page_count), page_dtype(links.page_count)
    seen, now, coming = (np.zeros(links.page_count, dtype) for _ in range(3))
    queue, found = (np.empty(links.page_count, page) for _ in range(2))
    arrays, buffer = links.arrays(), links.buffer()
    sums = np.zeros((3, len(sources)), np.int64)
    count, level, left = 0, 0, len(sources)
    while (count or left) and not stop.is_set():
        if not count:
            level = int(delays[left - 1])
        count, left = start_searches(sources, delays, left, level, seen, now, queue, count)
        level += 1
        arrived = 0
        for start in range(0, count, PAGES_PER_CALL):
            with links.guarded(buffer.at):
                pages = queue[start : min(start + PAGES_PER_CALL, count)]
                arrived = spread_bits(arrays, buffer, pages, seen, now, coming, found, arrived)
        count_arrivals(found[:arrived], seen, now, coming, level, delays, sums)
        queue, found, count = found, queue, arrived
    return sums


@kernel
def start_searches(
    sources: Ints, delays: NDArray[np.int32], left: int, level: int, seen: Any, now: Any, queue: Any, count: int
) -> tuple[int, int]:
    """Set the bits of searches that start now on their pages; returns (pages in the queue, searches yet to start)."""
    while left > 0 and delays[left - 1] <= level:
        left -= 1
        page = sources[left]
        if now[page] == 0:
            queue[count] = page
            count += 1
        bit = seen.dtype.type(1) << seen.dtype.type(left)
        seen[page] |= bit
        now[page] |= bit
    return count, left


@kernel
def spread_bits(links: Any, buffer: Any, pages: Any, seen: Any, now: Any, coming: Any, found: Any, count: int) -> int:
    """Pass the bits of `now` from some pages to link targets that lack them; those targets are added to `found`."""
    for page in pages:
        mask = now[page]
        now[page] = 0
        for target in successors(links, page, buffer):
            new = mask & ~seen[target]
            if new != 0:
                if coming[target] == 0:
                    found[count] = target
                    count += 1
                coming[target] |= new
    return count


@kernel
def count_arrivals(
    found: Any, seen: Any, now: Any, coming: Any, level: int, delays: NDArray[np.int32], sums: Ints
) -> None:
    """Mark the pages found at this level as seen, count them for their searches, and queue them for the next level.

    Bits are counted for eight searches at once: byte b of lane k counts bit 8b + k, for up to 255 pages.
    """
    counts = np.zeros(64, np.int64)
    lanes = np.zeros(8, np.uint64)
    for start in range(0, found.size, 255):
        lanes[:] = 0
        for page in found[start : start + 255]:
            mask = coming[page]
            coming[page] = 0
            seen[page] |= mask
            now[page] = mask
            for k in range(8):
                lanes[k] += (np.uint64(mask) >> np.uint64(k)) & EVERY_BYTE
        for k in range(64):
            counts[k] += np.int64((lanes[k & 7] >> np.uint64(k & 56)) & np.uint64(255))
    for k in range(sums.shape[1]):
        if counts[k] > 0:
            sums[0, k] += counts[k]
            sums[1, k] += counts[k] * (level - delays[k])
            sums[2, k] = level - delays[k]

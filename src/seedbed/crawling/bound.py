"""The most that the first n pages of a crawl can be worth, whatever its order: a bound that no order beats.

    B(n) = max_{m ≤ n} max Σ value(p₁ … pₘ)   over distinct pages that can be fetched, pₜ less than t links from a seed

Proof. Every page that a crawl fetches was linked to by one that it had fetched before, so before a page of depth d
(links from the nearest seed, over pages that can be fetched) it has fetched at least d others: its t-th page has a
depth below t. So every crawl is among those that the maximum is taken over. The maximum is found greedily: the t-th
page is the best one of depth below t that is left. For take any sequence that follows the rule, and let b be the best
page that may be first. If b is not in it, put b in place of the first page; if it comes later, swap the two, which the
rule allows, as a page that may be first may be anywhere. Neither lowers the sum. So some best sequence of each length
begins with b, and by induction goes on as the greedy one does.

With conditions B stays a bound: pages that fail or are excluded are not walked over; pages deeper than `max_depth` are
left out (a crawl may come to a page by a longer way, never by a shorter one). With `per_host` c the c best pages of
each host count, all from the least depth of that host on, which only raises B. Politeness only delays.

What the bound leaves out is that one path has to be taken for each page. Having every page that lies on all ways to a
page fetched before it (dominators) lowers B by 0 to 3 % on real webs.

Cost: O(links of pages that can be fetched), then O(log pages) a page. Memory: 40 bytes a page.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel
from seedbed.common.messages import Progress, no_progress
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.crawl_plan import checked_budget, first_pages
from seedbed.crawling.crawl_state import failure_of, uniform
from seedbed.errors import OptionError
from seedbed.links.link_store import successors

if TYPE_CHECKING:
    from seedbed.crawling.crawl_state import CrawlLimits
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Seeds

UNSEEN, LOST = -1, -2
STRETCH = 1 << 16
"""Pages between two moments in which Ctrl-C is heard."""
Floats = NDArray[np.float64]


def bound(
    web: Web,
    seeds: Seeds | Iterable[Any],
    values: NDArray[Any],
    budget: int | None = None,
    *,
    conditions: Conditions | None = None,
    progress: Progress = no_progress,
) -> Floats:
    """B(0), B(1), … up to the budget, or to the number of pages that can be fetched where that is less."""
    budget, conditions = checked_budget(web, budget), conditions or Conditions()
    worth = np.ascontiguousarray(values, np.float64)
    if worth.shape != (web.page_count,):
        raise OptionError(f"values are of shape {worth.shape}, the web has {web.page_count} pages.")
    limits = conditions.limits(web)
    pages, depth = _fetchable(web, first_pages(web, seeds), limits, progress)
    if conditions.per_host is not None:
        pages, depth = _best_of_hosts(pages, depth, limits.host[pages], worth, conditions.per_host)
    return _greedy(worth[pages], depth, min(budget, len(pages)))


def _fetchable(
    web: Web, seeds: NDArray[np.int64], limits: CrawlLimits, progress: Progress
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Pages that a crawl can fetch, by depth, and their depths."""
    links = web.links
    arrays, buffer = links.arrays(), links.buffer()
    queue, depth = np.empty(web.page_count, np.int32), np.full(web.page_count, UNSEEN, np.int32)
    known, done = _enter(limits, seeds, queue, depth), 0
    while done < known:
        progress("bound", done, web.page_count)
        stop = min(known, done + STRETCH)
        with links.guarded(buffer.at):
            known = _walk(arrays, buffer, limits, queue, depth, done, stop, known)
        done = stop
    return queue[:known], depth[queue[:known]]


@inlined
def _discover(limits: Any, queue: Any, depth: Any, known: int, page: Any, steps: int) -> int:
    """Queue a page if it is new and can be fetched; how many are queued then."""
    if depth[page] != UNSEEN:
        return known
    excluded = limits.excluded.size > 0 and limits.excluded[page]
    if excluded or (limits.failure.size > 0 and uniform(limits.salt, page) < failure_of(limits, page)):
        depth[page] = LOST
        return known
    depth[page] = steps
    queue[known] = page
    return known + 1


@kernel
def _enter(limits: Any, seeds: Any, queue: Any, depth: Any) -> int:
    """Queue the seeds."""
    known = 0
    for seed in seeds:
        known = _discover(limits, queue, depth, known, seed, 0)
    return known


@kernel
def _walk(links: Any, buffer: Any, limits: Any, queue: Any, depth: Any, start: int, stop: int, known: int) -> int:
    """Queue what the pages from `start` up to `stop` of the queue link to, breadth-first."""
    for at in range(start, stop):
        steps = depth[queue[at]] + 1
        if limits.depth.size > 0 and steps > limits.max_depth:
            break
        for target in successors(links, queue[at], buffer):
            known = _discover(limits, queue, depth, known, target, steps)
    return known


def _best_of_hosts(
    pages: NDArray[np.int32], depth: NDArray[np.int32], host: NDArray[np.int32], worth: Floats, most: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The `most` best pages of each host, all with the least depth of their host."""
    by_host = np.lexsort((-worth[pages], host))
    first = np.flatnonzero(np.diff(host[by_host], prepend=-1))
    counts = np.diff(first, append=len(pages))
    place = np.arange(len(pages)) - np.repeat(first, counts)
    least = np.repeat(np.minimum.reduceat(depth[by_host], first), counts) if len(pages) else depth
    kept = place < most
    by_depth = np.argsort(least[kept], kind="stable")
    return pages[by_host][kept][by_depth], least[kept][by_depth]


@kernel
def _greedy(worth: Any, depth: Any, budget: int) -> Any:
    """Sums of the best value of depth below t that is left, t = 1, 2, …; never less than a shorter sum."""
    most = np.zeros(budget + 1)
    waiting = [0.0 for _ in range(0)]
    total, released = 0.0, 0
    for at in range(budget):
        while released < worth.size and depth[released] <= at:
            heapq.heappush(waiting, -worth[released])
            released += 1
        if not waiting:  # only with `per_host`: all ways on lead through more pages of a host than may be fetched
            most[at + 1 :] = most[at]
            break
        total -= heapq.heappop(waiting)
        most[at + 1] = max(most[at], total)
    return most

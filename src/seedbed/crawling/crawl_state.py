"""What a crawl has seen: which pages it knows and in which order it found and fetched them; and what it may not fetch.

Memory: 20 bytes a page; an order adds its own. A page is unknown, then known (discovered: a seed, or a link on a page
that was fetched), then picked, which happens once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined

FETCHED, KNOWN, FAILED, REFUSED, TICK, WORK = range(6)
COUNTS = 6
UNAVAILABLE, NEW, WAITING = range(3)


class CrawlState(NamedTuple):
    """The record of a crawl, written by the simulator and read by orders.

    `number[p]`: 0 where p is unknown, n where it was the n-th page discovered, −n once it was picked. `parent[p]`: the
    page whose link discovered it, −1 for a seed. `fetched`: pages in the order fetched; `score`: theirs when picked.
    `tick`: theirs in a polite crawl. `mass`: a lower bound of the PageRank mass fetched, from orders that know one.
    `counts`: among others the WORK done, in steps that take about as long as a fetch.
    """

    number: NDArray[np.int32]
    parent: NDArray[np.int32]
    fetched: NDArray[np.int32]
    score: NDArray[np.float64]
    tick: NDArray[np.int32]
    counts: NDArray[np.int64]
    mass: NDArray[np.float64]


class CrawlLimits(NamedTuple):
    """What a crawl may not do. Arrays are empty where nothing of the kind is asked for.

    `host[p]`: the host of a page. `left[h]`: pages that may still be fetched of a host. `failure[h]`: the probability
    that a fetch from it fails, or one for all. `excluded[p]`: known, but cannot be fetched. `depth[p]`: links from a
    seed, at most `max_depth`. `salt`: what chance depends on.
    """

    host: NDArray[np.int32]
    left: NDArray[np.int64]
    failure: NDArray[np.float64]
    excluded: NDArray[np.bool_]
    depth: NDArray[np.int32]
    max_depth: int
    salt: int


def new_crawl_state(pages: int, budget: int, *, scored: bool = True, polite: bool = False) -> CrawlState:
    """The record of a crawl that has not begun."""
    return CrawlState(
        number=np.zeros(pages, np.int32),
        parent=np.zeros(pages, np.int32),
        fetched=np.zeros(budget, np.int32),
        score=np.zeros(budget if scored else 0, np.float64),
        tick=np.zeros(budget if polite else 0, np.int32),
        counts=np.zeros(COUNTS, np.int64),
        mass=np.zeros(1, np.float64),
    )


def named_arrays(name: str, part: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of a state, however deeply nested, with names such as order.frontier.slots."""
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for field, one in zip(getattr(part, "_fields", range(len(part))), part, strict=True):
            yield from named_arrays(f"{name}.{field}", one)


@inlined
def discover(state: Any, limits: Any, page: Any, source: Any) -> int:
    """A link to a page was seen on `source` (−1: it is a seed): is the page NEW, WAITING or UNAVAILABLE?

    UNAVAILABLE pages cannot be queued: they were picked before, lie too deep, or may not be fetched.
    """
    number = state.number[page]
    if number > 0:
        return WAITING
    if number < 0:
        return UNAVAILABLE
    if limits.depth.size > 0 and source >= 0:
        depth = limits.depth[source] + 1
        if depth > limits.max_depth:
            return UNAVAILABLE
        limits.depth[page] = depth
    state.counts[KNOWN] += 1
    state.number[page] = state.counts[KNOWN]
    state.parent[page] = source
    if limits.excluded.size > 0 and limits.excluded[page]:
        state.number[page] = -state.counts[KNOWN]
        return UNAVAILABLE
    return NEW


@inlined
def uniform(salt: Any, page: Any) -> float:
    """A number from 0 to 1 that depends on the page and the salt alone, so that it is the same in every order."""
    word = np.uint64(page) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt) * np.uint64(0xC2B2AE3D27D4EB4F)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    word ^= word >> np.uint64(32)
    return float(word >> np.uint64(11)) * 2.0**-53


@inlined
def failure_of(limits: Any, page: Any) -> float:
    """The probability that a page cannot be fetched."""
    return limits.failure[0] if limits.failure.size == 1 else limits.failure[limits.host[page]]


@inlined
def fetch(state: Any, limits: Any, page: Any, score: float) -> bool:
    """Fetch a page that was picked and write it down; whether that went well."""
    state.number[page] = -state.number[page]
    if limits.left.size > 0 and limits.left[limits.host[page]] == 0:
        state.counts[REFUSED] += 1
        return False
    if limits.failure.size > 0 and uniform(limits.salt, page) < failure_of(limits, page):
        state.counts[FAILED] += 1
        return False
    if limits.left.size > 0:
        limits.left[limits.host[page]] -= 1
    at = state.counts[FETCHED]
    state.fetched[at] = page
    if state.score.size > 0:
        state.score[at] = score
    if state.tick.size > 0:
        state.tick[at] = state.counts[TICK]
    state.counts[FETCHED] = at + 1
    return True

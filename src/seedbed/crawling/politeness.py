"""Time in a polite crawl: ticks of so many fetches, of which at most one goes to each host.

A page picked counts for its host in any case, and for the tick unless it is refused for the limit of its host: then
nothing was asked of the network, and the host gets no more fetches anyway.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined
from seedbed.crawling.crawl_state import FAILED, FETCHED, TICK

USED, BEFORE = range(2)


class Ticks(NamedTuple):
    """`busy[h]`: host h had its fetch in this tick; used[: at[USED]] are those. `most`: fetches a tick, 0: no end."""

    busy: NDArray[np.bool_]
    used: NDArray[np.int32]
    at: NDArray[np.int64]
    most: int


def make_ticks(hosts: int, most: int) -> Ticks:
    """The first tick; without end, and without memory, where `most` is 0."""
    size = hosts if most else 0
    return Ticks(np.zeros(size, np.bool_), np.zeros(size, np.int32), np.zeros(2, np.int64), most)


@inlined
def is_busy(ticks: Any, host: Any) -> bool:
    """Whether a host had its fetch in this tick."""
    return ticks.most > 0 and ticks.busy[host]


@inlined
def is_over(ticks: Any, book: Any) -> bool:
    """Whether this tick has had its fetches."""
    return ticks.most > 0 and book.counts[FETCHED] + book.counts[FAILED] - ticks.at[BEFORE] >= ticks.most


@inlined
def occupy(ticks: Any, host: Any) -> None:
    """A host has its fetch."""
    if ticks.most > 0:
        ticks.busy[host] = True
        ticks.used[ticks.at[USED]] = host
        ticks.at[USED] += 1


@inlined
def begin_tick(ticks: Any, book: Any) -> None:
    """The next tick: all hosts are free."""
    for k in range(ticks.at[USED]):
        ticks.busy[ticks.used[k]] = False
    ticks.at[USED] = 0
    ticks.at[BEFORE] = book.counts[FETCHED] + book.counts[FAILED]
    book.counts[TICK] += 1

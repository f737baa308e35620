"""Time in a polite crawl: it passes in ticks of so many fetches, at most one of them to each host.

A page that is picked always counts for its host. It counts for the tick unless its host has reached its limit of pages:
then nothing is sent, and the host gets no more fetches anyway.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined
from seedbed.crawling.crawl_state import FAILED, FETCHED, TICK

USED, BEFORE = range(2)


class Politeness(NamedTuple):
    """`busy[h]`: host h had its fetch in this tick; used[: at[USED]] lists them. `fetches`: a tick, 0: no end."""

    busy: NDArray[np.bool_]
    used: NDArray[np.int32]
    at: NDArray[np.int64]
    fetches: int


def new_politeness(hosts: int, fetches: int) -> Politeness:
    """The first tick; without end, and without memory, where `fetches` is 0."""
    size = hosts if fetches else 0
    return Politeness(np.zeros(size, np.bool_), np.zeros(size, np.int32), np.zeros(2, np.int64), fetches)


@inlined
def is_busy(ticks: Any, host: Any) -> bool:
    """Whether a host had its fetch in this tick."""
    return ticks.fetches > 0 and ticks.busy[host]


@inlined
def tick_is_over(ticks: Any, state: Any) -> bool:
    """Whether this tick has had its fetches."""
    return ticks.fetches > 0 and state.counts[FETCHED] + state.counts[FAILED] - ticks.at[BEFORE] >= ticks.fetches


@inlined
def occupy(ticks: Any, host: Any) -> None:
    """A host has its fetch."""
    if ticks.fetches > 0:
        ticks.busy[host] = True
        ticks.used[ticks.at[USED]] = host
        ticks.at[USED] += 1


@inlined
def begin_tick(ticks: Any, state: Any) -> None:
    """The next tick: all hosts are free."""
    for k in range(ticks.at[USED]):
        ticks.busy[ticks.used[k]] = False
    ticks.at[USED] = 0
    ticks.at[BEFORE] = state.counts[FETCHED] + state.counts[FAILED]
    state.counts[TICK] += 1

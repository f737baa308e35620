"""Where links lead: popular pages of the same host, and pages of other hosts.

A pool or a host of n is drawn from at ⌊n·uᵏ⌋: the r-th most popular is drawn in proportion to r^{−(1 − 1/k)}, which
gives in-degrees a power law of density exponent 1 + k/(k − 1).
"""

from __future__ import annotations

import numpy as np

from seedbed.common.kernels import borrowing
from seedbed.synth.host_layout import front_count
from seedbed.synth.hosts import FARM, IN, OUT, STRONG, TUBE
from seedbed.synth.rng import below, chance
from seedbed.synth.web_plan import Snapshot

OWN_COMMUNITY = 0.8  # of links between hosts of the giant strong component
TO_HOME = 0.75  # of links between hosts
_IN_SHARE = 0.15
_TRIES = 4


@borrowing
def popular_slot(key: np.uint64, number: int, size: int) -> int:
    """A page of a host; a few are drawn often, and they are spread over the host."""
    rank = np.int64(size * chance(key, number) ** 5)
    return below(np.uint64(size), rank, size)


@borrowing
def outside(web: Snapshot, host: int, key: np.uint64) -> int:
    """A page of another host that a page of `host` may link to; −1 where there is none."""
    pool = _pool(web, host, key)
    if pool < 0:
        return -1
    other, tries = -1, 0
    while other < 0 and tries < _TRIES:
        again = pool if tries == 0 or web.stay == 1.0 else pool + web.communities + 2
        other = _from_pool(web, again, key, 8 + tries)
        # Among in-hosts and among out-hosts links lead one way, so that they form no strong component of their own.
        if other == host or (pool >= web.communities and other < host):
            other = -1
        tries += 1
    if other < 0:
        return -1
    slot = 0
    front = front_count(np.int64(web.hosts[other].pages))
    if front > 1 and chance(key, 3) >= TO_HOME:
        slot = 1 + np.int64((front - 1) * chance(key, 4) ** 2)
    return web.hosts[other].first + slot


@borrowing
def _pool(web: Snapshot, host: int, key: np.uint64) -> int:
    part = web.hosts[host].part
    if part == IN and chance(key, 0) < _IN_SHARE:
        return web.communities
    if part in (OUT, TUBE):
        return web.communities + 1
    if part in (STRONG, IN, FARM):
        if chance(key, 1) < OWN_COMMUNITY:
            return np.int64(web.hosts[host].community)
        return np.int64(web.communities * chance(key, 2) ** 2)
    return -1


@borrowing
def _from_pool(web: Snapshot, pool: int, key: np.uint64, number: int) -> int:
    """A host of the pool; −1 where the pool is empty or the host is not there."""
    start, end = web.groups.ptr[pool], web.groups.ptr[pool + 1]
    if start == end:
        return -1
    host = np.int64(web.groups.hosts[start + np.int64((end - start) * chance(key, number) ** 5)])
    return host if web.hosts[host].count else -1


@borrowing
def home(web: Snapshot, host: int) -> int:
    """The home page of a host; −1 where it is not there."""
    return web.hosts[host].first if host >= 0 and web.hosts[host].count else -1

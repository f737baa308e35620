"""The plan of a synthetic web: all that is known of hosts, in one or two snapshots. O(hosts) memory, nothing a page.

Hosts below `old_hosts` are there in the old snapshot; in the new one some of them have vanished and the others are new.
A host that stays loses pages and gains about as many. The old snapshot is the same whether a new one is asked for or
not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.synth.hosts import FRONTIER, community_count, host_count, make_hosts
from seedbed.synth.layout import MOVED_SHARE, REPLACED_SHARE, Fates, count_pages
from seedbed.synth.names import name_order
from seedbed.synth.planted import Groups, add_cores, add_forced, farms, joined, pools
from seedbed.synth.rng import chances, subkey
from seedbed.synth.text import SYLLABLES

HOST_LOSS = 0.3  # of hosts, where no page but home pages survives; in proportion less where more do
LINK_LOSS = 0.05  # of the links of a page that stays
_OLD, _NEW, _NAMES, _HOSTS, _LOSS, _GROWTH, _PLANTED, _PLANTED_NEW = range(8)


class Snapshot(NamedTuple):
    """What kernels see of a web at a date."""

    key: np.uint64  # of hosts
    name_key: np.uint64
    name_digits: int
    old_hosts: int
    fates: Fates
    stay: float  # the probability that a link of an old page is still there
    hosts: NDArray[Any]  # of dtype HOST
    order: NDArray[np.int64]  # the hosts that are there, by name
    groups: Groups  # pools of old hosts, pools of new hosts, farms, authorities of cores
    communities: int
    new_pools: int  # the first group that is a pool of new hosts
    farms: int  # the first group that is a farm
    cores: int
    links_per_page: float
    scale: float  # of the number of links a page


class _Planted(NamedTuple):
    pools: Groups
    farms: Groups
    authorities: Groups


def make_plan(
    pages: int, links_per_page: float, snapshots: int, seed: int, survival: float
) -> tuple[Snapshot, ...]:
    """The snapshots of a web, oldest first, before the number of links is scaled."""
    key = subkey(np.uint64(seed), 0)
    count = host_count(pages)
    communities = community_count(count)
    hosts, planted = _plant(key, (_OLD, _PLANTED), count, pages, communities)
    none, _ = _plant(key, (_NEW, _PLANTED_NEW), 0, 0, communities)
    digits = 3
    while SYLLABLES**digits < 4 * count:
        digits += 1
    old = Snapshot(
        key=subkey(key, _HOSTS),
        name_key=subkey(key, _NAMES),
        name_digits=digits,
        old_hosts=count,
        fates=Fates(1.0, 1.0, 1.0),
        stay=1.0,
        ...
    )

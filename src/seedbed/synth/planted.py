"""Which hosts link to which: pools that links between hosts draw from, planted cores, farms, and links that must be.

O(hosts) memory; O(hosts log hosts) time for sorting pools by popularity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.synth.hosts import FRONTIER, IN, OUT, STRONG, TENDRIL, TUBE, Hosts
from seedbed.synth.rng import chances, draw

CORES_PER_MILLION = 20
LARGEST_SIDE = 12  # hubs or authorities of a core
SMALLEST_SIDE = 2

_POPULARITY, _HUBS, _AUTHORITIES = range(3)


class Groups(NamedTuple):
    """Group g holds hosts[ptr[g] : ptr[g + 1]]."""

    ptr: NDArray[np.int64]
    hosts: NDArray[np.int64]


class Planted(NamedTuple):
    """What is planted on some hosts."""

    pools: Groups
    farms: Groups
    hubs: Groups
    authorities: Groups
    forced: NDArray[np.int64]


def grouped(group: NDArray[np.int64], hosts: NDArray[np.int64], groups: int) -> Groups:
    """Groups from pairs that are sorted by group."""
    return Groups(np.searchsorted(group, np.arange(groups + 1)), hosts)


def pools(key: np.uint64, hosts: Hosts, communities: int) -> Groups:
    """Hosts that links may lead to: one pool a community, then all hosts of part IN, of OUT; most popular first.

    Popularity is log₂(size) plus noise.
    """
    noise = chances(draw(key, _POPULARITY), hosts.size.size)
    popular = np.argsort(-(np.log2(hosts.size) + 4.0 * noise), kind="stable")
    part = hosts.part[popular]
    drawn = popular[(part == STRONG) | (part == OUT)]
    inward, outward = popular[part == IN], popular[part == OUT]
    group = np.concatenate(
        (
            hosts.community[drawn].astype(np.int64),
            np.full(inward.size, communities),
            np.full(outward.size, communities + 1),
        )
    )
    order = np.argsort(group, kind="stable")
    return grouped(group[order], np.concatenate((drawn, inward, outward))[order], communities + 2)


def farms(hosts: Hosts) -> Groups:
    """The hosts of each farm; the first one's home page is what the farm promotes."""
    members = np.flatnonzero(hosts.farm >= 0)
    members = members[np.argsort(hosts.farm[members], kind="stable")]
    return grouped(hosts.farm[members].astype(np.int64), members, int(hosts.farm.max(initial=-1)) + 1)


def forced(hosts: Hosts) -> NDArray[np.int64]:
    """The host that a host's home page must link to, −1 for none: so each part of the bow-tie is there.

    Strong hosts link to frontier hosts, in-hosts to tubes and tendrils, tubes to out-hosts.
    """
    target = np.full(hosts.size.size, -1, np.int64)
    for sources, targets in ((STRONG, (FRONTIER,)), (IN, (TUBE, TENDRIL)), (TUBE, (OUT,))):
        there = np.flatnonzero(np.isin(hosts.part, targets))
        here = np.flatnonzero(hosts.part == sources)
        if there.size:
            target[here] = np.resize(there, here.size)
    return target


def cores(key: np.uint64, hosts: Hosts, pages: int) -> tuple[Groups, Groups]:
    """Hosts of the hubs and of the authorities of each planted core; no host is in two, neighbours share a community."""
    fit = np.flatnonzero((hosts.part == STRONG) & (hosts.size >= 2))
    fit = fit[np.argsort(hosts.community[fit], kind="stable")]
    wanted = max(2, round(pages * CORES_PER_MILLION / 1e6))
    count = min(wanted, fit.size // (2 * SMALLEST_SIDE))
    if count == 0:
        none = Groups(np.zeros(1, np.int64), np.empty(0, np.int64))
        return none, none
    room = fit.size // count
    side = min(room // 2, LARGEST_SIDE)
    least = min(3, side)
    hubs = least + (chances(draw(key, _HUBS), count) * (side - least + 1)).astype(np.int64)
    authorities = least + (chances(draw(key, _AUTHORITIES), count) * (side - least + 1)).astype(np.int64)
    starts = np.arange(count) * room
    return _runs(fit, starts, hubs), _runs(fit, starts + hubs, authorities)


def _runs(hosts: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Groups:
    ptr = np.concatenate(([0], np.cumsum(lengths)))
    inside = np.arange(ptr[-1]) - np.repeat(ptr[:-1], lengths)
    return Groups(ptr, hosts[np.repeat(starts, lengths) + inside])


def plant(key: np.uint64, hosts: Hosts, communities: int) -> Planted:
    """All that is planted on these hosts."""
    hubs, authorities = cores(key, hosts, int(hosts.size.sum()))
    return Planted(pools(key, hosts, communities), farms(hosts), hubs, authorities, forced(hosts))


def joined(groups: Groups, more: Groups, shift: int) -> Groups:
    """The groups of both, the hosts of the second one `shift` further on."""
    ptr = np.concatenate((groups.ptr, groups.ptr[-1] + more.ptr[1:]))
    return Groups(ptr, np.concatenate((groups.hosts, more.hosts + shift)))


def membership(groups: Groups, hosts: int) -> NDArray[np.int32]:
    """The group of each host, −1 for none."""
    of_host = np.full(hosts, -1, np.int32)
    of_host[groups.hosts] = np.repeat(np.arange(groups.ptr.size - 1), np.diff(groups.ptr))
    return of_host

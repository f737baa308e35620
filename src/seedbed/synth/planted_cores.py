"""Which hosts link to which: pools that links between hosts draw from, planted cores, farms, and links that must be.

O(hosts) memory; O(hosts log hosts) time for sorting pools by popularity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.synth.hosts import FRONTIER, IN, OUT, STRONG, TENDRIL, TUBE
from seedbed.synth.rng import chances, subkey

CORES_PER_MILLION = 20
LARGEST_SIDE = 12  # hubs or authorities of a core
SMALLEST_SIDE = 2

_POPULARITY, _HUBS, _AUTHORITIES = range(3)


class Groups(NamedTuple):
    """Group g holds hosts[ptr[g] : ptr[g + 1]]."""

    ptr: NDArray[np.int64]
    hosts: NDArray[np.int32]


def grouped(group: NDArray[Any], hosts: NDArray[np.int64], groups: int) -> Groups:
    """Groups from pairs that are sorted by group."""
    return Groups(np.searchsorted(group, np.arange(groups + 1)), hosts.astype(np.int32))


def joined(*all_groups: Groups) -> Groups:
    """The groups of the first, then those of the second, …"""
    ends = np.cumsum([0] + [len(groups.hosts) for groups in all_groups])
    starts = [groups.ptr[:-1] + start for groups, start in zip(all_groups, ends, strict=False)]
    return Groups(np.concatenate((*starts, ends[-1:])), np.concatenate([groups.hosts for groups in all_groups]))


def pools(key: np.uint64, hosts: NDArray[Any], communities: int) -> Groups:
    """Hosts that links may lead to: one pool a community, then all hosts of part IN, of OUT; most popular first.

    Popularity is log₂(pages) plus noise.
    """
    noise = chances(subkey(key, _POPULARITY), len(hosts))
    popular = np.argsort(-(np.log2(hosts["pages"]) + 4.0 * noise), kind="stable")
    part = hosts["part"][popular]
    inward, outward = popular[part == IN], popular[part == OUT]
    drawn = popular[(part == STRONG) | (part == OUT)]
    community = hosts["community"][drawn]
    order = np.argsort(community, kind="stable")
    return joined(
        grouped(community[order], drawn[order], communities),
        grouped(np.zeros(inward.size), inward, 1),
        grouped(np.zeros(outward.size), outward, 1),
    )


def farms(hosts: NDArray[Any]) -> Groups:
    """The hosts of each farm; the first one's home page is what the farm promotes."""
    members = np.flatnonzero(hosts["farm"] >= 0)
    members = members[np.argsort(hosts["farm"][members], kind="stable")]
    return grouped(hosts["farm"][members], members, int(hosts["farm"].max(initial=-1)) + 1)


def add_forced(hosts: NDArray[Any]) -> None:
    """Set the host that a host's home page must link to, so that each part of the bow-tie is there.

    Strong hosts link to frontier hosts, in-hosts to tubes and tendrils, tubes to out-hosts.
    """
    for sources, targets in ((STRONG, (FRONTIER,)), (IN, (TUBE, TENDRIL)), (TUBE, (OUT,))):
        there = np.flatnonzero(np.isin(hosts["part"], targets))
        here = np.flatnonzero(hosts["part"] == sources)
        if there.size:
            hosts["forced"][here] = np.resize(there, here.size)


def add_cores(key: np.uint64, hosts: NDArray[Any], least: int) -> Groups:
    """Plant at least so many cores where hosts suffice; the hosts of the authorities of each.

    No host is in two cores, hosts of a core mostly share a community.
    """
    fit = np.flatnonzero((hosts["part"] == STRONG) & (hosts["pages"] >= 2))
    fit = fit[np.argsort(hosts["community"][fit], kind="stable")]
    wanted = max(least, round(hosts["pages"].sum(dtype=np.int64) * CORES_PER_MILLION / 1e6))
    count = min(wanted, fit.size // (2 * SMALLEST_SIDE))
    if count == 0:
        return grouped(fit[:0], fit[:0], 0)
    room = fit.size // count
    side = min(room // 2, LARGEST_SIDE)
    smallest = min(3, side)
    hubs = smallest + (chances(subkey(key, _HUBS), count) * (side - smallest + 1)).astype(np.int64)
    authorities = smallest + (chances(subkey(key, _AUTHORITIES), count) * (side - smallest + 1)).astype(np.int64)
    starts = np.arange(count) * room
    core, host = _runs(fit, starts, hubs)
    hosts["hub_of"][host] = core
    core, host = _runs(fit, starts + hubs, authorities)
    hosts["authority_of"][host] = core
    return grouped(core, host, count)


def _runs(
    hosts: NDArray[np.int64], starts: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Run i holds hosts[starts[i] : starts[i] + lengths[i]]: all pairs of run and host."""
    ends = np.cumsum(lengths)
    inside = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    return np.repeat(np.arange(starts.size), lengths), hosts[np.repeat(starts, lengths) + inside]

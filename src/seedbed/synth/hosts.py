"""The hosts of a synthetic web: sizes, registered domains, communities, the part each plays in the bow-tie, and which
hosts link to which: pools that links between hosts draw from, planted cores, link farms, and required links.

Sizes are the quantiles of 1 + c(1/u − 1), a power law of density exponent 2, with c chosen so that they sum to the
number of pages. O(hosts) memory; O(hosts log hosts) time for sorting pools by popularity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.synth.random_draws import chances, subkey
from seedbed.synth.site_kinds import MENUS, kinds_of

PAGES_PER_HOST = 80
LARGEST_HOST = 1 << 20

# Parts of hosts. Links between hosts run strong → strong, out; in → in, strong, tube, tendril; tube → out; out → out.
STRONG, IN, OUT, TUBE, TENDRIL, ISLAND, FRONTIER, FARM = range(8)
_SHARES = ((ISLAND, 0.01), (IN, 0.07), (OUT, 0.22), (TUBE, 0.02), (TENDRIL, 0.03), (FRONTIER, 0.08))

FARM_SHARE = 0.012  # of hosts
FARM_HOSTS = 4
_FARM_PAGES = (4, 400)
_FEW_HOSTS = 32  # with fewer, hosts have no parts

# What is known about a host: 56 bytes.
HOST = np.dtype(
    [
        ("first", np.int64),  # its first page in this snapshot
        ("count", np.int32),  # its pages in this snapshot, 0 if it is not in it
        ("pages", np.int32),  # its pages in the first snapshot that has it
        ("extra", np.int32),  # slots added since
        ("domain", np.int32),
        ("place", np.int32),  # 0 for the first host of its domain
        ("community", np.int32),
        ("farm", np.int32),  # −1: none, as in the next four
        ("hub_of", np.int32),  # the core that has a hub here
        ("authority_of", np.int32),
        ("forced", np.int32),  # the host that its home page must link to
        ("part", np.int32),
        ("kind", np.int32),  # of its site
    ],
    align=True,
)

_SIZE, _DOMAIN, _COMMUNITY, _PART, _FARM, _KIND = range(6)


CORES_PER_MILLION = 20
LARGEST_SIDE = 12  # hubs or authorities of a core
SMALLEST_SIDE = 2

_POPULARITY, _HUBS, _AUTHORITIES = range(3)


def host_count(pages: int) -> int:
    """The number of hosts of a web with this many pages: one per 80 pages, more on small webs."""
    return max(1, pages // PAGES_PER_HOST, min(int(1.5 * pages**0.5), pages // 3))


def community_count(hosts: int) -> int:
    """The number of communities that this many hosts form."""
    return max(1, round(hosts**0.6))


def make_hosts(key: np.uint64, count: int, pages: int, communities: int) -> NDArray[Any]:
    """`count` hosts with `pages` pages in total."""
    hosts = np.zeros(count, HOST)
    hosts["pages"] = hosts["count"] = _sizes(subkey(key, _SIZE), count, pages)
    hosts["domain"], hosts["place"] = _domains(subkey(key, _DOMAIN), count)
    of_domain = chances(subkey(key, _COMMUNITY), count) ** 1.5 * communities
    hosts["community"] = of_domain[hosts["domain"]]
    hosts["part"] = _parts(subkey(key, _PART), hosts["pages"])
    hosts["kind"] = kinds_of(subkey(key, _KIND), hosts["pages"])
    for name in ("farm", "hub_of", "authority_of", "forced"):
        hosts[name] = -1
    _add_farms(subkey(key, _FARM), hosts)
    return hosts


def _sizes(key: np.uint64, hosts: int, pages: int) -> Ints:
    tail = hosts / (np.arange(hosts) + 0.5) - 1.0
    largest = min(max(pages // 20, 4 * pages // hosts + 1), LARGEST_HOST)

    def sizes(unit: float) -> Ints:
        return np.minimum(1 + (unit * tail).astype(np.int64), largest)

    low, high = 0.0, float(pages)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sizes(middle).sum() <= pages else (low, middle)
    size = sizes(low)
    missing = pages - int(size.sum())
    size[np.flatnonzero(size < largest)[:missing]] += 1
    return size[_shuffled(key, hosts)]


def _shuffled(key: np.uint64, count: int) -> Ints:
    return np.argsort(chances(key, count), kind="stable")


def _domains(key: np.uint64, hosts: int) -> tuple[Ints, Ints]:
    """The domain of each host and its index there; a domain has k or more hosts with probability k^−1.6."""
    count = np.minimum((1.0 - chances(key, hosts)) ** (-1 / 1.6), 1000.0).astype(np.int64)
    start = np.cumsum(count) - count
    domain = np.searchsorted(start, np.arange(hosts), side="right") - 1
    return domain, np.arange(hosts) - start[domain]


def _parts(key: np.uint64, size: NDArray[np.int32]) -> NDArray[np.int32]:
    part = np.full(size.size, STRONG, np.int32)
    if size.size < _FEW_HOSTS:
        return part
    luck = chances(key, size.size)
    reached = 0.0
    for which, share in _SHARES:
        part[(luck >= reached) & (luck < reached + share)] = which
        reached += share
    part[size > max(int(size.sum(dtype=np.int64)) // 50, 1)] = STRONG
    part[(part == FRONTIER) & (size > 1)] = STRONG
    frontier = np.flatnonzero(part == FRONTIER)
    part[frontier[np.count_nonzero(part == STRONG) // 2 :]] = STRONG
    return part


def _add_farms(key: np.uint64, hosts: NDArray[Any]) -> None:
    """Turn strong hosts of medium size into farms, four hosts per farm."""
    size = hosts["pages"]
    most = min(_FARM_PAGES[1], _FARM_PAGES[0] + int(size.sum(dtype=np.int64)) // 100)
    fit = np.flatnonzero((hosts["part"] == STRONG) & (size >= _FARM_PAGES[0]) & (size <= most))
    wanted = min(max(round(FARM_SHARE * size.size), FARM_HOSTS), fit.size // 3)
    chosen = fit[_shuffled(key, fit.size)[:wanted]]
    hosts["farm"][chosen] = np.arange(chosen.size) // FARM_HOSTS
    hosts["part"][chosen] = FARM
    hosts["kind"][chosen] = MENUS


class Groups(NamedTuple):
    """Group g holds hosts[ptr[g] : ptr[g + 1]]."""

    ptr: Ints
    hosts: NDArray[np.int32]


def grouped(group: NDArray[Any], hosts: Ints, groups: int) -> Groups:
    """Groups from pairs sorted by group."""
    return Groups(np.searchsorted(group, np.arange(groups + 1)), hosts.astype(np.int32))


def joined(*all_groups: Groups) -> Groups:
    """The groups of the first, then those of the second, …"""
    ends = np.cumsum([0] + [len(groups.hosts) for groups in all_groups])
    starts = [groups.ptr[:-1] + start for groups, start in zip(all_groups, ends, strict=False)]
    return Groups(np.concatenate((*starts, ends[-1:])), np.concatenate([groups.hosts for groups in all_groups]))


def pools(key: np.uint64, hosts: NDArray[Any], communities: int) -> Groups:
    """Hosts that links may lead to: one pool per community, then all IN hosts, then all OUT hosts; most popular first.

    Popularity is log₂(pages) plus noise.
    """
    noise = chances(subkey(key, _POPULARITY), len(hosts))
    popular = np.argsort(-(np.log2(hosts["pages"]) + 4.0 * noise), kind="stable")
    part = hosts["part"][popular]
    inward, outward = popular[part == IN], popular[part == OUT]
    drawn = popular[(part == STRONG) | (part == OUT)]
    community = hosts["community"][drawn]
    order = np.argsort(community, kind="stable")
    group = np.repeat((communities, communities + 1), (inward.size, outward.size))
    pooled = np.concatenate((drawn[order], inward, outward))
    return grouped(np.concatenate((community[order], group)), pooled, communities + 2)


def farms(hosts: NDArray[Any]) -> Groups:
    """The hosts of each farm; the farm promotes the home page of its first host."""
    members = np.flatnonzero(hosts["farm"] >= 0)
    members = members[np.argsort(hosts["farm"][members], kind="stable")]
    return grouped(hosts["farm"][members], members, int(hosts["farm"].max(initial=-1)) + 1)


def add_forced(hosts: NDArray[Any]) -> None:
    """Set the host that a host's home page must link to, so that every part of the bow-tie exists.

    Strong hosts link to frontier hosts, in-hosts to tubes and tendrils, tubes to out-hosts.
    """
    for sources, targets in ((STRONG, (FRONTIER,)), (IN, (TUBE, TENDRIL)), (TUBE, (OUT,))):
        there = np.flatnonzero(np.isin(hosts["part"], targets))
        here = np.flatnonzero(hosts["part"] == sources)
        if there.size:
            hosts["forced"][here] = np.resize(there, here.size)


def add_cores(key: np.uint64, hosts: NDArray[Any], least: int) -> Groups:
    """Plant at least this many cores if there are enough hosts; returns the authorities' hosts of each.

    No host is in two cores, and the hosts of a core mostly share a community.
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


def _runs(hosts: Ints, starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Run i holds hosts[starts[i] : starts[i] + lengths[i]]: all pairs of run and host."""
    ends = np.cumsum(lengths)
    inside = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
    return np.repeat(np.arange(starts.size), lengths), hosts[np.repeat(starts, lengths) + inside]

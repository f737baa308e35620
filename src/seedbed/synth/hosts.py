"""The hosts of a synthetic web: sizes, registered domains, communities and the part each plays in the bow-tie.

Sizes are the quantiles of 1 + c(1/u − 1), a power law of density exponent 2, with c such that they sum to the pages
asked for. O(hosts) memory and time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.synth.rng import chances, subkey

PAGES_PER_HOST = 80
LARGEST_HOST = 1 << 20

# Parts of hosts. Links between hosts run strong → strong, out; in → in, strong, tube, tendril; tube → out; out → out.
STRONG, IN, OUT, TUBE, TENDRIL, ISLAND, FRONTIER, FARM = range(8)
_SHARES = ((ISLAND, 0.02), (IN, 0.14), (OUT, 0.22), (TUBE, 0.03), (TENDRIL, 0.04), (FRONTIER, 0.08))

FARM_SHARE = 0.012  # of hosts
FARM_HOSTS = 4
_FARM_PAGES = (4, 400)
_FEW_HOSTS = 32  # too few to play parts

# What is known of a host: 56 bytes.
HOST = np.dtype(
    [
        ("first", np.int64),  # its first page in this snapshot
        ("count", np.int32),  # its pages in this snapshot, 0 where it is not there
        ("pages", np.int32),  # its pages in the snapshot where it first was
        ("extra", np.int32),  # slots added since
        ("domain", np.int32),
        ("place", np.int32),  # 0 for the first host of its domain
        ("community", np.int32),
        ("farm", np.int32),  # −1: none; so are the next four
        ("hub_of", np.int32),  # core that has a hub here
        ("authority_of", np.int32),
        ("forced", np.int32),  # host that its home page must link to
        ("part", np.int32),
    ],
    align=True,
)

_SIZE, _DOMAIN, _COMMUNITY, _PART, _FARM = range(5)


def host_count(pages: int) -> int:
    """How many hosts a web of so many pages has: one for 80 pages, more on small webs."""
    return max(1, pages // PAGES_PER_HOST, min(int(1.5 * pages**0.5), pages // 3))


def community_count(hosts: int) -> int:
    """How many communities so many hosts form."""
    return max(1, round(hosts**0.6))


def make_hosts(key: np.uint64, count: int, pages: int, communities: int) -> NDArray[Any]:
    """`count` hosts with `pages` pages in all."""
    hosts = np.zeros(count, HOST)
    hosts["pages"] = hosts["count"] = _sizes(subkey(key, _SIZE), count, pages)
    hosts["domain"], hosts["place"] = _domains(subkey(key, _DOMAIN), count)
    of_domain = chances(subkey(key, _COMMUNITY), count) ** 1.5 * communities
    hosts["community"] = of_domain[hosts["domain"]]
    hosts["part"] = _parts(subkey(key, _PART), hosts["pages"])
    for name in ("farm", "hub_of", "authority_of", "forced"):
        hosts[name] = -1
    _add_farms(subkey(key, _FARM), hosts)
    return hosts


def _sizes(key: np.uint64, hosts: int, pages: int) -> NDArray[np.int64]:
    tail = hosts / (np.arange(hosts) + 0.5) - 1.0
    largest = min(max(pages // 20, 4 * pages // hosts + 1), LARGEST_HOST)

    def sizes(unit: float) -> NDArray[np.int64]:
        return np.minimum(1 + (unit * tail).astype(np.int64), largest)

    low, high = 0.0, float(pages)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sizes(middle).sum() <= pages else (low, middle)
    size = sizes(low)
    missing = pages - int(size.sum())
    size[np.flatnonzero(size < largest)[:missing]] += 1
    return size[_shuffled(key, hosts)]


def _shuffled(key: np.uint64, count: int) -> NDArray[np.int64]:
    return np.argsort(chances(key, count), kind="stable")


def _domains(key: np.uint64, hosts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The domain of each host and its place there; a domain has k or more hosts with probability k^−1.6."""
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
    """Make farms of strong hosts of middling size, four to a farm."""
    size = hosts["pages"]
    most = min(_FARM_PAGES[1], _FARM_PAGES[0] + int(size.sum(dtype=np.int64)) // 100)
    fit = np.flatnonzero((hosts["part"] == STRONG) & (size >= _FARM_PAGES[0]) & (size <= most))
    wanted = min(max(round(FARM_SHARE * size.size), FARM_HOSTS), fit.size // 3)
    chosen = fit[_shuffled(key, fit.size)[:wanted]]
    hosts["farm"][chosen] = np.arange(chosen.size) // FARM_HOSTS
    hosts["part"][chosen] = FARM

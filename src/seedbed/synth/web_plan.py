"""The plan of a synthetic web: everything about its hosts, in one or two snapshots. O(hosts) memory, nothing per page.

Hosts below `old_hosts` exist in the old snapshot; some of them vanish in the new one. All other hosts are new. A host
that stays loses pages and gains about as many. The old snapshot is the same with or without a new one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints
from seedbed.synth.host_layout import MOVED_SHARE, REPLACED_SHARE, Fates, count_pages
from seedbed.synth.host_names import digits_for, name_order
from seedbed.synth.hosts import (
    FRONTIER,
    HOST,
    Groups,
    add_cores,
    add_forced,
    community_count,
    farms,
    host_count,
    joined,
    make_hosts,
    pools,
)
from seedbed.synth.random_draws import chances, subkey

HOST_LOSS = 0.3  # of hosts vanish if only home pages survive; proportionally fewer if more pages do
LEAST_CORES = 2
LINK_LOSS = 0.05  # of the links of a page that stays
_OLD, _NEW, _NAMES, _HOSTS, _LOSS, _GROWTH = range(6)


class Snapshot(NamedTuple):
    """What kernels see of a web at one date."""

    key: np.uint64  # of hosts
    name_key: np.uint64
    name_digits: int
    old_hosts: int
    fates: Fates
    stay: float  # the probability that a link of an old page survives
    hosts: NDArray[Any]  # of dtype HOST
    order: Ints  # the hosts in this snapshot, by name
    groups: Groups  # pools of old hosts, pools of new hosts, farms, authorities of cores
    communities: int
    farms: int  # the first group that is a farm
    cores: int
    links_per_page: float
    scale: float  # of the lengths of menus and lists
    outside: float  # of the number of links to other hosts


class _Cohort(NamedTuple):
    """Hosts that appear together, and what is planted on them."""

    hosts: NDArray[Any]
    pools: Groups
    farms: Groups
    authorities: Groups


def make_plan(
    pages: int, links_per_page: float, snapshots: int, seed: int, survival: float, outside: float
) -> tuple[Snapshot, ...]:
    """The snapshots of a web, oldest first, before the number of links is scaled."""
    key = subkey(np.uint64(seed), 0)
    count = host_count(pages)
    communities = community_count(count)
    old = _cohort(subkey(key, _OLD), count, pages, communities, LEAST_CORES)
    settings = (communities, links_per_page, outside)
    first = _snapshot(key, *settings, old, _no_hosts(communities))
    if snapshots == 1:
        return (first,)
    hosts, fates = _aged(key, old.hosts, survival)
    lost = hosts["count"] == 0
    lost_pages = int(hosts["pages"][lost].sum(dtype=np.int64))
    new = _no_hosts(communities)
    if lost.any():
        new = _cohort(subkey(key, _NEW), int(lost.sum()), lost_pages, communities, 0)
    stay = 1.0 - LINK_LOSS * (1.0 - fates.kept)
    second = _snapshot(key, *settings, old._replace(hosts=hosts), new)
    return first, second._replace(fates=fates, stay=stay)


def _cohort(key: np.uint64, count: int, pages: int, communities: int, cores: int) -> _Cohort:
    hosts = make_hosts(subkey(key, 0), count, pages, communities)
    add_forced(hosts)
    authorities = add_cores(subkey(key, 1), hosts, cores)
    return _Cohort(hosts, pools(subkey(key, 2), hosts, communities), farms(hosts), authorities)


def _no_hosts(communities: int) -> _Cohort:
    none = np.empty(0, np.int32)
    groups = Groups(np.zeros(1, np.int64), none)
    return _Cohort(np.empty(0, HOST), Groups(np.zeros(communities + 3, np.int64), none), groups, groups)


def _snapshot(
    key: np.uint64, communities: int, links_per_page: float, outside: float, old: _Cohort, new: _Cohort
) -> Snapshot:
    """Both cohorts together, hosts sorted by name and their first pages counted."""
    count, name_key, digits = len(old.hosts), subkey(key, _NAMES), _label_digits(len(old.hosts))
    new = _moved_on(new, old)
    hosts = np.concatenate((old.hosts, new.hosts))
    there = np.flatnonzero(hosts["count"])
    order = there[name_order(name_key, digits, hosts["domain"][there], hosts["place"][there])]
    pages = hosts["count"][order].astype(np.int64)
    hosts["first"][order] = np.cumsum(pages) - pages
    return Snapshot(
        key=subkey(key, _HOSTS),
        name_key=name_key,
        name_digits=digits,
        old_hosts=count,
        fates=Fates(1.0, 1.0, 1.0),
        stay=1.0,
        hosts=hosts,
        order=order,
        groups=joined(old.pools, new.pools, old.farms, new.farms, old.authorities, new.authorities),
        communities=communities,
        farms=2 * (communities + 2),
        cores=2 * (communities + 2) + len(old.farms.ptr) + len(new.farms.ptr) - 2,
        links_per_page=float(links_per_page),
        scale=1.0,
        outside=float(outside),
    )


def _label_digits(hosts: int) -> int:
    """Syllables that can spell four labels per host: enough for hosts that appear later, too."""
    return max(3, int(digits_for(4 * hosts)))


def _moved_on(new: _Cohort, old: _Cohort) -> _Cohort:
    """The cohort with its hosts, domains, farms and cores numbered after those of the old one."""
    hosts = new.hosts.copy()
    shift = len(old.hosts)
    hosts["domain"] += old.hosts["domain"].max() + 1
    for name, by in (
        ("farm", len(old.farms.ptr) - 1),
        ("hub_of", len(old.authorities.ptr) - 1),
        ("authority_of", len(old.authorities.ptr) - 1),
        ("forced", shift),
    ):
        hosts[name][hosts[name] >= 0] += by
    groups = (groups._replace(hosts=groups.hosts + np.int32(shift)) for groups in new[1:])
    return _Cohort(hosts, *groups)


def _aged(key: np.uint64, old: NDArray[Any], survival: float) -> tuple[NDArray[Any], Fates]:
    """The old hosts some years later, with `count` 0 if they vanished, and the fates of their pages."""
    hosts = old.copy()
    lost = _lost(subkey(key, _LOSS), old, survival)
    inner = old["pages"].astype(np.int64) - 1
    kept = min(1.0, survival * int(inner.sum()) / max(int(inner[~lost].sum()), 1))
    moved = kept + MOVED_SHARE * (1.0 - kept)
    fates = Fates(kept, moved, moved + REPLACED_SHARE * (1.0 - kept))
    growth = 2.0 * (1.0 - fates.replaced) * chances(subkey(key, _GROWTH), len(old))
    hosts["extra"] = np.where(lost, 0, growth * inner)
    hosts["count"] = np.where(lost, 0, count_pages(subkey(key, _HOSTS), hosts["pages"], hosts["extra"], fates))
    return hosts, fates


def _lost(key: np.uint64, hosts: NDArray[Any], survival: float) -> Flags:
    """Hosts that vanish: none above a fiftieth of the web; a frontier host goes with the last host linking to it."""
    pages = hosts["pages"]
    lost = chances(key, len(hosts)) < HOST_LOSS * (1.0 - survival)
    lost[pages > max(int(pages.sum(dtype=np.int64)) // 50, 1)] = False
    linked = hosts["forced"][~lost & (hosts["forced"] >= 0)]
    known = np.bincount(linked, minlength=len(hosts)) > 0
    return lost | ((hosts["part"] == FRONTIER) & ~known)

"""The plan of a synthetic web: all that is known of hosts, in one or two snapshots. O(hosts) memory, nothing a page.

Hosts 0 … old − 1 are there in the old snapshot; in the new one some of them have vanished and the rest are new. A host
that stays loses `GONE` pages and gains about as many. The old snapshot does not depend on whether a new one is asked
for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.synth.hosts import FRONTIER, community_count, host_count, make_hosts
from seedbed.synth.layout import MOVED_SHARE, REPLACED_SHARE, Fates, count_pages
from seedbed.synth.names import name_order
from seedbed.synth.planted import Groups, joined, membership, plant
from seedbed.synth.rng import chances, draw
from seedbed.synth.text import SYLLABLES

HOST_LOSS = 0.3  # of hosts, where no page but home pages survives; in proportion less where more do
LINK_LOSS = 0.05  # of the links of a page that stays
_OLD, _NEW, _NAMES, _HOSTS, _LOSS, _GROWTH, _PLANTED, _PLANTED_NEW = range(8)


class Snapshot(NamedTuple):
    """What kernels see of a web at a date. Arrays have one entry a host, `order` one a host that is there."""

    key: np.uint64  # of hosts
    name_key: np.uint64
    name_digits: int
    old_hosts: int
    communities: int
    fates: Fates
    stay: float  # the probability that a link of an old page is still there
    order: NDArray[np.int64]  # hosts by name
    size: NDArray[np.int64]  # pages in the snapshot where the host first was
    extra: NDArray[np.int64]  # slots added since
    count: NDArray[np.int64]  # pages in this snapshot, 0 where the host is not there
    first: NDArray[np.int64]  # its first page
    domain: NDArray[np.int64]
    place: NDArray[np.int64]
    community: NDArray[np.int32]
    part: NDArray[np.int8]
    farm: NDArray[np.int32]
    hub_of: NDArray[np.int32]  # core whose hub is on the host, −1 for none
    authority_of: NDArray[np.int32]
    forced: NDArray[np.int64]
    old_pools: Groups
    new_pools: Groups
    farms: Groups
    authorities: Groups
    links_per_page: float
    scale: float  # of the number of links a page


def make_plan(
    pages: int, links_per_page: float, snapshots: int, seed: int, survival: float
) -> tuple[Snapshot, ...]:
    """The snapshots of a web, oldest first, before the number of links is scaled."""
    key = draw(np.uint64(seed), 0)
    count = host_count(pages)
    communities = community_count(count)
    hosts = make_hosts(draw(key, _OLD), count, pages, communities)
    planted = plant(draw(key, _PLANTED), hosts, communities)
    nothing = planted.pools._replace(ptr=np.zeros_like(planted.pools.ptr))
    digits = 3
    while SYLLABLES**digits < 4 * count:
        digits += 1
    old = Snapshot(
        key=draw(key, _HOSTS),
        name_key=draw(key, _NAMES),
        name_digits=digits,
        old_hosts=count,
        communities=communities,
        fates=Fates(1.0, 1.0, 1.0),
        stay=1.0,
        order=np.arange(count),
        count=hosts.size,
        extra=np.zeros(count, np.int64),
        first=np.empty(0, np.int64),
        hub_of=membership(planted.hubs, count),
        authority_of=membership(planted.authorities, count),
        forced=planted.forced,
        old_pools=planted.pools,
        new_pools=nothing,
        farms=planted.farms,
        authorities=planted.authorities,
        links_per_page=float(links_per_page),
        scale=1.0,
        **hosts._asdict(),
    )
    if snapshots == 1:
        return (_in_order(old),)
    return _in_order(old), _in_order(_later(key, old, survival))


def _in_order(snapshot: Snapshot) -> Snapshot:
    """The snapshot with its hosts sorted by name and their first pages counted."""
    there = np.flatnonzero(snapshot.count)
    order = there[
        name_order(snapshot.name_key, snapshot.name_digits, snapshot.domain[there], snapshot.place[there])
    ]
    first = np.full(snapshot.count.size, -1, np.int64)
    first[order] = np.cumsum(snapshot.count[order]) - snapshot.count[order]
    return snapshot._replace(order=order, first=first)


def _later(key: np.uint64, old: Snapshot, survival: float) -> Snapshot:
    """The web some years on: hosts and pages vanish, move and appear."""
    lost = _lost(draw(key, _LOSS), old, survival)
    inner = old.size - 1
    kept = min(1.0, survival * inner.sum() / max(inner[~lost].sum(), 1))
    moved = kept + MOVED_SHARE * (1.0 - kept)
    fates = Fates(kept, moved, moved + REPLACED_SHARE * (1.0 - kept))
    growth = 2.0 * (1.0 - fates.replaced) * chances(draw(key, _GROWTH), old.size.size)
    extra = np.where(lost, 0, (growth * inner).astype(np.int64))
    count = np.where(lost, 0, count_pages(old.key, old.size, extra, fates))
    there = old._replace(fates=fates, stay=1.0 - LINK_LOSS * (1.0 - kept), extra=extra, count=count)
    return _with_new_hosts(key, there, int(lost.sum()), int(old.size[lost].sum()))


def _lost(key: np.uint64, old: Snapshot, survival: float) -> NDArray[np.bool_]:
    """Hosts that vanish: none that holds a fiftieth of the web; with all that link to it, a frontier host too."""
    lost = chances(key, old.size.size) < HOST_LOSS * (1.0 - survival)
    lost[old.size > max(int(old.size.sum()) // 50, 1)] = False
    linked = old.forced[~lost & (old.forced >= 0)]
    known = np.bincount(linked, minlength=old.size.size) > 0
    return lost | ((old.part == FRONTIER) & ~known)


def _with_new_hosts(key: np.uint64, web: Snapshot, count: int, pages: int) -> Snapshot:
    """The snapshot with `count` hosts more, that have `pages` pages in all and are planted apart from the old ones."""
    if not count:
        return web
    hosts = make_hosts(draw(key, _NEW), count, pages, web.communities)
    planted = plant(draw(key, _PLANTED_NEW), hosts, web.communities)
    farms, cores, shift = web.farms.ptr.size - 1, web.authorities.ptr.size - 1, web.old_hosts
    later = {
        "size": hosts.size,
        "extra": np.zeros(count, np.int64),
        "count": hosts.size,
        "domain": hosts.domain + web.domain.max() + 1,
        "place": hosts.place,
        "community": hosts.community,
        "part": hosts.part,
        "farm": _shifted(hosts.farm, farms),
        "hub_of": _shifted(membership(planted.hubs, count), cores),
        "authority_of": _shifted(membership(planted.authorities, count), cores),
        "forced": _shifted(planted.forced, shift),
    }
    both = {name: np.concatenate((getattr(web, name), values)) for name, values in later.items()}
    return web._replace(
        **both,
        new_pools=planted.pools._replace(hosts=planted.pools.hosts + shift),
        farms=joined(web.farms, planted.farms, shift),
        authorities=joined(web.authorities, planted.authorities, shift),
    )


def _shifted(ids: NDArray[Any], by: int) -> NDArray[Any]:
    """Ids moved on by so much; −1 stays."""
    return np.where(ids < 0, ids, ids + by).astype(ids.dtype)

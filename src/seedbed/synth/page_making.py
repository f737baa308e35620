"""The pages of some hosts in one go: links, hosts and columns, in page order.

Memory: the slots of one host, and the output. Columns:

    core       the planted core the page is in, −1 for none
    core_hub   it is one of the core's hubs; otherwise, if core ≥ 0, one of its authorities
    spam       it is on a host of a link farm
    clicked    people visit it: likelier for home pages and pages with many in-links from their host
    uncrawled  known only as the target of a link
    community  of its host
    key        identifies the page in every snapshot, whatever its URL

How many links each page must attempt, so that the web has `links_per_page` without duplicates, is measured on every
stride-th page (on all pages of small webs). The scale of links is adjusted until the mean fits, by bracketing once
there are two brackets, first on a small sample, then on a larger one. O(sampled links) per try.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ints
from seedbed.common.kernels import borrowing, kernel
from seedbed.common.threads import Team
from seedbed.errors import OptionError
from seedbed.synth.host_layout import REPLACED, UNCRAWLED, Layout, page_key, page_kind
from seedbed.synth.hosts import FARM, FRONTIER
from seedbed.synth.link_making import LONGEST_MENU, MOST, end_of, fill_menu, host_layout, page_links
from seedbed.synth.random_draws import chance, draw
from seedbed.synth.web_plan import Snapshot

HOME_CLICKED = 0.3
CLICKED = 0.004  # times √(1 + in-links from the host)
MOST_CLICKED = 0.8
_CLICK = 31


SAMPLES = ((1 << 14, 0.005), (1 << 17, 0.01), (1 << 20, 0.01))  # pages, and how close their mean must come
_SMALL_WEB = 1 << 24  # webs up to this size skip the last sample: this many pages have fewer very long lists
_TRIES = 20
_LARGEST_SCALE = 2000.0
_TOLERATED = 0.05
_PROMISED_PAGES = 100_000  # smaller webs may have no room for that many links
_PARTS = 64


class Columns(NamedTuple):
    """One entry per page."""

    core: NDArray[np.int32]
    core_hub: Flags
    spam: Flags
    clicked: Flags
    uncrawled: Flags
    community: NDArray[np.int32]
    key: NDArray[np.uint64]


def make_pages(web: Snapshot, start: int, stop: int) -> tuple[Ints, Ints, NDArray[np.int32], Columns]:
    """(out_ptr, out_idx, the host of each page, columns) of the pages of hosts order[start : stop]."""
    first = int(web.hosts["first"][web.order[start]])
    pages = int(end_of(web, stop - 1)) - first
    host_of = np.empty(pages, np.int32)
    columns = Columns(
        core=np.full(pages, -1, np.int32),
        core_hub=np.zeros(pages, np.bool_),
        spam=np.zeros(pages, np.bool_),
        clicked=np.zeros(pages, np.bool_),
        uncrawled=np.zeros(pages, np.bool_),
        community=np.empty(pages, np.int32),
        key=np.empty(pages, np.uint64),
    )
    out_ptr = np.zeros(pages + 1, np.int64)
    out_idx = np.empty(int(pages * web.links_per_page * 1.2) + 2 * MOST, np.int64)
    out_idx = _fill_pages(web, start, stop, out_ptr, out_idx, host_of, columns)
    return out_ptr, out_idx[: out_ptr[-1]], host_of, columns


@kernel
def _fill_pages(
    web: Snapshot, start: int, stop: int, out_ptr: Ints, out_idx: Ints, host_of: NDArray[np.int32], columns: Columns
) -> Ints:
    first = web.hosts[web.order[start]].first
    menu = np.empty(3 * LONGEST_MENU, np.int64)
    for position in range(start, stop):
        host = web.order[position]
        at = host_layout(web, host)
        out_idx = _host_links(web, host, at, menu, first, out_ptr, out_idx)
        begin = web.hosts[host].first - first
        in_links = _in_links(out_ptr, out_idx, begin, np.int64(web.hosts[host].count), web.hosts[host].first)
        _host_columns(web, host, at, begin, in_links, columns)
        for page in range(begin, begin + in_links.size):
            host_of[page] = position
    return out_idx


@kernel
def _host_links(web: Snapshot, host: int, at: Layout, menu: Ints, first: int, out_ptr: Ints, out_idx: Ints) -> Ints:
    """Add the links of a host's pages; returns the array of links, a longer one if it was full."""
    base = web.hosts[host].first - first
    key = draw(web.key, host)
    for folder in range(-1, at.folders):
        start, end = (0, at.front) if folder < 0 else (at.starts[folder], at.starts[folder + 1])
        length = fill_menu(web, host, key, at, folder, menu)
        for slot in range(start, end):
            if at.page[slot] < 0:
                continue
            page = base + at.page[slot]
            done = out_ptr[page]
            if done + MOST > out_idx.size:
                longer = np.empty(2 * out_idx.size, np.int64)
                for i in range(done):
                    longer[i] = out_idx[i]
                out_idx = longer
            count = page_links(web, host, at, slot, folder, menu, length, out_idx[done : done + MOST])
            out_ptr[page + 1] = done + count
    return out_idx


@kernel
def _in_links(out_ptr: Ints, out_idx: Ints, begin: int, pages: int, first: int) -> Ints:
    """How many links each page of a host has from the host itself."""
    count = np.zeros(pages, np.int64)
    for i in range(out_ptr[begin], out_ptr[begin + pages]):
        target = out_idx[i] - first
        if 0 <= target < pages:
            count[target] += 1
    return count


@borrowing
def _host_columns(web: Snapshot, host: int, at: Layout, begin: int, in_links: Ints, columns: Columns) -> None:
    folder = 0
    key = draw(web.key, host)
    for slot in range(at.page.size):
        index = folder < at.folders and slot == at.starts[folder]
        folder += 1 if index else 0
        if at.page[slot] < 0:
            continue
        page = begin + at.page[slot]
        links = in_links[at.page[slot]]
        own = page_key(key, slot, at.fate[slot])
        kind = page_kind(own, index or slot < at.front)
        columns.uncrawled[page] = web.hosts[host].part == FRONTIER or (
            kind == UNCRAWLED and links > 0 and web.hosts[host].part != FARM
        )
        odds = HOME_CLICKED if slot == 0 else min(CLICKED * (1.0 + links) ** 0.5, MOST_CLICKED)
        columns.clicked[page] = chance(own, _CLICK) < odds
        columns.spam[page] = web.hosts[host].part == FARM
        columns.community[page] = web.hosts[host].community
        replaced = 1 if at.fate[slot] == REPLACED else 0
        columns.key[page] = (np.uint64(host) << np.uint64(32)) | np.uint64(2 * slot + replaced)
    if web.hosts[host].authority_of >= 0:
        columns.core[begin] = web.hosts[host].authority_of
    if web.hosts[host].hub_of >= 0:
        columns.core[begin + 1] = web.hosts[host].hub_of
        columns.core_hub[begin + 1] = True


@kernel
def count_links(web: Snapshot, start: int, stop: int, stride: int) -> tuple[int, int, int, int]:
    """Pages and links in a sample of hosts order[start : stop]: home and index pages, then the others.

    The sample takes every `stride`-th of the others, and every leader_stride(stride)-th home or index page: there are
    few of these, and some have very many links.
    """
    menu = np.empty(3 * LONGEST_MENU, np.int64)
    links = np.empty(MOST, np.int64)
    dense = leader_stride(stride)
    leaders, leader_links, pages, page_total = 0, 0, 0, 0
    for position in range(start, stop):
        host = web.order[position]
        base = web.hosts[host].first
        if (base + web.hosts[host].count - 1) // dense == (base - 1) // dense:
            continue
        at = host_layout(web, host)
        for folder in range(-1, at.folders):
            begin, end = (0, at.front) if folder < 0 else (at.starts[folder], at.starts[folder + 1])
            sampled = begin + 1 + -(base + begin + 1) % stride
            leads = (base + begin) % dense == 0
            if not leads and sampled >= end:
                continue
            length = fill_menu(web, host, draw(web.key, host), at, folder, menu)
            if leads:
                leader_links += page_links(web, host, at, begin, folder, menu, length, links)
                leaders += 1
            for slot in range(sampled, end, stride):
                page_total += page_links(web, host, at, slot, folder, menu, length, links)
                pages += 1
    return leaders, leader_links, pages, page_total


@borrowing
def leader_stride(stride: int) -> int:
    """The stride for home and index pages in a sample of every `stride`-th other page."""
    return max(stride // 8, 1)


def link_scale(web: Snapshot, pages: int, team: Team) -> float:
    """The scale of menu and list lengths that gives a snapshot its links per page."""
    scale, got = 1.0, 0.0
    for sample, near in SAMPLES if pages > _SMALL_WEB else SAMPLES[:-1]:
        scale, got = _meet(web, scale, max(pages // sample, 1), near, team)
    wanted = math.log(web.links_per_page)
    if pages >= _PROMISED_PAGES and abs(got - wanted) > _TOLERATED:
        raise OptionError(
            f"links_per_page = {web.links_per_page:g}: a web of {pages} pages with its hosts can have about "
            f"{math.exp(got):.3g}. Ask for fewer links or more pages."
        )
    return scale


def _meet(web: Snapshot, scale: float, stride: int, near: float, team: Team) -> tuple[float, float]:
    """The scale, searched from `scale` on, that brings the sample closest to its links, and the log of its mean."""
    wanted = math.log(web.links_per_page)
    at, most = math.log(scale), math.log(_LARGEST_SCALE)
    best = (math.inf, at, 0.0)
    below: tuple[float, float] | None = None
    above: tuple[float, float] | None = None
    for _ in range(_TRIES):
        got = _log_mean(web._replace(scale=math.exp(at)), stride, team)
        best = min(best, (abs(got - wanted), at, got))
        if best[0] < near or (at == most and got < wanted):
            break
        below, above = ((at, got), above) if got < wanted else (below, (at, got))
        if below and above:
            part = (wanted - below[1]) / (above[1] - below[1])
            at = below[0] + min(max(part, 0.1), 0.9) * (above[0] - below[0])
        else:
            at = min(at + min(max(1.2 * (wanted - got), -3.0), 3.0), most)
    return math.exp(best[1]), best[2]


def _log_mean(web: Snapshot, stride: int, team: Team) -> float:
    hosts = len(web.order)
    bounds = [hosts * part // _PARTS for part in range(_PARTS + 1)]
    counts = team.ahead(lambda part: count_links(web, bounds[part], bounds[part + 1], stride), range(_PARTS))
    leaders, leader_links, pages, others = (sum(each) for each in zip(*counts, strict=True))
    dense = int(leader_stride(stride))
    links = leader_links * dense + others * stride
    return math.log(max(links, 1) / (leaders * dense + pages * stride))

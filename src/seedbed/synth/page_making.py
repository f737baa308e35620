"""The pages of some hosts in one go: links, hosts and columns, in page order.

Memory: the slots of one host, and what is made. Columns:

    core       the planted core the page is in, −1 for none
    core_hub   it is one of the core's hubs; otherwise, where core ≥ 0, one of its authorities
    spam       it is on a host of a link farm
    clicked    people visit it: likelier for home pages and pages with many in-links from their host
    uncrawled  known as the target of a link only
    community  of its host
    key        names the page in every snapshot, whatever its URL
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.host_layout import REPLACED, UNCRAWLED, Layout, page_key, page_kind
from seedbed.synth.hosts import FARM, FRONTIER
from seedbed.synth.link_making import MOST, end_of, host_layout, page_links
from seedbed.synth.menus import LONGEST_MENU, fill_menu
from seedbed.synth.rng import chance, draw
from seedbed.synth.web_plan import Snapshot

HOME_CLICKED = 0.3
CLICKED = 0.004  # times the square root of the in-links from the host, and one
MOST_CLICKED = 0.8
_CLICK = 31


class Columns(NamedTuple):
    """One entry a page."""

    core: NDArray[np.int32]
    core_hub: NDArray[np.bool_]
    spam: NDArray[np.bool_]
    clicked: NDArray[np.bool_]
    uncrawled: NDArray[np.bool_]
    community: NDArray[np.int32]
    key: NDArray[np.uint64]


class Pages(NamedTuple):
    """Pages of consecutive hosts."""

    out_ptr: NDArray[np.int64]
    out_idx: NDArray[np.int64]
    host: NDArray[np.int32]
    columns: Columns


def make_pages(web: Snapshot, start: int, stop: int) -> Pages:
    """The pages of hosts order[start : stop]."""
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
    return Pages(out_ptr, out_idx[: out_ptr[-1]], host_of, columns)


@kernel
def _fill_pages(
    web: Snapshot,
    start: int,
    stop: int,
    out_ptr: NDArray[np.int64],
    out_idx: NDArray[np.int64],
    host_of: NDArray[np.int32],
    columns: Columns,
) -> NDArray[np.int64]:
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
def _host_links(
    web: Snapshot,
    host: int,
    at: Layout,
    menu: NDArray[np.int64],
    first: int,
    out_ptr: NDArray[np.int64],
    out_idx: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Add the links of a host's pages; the array of links, a longer one where it was full."""
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
def _in_links(
    out_ptr: NDArray[np.int64], out_idx: NDArray[np.int64], begin: int, pages: int, first: int
) -> NDArray[np.int64]:
    """How many links each page of a host has from the host itself."""
    count = np.zeros(pages, np.int64)
    for i in range(out_ptr[begin], out_ptr[begin + pages]):
        target = out_idx[i] - first
        if 0 <= target < pages:
            count[target] += 1
    return count


@borrowing
def _host_columns(
    web: Snapshot, host: int, at: Layout, begin: int, in_links: NDArray[np.int64], columns: Columns
) -> None:
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
    """Pages and links on a sample of hosts order[start : stop]: of home and index pages, then of the others.

    One in `stride` others is taken, and one in leader_stride(stride) home and index pages: there are few of them, and
    some have very many links.
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
    """One in so many home and index pages is in a sample of one in `stride` other pages."""
    return max(stride // 8, 1)

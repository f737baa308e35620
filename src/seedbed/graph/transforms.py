"""Webs made from a web: turned round, cut to some pages, without the links inside sites. Each is O(pages + links)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.common.kernels import kernel
from seedbed.common.memory import require
from seedbed.errors import OptionError
from seedbed.links.csr import Csr
from seedbed.links.link_store import PAGES_PER_BLOCK

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.links.link_store import LinkStore


def transposed(links: LinkStore) -> Csr:
    """Every link turned round, in memory (turned.py does without). Two passes over the links."""
    dtype = page_dtype(links.page_count)
    require(links.link_count * np.dtype(dtype).itemsize + 16 * links.page_count, "turning the links round")
    in_ptr = count_links_in(links)
    free = in_ptr[:-1].copy()
    in_idx = np.empty(links.link_count, dtype)
    for block in links.blocks():
        turn_round(block.first, block.out_ptr, block.out_idx, free, in_idx)
    return Csr(in_ptr, in_idx, checked=True)


def count_links_in(links: LinkStore) -> NDArray[np.int64]:
    """Where the links to each page start when all are sorted by the page they lead to. One pass."""
    in_ptr = np.zeros(links.page_count + 1, np.int64)
    for block in links.blocks():
        count_targets(block.out_idx, in_ptr)
    np.cumsum(in_ptr, out=in_ptr)
    return in_ptr


@kernel
def count_targets(out_idx: NDArray[Any], in_ptr: NDArray[np.int64]) -> None:
    """Add each page's links in to in_ptr, one place on."""
    for target in out_idx:
        in_ptr[target + 1] += 1


@kernel
def turn_round(
    first: int, out_ptr: NDArray[np.int64], out_idx: NDArray[Any], free: NDArray[np.int64], in_idx: NDArray[Any]
) -> None:
    """Write each link's source into the next free place of its target; sources come in ascending order."""
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            target = out_idx[j]
            in_idx[free[target]] = first + k
            free[target] += 1


def links_between(links: LinkStore, of_page: NDArray[Any]) -> Csr:
    """Only the links whose ends lie on different sites; of_page names the site of each page."""
    out_ptr = np.zeros(links.page_count + 1, np.int64)
    out_idx = np.empty(links.link_count, page_dtype(links.page_count))
    used = 0
    for block in links.blocks():
        used = keep_between(block.first, block.out_ptr, block.out_idx, of_page, out_ptr, out_idx, used)
    return Csr(out_ptr, out_idx[:used], checked=True)


@kernel
def keep_between(
    first: int,
    out_ptr: NDArray[np.int64],
    out_idx: NDArray[Any],
    of_page: NDArray[Any],
    new_ptr: NDArray[np.int64],
    new_idx: NDArray[Any],
    used: int,
) -> int:
    """Append a block's links between sites to (new_ptr, new_idx), of which `used` places are taken."""
    for k in range(out_ptr.size - 1):
        site = of_page[first + k]
        for j in range(out_ptr[k], out_ptr[k + 1]):
            if of_page[out_idx[j]] != site:
                new_idx[used] = out_idx[j]
                used += 1
        new_ptr[first + k + 1] = used
    return used


def chosen_pages(pages: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Ascending ids, from ids or from a mask over all pages."""
    pages = np.asarray(pages)
    if pages.dtype == np.bool_:
        if len(pages) != count:
            raise OptionError(f"the mask has {len(pages)} entries, the web {count} pages; one a page is needed")
        return np.flatnonzero(pages)
    if len(pages) and pages.dtype.kind not in "iu":
        raise OptionError(f"pages are chosen by ids or by a mask of true and false, not by {pages.dtype}.")
    ids = np.unique(pages.astype(np.int64))
    if len(ids) and not (ids[0] >= 0 and ids[-1] < count):
        wrong = ids[0] if ids[0] < 0 else ids[-1]
        raise OptionError(f"page {wrong} is not in the web, whose pages are 0 … {count - 1}")
    return ids


def subweb(web: Web, pages: NDArray[Any]) -> Web:
    """The chosen pages, renumbered in their old order, and the links among them."""
    ids = chosen_pages(pages, web.page_count)
    dtype = page_dtype(len(ids))
    new_id = np.full(web.page_count, -1, dtype)
    new_id[ids] = np.arange(len(ids), dtype=dtype)
    out_ptr = np.zeros(len(ids) + 1, np.int64)
    out_idx = np.empty(web.link_count, dtype)
    used = 0
    for block in web.links.blocks():
        used = keep_pages(block.first, block.out_ptr, block.out_idx, new_id, out_ptr, out_idx, used)
    part = only_pages(web, ids, Csr(out_ptr, out_idx[:used], checked=True))
    return part if web.nofollow is None else replace(part, nofollow=web.nofollow.renumbered(new_id, len(ids)))


def only_pages(
    web: Web, ids: NDArray[np.int64], links: LinkStore, *, memory: int | None = None, scratch: Path | None = None
) -> Web:
    """What a web knows of some pages, and the links that these have now; which are nofollow is left to the caller."""
    from seedbed.urls.url_table import UrlTable

    urls = None
    if web.urls is not None:
        urls = UrlTable.build((web.urls.pick(part) for part in _parts(ids)), memory=memory, scratch=scratch)
    return replace(
        web,
        links=links,
        urls=urls,
        hosts=None if web.hosts is None else web.hosts.only(ids),
        columns={name: values[ids] for name, values in web.columns.items()},
        nofollow=None,
    )


def _parts(ids: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [ids[start : start + PAGES_PER_BLOCK] for start in range(0, len(ids), PAGES_PER_BLOCK)]


@kernel
def keep_pages(
    first: int,
    out_ptr: NDArray[np.int64],
    out_idx: NDArray[Any],
    new_id: NDArray[Any],
    new_ptr: NDArray[np.int64],
    new_idx: NDArray[Any],
    used: int,
) -> int:
    """Append a block's links among kept pages (new_id ≥ 0), renumbered, to (new_ptr, new_idx)."""
    for k in range(out_ptr.size - 1):
        page = new_id[first + k]
        if page < 0:
            continue
        for j in range(out_ptr[k], out_ptr[k + 1]):
            target = new_id[out_idx[j]]
            if target >= 0:
                new_idx[used] = target
                used += 1
        new_ptr[page + 1] = used
    return used

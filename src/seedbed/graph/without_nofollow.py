"""The web as a crawl knows it that does not follow links marked nofollow.

Those links go, and with them the pages that nothing else names: not `crawled`, and no other link leads to or from
them. Where no column says what was crawled every page stays. Two passes over the links, O(pages + links); the links
that are left are held as LinkBuilder does it, within `memory` or on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError
from seedbed.graph.transforms import only_pages
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.nofollow_marks import Marks

if TYPE_CHECKING:
    from seedbed.graph.web import Web

CRAWLED = "crawled"


def without_marked(web: Web, *, memory: int | None = None, scratch: Path | None = None) -> Web:
    """The web without its nofollow links and the pages that only they name."""
    marks = web.nofollow
    if marks is None:
        raise InputError(
            f"{web.origin.source or 'this web'}: it is not known which of its links are marked nofollow, so they "
            "cannot be left out. Archives, Scrapy items and stores made of them say so; convert those again."
        )
    if not len(marks):
        return web
    ids = np.flatnonzero(_named_otherwise(web, marks))
    new_id = np.full(web.page_count, -1, np.int64)
    new_id[ids] = np.arange(len(ids))
    builder = LinkBuilder(len(ids), keep_self_links=True, memory=memory, scratch=scratch)
    for sources, targets in _followed(web, marks):
        builder.add(new_id[sources], new_id[targets])
    links = builder.finish().links
    if links.link_count + len(marks) != web.link_count:
        unknown = links.link_count + len(marks) - web.link_count
        raise InputError(
            f"{web.origin.source or 'this web'}: of {len(marks)} links marked nofollow {unknown} are no links of the "
            "web. It is damaged; convert it again."
        )
    rest = web if len(ids) == web.page_count else only_pages(web, ids, links, memory=memory, scratch=scratch)
    return replace(rest, links=links, nofollow=Marks.none(len(ids)))


def _named_otherwise(web: Web, marks: Marks) -> NDArray[np.bool_]:
    """The pages that were crawled, or that another link names, or that no marked link names."""
    if CRAWLED not in web.columns:
        return np.ones(web.page_count, np.bool_)
    named = np.asarray(web.columns[CRAWLED]) != 0
    for followed in _followed(web, marks):
        for ends in followed:
            named[ends] = True
    unmarked = np.ones(web.page_count, np.bool_)
    for ends in marks.arrays():
        unmarked[ends] = False
    return named | unmarked


def _followed(web: Web, marks: Marks) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """The links that are not marked, block by block."""
    for block in web.links.blocks():
        followed = ~marks.in_block(block)
        pages = np.arange(block.first, block.first + len(block.out_ptr) - 1)
        yield np.repeat(pages, np.diff(block.out_ptr))[followed], block.out_idx[followed]

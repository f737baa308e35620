"""Pages with the same URL made one: at the place of the first, with the links of all of them. O(pages + links)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.transforms import only_pages
from seedbed.graph.union import joined_marks, renumbered
from seedbed.links.link_builder import LinkBuilder
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Origin, Web


def merged_pages(
    web: Web, *, keep_self_links: bool = False, memory: int | None = None, scratch: Path | None = None
) -> Web:
    """The web with each URL once. Of several values of a column the largest is kept, and so yes before no."""
    if web.urls is None:
        return web
    first = _first_with_same_url(web.urls)
    is_first = first == np.arange(len(first))
    if is_first.all():
        return web
    new_id = (np.cumsum(is_first) - 1)[first]
    kept = np.flatnonzero(is_first)
    builder = LinkBuilder(len(kept), keep_self_links=keep_self_links, memory=memory, scratch=scratch)
    for block in web.links.blocks():
        builder.add(*renumbered(block, new_id))
    built = builder.finish()
    merged = only_pages(web, kept, built.links, memory=memory, scratch=scratch)
    return replace(
        merged,
        columns={name: _largest(values, kept, new_id) for name, values in web.columns.items()},
        nofollow=joined_marks([web], [new_id], len(kept), keep_self_links=keep_self_links),
        origin=_counted(web, built.self_links, built.duplicate_links, keep_self_links),
    )


def _first_with_same_url(urls: UrlTable) -> NDArray[np.int64]:
    return np.concatenate([urls.find_text(*chunk) for chunk in urls.chunks()] or [np.empty(0, np.int64)])


def _largest(values: NDArray[Any], kept: NDArray[np.int64], new_id: NDArray[np.int64]) -> NDArray[Any]:
    largest = values[kept].copy()
    np.maximum.at(largest, new_id, values)
    return largest


def _counted(web: Web, self_links: int, duplicates: int, keep_self_links: bool) -> Origin:
    """What was listed, and which of it merging has made self-links and duplicates."""
    origin = web.origin
    if keep_self_links:
        self_links -= sum(_loops(block.first, block.out_ptr, block.out_idx) for block in web.links.blocks())
    return replace(
        origin,
        self_links=None if origin.self_links is None else origin.self_links + self_links,
        duplicate_links=None if origin.duplicate_links is None else origin.duplicate_links + duplicates,
    )


def _loops(first: int, out_ptr: NDArray[np.int64], out_idx: NDArray[Any]) -> int:
    sources = np.repeat(np.arange(first, first + len(out_ptr) - 1), np.diff(out_ptr))
    return int(np.count_nonzero(sources == out_idx))

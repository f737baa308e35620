"""Snapshots joined by URL: every page of any of them once, in order of URLs, with the links of all of them.

O((pages + links) log pages). URLs are sorted together, in memory or on disk; equal ones then lie side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError, OptionError
from seedbed.graph.url_hints import how_to_add_urls
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.link_store import Block
from seedbed.links.nofollow_builder import MarksBuilder
from seedbed.links.nofollow_marks import Marks
from seedbed.urls.host_kernels import differs_from_last
from seedbed.urls.url_table import TextChunk, UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Web


def union_by_url(webs: Sequence[Web]) -> Web:
    """The union; where snapshots differ on a column, the last that has the page and the column is believed."""
    from seedbed.graph.web import Origin, Web

    tables = [_urls_of(web) for web in webs]
    urls, new_ids = _joined(tables)
    builder = LinkBuilder(len(urls), keep_self_links=True)
    for web, new_id in zip(webs, new_ids, strict=True):
        for block in web.links.blocks():
            builder.add(*renumbered(block, new_id))
    return Web(
        links=builder.finish().links,
        urls=urls,
        columns=_joined_columns(webs, new_ids, len(urls)),
        origin=Origin(" + ".join(web.origin.source or "web" for web in webs), "union"),
        nofollow=joined_marks(webs, new_ids, len(urls)),
    )


def renumbered(block: Block, new_id: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The links of a block between the pages' new ids."""
    pages = new_id[block.first : block.first + len(block.out_ptr) - 1]
    return np.repeat(pages, np.diff(block.out_ptr)), new_id[block.out_idx]


def _urls_of(web: Web) -> UrlTable:
    if web.urls is None:
        raise InputError(
            f"{web.origin.source or 'a web'}: has no URLs, and snapshots are joined by URL. "
            f"{how_to_add_urls(web.origin.format)}"
        )
    return web.urls


def _joined(tables: Sequence[UrlTable]) -> tuple[UrlTable, list[NDArray[np.int64]]]:
    """The table of all distinct URLs, and for each table the new id of each of its ids."""
    together = UrlTable.build(chain.from_iterable(table.chunks() for table in tables))
    new_id = np.empty(len(together), np.int64)

    def distinct() -> Iterator[TextChunk]:
        last, count = b"", 0
        for ids, text, text_ptr in together.in_order():
            first = differs_from_last(text, text_ptr)
            first[0] = count == 0 or text[: text_ptr[1]].tobytes() != last
            new_id[ids] = count + np.cumsum(first) - 1
            count += int(np.count_nonzero(first))
            lengths = np.diff(text_ptr)
            yield text[np.repeat(first, lengths)], np.concatenate([[0], np.cumsum(lengths[first])])
            last = text[text_ptr[-2] :].tobytes()

    urls = UrlTable.build(distinct())
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return urls, np.split(new_id, ends)


def joined_marks(
    webs: Sequence[Web], new_ids: Sequence[NDArray[np.int64]], pages: int, *, keep_self_links: bool = True
) -> Marks | None:
    """A link is nofollow where it is in every snapshot that has it; not known where one of them does not know."""
    known = [
        (web.links, web.nofollow, new_id) for web, new_id in zip(webs, new_ids, strict=True) if web.nofollow is not None
    ]
    if len(known) < len(webs):
        return None
    builder = MarksBuilder(keep_self_links=keep_self_links)
    for _, marks, new_id in known:
        sources, targets = marks.arrays()
        builder.add(new_id[sources], new_id[targets])
    for links, marks, new_id in () if builder.is_empty else known:
        for block in links.blocks():
            sources, targets = renumbered(block, new_id)
            followed = ~marks.in_block(block)
            builder.strike(sources[followed], targets[followed])
    return builder.finish(pages)


def _joined_columns(webs: Sequence[Web], new_ids: Sequence[NDArray[np.int64]], pages: int) -> dict[str, NDArray[Any]]:
    names = dict.fromkeys(chain.from_iterable(web.columns for web in webs))
    columns = {name: np.zeros(pages, _common_type(name, webs)) for name in names}
    for web, new_id in zip(webs, new_ids, strict=True):
        for name, values in web.columns.items():
            columns[name][new_id] = values
    return columns


def _common_type(name: str, webs: Sequence[Web]) -> np.dtype[Any]:
    """The type that holds the values of a column in all webs that have it."""
    types = [web.columns[name].dtype for web in webs if name in web.columns]
    if all(kind == types[0] for kind in types):
        return types[0]
    kinds = {kind.kind for kind in types}
    common = np.result_type(*types) if kinds <= set("biuf") else None
    # NumPy would make floats of the largest whole numbers of both kinds, and those are not exact.
    if common is None or (common.kind == "f" and "f" not in kinds):
        known = " and ".join(sorted({str(kind) for kind in types}))
        raise OptionError(f"the column '{name}' is {known} in these webs, which no one type holds.")
    return common

"""Webs made from webs: a subset of pages or links, pages with the same URL merged, the union of snapshots.

Each is O(pages + links); a union also sorts the URLs. LinkBuilder holds links that have to be collected again, within
`memory` or on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, Ids, Ints, TextChunk, page_dtype
from seedbed.common.kernels import kernel
from seedbed.errors import InputError, OptionError
from seedbed.graph.web import CRAWLED, UNCRAWLED, Origin, Web, how_to_add_urls
from seedbed.links.csr import Csr
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.link_store import PAGES_PER_BLOCK, Block
from seedbed.links.nofollow import Marks, MarksBuilder
from seedbed.urls.host_kernels import differs_from_last
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore


def links_between(links: LinkStore, of_page: Ids) -> Csr:
    """Only the links whose ends are on different sites; of_page gives the site of each page."""
    return _kept(links, keep_between, of_page, links.page_count)


def _kept(links: LinkStore, keep: Callable[..., int], of_page: Ids, pages: int) -> Csr:
    """The links that a kernel keeps, block by block, given a number for each page."""
    out_ptr = np.zeros(pages + 1, np.int64)
    out_idx = np.empty(links.link_count, page_dtype(pages))
    used = 0
    for block in links.blocks():
        used = keep(*block, of_page, out_ptr, out_idx, used)
    return Csr(out_ptr, out_idx[:used], checked=True)


@kernel
def keep_between(first: int, out_ptr: Ints, out_idx: Ids, of_page: Ids, new_ptr: Ints, new_idx: Ids, used: int) -> int:
    """Append a block's links between sites to (new_ptr, new_idx), where `used` entries are taken."""
    for k in range(out_ptr.size - 1):
        site = of_page[first + k]
        for j in range(out_ptr[k], out_ptr[k + 1]):
            if of_page[out_idx[j]] != site:
                new_idx[used] = out_idx[j]
                used += 1
        new_ptr[first + k + 1] = used
    return used


def subweb(web: Web, pages: Ids) -> Web:
    """The chosen pages, renumbered in their old order, and the links among them."""
    ids = chosen_pages(pages, web.page_count)
    dtype = page_dtype(len(ids))
    new_id = np.full(web.page_count, -1, dtype)
    new_id[ids] = np.arange(len(ids), dtype=dtype)
    part = only_pages(web, ids, _kept(web.links, keep_pages, new_id, len(ids)))
    return part if web.nofollow is None else replace(part, nofollow=web.nofollow.renumbered(new_id, len(ids)))


def chosen_pages(pages: Ids, count: int) -> Ints:
    """Ascending ids, from ids or from a mask over all pages."""
    pages = np.asarray(pages)
    if pages.dtype == np.bool_:
        if len(pages) != count:
            raise OptionError(f"the mask has {len(pages)} entries, the web {count} pages; one per page is needed")
        return np.flatnonzero(pages)
    if len(pages) and pages.dtype.kind not in "iu":
        raise OptionError(f"pages are chosen by ids or by a mask of true and false, not by {pages.dtype}.")
    ids = np.unique(pages.astype(np.int64))
    if len(ids) and not (ids[0] >= 0 and ids[-1] < count):
        wrong = ids[0] if ids[0] < 0 else ids[-1]
        raise OptionError(f"page {wrong} is not in the web, whose pages are 0 … {count - 1}")
    return ids


def only_pages(web: Web, ids: Ints, links: LinkStore, *, memory: int | None = None, scratch: Path | None = None) -> Web:
    """What a web knows about some pages, with their new links; nofollow marks are left to the caller."""
    urls = None
    if web.urls is not None:
        parts = (ids[start : start + PAGES_PER_BLOCK] for start in range(0, len(ids), PAGES_PER_BLOCK))
        urls = UrlTable.build(map(web.urls.pick, parts), memory=memory, scratch=scratch)
    return replace(
        web,
        links=links,
        urls=urls,
        hosts=None if web.hosts is None else web.hosts.only(ids),
        columns={name: values[ids] for name, values in web.columns.items()},
        nofollow=None,
    )


@kernel
def keep_pages(first: int, out_ptr: Ints, out_idx: Ids, new_id: Ids, new_ptr: Ints, new_idx: Ids, used: int) -> int:
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


def without_marked(web: Web, *, memory: int | None = None, scratch: Path | None = None) -> Web:
    """The web without its nofollow links and the pages that only they name.

    Those are the pages not `crawled` that no other link leads to or from; without that column every page stays.
    """
    marks = web.nofollow
    if marks is None:
        raise InputError(
            f"{web.origin.source or 'this web'}: it is not known which of its links are marked nofollow, so they "
            "cannot be left out. Archives, Scrapy items and stores made from them say so; convert those again."
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
    unknown = links.link_count + len(marks) - web.link_count
    if unknown:
        raise InputError(
            f"{web.origin.source or 'this web'}: of {len(marks)} links marked nofollow {unknown} are not links of the "
            "web. It is damaged; convert it again."
        )
    rest = web if len(ids) == web.page_count else only_pages(web, ids, links, memory=memory, scratch=scratch)
    return replace(rest, links=links, nofollow=Marks.none(len(ids)))


def _named_otherwise(web: Web, marks: Marks) -> Flags:
    """The pages that were crawled, or that another link names, or that no marked link names."""
    if web.crawled is None:
        return np.ones(web.page_count, np.bool_)
    named = web.crawled.copy()
    for followed in _followed(web, marks):
        for ends in followed:
            named[ends] = True
    unmarked = np.ones(web.page_count, np.bool_)
    for ends in marks.arrays():
        unmarked[ends] = False
    return named | unmarked


def _followed(web: Web, marks: Marks) -> Iterator[tuple[Ids, Ids]]:
    """The links that are not marked, block by block."""
    for block in web.links.blocks():
        followed = ~marks.in_block(block)
        yield block.sources[followed], block.out_idx[followed]


def union_by_url(webs: Sequence[Web]) -> Web:
    """Every page of any snapshot once, in URL order, with the links of all of them.

    If snapshots disagree on a column, the last one that has the page and the column wins. But a page is crawled if it
    was in any of them; if one does not say, it is not known of the union.
    """
    urls, new_ids = _joined([_urls_of(web) for web in webs])
    builder = LinkBuilder(len(urls), keep_self_links=True)
    for web, new_id in zip(webs, new_ids, strict=True):
        for block in web.links.blocks():
            builder.add(*_renumbered(block, new_id))
    return Web(
        links=builder.finish().links,
        urls=urls,
        columns=_joined_columns(webs, new_ids, len(urls)),
        origin=Origin(" + ".join(web.origin.source or "web" for web in webs), "union"),
        nofollow=_joined_marks(webs, new_ids, len(urls)),
    )


def _renumbered(block: Block, new_id: Ints) -> tuple[Ints, Ints]:
    """The links of a block, as pairs of new ids."""
    return new_id[block.sources], new_id[block.out_idx]


def _urls_of(web: Web) -> UrlTable:
    if web.urls is None:
        raise InputError(
            f"{web.origin.source or 'a web'}: has no URLs, and snapshots are joined by URL. "
            f"{how_to_add_urls(web.origin.format)}"
        )
    return web.urls


def _joined(tables: Sequence[UrlTable]) -> tuple[UrlTable, list[Ints]]:
    """The table of all distinct URLs, and for each table, the new id of each of its ids."""
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
    return urls, np.split(new_id, np.cumsum([len(table) for table in tables])[:-1])


def _joined_marks(
    webs: Sequence[Web], new_ids: Sequence[Ints], pages: int, *, keep_self_links: bool = True
) -> Marks | None:
    """A link is nofollow if it is marked in every snapshot that has it; None if any snapshot's marks are unknown."""
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
            sources, targets = _renumbered(block, new_id)
            followed = ~marks.in_block(block)
            builder.strike(sources[followed], targets[followed])
    return builder.finish(pages)


def _joined_columns(webs: Sequence[Web], new_ids: Sequence[Ints], pages: int) -> dict[str, NDArray[Any]]:
    names = dict.fromkeys(chain.from_iterable(web.columns for web in webs))
    plain = [name for name in names if name not in (CRAWLED, UNCRAWLED)]
    columns = {name: np.zeros(pages, _common_type(name, webs)) for name in plain}
    for web, new_id in zip(webs, new_ids, strict=True):
        for name in columns.keys() & web.columns.keys():
            columns[name][new_id] = web.columns[name]
    return columns | _joined_crawled(webs, new_ids, pages, names)


def _joined_crawled(webs: Sequence[Web], new_ids: Sequence[Ints], pages: int, names: Iterable[str]) -> dict[str, Flags]:
    """The columns that say which pages were crawled in any of the webs; none if one of the webs does not know."""
    crawled = np.zeros(pages, np.bool_)
    for web, new_id in zip(webs, new_ids, strict=True):
        if web.crawled is None:
            return {}
        crawled[new_id[web.crawled]] = True
    return {name: crawled == (name == CRAWLED) for name in names if name in (CRAWLED, UNCRAWLED)}


def _common_type(name: str, webs: Sequence[Web]) -> np.dtype[Any]:
    """The type that holds the values of a column in all webs that have it."""
    types = [web.columns[name].dtype for web in webs if name in web.columns]
    if all(kind == types[0] for kind in types):
        return types[0]
    kinds = {kind.kind for kind in types}
    common = np.result_type(*types) if kinds <= set("biuf") else None
    # NumPy would turn large signed and unsigned integers into floats, which are not exact.
    if common is None or (common.kind == "f" and "f" not in kinds):
        known = " and ".join(sorted({str(kind) for kind in types}))
        raise OptionError(f"the column '{name}' is {known} in these webs, which no one type holds.")
    return common


def merged_pages(
    web: Web, *, keep_self_links: bool = False, memory: int | None = None, scratch: Path | None = None
) -> Web:
    """Pages with the same URL merged into one, in the position of the first, with the links of all of them.

    If a column has several values, the largest is kept, so yes wins over no; a page is uncrawled if all of them are.
    """
    if web.urls is None:
        return web
    same = [web.urls.find_text(*chunk) for chunk in web.urls.chunks()]
    first = np.concatenate(same or [np.empty(0, np.int64)])
    is_first = first == np.arange(len(first))
    if is_first.all():
        return web
    new_id = (np.cumsum(is_first) - 1)[first]
    kept = np.flatnonzero(is_first)
    builder = LinkBuilder(len(kept), keep_self_links=keep_self_links, memory=memory, scratch=scratch)
    for block in web.links.blocks():
        builder.add(*_renumbered(block, new_id))
    built = builder.finish()
    merged = only_pages(web, kept, built.links, memory=memory, scratch=scratch)
    return replace(
        merged,
        columns={
            name: ~_largest(values == 0, kept, new_id) if name == UNCRAWLED else _largest(values, kept, new_id)
            for name, values in web.columns.items()
        },
        nofollow=_joined_marks([web], [new_id], len(kept), keep_self_links=keep_self_links),
        origin=_counted(web, built.self_links, built.duplicate_links, keep_self_links),
    )


def _largest(values: NDArray[Any], kept: Ints, new_id: Ints) -> NDArray[Any]:
    largest = values[kept].copy()
    np.maximum.at(largest, new_id, values)
    return largest


def _counted(web: Web, self_links: int, duplicates: int, keep_self_links: bool) -> Origin:
    """The original counts, plus the self-links and duplicates that merging created."""
    origin = web.origin
    if keep_self_links:
        self_links -= sum(int(np.count_nonzero(block.sources == block.out_idx)) for block in web.links.blocks())
    return replace(
        origin,
        self_links=None if origin.self_links is None else origin.self_links + self_links,
        duplicate_links=None if origin.duplicate_links is None else origin.duplicate_links + duplicates,
    )

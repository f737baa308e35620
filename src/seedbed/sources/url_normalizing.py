"""URLs that name the same page: normalised as a browser does, like those of archives, and merged.

`http://www.epa.gov`, `HTTP://WWW.EPA.GOV:80/` and `www.epa.gov/#top` are one page. Only on request, because it takes
some seconds per million URLs; a quick pass (url_hash_kernels.py) notes whether there are such URLs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from seedbed.common.arrays import arrow_strings, chunk_of
from seedbed.graph.transforms import merged_pages
from seedbed.graph.web import Web
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.url_hash_kernels import page_hashes
from seedbed.urls.browser_urls import BrowserUrls, are_plain

_SCHEME = r"^[A-Za-z][A-Za-z0-9+.-]*:(//|[^0-9/])"
_HOST = r"^[^\s/?#@.]+(\.[^\s/?#@.]+)+\.?([/?#]|$)"
_SHOWN = 80


def normalized(web: Web, options: ReadOptions) -> Web:
    """The web with normalised URLs, each only once. Names that are not URLs of pages stay unchanged."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if web.urls is None:
        return _with_note(web, "there are no URLs to normalise.")
    known = BrowserUrls(drop_sessions=options.drop_sessions)
    scheme, nothing = (pa.scalar(text, pa.large_string()) for text in ("http://", ""))
    changed, odd, example = 0, 0, ""

    def normal(names: Any) -> Any:
        """The normal form of each name, or the name itself if it has none."""
        nonlocal changed, odd, example
        bare = pc.and_not(pc.match_substring_regex(names, _HOST), pc.match_substring_regex(names, _SCHEME))
        full = pc.if_else(bare, pc.binary_join_element_wise(scheme, names, nothing), names)
        found = normal_urls(full, known)
        if found.null_count:
            example = example or repr(names.filter(pc.is_null(found))[0].as_py()[:_SHOWN])
            odd += found.null_count
        result = pc.coalesce(found, names)
        changed += pc.sum(pc.not_equal(result, names)).as_py() or 0
        return result

    urls = options.url_table(chunk_of(normal(arrow_strings(chunk))) for chunk in web.urls.chunks())
    merged = merged_pages(
        replace(web, urls=urls),
        keep_self_links=options.keep_self_links,
        memory=options.memory,
        scratch=options.scratch,
    )
    lost = web.page_count - merged.page_count
    if changed or lost:
        merged = _with_note(merged, f"{changed:,} URLs were normalised, and {lost:,} of them merged with others.")
    if odd:
        merged = _with_note(merged, f"{odd:,} names, such as {example}, are not URLs of pages; kept.")
    return merged


def with_duplicates_noted(web: Web) -> Web:
    """The web, with a note if some of its URLs are spellings of the same page."""
    if web.urls is None or not web.page_count:
        return web
    hashes = np.empty(web.page_count, np.uint64)
    done = 0
    for text, text_ptr in web.urls.chunks():
        count = len(text_ptr) - 1
        page_hashes(text, text_ptr, hashes[done : done + count])
        done += count
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(again):
        return web
    pages = web.page_count - len(again)
    first = np.flatnonzero(hashes == again[0])[:2]
    one, other = (url[:_SHOWN] for url in web.urls.many(first))
    return _with_note(
        web,
        f"{web.page_count:,} URLs name {pages:,} pages once normalised, or fewer ({one} and {other} are one); "
        "--normalize merges them.",
    )


def _with_note(web: Web, note: str) -> Web:
    return replace(web, origin=replace(web.origin, notes=(*web.origin.notes, note)))


def normal_urls(strings: Any, urls: BrowserUrls) -> Any:
    """The normal form of each string, null if it is not the URL of a page.

    Arrow finds those already in normal form; a browser's parser reads the others.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = strings.cast(pa.large_string()).dictionary_encode()
    names = coded.dictionary
    plain = are_plain(names)
    if urls.drop_sessions:
        plain = pc.and_not(plain, pc.match_substring_regex(names, "[?;]"))
    other = pc.invert(plain)
    replaced = [urls.page(name) for name in names.filter(other).to_pylist()]
    normal = pc.replace_with_mask(names, other, pa.array(replaced, pa.large_string()))
    return normal.take(coded.indices)


def both_known(sources: Any, targets: Any) -> Any:
    """Which pairs have both ends, as a mask."""
    import pyarrow.compute as pc

    return np.asarray(pc.and_(pc.is_valid(sources), pc.is_valid(targets)))

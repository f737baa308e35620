"""BVGraph of WebGraph: name.graph and name.properties, and name.urls beside it where known, plain or packed.

The path may be the base name or any of the files. Links are read in place. Self-links are left out as those of any
other format: a pass over all links finds them, unless .properties says that there are none, as those that we write do.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seedbed.common.compression import ENDINGS as COMPRESSED
from seedbed.common.messages import no_progress
from seedbed.errors import InputError
from seedbed.graph.web import Origin, Web
from seedbed.links.bvgraph_links import BvGraph, beside
from seedbed.sources.text_files import text_chunks
from seedbed.urls.url_table import BadUrl, UrlTable

if TYPE_CHECKING:
    from seedbed.sources import ReadOptions

PARTS = (".graph", ".properties", ".offsets")
URL_LISTS = (".urls", *(f".urls{ending}" for ending in COMPRESSED))


def base_of(path: Path) -> Path:
    """The base name of a graph's files, from it or any of them."""
    for ending in (*PARTS, *URL_LISTS):
        if path.name.endswith(ending):
            return path.with_name(path.name.removesuffix(ending))
    return path


def detect(path: Path) -> bool:
    """Whether either of the two files that every BVGraph has is there."""
    base = base_of(path)
    return bool(base.name) and any(beside(base, part).is_file() for part in PARTS[:2])


def read(path: Path, options: ReadOptions) -> Web:
    """The graph, and its URLs where they are beside it."""
    base = base_of(path)
    for part in PARTS[:2]:
        if not beside(base, part).is_file():
            raise InputError(
                f"{beside(base, part)}: no such file. A BVGraph is {base.name}.graph and {base.name}.properties; "
                "fetch both."
            )
    links = BvGraph.open(base, keep_self_links=options.keep_self_links)
    if not options.keep_self_links:
        (options.progress or no_progress)("looking for self-links", 0, 0)
    urls = next((beside(base, ending) for ending in URL_LISTS if beside(base, ending).is_file()), None)
    return Web(
        links=links,
        urls=None if urls is None else _url_table(urls, links.page_count, options),
        origin=Origin(
            source=str(base),
            format="bvgraph",
            self_links=_self_links(links, options),
            duplicate_links=0,
            removed=not options.keep_self_links,
        ),
    )


def _self_links(links: BvGraph, options: ReadOptions) -> int | None:
    """How many were found; where they are kept nobody looked for them, but .properties may say."""
    if not options.keep_self_links:
        return links.left_out
    return links.properties.self_links if links.properties.self_links >= 0 else None


def _url_table(path: Path, pages: int, options: ReadOptions) -> UrlTable:
    """The URL of each page, one a line."""
    chunks = text_chunks(path, encoding=options.encoding, progress=options.progress)
    try:
        urls = UrlTable.build(chunks, memory=options.memory, scratch=options.scratch)
    except BadUrl as wrong:
        raise InputError(f"{path}, line {wrong.id + 1}: {wrong}") from None
    if len(urls) != pages:
        raise InputError(
            f"{path}: has {len(urls)} lines, the graph {pages} pages. One URL a page is needed; "
            "is the list cut short, or of another graph?"
        )
    return urls

"""WebGraph's BVGraph: name.graph and name.properties, and name.urls next to them if known, plain or compressed.

The path may be the base name or any of the files. Links are read in place. Self-links are left out as in any other
format: a pass over all links finds them, unless .properties says that there are none, as in the files we write.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from seedbed.common.compression import ENDINGS as COMPRESSED
from seedbed.common.compression import written_compressed
from seedbed.errors import InputError, OptionError
from seedbed.graph.web import Origin, Web
from seedbed.links.bvgraph_links import BvGraph, beside
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import text_chunks
from seedbed.sources.writing import WriteJob, refuse_urls
from seedbed.urls.url_table import BadUrl, UrlTable

PARTS = (".graph", ".properties", ".offsets")
URL_LISTS = (".urls", *(f".urls{ending}" for ending in COMPRESSED))


def base_of(path: Path) -> Path:
    """The base name of a graph's files, given the base name or any of the files."""
    for ending in (*PARTS, *URL_LISTS):
        if path.name.endswith(ending):
            return path.with_name(path.name.removesuffix(ending))
    return path


def detect(head: Head) -> bool:
    """Whether one of the two files that every BVGraph has is there."""
    base = base_of(head.path)
    return bool(base.name) and any(beside(base, part).is_file() for part in PARTS[:2])


def read(path: Path, options: ReadOptions) -> Web:
    """The graph, and its URLs if they are next to it."""
    base = base_of(path)
    for part in PARTS[:2]:
        if not beside(base, part).is_file():
            raise InputError(
                f"{beside(base, part)}: no such file. A BVGraph is {base.name}.graph and {base.name}.properties; "
                "fetch both."
            )
    links = BvGraph.open(base, keep_self_links=options.keep_self_links)
    if not options.keep_self_links:
        options.progress("looking for self-links", 0, 0)
    urls = next((beside(base, ending) for ending in URL_LISTS if beside(base, ending).is_file()), None)
    # Self-links that are kept were not counted, but .properties may say how many there are.
    said = links.properties.self_links if links.properties.self_links >= 0 else None
    self_links = said if options.keep_self_links else links.left_out
    return Web(
        links=links,
        urls=None if urls is None else _url_table(urls, links.page_count, options),
        origin=Origin(str(base), "bvgraph", self_links, 0, not options.keep_self_links),
    )


def _url_table(path: Path, pages: int, options: ReadOptions) -> UrlTable:
    """The URL of each page, one per line."""
    chunks = text_chunks(path, encoding=options.encoding, progress=options.progress)
    try:
        urls = options.url_table(chunks)
    except BadUrl as wrong:
        raise InputError(f"{path}, line {wrong.id + 1}: {wrong}") from None
    if len(urls) != pages:
        raise InputError(
            f"{path}: has {len(urls)} lines, the graph {pages} pages. One URL per page is needed; "
            "is the list cut short, or of another graph?"
        )
    return urls


def write(job: WriteJob) -> None:
    """Write NAME.graph, .offsets, .properties and, if there are URLs, .urls.gz."""
    from seedbed.links.bvgraph_writer import write_bvgraph

    web, place = job.web, base_of(job.files[0])
    for path in _files(job.path, URL_LISTS):
        if path.exists() and not (path.name.endswith(".urls.gz") and web.urls is not None):
            raise OptionError(
                f"{path}: is there already, and would be taken for the URLs of the new graph. Move it away, or choose "
                "another name."
            )
    if web.urls is not None:
        refuse_urls(web.urls, r"\n|\r$", "a line end in it, and BVGraph has one URL per line")
    write_bvgraph(job.blocks(), place, pages=web.page_count, properties=job.properties, threads=job.threads)
    if web.urls is not None:
        with written_compressed(job.files[-1]) as file:
            for text, text_ptr in web.urls.chunks():
                file.write(np.insert(text, text_ptr[1:], ord("\n")).tobytes())


def _files(path: Path, endings: tuple[str, ...]) -> list[Path]:
    return [beside(base_of(path), ending) for ending in endings]


FORMAT = Format(
    name="bvgraph",
    meaning="WebGraph's `.graph` and `.properties`",
    detect=detect,
    read=read,
    write=write,
    endings=(".graph",),
    compressed=False,
    holds=("urls",),
    files_read=lambda path: _files(path, (*PARTS, *URL_LISTS)),
    files_written=lambda path: _files(path, (*PARTS, ".urls.gz")),
)

"""Pajek networks (.net): *Vertices with labels, then *Arcs and *Arcslist (one way), *Edges and *Edgeslist (both ways).

Ids start at 1. Labels are the pages' URLs; weights, coordinates and the names of relations are not read, nor are the
partitions and vectors that may follow the network in a project file. Text is UTF-8, or else Latin-1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.link_builder import LinkBuilder
from seedbed.sources.format import Format
from seedbed.sources.formats.adjacency import Form, add_lists
from seedbed.sources.head import Head
from seedbed.sources.page_tables import PageLayout, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import NotUtf8, Piece, count_lines
from seedbed.sources.text_kernels import LABEL_QUOTES, NO_QUOTES
from seedbed.sources.text_rows import Layout, Numbering, Rows, add_links
from seedbed.sources.writing import LINE_ENDS, WriteJob, names, refuse_urls, texts, write_lines
from seedbed.urls.url_table import UrlTable

_LAYOUT = Layout(quotes=LABEL_QUOTES, comments=b"%")
_LISTED = Form(ids=True, layout=_LAYOUT._replace(quotes=NO_QUOTES))
_BOTH_WAYS = {"arcs": False, "edges": True, "arcslist": False, "edgeslist": True}
"""Whether the links under a heading go both ways."""
_AFTER_THE_NETWORK = {"partition", "vector", "permutation", "cluster", "hierarchy"}
_MOST_HEADINGS = 10_000


class _Part(NamedTuple):
    """Lines of a piece under one heading, `*word rest`, and the line number of the heading."""

    word: str
    rest: str
    line: int
    lines: Piece

    def error(self, message: str) -> InputError:
        return InputError(f"{self.lines.path}, line {self.line}: {message}")


def detect(head: Head) -> bool:
    """Whether the first line that is not a comment is a *Vertices or *Network line."""
    return bool(head.lines) and re.match(r"\*(vertices|network)\b", head.lines[0].lower()) is not None


def read(path: Path, options: ReadOptions) -> Web:
    """The web of the network."""
    try:
        return _read(path, options)
    except NotUtf8:
        if options.encoding is not None:
            raise
        return _read(path, replace(options, encoding="latin-1"))


def _read(path: Path, options: ReadOptions) -> Web:
    builder: LinkBuilder | None = None
    numbering, urls = Numbering(), None
    for word, group in groupby(_parts(options.pieces([path])), key=lambda part: part.word):
        first = next(group)
        parts = chain([first], group)  # noqa: B031 - the rest of the same group
        if word == "vertices" and builder is None:
            size = re.match(r"\s*(\d{1,18})\b", first.rest)
            if size is None:
                raise first.error(f"found '*Vertices {first.rest[:40]}', expected the number of vertices.")
            numbering = Numbering(1, int(size[1]))
            builder = options.builder(numbering.pages)
            urls = _labels(parts, numbering, options)
        elif word in _AFTER_THE_NETWORK:
            break
        elif word in ("", "network") and builder is None:
            continue
        elif builder is None or word not in _BOTH_WAYS:
            raise first.error(
                f"found '*{word}', expected *Vertices and then *Arcs, *Edges, *Arcslist or *Edgeslist, of one network."
            )
        else:
            lines = (part.lines for part in parts)
            if word.endswith("list"):
                add_lists(builder, lines, _LISTED, numbering, both_ways=_BOTH_WAYS[word], may_be_metis=False)
            else:
                add_links(builder, lines, _LAYOUT, numbering=numbering, both_ways=_BOTH_WAYS[word])
    if builder is None:
        raise InputError(f"{path}: has no *Vertices line, with which a Pajek network starts.")
    return options.web(path, "pajek", builder, urls=urls)


def _parts(pieces: Iterator[Piece]) -> Iterator[_Part]:
    word, rest, line, headings = "", "", 1, 0
    for piece in pieces:
        starts = list(islice(_heading_starts(bytes(piece.text)), _MOST_HEADINGS + 1))
        headings += len(starts)
        if headings > _MOST_HEADINGS:
            raise piece.error(0, f"more than {_MOST_HEADINGS} headings so far; this is not a network.")
        at = piece.line
        for k, (start, stop) in enumerate(pairwise([0, *starts, piece.text.size])):
            lines = Piece(piece.path, at, piece.text[start:stop])
            at += count_lines(lines.text)
            if k > 0:
                end = int(np.argmax(lines.text == ord("\n"))) + 1
                heading = bytes(lines.text[:end]).decode("utf-8", "replace").strip()
                word, rest = (*heading[1:].split(maxsplit=1), "", "")[:2]
                word, line, lines = word.lower(), lines.line, lines.from_byte(end)
            yield _Part(word, rest, line, lines)


def _heading_starts(text: bytes) -> Iterator[int]:
    """Where lines start whose first non-blank byte is a star. Few lines have one, so looking for stars is quick."""
    at = 0
    while (star := text.find(b"*", at)) >= 0:
        start = max(at, text.rfind(b"\n", at, star) + 1)
        if not text[start:star].strip(b" \t\r"):
            yield start
        at = text.index(b"\n", star) + 1


def _labels(parts: Iterator[_Part], numbering: Numbering, options: ReadOptions) -> UrlTable | None:
    """The URLs, if the vertices are listed with labels; a network may give only their number."""
    listed = (part.lines for part in parts if len(Rows.cut(part.lines, _LAYOUT, 1)))
    first = next(listed, None)
    if first is None or Rows.cut(first, _LAYOUT, 2).start[1, 0] < 0:
        return None
    pages = read_pages(chain([first], listed), PageLayout(_LAYOUT), options)
    if pages.numbering[:2] != numbering[:2] or pages.numbering.listed is not None:
        raise InputError(
            f"{first.path}: {len(pages.urls)} vertices are listed, expected those {numbering}, one per line."
        )
    return pages.urls


def write(job: WriteJob) -> None:
    """Write *Vertices, with URLs as labels, and *Arcs; ids start at 1."""
    urls = job.web.urls
    if urls is not None:
        refuse_urls(urls, LINE_ENDS, "a line end in it, and Pajek has one vertex per line")
        refuse_urls(urls, r'"\s|^\s|\s$|^$', "a blank after a quote, or at an end, where a Pajek label would end")
    with written_compressed(job.files[0]) as out:
        out.write(f"*Vertices {job.web.page_count}\n".encode())
        if urls is not None:
            for pages in job.page_ranges():
                write_lines(out, texts(pages + 1), ' "', names(urls, pages), '"')
        out.write(b"*Arcs\n")
        for sources, targets in job.pairs():
            write_lines(out, texts(sources + 1), " ", texts(targets + 1))


FORMAT = Format(
    name="pajek",
    meaning="`.net` files",
    detect=detect,
    read=read,
    write=write,
    endings=(".net",),
    holds=("urls",),
    raw_urls=True,
)

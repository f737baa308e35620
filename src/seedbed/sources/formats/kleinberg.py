"""Kleinberg's graphs: lines `n id url` for pages and `e from to` for links, in any order."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.page_tables import PageLayout, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import in_order
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout, Rows, add_pairs

_LINE = re.compile(r"n\s+\d+\s+\S.*|e\s+\d+\s+\d+\b.*")
_LAYOUT = Layout(quotes=NO_QUOTES, comments=b"#%")


def read(path: Path, options: ReadOptions) -> Web:
    """The web; the file is read twice, because a link may come before its pages."""
    pages = read_pages(options.pieces([path]), PageLayout(_LAYOUT, 1, 2, select=_pages), options)
    if not len(pages.urls):
        raise InputError(f"{path}: no line 'n id url' in it, so it has no pages.")
    builder = options.builder(len(pages.urls))
    for links in in_order(lambda piece: _of_kind(Rows.cut(piece, _LAYOUT, 3), "e"), options.pieces([path])):
        add_pairs(builder, (links.integers(1), links.integers(2)), pages.numbering, links.error)
    return options.web(path, "kleinberg", builder, urls=pages.urls)


def _pages(rows: Rows) -> Rows:
    """The lines that name pages; a URL may contain blanks and extends to the end of the line."""
    pages = _of_kind(rows, "n")
    pages.end[2] = np.where(pages.start[2] >= 0, pages.line_end, -1)
    return pages


def _of_kind(rows: Rows, kind: str) -> Rows:
    first = rows.piece.text[rows.start[0]]
    known = ((first == ord("n")) | (first == ord("e"))) & (rows.end[0] - rows.start[0] == 1)
    if not known.all():
        bad = int(np.argmin(known))
        raise rows.error(bad, f"starts with {rows.shown(bad, 0)}, expected 'n id url' or 'e from to'.")
    return rows.at(first == ord(kind))


FORMAT = Format(
    name="kleinberg",
    meaning="lines `n id url` and `e from to`",
    detect=lambda head: head.lines_are(_LINE),
    read=read,
    raw_urls=True,
)

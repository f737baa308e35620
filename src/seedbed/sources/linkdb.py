"""Nutch's link database as text (nutch readlinkdb … -dump): each URL with the pages that link to it.

    http://a.example/<TAB>Inlinks:
     fromUrl: http://b.example/ anchor: words of the link

A file, or the folder with its parts. Anchors are not read. Column: `crawled` (1 for pages that links were found on).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.graph.arrow import arrow_strings
from seedbed.graph.browser_urls import BrowserUrls
from seedbed.graph.web import Web
from seedbed.sources.columns import Column
from seedbed.sources.fieldcode import NO_QUOTES
from seedbed.sources.fields import Layout, Rows
from seedbed.sources.names import NamedLinks, coded
from seedbed.sources.normal import both_known, normal_urls
from seedbed.sources.options import ReadOptions
from seedbed.sources.places import files_at
from seedbed.sources.sniff import first_lines
from seedbed.sources.text import Piece

COLUMNS = (Column("crawled", type=np.bool_),)

_TARGET = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:\S*\tInlinks:")
_PART = re.compile(r"part-(?:[a-z]-)?\d+(?:\.gz|\.zst|\.txt)?")
_LAYOUT = Layout(quotes=NO_QUOTES, comments=b"")


def detect(path: Path) -> bool:
    """Whether the first line is that of a URL with its inlinks, in the file or the first part in the folder."""
    files = _files(path)
    lines = first_lines(files[0]) if files else []
    return bool(lines) and _TARGET.fullmatch(lines[0]) is not None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    return [file for file in files_at(path) if _PART.fullmatch(file.name)] if path.is_dir() else []


def read(path: Path, options: ReadOptions) -> Web:
    """The web of all links."""
    links = NamedLinks(options, COLUMNS)
    urls = BrowserUrls(drop_sessions=options.drop_sessions)
    target: Any = None
    for piece in options.pieces(_files(path) or [path]):
        sources, targets, target = _ends(piece, target)
        sources, targets = normal_urls(sources, urls), normal_urls(targets, urls)
        both = both_known(sources, targets)
        sources, targets = sources.filter(both), targets.filter(both)
        if len(sources):
            links.add(coded(sources, targets))
            crawled = sources.unique()
            links.add_pages(crawled, {"crawled": np.ones(len(crawled), np.int64)})
    return links.web(path, "linkdb")


def _ends(piece: Piece, target: Any) -> tuple[Any, Any, Any]:
    """The two ends of each link in a piece, and the target that the next piece goes on with."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = Rows.cut(piece.checked(), _LAYOUT, 2)
    rows = rows.at(np.flatnonzero(rows.start[1] >= 0))
    first, second = (arrow_strings(rows.texts(column)) for column in (0, 1))
    # A line of the text of a link may look like anything, but only these lines start as they do.
    starts_line = rows.piece.text[np.maximum(rows.start[0] - 1, 0)] == ord("\n")
    starts_line |= rows.start[0] == 0
    is_target = np.asarray(pc.equal(second, "Inlinks:")) & starts_line
    is_source = np.asarray(pc.equal(first, "fromUrl:")) & ~starts_line
    listed = pa.concat_arrays([pa.array([target], pa.large_string()), first.filter(is_target)])
    of_row = np.cumsum(is_target)
    return second.filter(is_source), listed.take(of_row[is_source]), listed[-1].as_py()

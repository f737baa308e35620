"""Nutch's link database as text (nutch readlinkdb … -dump): each URL with the pages that link to it.

    http://a.example/<TAB>Inlinks:
     fromUrl: http://b.example/ anchor: words of the link

A file, or the folder with its parts. Anchors are not read. A blank line, or a line that starts like a target's but
cannot be read as one, ends the list of the target before it, so that no link is assigned to the wrong page.
Column: `crawled` (1 for pages on which links were found).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.lenient_reading import CrawlerOutput
from seedbed.sources.named_links import Column, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, lines_of
from seedbed.sources.url_normalizing import both_known, normal_urls

COLUMNS = (Column("crawled", type=np.bool_),)

_SCHEME = "[a-zA-Z][a-zA-Z0-9+.-]*:"
_TARGET = rf"^(?P<url>{_SCHEME}[^\t]*)\tInlinks: *$"
_SOURCE = rf"^ +fromUrl: (?P<url>{_SCHEME}.*?) anchor:(?: |$)"
_LOOKED_AT = 10
_PART = re.compile(r"part-(?:[a-z]-)?\d+(?:\.gz|\.zst|\.bz2|\.xz|\.txt)?")
_NEITHER = "lines that are not of a link database left out"
_NO_TARGET = "links whose target cannot be read left out"


def detect(head: Head) -> bool:
    """Whether one of the first lines is a URL with its inlinks, in the file or in the folder's first part."""
    parts = [file for file in head.files if head.is_file or _is_part(file)]
    lines = head.of(parts[0]).lines if parts else []
    return any(re.match(_TARGET, line) for line in lines[:_LOOKED_AT])


def _is_part(file: Path) -> bool:
    return _PART.fullmatch(file.name) is not None


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of all links in several dumps, or parts of one."""
    output = CrawlerOutput(paths, options, lambda head: _is_part(head.path) or detect(head), COLUMNS)
    target: Any = None
    for piece in output.pieces():
        sources, targets, target = _ends(piece, target if piece.line > 1 else None, output)
        sources, targets = normal_urls(sources, output.urls), normal_urls(targets, output.urls)
        both = both_known(sources, targets)
        sources, targets = sources.filter(both), targets.filter(both)
        if len(sources):
            output.links.add(coded(sources, targets))
            crawled = sources.unique()
            output.links.add_pages(crawled, {"crawled": np.ones(len(crawled), np.int64)})
    return output.web("linkdb")


def _ends(piece: Piece, target: Any, output: CrawlerOutput) -> tuple[Any, Any, Any]:
    """The sources and targets of the links in a piece, and the target with which the next piece continues."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = arrow_strings(lines_of(piece))
    as_target, as_source = (pc.struct_field(pc.extract_regex(lines, form), "url") for form in (_TARGET, _SOURCE))
    is_target, is_source = (np.asarray(pc.is_valid(urls)) for urls in (as_target, as_source))
    blank = np.asarray(pc.match_substring_regex(lines, r"^\s*$"))
    output.leave_out(_NEITHER, piece, np.flatnonzero(~(is_target | is_source | blank)))
    # Only lines that start with a blank continue the list.
    is_new = ~np.asarray(pc.starts_with(lines, " ")) | blank
    listed = pa.concat_arrays([pa.array([target], pa.large_string()), as_target.filter(is_new)])
    targets = listed.take(pa.array(np.cumsum(is_new)))
    output.leave_out(_NO_TARGET, piece, np.flatnonzero(is_source & np.asarray(pc.is_null(targets))))
    return as_source.filter(is_source), targets.filter(is_source), listed[-1].as_py()


FORMAT = Format(name="linkdb", meaning="Nutch's `readlinkdb -dump`", detect=detect, read_together=read_together)

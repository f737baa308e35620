"""The UK Web Archive's host link graph: lines `year|from-host|to-host<TAB>weight`.

Hosts are numbered in order of name. A link listed for two years is a duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats.url_edges import add_named_links
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout

_LINE = re.compile(r"\d{4}\|[^|\t]*\|[^|\t]*\t\d+")
_LAYOUT = Layout(ord("|"), NO_QUOTES, b"")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of hosts."""
    links = NamedLinks(options)
    add_named_links(links, _with_bars_only(options.pieces([path])), _LAYOUT, (1, 2))
    return links.web(path, "ukwa")


def _with_bars_only(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The lines with the tab replaced by a bar, so that there is one separator."""
    for piece in pieces:
        text = np.where(piece.text == ord("\t"), np.uint8(ord("|")), piece.text)
        text.flags.writeable = False
        yield piece._replace(text=text)


FORMAT = Format(
    name="ukwa",
    meaning="lines `year|from|to<TAB>weight`",
    detect=lambda head: head.lines_are(_LINE),
    read=read,
)

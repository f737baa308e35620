"""The UK Web Archive's host link graph: lines `year|from-host|to-host<TAB>weight`.

Hosts are numbered in order of name. A link listed for two years is a duplicate.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from seedbed.common.arrays import frozen
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats.edges import add_named_links
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_kernels import NO_QUOTES
from seedbed.sources.text_rows import Layout

_LINE = re.compile(r"\d{4}\|[^|\t]*\|[^|\t]*\t\d+")
_LAYOUT = Layout(ord("|"), NO_QUOTES, b"")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of hosts. The tab is replaced by a bar, so that there is one separator."""
    bars = np.arange(256, dtype=np.uint8)
    bars[ord("\t")] = ord("|")
    lines = (piece._replace(text=frozen(bars[piece.text])) for piece in options.pieces([path]))
    links = NamedLinks(options)
    add_named_links(links, lines, _LAYOUT, (1, 2))
    return links.web(path, "ukwa")


FORMAT = Format(
    name="ukwa",
    meaning="lines `year|from|to<TAB>weight`",
    detect=lambda head: head.lines_are(_LINE),
    read=read,
)

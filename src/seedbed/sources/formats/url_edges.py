"""Edge lists of URLs or host names: two columns, one link a line, in any order; otherwise as edges.

Pages are numbered in the order of their URLs' bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seedbed.common.arrays import arrow_strings
from seedbed.graph.web import Web
from seedbed.sources.even_lines import EvenLines
from seedbed.sources.fields import Layout, Rows
from seedbed.sources.formats.edges import even_lines, link_ends, table_at
from seedbed.sources.link_columns import without_header
from seedbed.sources.named_links import NamedLinks, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.sniffing import sample
from seedbed.sources.text_files import Piece, in_order


def detect(path: Path) -> bool:
    """Whether the lines hold two URLs."""
    table = sample(path) if path.is_file() else None
    return table is not None and table.link_kinds() == ("url", "url")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these links."""
    table = table_at(path, options)
    lines = options.pieces([path])
    links = NamedLinks(options)
    body = without_header(lines, table.layout) if table.header else lines
    add_named_links(links, body, table.layout, link_ends(table, options), even_lines(table, options))
    return links.web(path, "url-edges")


def add_named_links(
    links: NamedLinks,
    pieces: Iterable[Piece],
    layout: Layout,
    columns: tuple[int, int],
    even: EvenLines | None = None,
) -> None:
    """Add the links of all lines, which must be as `even` says."""

    def ends(piece: Piece) -> Any:
        rows = Rows.cut(piece.checked(), layout, max(columns) + 1)
        found = coded(*(arrow_strings(rows.texts(column)) for column in columns))
        if even is not None:
            even.check(piece, len(rows))
        return found

    for pairs in in_order(ends, pieces):
        links.add(pairs)

"""Edge lists of page ids: two columns of whole numbers, one link a line, in any order.

Separated by blanks, tabs, commas, semicolons or pipes; lines that start with #, % or // are comments; a header line and
further columns are allowed. The numbers are the pages' ids as they stand.
"""

from __future__ import annotations

from pathlib import Path

from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.links import add_links, without_header
from seedbed.sources.options import ReadOptions
from seedbed.sources.sniff import Sample, sample


def detect(path: Path) -> bool:
    """Whether the lines hold two ids."""
    table = sample(path) if path.is_file() else None
    return table is not None and table.link_kinds() == ("id", "id")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these links; its pages are 0 … the largest id."""
    table = table_at(path, options)
    lines = options.pieces([path])
    builder = options.builder()
    add_links(
        builder,
        without_header(lines, table.layout) if table.header else lines,
        table.layout,
        columns=table.link_columns(),
    )
    if builder.is_empty:
        raise InputError(f"{path}: no links in it.")
    return options.web(path, "edges", builder)


def table_at(path: Path, options: ReadOptions) -> Sample:
    """What the lines of a table look like."""
    table = sample(path, options.encoding)
    if table is None:
        raise InputError(f"{path}: no lines with two columns or more in it, which a list of links needs.")
    return table

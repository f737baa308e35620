"""Edge lists of page ids: two columns of whole numbers, one link per line, in any order.

Separated by blanks, tabs, commas, semicolons or pipes; lines that start with #, % or // are comments; a header line and
further columns are allowed. The numbers are used as page ids unchanged.
"""

from __future__ import annotations

from pathlib import Path

from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_rows import Check, add_links, without_header
from seedbed.sources.text_tables import EvenLines, NamedColumns, Sample, table_in
from seedbed.sources.writing import WriteJob, separator_of, texts, write_lines


def detect(head: Head) -> bool:
    """Whether the lines hold two ids."""
    table = head.find(table_in)
    return table is not None and table.link_kinds() == ("id", "id")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these links; its pages are 0 … the largest id."""
    table, builder = table_at(path, options), options.builder()
    lines = without_header(options.pieces([path]), table.layout, table.header)
    columns, check = link_ends(table, options), line_check(table, options)
    add_links(builder, lines, table.layout, columns=columns, check=check)
    if builder.is_empty:
        raise InputError(f"{path}: no links in it.")
    return options.web(path, "edges", builder, notes=_unread_ids(table, options))


def link_ends(table: Sample, options: ReadOptions) -> tuple[int, int]:
    """The columns of a link's source and target, as the user names them, or else as the table does."""
    if options.columns is None:
        return table.link_columns()
    return NamedColumns.parse(options.columns).ends(table)


def line_check(table: Sample, options: ReadOptions) -> Check | None:
    """The check that refuses uneven lines; if the user names the columns, anything may follow them."""
    return None if options.columns is not None else EvenLines.like(table).check


def _unread_ids(table: Sample, options: ReadOptions) -> list[str]:
    """A note on a table that could be adjacency lists of equal length, or a matrix."""
    more = table.kinds[2:]
    if options.columns is not None or table.header or len(more) < 2 or set(more) != {"id"}:
        return []
    return [
        "only the first two columns are read. If the others are links too, give --format adjacency; if not, name the "
        "columns with --columns from,to."
    ]


def table_at(path: Path, options: ReadOptions) -> Sample:
    """The layout of a table's lines."""
    table = table_in(Head(path, options.encoding))
    if table is None:
        raise InputError(f"{path}: no lines with two columns or more in it, which a list of links needs.")
    return table


def write(job: WriteJob) -> None:
    """Write one link per line, by page ids."""
    separator, pages = separator_of(job.path), 0
    with written_compressed(job.files[0]) as out:
        for sources, targets in job.pairs():
            write_lines(out, texts(sources), separator, texts(targets))
            pages = max(pages, int(sources[-1]) + 1, int(targets.max()) + 1)
    job.written_up_to(pages)


FORMAT = Format(
    name="edges",
    meaning="two ids per line",
    detect=detect,
    read=read,
    write=write,
    endings=(".tsv", ".csv", ".txt"),
    holds=(),
)

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
from seedbed.sources.text_rows import Check, add_links
from seedbed.sources.text_tables import NamedColumns, Sample, has_links, table_in
from seedbed.sources.writing import WriteJob, separator_of, texts, write_lines


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these links; its pages are 0 … the largest id."""
    builder = options.builder()
    table, columns, check = link_table(path, options)
    add_links(builder, table.body(options), table.layout, columns=columns, check=check)
    if builder.is_empty:
        raise InputError(f"{path}: no links in it.")
    return options.web(path, "edges", builder, notes=_unread_ids(table, options))


def link_table(path: Path, options: ReadOptions) -> tuple[Sample, tuple[int, int], Check | None]:
    """The layout of a table of links, and its link_rules()."""
    table = table_in(Head(path, options.encoding))
    if table is None:
        raise InputError(f"{path}: no lines with two columns or more in it, which a list of links needs.")
    return table, *table.link_rules(None if options.columns is None else NamedColumns.parse(options.columns))


def _unread_ids(table: Sample, options: ReadOptions) -> list[str]:
    """A note on a table that could be adjacency lists of equal length, or a matrix."""
    more = table.kinds[2:]
    if options.columns is not None or table.header or len(more) < 2 or set(more) != {"id"}:
        return []
    return [
        "only the first two columns are read. If the others are links too, give --format adjacency; if not, name the "
        "columns with --columns from,to."
    ]


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
    detect=lambda head: has_links(head, "id"),
    read=read,
    write=write,
    endings=(".tsv", ".csv", ".txt"),
    holds=(),
)

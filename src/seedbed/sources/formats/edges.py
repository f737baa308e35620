"""Edge lists: two columns of page ids, or of URLs or host names, one link per line, in any order.

Separated by blanks, tabs, commas, semicolons or pipes; lines that start with #, % or // are comments; a header line and
further columns are allowed. Numbers are used as page ids unchanged; URLs are numbered in byte order.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.named_links import NamedLinks, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, in_order
from seedbed.sources.text_rows import Check, Layout, Rows, add_links
from seedbed.sources.text_tables import NamedColumns, Sample, has_links, table_in
from seedbed.sources.writing import WriteJob, quoted_names, refuse_repeated, separator_of, texts, write_lines

_ENDINGS = (".tsv", ".csv", ".txt")
_MORE_IDS = (
    "only the first two columns are read. If the others are links too, give --format adjacency; if not, name the "
    "columns with --columns from,to."
)


def read_ids(path: Path, options: ReadOptions) -> Web:
    """The web of these links; its pages are 0 … the largest id."""
    builder = options.builder()
    table, columns, check = link_table(path, options)
    add_links(builder, table.body(options), table.layout, columns=columns, check=check)
    if builder.is_empty:
        raise InputError(f"{path}: no links in it.")
    more = table.kinds[2:]
    unclear = options.columns is None and not table.header and len(more) > 1 and set(more) == {"id"}
    return options.web(path, "edges", builder, notes=[_MORE_IDS] if unclear else [])


def read_urls(path: Path, options: ReadOptions) -> Web:
    """The web of these links."""
    links = NamedLinks(options)
    table, columns, check = link_table(path, options)
    add_named_links(links, table.body(options), table.layout, columns, check)
    return links.web(path, "url-edges")


def add_named_links(
    links: NamedLinks,
    pieces: Iterable[Piece],
    layout: Layout,
    columns: tuple[int, int],
    check: Check | None = None,
) -> None:
    """Add the links of all lines."""

    def ends(piece: Piece) -> Any:
        rows = Rows.cut(piece.checked(), layout, max(columns) + 1)
        found = coded(*(arrow_strings(rows.texts(column)) for column in columns))
        if check is not None:
            check(piece, len(rows))
        return found

    for pairs in in_order(ends, pieces):
        links.add(pairs)


def link_table(path: Path, options: ReadOptions) -> tuple[Sample, tuple[int, int], Check | None]:
    """The layout of a table of links, and its link_rules()."""
    table = table_in(Head(path, options.encoding))
    if table is None:
        raise InputError(f"{path}: no lines with two columns or more in it, which a list of links needs.")
    return table, *table.link_rules(None if options.columns is None else NamedColumns.parse(options.columns))


def write_ids(job: WriteJob) -> None:
    """Write one link per line, by page ids."""
    separator, pages = separator_of(job.path), 0
    with written_compressed(job.files[0]) as out:
        for sources, targets in job.pairs():
            write_lines(out, texts(sources), separator, texts(targets))
            pages = max(pages, int(sources[-1]) + 1, int(targets.max()) + 1)
    job.written_up_to(pages)


def write_urls(job: WriteJob) -> None:
    """Write one link per line, by URLs."""
    urls, separator = job.needed_urls("url-edges"), separator_of(job.path)
    refuse_repeated(urls)
    name = quoted_names(urls, separator)
    linked = np.zeros(job.web.page_count, np.bool_)
    with written_compressed(job.files[0]) as out:
        for sources, targets in job.pairs():
            write_lines(out, name(sources), separator, name(targets))
            linked[sources] = linked[targets] = True
    if not linked.all():
        job.pages_lost.append(f"the {np.count_nonzero(~linked):,} pages that have no links")


EDGES = Format(
    name="edges",
    meaning="two ids per line",
    detect=lambda head: has_links(head, "id"),
    read=read_ids,
    write=write_ids,
    endings=_ENDINGS,
    holds=(),
)

URL_EDGES = Format(
    name="url-edges",
    meaning="two URLs per line",
    detect=lambda head: has_links(head, "url"),
    read=read_urls,
    write=write_urls,
    endings=_ENDINGS,
    holds=("urls",),
    raw_urls=True,
)

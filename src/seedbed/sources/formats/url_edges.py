"""Edge lists of URLs or host names: two columns, one link per line, in any order; otherwise like edges.

Pages are numbered in byte order of their URLs.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.common.compression import written_compressed
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats.edges import link_table
from seedbed.sources.named_links import NamedLinks, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, in_order
from seedbed.sources.text_rows import Check, Layout, Rows
from seedbed.sources.text_tables import has_links
from seedbed.sources.writing import Quoting, WriteJob, refuse_repeated, separator_of, write_lines


def read(path: Path, options: ReadOptions) -> Web:
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


def write(job: WriteJob) -> None:
    """Write one link per line, by URLs."""
    urls, separator = job.needed_urls("url-edges"), separator_of(job.path)
    refuse_repeated(urls)
    quoted = Quoting(urls, separator)
    linked = np.zeros(job.web.page_count, np.bool_)
    with written_compressed(job.files[0]) as out:
        for sources, targets in job.pairs():
            write_lines(out, quoted.names(sources), separator, quoted.names(targets))
            linked[sources] = linked[targets] = True
    if not linked.all():
        job.pages_lost.append(f"the {np.count_nonzero(~linked):,} pages that have no links")


FORMAT = Format(
    name="url-edges",
    meaning="two URLs per line",
    detect=lambda head: has_links(head, "url"),
    read=read,
    write=write,
    endings=(".tsv", ".csv", ".txt"),
    holds=("urls",),
    raw_urls=True,
)

"""Common Crawl's host and domain graphs: vertices `id<TAB>reversed name[<TAB>hosts]`, edges `from<TAB>to`, and ranks.

Vertices and edges are one file each (…-vertices.txt.gz) or parts in folders of that name. The labels of names are
reversed: com.example.www becomes www.example.com. Releases before cc-main-2025-26-nov-dec-jan have no leading `www.`,
later ones keep it; names are otherwise unchanged. A ranks file next to them gives the columns harmonic_position,
harmonic_value, pagerank_position and pagerank_value; pages missing from it have −1 and NaN.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_of_group, group_at
from seedbed.sources.page_tables import PageLayout, read_pages
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, in_order
from seedbed.sources.text_kernels import NO_QUOTES, reverse_labels
from seedbed.sources.text_rows import Layout, Rows, add_links
from seedbed.sources.text_tables import Sample, table_in
from seedbed.urls.url_table import UrlTable

WORDS = ("vertices", "edges", "ranks")
LAYOUT = Layout(ord("\t"), NO_QUOTES, b"")
_RANKS = LAYOUT._replace(comments=b"#")
_POSITIONS = {"harmonic_position": 0, "pagerank_position": 2}
_VALUES = {"harmonic_value": 1, "pagerank_value": 3}
_RANKED_NAME = 4


def detect(head: Head) -> bool:
    """Whether there are files named vertices and edges, and the vertices have a number and a reversed name."""
    group = group_at(head.path, WORDS, head.files_in)
    if not group:
        return False
    first = group["vertices"][0]
    table = head.of(first).find(table_in)
    return table is not None and table.kinds[0] == "id" and (first.name.startswith("cc-main") or _is_reversed(table))


def _is_reversed(table: Sample) -> bool:
    """Whether names have no scheme or path, and at most as many distinct first labels (com, org) as last ones."""
    names = [row[1] for row in table.rows]
    if any("/" in name for name in names) or table.kinds[1] not in ("url", "text"):
        return False
    return len({name.split(".")[0] for name in names}) <= len({name.split(".")[-1] for name in names})


def read(path: Path, options: ReadOptions) -> Web:
    """The web of hosts or domains."""
    group = group_at(path, WORDS)
    table = table_in(Head(group["vertices"][0])) if group else None
    if table is None:
        raise InputError(f"{path}: expected files named alike up to 'vertices' and 'edges'.")
    numbers = {"n_hosts": 2} if len(table.kinds) > 2 else {}
    layout = PageLayout(LAYOUT, 0, 1, numbers, reversed=True)
    pages = read_pages(options.pieces(group["vertices"]), layout, options)
    builder = options.builder(len(pages.urls))
    add_links(builder, options.pieces(group["edges"]), LAYOUT, numbering=pages.numbering)
    ranks = _ranks(group["ranks"], pages.urls, options) if "ranks" in group else {}
    return options.web(path, "common-crawl", builder, urls=pages.urls, columns={**pages.columns, **ranks})


def _ranks(files: list[Path], urls: UrlTable, options: ReadOptions) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {name: np.full(len(urls), -1, np.int64) for name in _POSITIONS}
    columns |= {name: np.full(len(urls), np.nan) for name in _VALUES}

    def find(piece: Piece) -> tuple[Rows, Ints]:
        rows = Rows.cut(piece.checked(), _RANKS, _RANKED_NAME + 1)
        text, text_ptr = rows.texts(_RANKED_NAME, "a reversed name")
        return rows, urls.find_text(reverse_labels(text, text_ptr), text_ptr)

    for rows, pages in in_order(find, options.pieces(files)):
        if (pages < 0).any():
            bad = int(np.argmax(pages < 0))
            raise rows.error(bad, f"{rows.shown(bad, _RANKED_NAME)} is not among the vertices.")
        for name, column in _POSITIONS.items():
            columns[name][pages] = rows.integers(column, "a rank")
        for name, column in _VALUES.items():
            columns[name][pages] = rows.numbers(column, "a value")
    return columns


FORMAT = Format(
    name="common-crawl",
    meaning="vertices, edges and ranks",
    detect=detect,
    read=read,
    files_read=lambda path: files_of_group(path, WORDS),
)

"""Pages from lines with an id, a URL and optional numbers: URL table, columns, and which id is which page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.errors import InputError
from seedbed.graph.native_store import COLUMN_NAME
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, in_order
from seedbed.sources.text_kernels import reverse_labels
from seedbed.sources.text_rows import Layout, Numbering, Rows
from seedbed.urls.url_table import BadUrl, TextChunk, UrlTable

_PAGES_PER_CHUNK = 1 << 16


class Pages(NamedTuple):
    """Pages in ascending order of their ids."""

    numbering: Numbering
    urls: UrlTable
    columns: Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class PageLayout:
    """Which columns hold the id, the URL and numbers.

    `reversed`: URLs are names like com.example.www. `select`: picks the rows to use.
    """

    cut: Layout
    id: int = 0
    url: int = 1
    numbers: Mapping[str, int] = field(default_factory=dict)
    reversed: bool = False
    select: Callable[[Rows], Rows] = lambda rows: rows


def read_pages(pieces: Iterable[Piece], layout: PageLayout, options: ReadOptions) -> Pages:
    """The pages of all lines; ids may come in any order, but each only once."""
    id_parts: list[Ints] = []
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in layout.numbers}
    last: Rows | None = None

    def read(piece: Piece) -> tuple[Rows, TextChunk, Ints, list[NDArray[Any]]]:
        used = 1 + max(layout.id, layout.url, *layout.numbers.values())
        rows = layout.select(Rows.cut(piece.checked(), layout.cut, used))
        text, text_ptr = rows.texts(layout.url)
        numbers = [rows.numbers(column, f"a value of '{name}'") for name, column in layout.numbers.items()]
        text = reverse_labels(text, text_ptr) if layout.reversed else text
        return rows, (text, text_ptr), rows.integers(layout.id), numbers

    def url_chunks() -> Iterator[TextChunk]:
        """The URLs in the order of the lines; the ids and numbers next to them are kept."""
        nonlocal last
        for rows, urls, ids, numbers in in_order(read, pieces):
            last = rows
            id_parts.append(ids)
            for parts, values in zip(columns.values(), numbers, strict=True):
                parts.append(values)
            yield urls

    try:
        urls = options.url_table(url_chunks())
    except BadUrl as error:
        if last is None:
            raise
        raise last.error(error.id - sum(map(len, id_parts[:-1])), str(error)) from None
    numbering, order = _numbered(_joined(id_parts), None if last is None else last.piece.path)
    values = {name: column_of(parts) for name, parts in columns.items()}
    if order is not None:
        starts = range(0, len(order), _PAGES_PER_CHUNK)
        urls = options.url_table(urls.pick(order[k : k + _PAGES_PER_CHUNK]) for k in starts)
        values = {name: column[order] for name, column in values.items()}
    return Pages(numbering, urls, values)


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def column_name(words: str) -> str | None:
    """A header's name for a column, reduced to the characters a web's column may have; None if that is not a name."""
    name = re.sub(r"[^a-z0-9_]+", "_", words.lower()).strip("_")
    return name if COLUMN_NAME.fullmatch(name) else None


def column_of(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The values of all pages; a column of only 0 and 1 becomes boolean."""
    values = _joined(parts)
    return values.astype(np.bool_) if ((values == 0) | (values == 1)).all() else values


def _numbered(ids: Ints, path: Path | None) -> tuple[Numbering, Ints | None]:
    """Which page an id means, and the lines in page order if they are not already in it."""
    order = None if (ids[1:] > ids[:-1]).all() else np.argsort(ids, kind="stable")
    ordered = ids if order is None else ids[order]
    repeated = ordered[1:] == ordered[:-1]
    if repeated.any():
        raise InputError(f"{path}: the id {ordered[np.argmax(repeated)]} is given to two pages; each needs its own.")
    if not len(ids) or ordered[-1] - ordered[0] == len(ids) - 1:
        return Numbering(int(ordered[0]) if len(ids) else 0, len(ids)), order
    return Numbering(0, len(ids), ordered), order

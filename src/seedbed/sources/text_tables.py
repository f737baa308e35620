"""The layout of a text table, from its first lines: its separator, its header, what its columns hold.

The user may also name the columns: `id,crawled,url` for a table of pages, `from,to` for a list of links, `_` to skip
one.

A list of links has the same number of columns throughout; a line with a different number may belong to an adjacency
list. Only the surrounding lines show whether `0 1 5` is a link with a weight or two links. The first lines of a file
may all have two columns and a later one five: read as one link, three would be lost. Such a line is refused. Columns
missing from some lines do no harm if they cannot be pages (0.5, words), or if --columns or a header names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import COLUMN_NAME
from seedbed.sources.head import Head
from seedbed.sources.page_tables import PageLayout
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece
from seedbed.sources.text_kernels import BLANKS, CSV_QUOTES, NO_QUOTES, uneven_line
from seedbed.sources.text_rows import SEPARATORS, Check, Layout, Rows, without_header

Kind = Literal["id", "number", "url", "text"]

_ROWS = 500
_COLUMNS = 16
"""Columns beyond these are not examined."""
_ANY_NUMBER = 1 << 30
_SKIPPED = ("_", "-", "")
_KEYS = r"(node|page|host|domain|url|uri|id|name|idx|index|rev)*"
_FROM = re.compile(r"(from|source|src|origin|tail|start)" + _KEYS)
_TO = re.compile(r"(to|target|tgt|dst|dest|destination|head|end)" + _KEYS)
_ID = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|inf", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+|[^\s/.]+(\.[^\s/.]+)+\.?(:\d+)?(/[^\s]*)?")


@dataclass(frozen=True)
class Sample:
    """The first rows of a table."""

    path: Path
    layout: Layout
    header: list[str] | None
    rows: list[list[str]]
    kinds: list[Kind]

    def body(self, options: ReadOptions) -> Iterator[Piece]:
        """The lines of the whole table without its header."""
        return without_header(options.pieces([self.path]), self.layout, self.header)

    def link_rules(self, named: NamedColumns | None) -> tuple[tuple[int, int], Check | None]:
        """The columns of a link's ends, and the check for uneven lines; after columns that the user names, none."""
        return (link_columns(self.header or []), even_lines(self)) if named is None else (named.ends(self), None)

    def link_kinds(self) -> tuple[Kind, Kind]:
        """What those two columns hold."""
        source, target = link_columns(self.header or [])
        return self.kinds[source], self.kinds[target]

    def __str__(self) -> str:
        names = {code: name for name, code in SEPARATORS.items()}
        return f"columns of {', '.join(self.kinds)}, separated by {names[self.layout.separator]}"


def link_columns(names: Sequence[str]) -> tuple[int, int]:
    """The columns of a link's ends: those named from/to, source/target, src/dst and so on, or else the first two."""
    return named_ends(names) or (0, 1)


def named_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """The columns whose names say that they are a link's ends; None unless both are there."""
    words = [re.sub(r"[^a-z]", "", name.lower()) for name in names]
    sources, targets = ([k for k, word in enumerate(words) if form.fullmatch(word)] for form in (_FROM, _TO))
    return (sources[0], targets[0]) if sources and targets else None


def has_links(head: Head, kind: Kind) -> bool:
    """Whether the file is a table whose links have ends of this kind."""
    table = head.find(table_in)
    return table is not None and table.link_kinds() == (kind, kind)


def table_in(head: Head) -> Sample | None:
    """The layout of the table; None if the file is not a table with at least two columns."""
    piece = head.piece
    if piece is None:
        return None
    found = [table for code in SEPARATORS.values() if (table := _as_table(piece, code)) is not None]
    return max(found, key=_likelihood, default=None)


def _likelihood(table: Sample) -> tuple[bool, int]:
    """Tabs rarely occur inside fields, so an equal number on every line decides; else how many columns make sense."""
    even = len({len(row) for row in table.rows}) == 1
    return even and table.layout.separator == ord("\t"), sum(kind != "text" for kind in table.kinds)


def _as_table(piece: Piece, separator: int) -> Sample | None:
    rows = _fields(piece, layout := Layout(separator, NO_QUOTES))
    if any(field.startswith('"') for row in rows for field in row):
        try:
            rows = _fields(piece, layout := Layout(separator, CSV_QUOTES))
        except InputError:
            return None
    if min((len(row) for row in rows), default=0) < 2:
        return None
    body = rows[1:] or rows
    columns = max(len(row) for row in rows)
    kinds = [kind_of([row[k] for row in body if k < len(row)]) for k in range(columns)]
    header = rows[0] if len(rows) > 1 and _is_header(rows[0], kinds) else None
    return Sample(piece.path, layout, header, body if header else rows, kinds)


def _fields(piece: Piece, layout: Layout) -> list[list[str]]:
    rows = Rows.cut(piece, layout, _COLUMNS).at(slice(0, _ROWS))
    text = bytes(piece.text)
    spans = zip(rows.start.T.tolist(), rows.end.T.tolist(), strict=True)
    return [
        [text[a:b].decode("utf-8", "replace") for a, b in zip(starts, ends, strict=True) if a >= 0]
        for starts, ends in spans
    ]


def kind_of(values: list[str]) -> Kind:
    """The kind of data in a column with these values."""
    if values and all(_ID.fullmatch(value) for value in values):
        return "id"
    numbers = sum(bool(_NUMBER.fullmatch(value)) for value in values)
    if values and numbers == len(values):
        return "number"
    urls = sum(bool(_URL.fullmatch(value)) for value in values)
    return "url" if numbers == 0 and urls and 2 * urls >= len(values) else "text"


def _is_header(first: list[str], kinds: list[Kind]) -> bool:
    """Whether the first row has only words over columns of numbers, or names a link's ends over columns of URLs."""
    over_numbers = [field for field, kind in zip(first, kinds, strict=False) if kind in ("id", "number")]
    if over_numbers:
        return not any(_NUMBER.fullmatch(field) for field in over_numbers)
    return named_ends(first) is not None


def even_lines(table: Sample) -> Check:
    """A check that refuses lines with another number of fields than the first ones, if all of them look like pages.

    Any number is allowed if extra columns on some lines do not hold pages.
    """
    separator, quotes, comments = table.layout
    page = table.link_kinds()[0]
    counts = {sum(bool(field) for field in row) for row in table.rows}
    fewest = most = sum(bool(field) for field in table.rows[0])
    like_pages = kind_of([field for row in table.rows for field in row[2:] if field]) == page
    if table.header:
        fewest, most = 0, max(len(table.header), *counts)
    elif max(counts) >= _COLUMNS or (len(counts) > 1 and not like_pages):
        fewest, most = 0, _ANY_NUMBER
    signs = (ord(" "), ord("\t")) if separator == BLANKS else (separator,)

    def check(piece: Piece, rows: int) -> None:
        # Each link has at least one separator, so if there are as many as links, all lines have two fields; counting
        # them takes a tenth of the time of examining lines.
        if fewest == most == 2 and sum(int(np.count_nonzero(piece.text == sign)) for sign in signs) == rows:
            return
        marks = np.frombuffer(comments, np.uint8)
        line, fields = uneven_line(piece.text, separator, quotes, marks, fewest, most, page == "id")
        if line >= 0:
            before = f"no more than {most}" if fewest == 0 else str(fewest)
            raise piece.error(
                line,
                f"found {fields} columns, where the first lines have {before}. If a line lists all links of a page, "
                "give --format adjacency; if it is one link, --columns from,to.",
            )

    return check


class NamedColumns(NamedTuple):
    """Column names in order. `kind`: whether they are for links or for pages."""

    names: tuple[str, ...]
    kind: Literal["links", "pages"]

    @classmethod
    def parse(cls, given: str | Sequence[str]) -> NamedColumns:
        """From `a,b,c` or from a sequence of names."""
        names = tuple(name.strip() for name in (given.split(",") if isinstance(given, str) else given))
        used = [name for name in names if name not in _SKIPPED]
        for name in used:
            if used.count(name) > 1:
                raise OptionError(f"--columns names '{name}' twice; give each column its own name, or _ to skip it.")
            if not COLUMN_NAME.fullmatch(name):
                raise OptionError(f"--columns: '{name}' is not a column name; use a-z, 0-9 and _, or _ to skip it.")
        if named_ends(names) is not None:
            return cls(names, "links")
        if "id" in names and "url" in names:
            return cls(names, "pages")
        raise OptionError(
            f"--columns {','.join(names)}: a list of links needs the names from and to, a table of pages id and url."
        )

    def ends(self, table: Sample) -> tuple[int, int]:
        """The columns of a link's source and target."""
        self._check_width(table, ends := link_columns(self.names))
        return ends

    def page_layout(self, table: Sample) -> PageLayout:
        """The columns of ids, URLs and numbers."""
        numbers = {name: k for k, name in enumerate(self.names) if name not in _SKIPPED and name not in ("id", "url")}
        places = self.names.index("id"), self.names.index("url")
        self._check_width(table, (*places, *numbers.values()))
        return PageLayout(table.layout, *places, numbers)

    def fits(self, table: Sample) -> bool:
        """Whether a table fits the names: ids in the id columns, and something other than numbers for URLs."""
        kinds = dict(enumerate(table.kinds))
        if self.kind == "links":
            return all(kinds.get(k) == "id" for k in link_columns(self.names))
        return kinds.get(self.names.index("id")) == "id" and kinds.get(self.names.index("url")) in ("url", "text")

    def _check_width(self, table: Sample, needed: Sequence[int]) -> None:
        if max(needed) >= len(table.kinds):
            raise InputError(
                f"--columns names {len(self.names)} columns, but the first lines have {len(table.kinds)}: {table}."
            )

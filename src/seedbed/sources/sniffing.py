"""What a table in text looks like, from its first lines: its separator, its header, what its columns hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from seedbed.errors import InputError
from seedbed.sources.field_kernels import CSV_QUOTES, NO_QUOTES
from seedbed.sources.fields import SEPARATORS, Layout, Rows
from seedbed.sources.text_files import Piece, TooLongLine, pieces

Kind = Literal["id", "number", "url", "text"]

_BYTES = 1 << 16
_ROWS = 500
_COLUMNS = 16
_KEYS = r"(node|page|host|domain|url|uri|id|name|idx|index|rev)*"
_FROM = re.compile(r"(from|source|src|origin|tail|start)" + _KEYS)
_TO = re.compile(r"(to|target|tgt|dst|dest|destination|head|end)" + _KEYS)
_ID = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|inf", re.IGNORECASE)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+|[^\s/.]+(\.[^\s/.]+)+\.?(:\d+)?(/[^\s]*)?")


@dataclass(frozen=True)
class Sample:
    """The first rows of a table."""

    layout: Layout
    header: list[str] | None
    rows: list[list[str]]
    kinds: list[Kind]
    width_seen = _COLUMNS
    """Columns beyond these were not looked at."""

    def link_columns(self) -> tuple[int, int]:
        """The columns a link is from and to: by their names, or else the first two."""
        return link_columns(self.header or [])

    def link_kinds(self) -> tuple[Kind, Kind]:
        """What those two columns hold."""
        source, target = self.link_columns()
        return self.kinds[source], self.kinds[target]

    def __str__(self) -> str:
        names = {code: name for name, code in SEPARATORS.items()}
        return f"columns of {', '.join(self.kinds)}, separated by {names[self.layout.separator]}"


def link_columns(names: Sequence[str]) -> tuple[int, int]:
    """Where a link's two ends are: columns named from/to, source/target, src/dst and so on, or else the first two."""
    sources = [k for k, name in enumerate(names) if _FROM.fullmatch(_squashed(name))]
    targets = [k for k, name in enumerate(names) if _TO.fullmatch(_squashed(name))]
    return (sources[0], targets[0]) if sources and targets else (0, 1)


def first_piece(path: Path, encoding: str | None = None) -> Piece | None:
    """The first lines of a text file; None where it is empty or not text."""
    piece = next(pieces(path, encoding=encoding, block=_BYTES), None)
    return None if piece is None or (piece.text == 0).any() else piece


def first_lines(path: Path) -> list[str]:
    """The first lines that are neither blank nor comments, as text; none where the first has no end."""
    try:
        piece = first_piece(path)
    except TooLongLine:
        return []
    lines = [] if piece is None else bytes(piece.text).decode("utf-8", "replace").split("\n")
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith(("#", "%"))]


def sample(path: Path, encoding: str | None = None) -> Sample | None:
    """What the table looks like; None where the file is no table of at least two columns."""
    piece = first_piece(path, encoding)
    if piece is None:
        return None
    found = [table for code in SEPARATORS.values() if (table := _as_table(piece, code)) is not None]
    return max(found, key=_likelihood, default=None)


def _likelihood(table: Sample) -> tuple[bool, int]:
    """Tabs hardly occur inside fields, so the same number on every line decides; else how many columns make sense."""
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
    return Sample(layout, header, body if header else rows, kinds)


def _fields(piece: Piece, layout: Layout) -> list[list[str]]:
    rows = Rows.cut(piece, layout, _COLUMNS).at(slice(0, _ROWS))
    text = bytes(piece.text)
    spans = zip(rows.start.T.tolist(), rows.end.T.tolist(), strict=True)
    return [
        [text[a:b].decode("utf-8", "replace") for a, b in zip(starts, ends, strict=True) if a >= 0]
        for starts, ends in spans
    ]


def kind_of(values: list[str]) -> Kind:
    """What a column of these values holds."""
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
    return names_link_ends(first)


def names_link_ends(names: Sequence[str]) -> bool:
    """Whether two of the names are those of a link's ends."""
    source, target = link_columns(names) if len(names) > 1 else (0, 0)
    return bool(names and _FROM.fullmatch(_squashed(names[source])) and _TO.fullmatch(_squashed(names[target])))


def _squashed(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())

"""Adjacency lists: a page and then all the pages it links to, any number of them on a line.

    0 1 2 3             0: 1 2 3             http://a.example/ http://b.example/ http://c.example/
    1                   1:                   http://b.example/
    2 0                 2: 0 -1              http://c.example/ http://a.example/

Ids may be separated by blanks, tabs, commas, semicolons or pipes, mixed as they come; a colon may follow the first, and
−1 end the line. URLs and other names have one separator throughout. Lines that start with #, % or // are comments. A
page alone on its line has no links there. NetworkX's write_adjlist writes such files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import TextChunk, arrow_strings
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.link_builder import BadPair, LinkBuilder
from seedbed.sources import field_kernels as fieldcode
from seedbed.sources.adjacency_form import Form, form_at, form_or_refuse
from seedbed.sources.adjacency_kernels import cut_lists
from seedbed.sources.field_kernels import CSV_QUOTES
from seedbed.sources.fields import Pairs
from seedbed.sources.link_columns import AS_THEY_STAND, Numbering, add_pairs, without_header
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, in_order
from seedbed.sources.text_kernels import count_lines, gather

LONGEST_LIST = 1 << 27
"""A line may have so many bytes: some 16 million links of one page, or 2 million by URL."""

_TO_BLANKS = np.arange(256, dtype=np.uint8)
_TO_BLANKS[[ord(sign) for sign in '\t,;|"']] = ord(" ")


def detect(path: Path) -> bool:
    """Whether the lines have different numbers of fields, all of them ids or URLs, or a colon behind the first id."""
    return path.is_file() and form_at(path) is not None


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these lists; where they hold ids its pages are 0 … the largest."""
    form = form_or_refuse(path, options.encoding)
    if form.ids:
        builder = options.builder()
        add_lists(builder, lines_of_lists(path, form, options), form)
        if builder.is_empty:
            raise InputError(f"{path}: no pages in it.")
        return options.web(path, "adjacency", builder)
    links = NamedLinks(options)
    for lists in in_order(lambda piece: _Lists.cut(piece.checked(), form), lines_of_lists(path, form, options)):
        pages, ends = lists.named()
        links.add(ends)
        links.add_pages(pages, {})
    return links.web(path, "adjacency")


def lines_of_lists(path: Path, form: Form, options: ReadOptions) -> Iterator[Piece]:
    """The lines, without a header."""
    lines = options.pieces([path], longest_line=LONGEST_LIST)
    return without_header(lines, form.layout) if form.header else lines


def add_lists(builder: LinkBuilder, pieces: Iterable[Piece], form: Form, numbering: Numbering = AS_THEY_STAND) -> None:
    """Add the links of lists of ids, and the pages that are alone on their lines."""
    metis = _MetisCheck()
    for lists, (heads, pairs) in in_order(lambda piece: _with_ids(_Lists.cut(piece, form)), pieces):
        metis.see(lists, heads, pairs)
        add_pairs(builder, pairs, numbering, lists.error_at_link)
        alone = np.flatnonzero(lists.counts == 1)
        try:
            builder.add_pages(numbering.pages_of(heads[alone]))
        except BadPair as error:
            row = alone[error.index]
            raise lists.error(row, f"the id {heads[row]} is not {numbering}.") from None
    metis.refuse()


class _Lists(NamedTuple):
    """The fields of a piece: row k has row_ptr[k] … row_ptr[k + 1] − 1, the first of them the page itself."""

    piece: Piece
    form: Form
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    row_ptr: NDArray[np.int32]
    line: NDArray[np.int32]

    @classmethod
    def cut(cls, piece: Piece, form: Form) -> _Lists:
        if form.ids:
            piece = piece._replace(text=_TO_BLANKS[piece.text])
        lines = count_lines(piece.text)
        start, end = np.empty((2, piece.text.size // 2 + 1), np.int32)
        row_ptr, line = np.empty(lines + 1, np.int32), np.empty(lines, np.int32)
        separator, quotes, comments = form.layout
        rows, unclosed = cut_lists(
            piece.text, separator, quotes, np.frombuffer(comments, np.uint8), form.colon, start, end, row_ptr, line
        )
        if unclosed >= 0:
            raise piece.error(unclosed, "a field starts with a double quote and has none at its end.")
        fields = row_ptr[rows]
        return cls(piece, form, start[:fields].copy(), end[:fields].copy(), row_ptr[: rows + 1], line[:rows])

    @property
    def counts(self) -> NDArray[np.int32]:
        return np.diff(self.row_ptr)

    def error(self, row: int, message: str) -> InputError:
        return self.piece.error(int(self.line[row]), message)

    def error_at_link(self, link: int, message: str) -> InputError:
        """The error on the line of a link; in front of row k's links are row_ptr[k] − k others."""
        before = self.row_ptr[:-1] - np.arange(len(self.line))
        return self.error(int(np.searchsorted(before, link, side="right")) - 1, message)

    def numbers(self) -> NDArray[np.int64]:
        """All fields as whole numbers."""
        numbers = np.empty(len(self.start), np.int64)
        bad = fieldcode.integers(self.piece.text, self.start, self.end, numbers)
        if bad >= 0:
            row = int(np.searchsorted(self.row_ptr, bad, side="right")) - 1
            field = bytes(self.piece.text[self.start[bad] : self.end[bad]])[:40].decode("utf-8", "replace")
            raise self.error(row, f"found {field!r}, expected page ids, whole numbers.")
        return numbers

    def named(self) -> tuple[Any, Any]:
        """The names that start rows, and the two ends of every link as NamedLinks takes them."""
        import pyarrow as pa

        names = arrow_strings(self._texts()).dictionary_encode()
        codes = names.indices.to_numpy()
        heads = codes[self.row_ptr[:-1]]
        is_target = np.ones(len(codes), np.bool_)
        is_target[self.row_ptr[:-1]] = False
        ends = np.concatenate([np.repeat(heads, self.counts - 1), codes[is_target]])
        alone = pa.array(heads[self.counts == 1])
        return names.dictionary.take(alone), pa.DictionaryArray.from_arrays(pa.array(ends), names.dictionary)

    def _texts(self) -> TextChunk:
        text = np.empty(int((self.end - self.start).sum(dtype=np.int64)), np.uint8)
        text_ptr = np.empty(len(self.start) + 1, np.int64)
        gather(self.piece.text, self.start, self.end, self.form.layout.quotes == CSV_QUOTES, text, text_ptr)
        return text[: text_ptr[-1]], text_ptr


def _with_ids(lists: _Lists) -> tuple[_Lists, tuple[NDArray[np.int64], Pairs]]:
    """The lists without a −1 at the end of lines, and (the id that starts each row, (sources, targets))."""
    numbers = lists.numbers()
    last = lists.row_ptr[1:] - 1
    ends = (numbers[last] == -1) & (lists.counts > 1)
    if ends.any():
        kept = np.ones(len(numbers), np.bool_)
        kept[last[ends]] = False
        row_ptr = np.concatenate([[0], np.cumsum(lists.counts - ends)]).astype(np.int32)
        lists = lists._replace(start=lists.start[kept], end=lists.end[kept], row_ptr=row_ptr)
        numbers = numbers[kept]
    heads = numbers[lists.row_ptr[:-1]]
    is_target = np.ones(len(numbers), np.bool_)
    is_target[lists.row_ptr[:-1]] = False
    return lists, (heads, (np.repeat(heads, lists.counts - 1), numbers[is_target]))


class _MetisCheck:
    """METIS files look like adjacency lists, but say no ids: a line with the numbers of pages and edges comes first."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._path: Path | None = None
        self._rows = 0
        self._fields = 0

    def see(self, lists: _Lists, heads: NDArray[np.int64], pairs: Pairs) -> None:
        """Count what was read."""
        if not self._rows and len(heads):
            self._first = [int(heads[0]), *pairs[1][: lists.counts[0] - 1].tolist()]
            self._path = lists.piece.path
        self._rows += len(heads)
        self._fields += len(heads) + len(pairs[0])

    def refuse(self) -> None:
        """Refuse n lines with 2m numbers behind a line `n m`."""
        if len(self._first) not in (2, 3) or self._first[0] < 2:
            return
        pages, edges = self._first[:2]
        if self._rows - 1 == pages and self._fields - len(self._first) == 2 * edges:
            raise InputError(
                f"{self._path}: looks like a METIS file, {pages} lines for as many pages behind a line that says so, "
                "and not like an adjacency list, in which every line starts with its page. Save it as an edge list."
            )

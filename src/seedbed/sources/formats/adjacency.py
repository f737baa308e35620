"""Adjacency lists: each line has a page and then all the pages it links to, any number of them.

    0 1 2 3             0: 1 2 3             http://a.example/ http://b.example/ http://c.example/
    1                   1:                   http://b.example/
    2 0                 2: 0 -1              http://c.example/ http://a.example/

Ids may be separated by any mix of blanks, tabs, commas, semicolons and pipes; a colon may follow the first, and −1 may
end the line. URLs and other names have one separator throughout. Lines that start with #, % or // are comments. A page
alone on its line has no links there. NetworkX's write_adjlist writes such files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, arrow_strings
from seedbed.common.compression import written_compressed
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.link_builder import BadPair, LinkBuilder, Pairs
from seedbed.sources.format import Format
from seedbed.sources.head import HEAD, Head
from seedbed.sources.named_links import NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_files import Piece, count_lines, in_order
from seedbed.sources.text_kernels import BLANKS, CSV_QUOTES, NO_QUOTES, Places, cut_lists, integers
from seedbed.sources.text_rows import AS_THEY_STAND, SEPARATORS, Layout, Numbering, add_pairs, texts_of, without_header
from seedbed.sources.text_tables import kind_of, named_ends
from seedbed.sources.writing import WriteJob, quoted_names, refuse_repeated, texts, write_lines

LONGEST_LIST = 1 << 27
"""The maximum length of a line in bytes: some 16 million links of one page, or 2 million by URL."""

_COMMENTS = ("#", "%", "//")
_SIGNS = r'[\s,;|"]'
_IDS = re.compile(rf"{_SIGNS}*\d+:?(?:{_SIGNS}+\d+)*(?:{_SIGNS}+-1)?{_SIGNS}*")
_COLON = re.compile(r"\s*\d+:(?:\s|$)")
_PAGES_AT_ONCE = 1 << 12
_TO_BLANKS = np.arange(256, dtype=np.uint8)
_TO_BLANKS[[ord(sign) for sign in '\t,;|"']] = ord(" ")


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these lists; if they hold ids, its pages are 0 … the largest id."""
    lines = _first_lines(Head(path, options.encoding))
    if not lines:
        raise InputError(f"{path}: no lines of text in it, which an adjacency list needs.")
    form = _lists_of_ids(lines, named=True) or _lists_of_urls(lines, named=True)
    form = form or Form(False, Layout(BLANKS, NO_QUOTES))
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
    return without_header(options.pieces([path], longest_line=LONGEST_LIST), form.layout, form.header)


def add_lists(
    builder: LinkBuilder,
    pieces: Iterable[Piece],
    form: Form,
    numbering: Numbering = AS_THEY_STAND,
    *,
    both_ways: bool = False,
    may_be_metis: bool = True,
) -> None:
    """Add the links of lists of ids, and the pages that are alone on their lines."""
    first: list[int] = []
    rows, fields = 0, 0
    for lists, (heads, pairs) in in_order(lambda piece: _with_ids(_Lists.cut(piece, form)), pieces):
        if rows == 0 and len(heads):
            path, first = lists.piece.path, [int(heads[0]), *pairs[1][: lists.counts[0] - 1].tolist()]
        rows, fields = rows + len(heads), fields + len(heads) + len(pairs[0])
        add_pairs(builder, pairs, numbering, lists.error_at_link, both_ways=both_ways)
        alone = np.flatnonzero(lists.counts == 1)
        try:
            builder.add_pages(numbering.pages_of(heads[alone]))
        except BadPair as error:
            row = alone[error.index]
            raise lists.error(row, f"the id {heads[row]} is not {numbering}.") from None
    # METIS files look alike, but have no ids: n lines with 2m numbers after a line `n m`.
    sized = may_be_metis and len(first) in (2, 3) and first[0] >= 2
    if sized and rows - 1 == first[0] and fields - len(first) == 2 * first[1]:
        raise InputError(
            f"{path}: looks like a METIS file, {first[0]} lines for as many pages after a line that says so, "
            "and not like an adjacency list, in which every line starts with its page. Save it as an edge list."
        )


class _Lists(NamedTuple):
    """The fields of a piece: row k has row_ptr[k] … row_ptr[k + 1] − 1, the first of which is the page itself."""

    piece: Piece
    form: Form
    start: Places
    end: Places
    row_ptr: Places
    line: Places

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
    def counts(self) -> Places:
        return np.diff(self.row_ptr)

    def error(self, row: int, message: str) -> InputError:
        return self.piece.error(int(self.line[row]), message)

    def error_at_link(self, link: int, message: str) -> InputError:
        """The error on the line of a link; row k's links come after row_ptr[k] − k others."""
        before = self.row_ptr[:-1] - np.arange(len(self.line))
        return self.error(int(np.searchsorted(before, link, side="right")) - 1, message)

    def numbers(self) -> Ints:
        """All fields as whole numbers."""
        numbers = np.empty(len(self.start), np.int64)
        bad = integers(self.piece.text, self.start, self.end, numbers)
        if bad >= 0:
            row = int(np.searchsorted(self.row_ptr, bad, side="right")) - 1
            field = bytes(self.piece.text[self.start[bad] : self.end[bad]])[:40].decode("utf-8", "replace")
            raise self.error(row, f"found {field!r}, expected page ids, whole numbers.")
        return numbers

    def links(self, values: NDArray[Any]) -> tuple[NDArray[Any], Pairs]:
        """Given a value for each field: the one that starts each row, and those of the two ends of every link."""
        heads = values[self.row_ptr[:-1]]
        is_target = np.ones(len(values), np.bool_)
        is_target[self.row_ptr[:-1]] = False
        return heads, (np.repeat(heads, self.counts - 1), values[is_target])

    def named(self) -> tuple[Any, Any]:
        """The names that are alone on their rows, and the two ends of every link as NamedLinks takes them."""
        import pyarrow as pa

        names = arrow_strings(texts_of(self.piece, self.form.layout, self.start, self.end)).dictionary_encode()
        heads, ends = self.links(names.indices.to_numpy())
        alone = pa.array(heads[self.counts == 1])
        codes = pa.array(np.concatenate(ends))
        return names.dictionary.take(alone), pa.DictionaryArray.from_arrays(codes, names.dictionary)


def _with_ids(lists: _Lists) -> tuple[_Lists, tuple[Ints, Pairs]]:
    """The lists without a −1 at the end of lines, and (the id that starts each row, (sources, targets))."""
    numbers = lists.numbers()
    last = lists.row_ptr[1:] - 1
    ends = (numbers[last] == -1) & (lists.counts > 1)
    if ends.any():
        row_ptr = np.concatenate([[0], np.cumsum(lists.counts - ends)]).astype(np.int32)
        kept = np.delete(np.arange(len(numbers)), last[ends])
        lists, numbers = lists._replace(start=lists.start[kept], end=lists.end[kept], row_ptr=row_ptr), numbers[kept]
    return lists, lists.links(numbers)


class Form(NamedTuple):
    """How lists are written: ids or names, their layout, a colon after the first field or not, a header line or not."""

    ids: bool
    layout: Layout
    colon: bool = False
    header: bool = False


def form_in(head: Head) -> Form | None:
    """The form of the lists in a file; None if its lines are not lists, or could just as well be links."""
    lines = _first_lines(head)
    return None if _third_may_be_empty(lines) else _lists_of_ids(lines) or _lists_of_urls(lines)


def _first_lines(head: Head) -> list[str]:
    """The first lines that are neither blank nor comments; if a line is longer than the head, its first fields."""
    lines = re.sub(r"\r\n?", "\n", head.text).split("\n")
    if len(head.data) >= HEAD:
        # The last line is incomplete; its known fields are kept if it has more than the others.
        last = lines.pop()
        known = last[: max(map(last.rfind, " \t,;|")) + 1]
        most = max((len(re.findall(_SIGNS + "+", line)) for line in lines), default=0)
        lines += [known] if len(re.findall(_SIGNS + "+", known)) > most + 1 else []
    return [line for line in lines if line.strip() and not line.lstrip().startswith(_COMMENTS)]


def _third_may_be_empty(lines: list[str]) -> bool:
    """Whether all lines have three columns and only the third is sometimes empty: as likely a weight as a page."""
    for sign in "\t,;|":
        rows = [[bool(field.strip()) for field in line.split(sign)] for line in lines]
        if rows and all(len(row) == 3 and row[0] and row[1] for row in rows):
            return not all(row[2] for row in rows)
    return False


def _lists_of_ids(lines: list[str], *, named: bool = False) -> Form | None:
    header = len(lines) > 1 and not _IDS.fullmatch(lines[0]) and not re.search(r"\d", lines[0])
    body = lines[1:] if header else lines
    fitting = sum(_IDS.fullmatch(line) is not None for line in body)
    # If the user says what it is, a few other lines are errors in it, reported when they are reached.
    if not fitting or (2 * fitting < len(body) if named else fitting < len(body)):
        return None
    colon = all(_COLON.match(line) for line in body)
    rows = [re.findall(r"-?\d+", line) for line in body]
    counts = [len(row) for row in (rows[1:] if _starts_with_sizes(rows) else rows)]
    if not (named or colon) and (
        not _is_ragged(counts) or (header and named_ends(re.split(_SIGNS, lines[0])) is not None)
    ):
        return None
    return Form(True, Layout(BLANKS, NO_QUOTES), colon, header)


def _starts_with_sizes(rows: list[list[str]]) -> bool:
    """Whether the first row could be the numbers of pages and links: no later page has a larger id."""
    return len(rows) > 1 and len(rows[0]) == 2 and all(float(rows[0][0]) >= float(row[0]) for row in rows[1:])


def _is_ragged(counts: list[int]) -> bool:
    """Whether rows differ in length and some have over two fields; a number of pages before the links is not a row."""
    body = counts[1:] if counts[0] == 1 else counts
    return len(set(body)) > 1 and max(body) > 2


def _lists_of_urls(lines: list[str], *, named: bool = False) -> Form | None:
    """The form with the separator that gives the largest share of URLs."""
    found = [form for separator in SEPARATORS.values() if (form := _cut_by(lines, separator, named)) is not None]
    return max(found, key=lambda item: item[0])[1] if found else None


def _cut_by(lines: list[str], separator: int, named: bool) -> tuple[tuple[float, int], Form] | None:
    sign = None if separator == BLANKS else chr(separator)
    rows = [[field.strip() for field in line.split(sign)] for line in lines]
    quotes = CSV_QUOTES if any(field.startswith('"') for row in rows for field in row) else NO_QUOTES
    rows = [[field.strip('"') for field in row if field.strip('"')] for row in rows]
    rows = [row for row in rows if row]
    counts = [len(row) for row in rows]
    if not rows or max(counts) < 2:
        return None
    colon = all(len(row[0]) > 1 and row[0].endswith(":") for row in rows)
    fields = [field for row in rows for field in row]
    more = [field for row in rows for field in row[2:]]
    urls = [kind_of(part) == "url" for part in (fields, more) if part]
    if not named and not (all(urls) and (colon or _is_ragged(counts))):
        return None
    share = sum(kind_of([field]) == "url" for field in fields) / len(fields)
    return (share, len(fields)), Form(False, Layout(separator, quotes), colon)


def write(job: WriteJob) -> None:
    """Write one line per page: the page and then all it links to. Ids are separated by blanks, URLs by tabs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names: Callable[[Any], Any] = texts
    if job.web.urls is not None:
        refuse_repeated(job.web.urls)
        names = quoted_names(job.web.urls, "\t")
    separator = pa.scalar(" " if job.web.urls is None else "\t", pa.large_string())
    with written_compressed(job.files[0]) as out:
        for page, out_ptr, out_idx in job.blocks():
            for first in range(0, len(out_ptr) - 1, _PAGES_AT_ONCE):
                pointers = out_ptr[first : first + _PAGES_AT_ONCE + 1]
                starts = pointers - pointers[0]
                pages = np.arange(len(pointers) - 1) + page + first
                fields = np.insert(out_idx[pointers[0] : pointers[-1]].astype(np.int64), starts[:-1], pages)
                places = pa.array(starts + np.arange(len(pointers)))
                write_lines(out, pc.binary_join(pa.LargeListArray.from_arrays(places, names(fields)), separator))


FORMAT = Format(
    name="adjacency",
    meaning="one line per page: the page and all it links to",
    detect=lambda head: head.find(form_in) is not None,
    read=read,
    write=write,
    endings=(".adj", ".adjlist"),
    holds=("urls",),
    raw_urls=True,
)

"""Whether lines are adjacency lists, told from the first of them: lines of different lengths, all of ids or of URLs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from seedbed.errors import InputError
from seedbed.sources.field_kernels import BLANKS, CSV_QUOTES, NO_QUOTES
from seedbed.sources.fields import SEPARATORS, Layout
from seedbed.sources.sniffing import kind_of, names_link_ends
from seedbed.sources.text_files import blocks

_HEAD = 1 << 16
_COMMENTS = ("#", "%", "//")
_SIGNS = r'[\s,;|"]'
_IDS = re.compile(rf"{_SIGNS}*\d+:?(?:{_SIGNS}+\d+)*(?:{_SIGNS}+-1)?{_SIGNS}*")
_COLON = re.compile(r"\s*\d+:(?:\s|$)")


class Form(NamedTuple):
    """How lists are written: of ids or names, cut how, with a colon behind the first field, behind a header line."""

    ids: bool
    layout: Layout
    colon: bool = False
    header: bool = False


def form_at(path: Path, encoding: str | None = None) -> Form | None:
    """The form of the lists in a file; None where its lines are none, or could as well be links."""
    lines = _first_lines(path, encoding)
    return None if _third_may_be_empty(lines) else _lists_of_ids(lines) or _lists_of_urls(lines)


def form_or_refuse(path: Path, encoding: str | None) -> Form:
    """The form where the user says that these are adjacency lists."""
    lines = _first_lines(path, encoding)
    if not lines:
        raise InputError(f"{path}: no lines of text in it, which an adjacency list needs.")
    return (
        _lists_of_ids(lines, named=True) or _lists_of_urls(lines, named=True) or Form(False, Layout(BLANKS, NO_QUOTES))
    )


def _first_lines(path: Path, encoding: str | None) -> list[str]:
    """The first lines that are neither blank nor comments; of one without an end its first fields."""
    head = next(blocks(path, encoding=encoding, block=_HEAD))
    if b"\0" in head:
        return []
    text = re.sub(r"\r\n?", "\n", head.decode("utf-8", "replace"))
    lines = text.split("\n")
    if len(head) >= _HEAD:
        lines = _with_long_line_cut(lines)
    return [line for line in lines if line.strip() and not line.lstrip().startswith(_COMMENTS)]


def _with_long_line_cut(lines: list[str]) -> list[str]:
    """The lines without the last, whose end is not known; where it has more fields than the others, these."""
    *whole, last = lines
    known = last[: max(map(last.rfind, " \t,;|")) + 1]
    most = max((len(re.findall(_SIGNS + "+", line)) for line in whole), default=0)
    return [*whole, known] if len(re.findall(_SIGNS + "+", known)) > most + 1 else whole


def _third_may_be_empty(lines: list[str]) -> bool:
    """Whether all lines have three columns, and only the third is empty on some: a weight as likely as a page."""
    for sign in "\t,;|":
        rows = [[bool(field.strip()) for field in line.split(sign)] for line in lines]
        if rows and all(len(row) == 3 and row[0] and row[1] for row in rows):
            return not all(row[2] for row in rows)
    return False


def _lists_of_ids(lines: list[str], *, named: bool = False) -> Form | None:
    header = len(lines) > 1 and not _IDS.fullmatch(lines[0]) and not re.search(r"\d", lines[0])
    body = lines[1:] if header else lines
    fitting = sum(_IDS.fullmatch(line) is not None for line in body)
    # Where the user says what it is, a few other lines are faults in it, to be named when they are met.
    if not fitting or (2 * fitting < len(body) if named else fitting < len(body)):
        return None
    colon = all(_COLON.match(line) for line in body)
    rows = [re.findall(r"-?\d+", line) for line in body]
    counts = [len(row) for row in (rows[1:] if _starts_with_sizes(rows) else rows)]
    if not (named or colon) and (not _is_ragged(counts) or (header and names_link_ends(re.split(_SIGNS, lines[0])))):
        return None
    return Form(True, Layout(BLANKS, NO_QUOTES), colon, header)


def _starts_with_sizes(rows: list[list[str]]) -> bool:
    """Whether the first row could be the numbers of pages and of links: no page below has a larger id."""
    return len(rows) > 1 and len(rows[0]) == 2 and all(float(rows[0][0]) >= float(row[0]) for row in rows[1:])


def _is_ragged(counts: list[int]) -> bool:
    """Whether numbers of fields differ, with more than two somewhere; a number of pages ahead of links is no row."""
    body = counts[1:] if counts[0] == 1 else counts
    return len(set(body)) > 1 and max(body) > 2


def _lists_of_urls(lines: list[str], *, named: bool = False) -> Form | None:
    """Cut by the separator that gives the largest share of URLs."""
    found = [form for separator in SEPARATORS.values() if (form := _cut_by(lines, separator, named)) is not None]
    return max(found, key=lambda item: item[0])[1] if found else None


def _cut_by(lines: list[str], separator: int, named: bool) -> tuple[tuple[float, int], Form] | None:
    rows = [[field.strip() for field in _split(line, separator)] for line in lines]
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


def _split(line: str, separator: int) -> list[str]:
    return line.split() if separator == BLANKS else line.split(chr(separator))

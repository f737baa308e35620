"""Links from lines with two columns of page ids, and how ids in a file become pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError
from seedbed.links.link_builder import BadPair, LinkBuilder
from seedbed.sources.even_lines import EvenLines
from seedbed.sources.fields import Layout, Pairs, Rows, integer_pairs
from seedbed.sources.text_files import Piece, in_order


class Numbering(NamedTuple):
    """Which page an id means: id − first, or where ids are listed, its place in their ascending order."""

    first: int = 0
    pages: int | None = None
    listed: NDArray[np.int64] | None = None

    def pages_of(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The page of each id, −1 where there is none."""
        if self.listed is None:
            return ids if self.first == 0 else ids - self.first
        places = np.minimum(np.searchsorted(self.listed, ids), len(self.listed) - 1)
        return np.where(self.listed[places] == ids, places, -1)

    def __str__(self) -> str:
        if self.listed is not None:
            return f"among the {self.pages} ids that are listed"
        return f"in {self.first} … " + ("2⁴⁰" if self.pages is None else str(self.first + self.pages - 1))


AS_THEY_STAND = Numbering()

ErrorAt = Callable[[int, str], InputError]
"""The error with this message on the line of the pair with this index."""


def add_pairs(
    builder: LinkBuilder, pairs: Pairs, numbering: Numbering, error_at: ErrorAt, *, both_ways: bool = False
) -> None:
    """Add pairs of ids, and where they hold both ways each of them turned round as well."""
    sources, targets = (numbering.pages_of(ids) for ids in pairs)
    try:
        builder.add(sources, targets)
    except BadPair as error:
        source, target = (ids[error.index] for ids in pairs)
        message = f"the link {source} → {target} has an id that is not {numbering}."
        raise error_at(error.index, message) from None
    if both_ways:
        other = sources != targets
        builder.add(targets[other], sources[other])


def add_links(
    builder: LinkBuilder,
    pieces: Iterable[Piece],
    layout: Layout,
    *,
    columns: tuple[int, int] = (0, 1),
    numbering: Numbering = AS_THEY_STAND,
    both_ways: bool = False,
    even: EvenLines | None = None,
) -> int:
    """Add the links of all lines, which must be as `even` says; how many lines there were."""

    def read(piece: Piece) -> tuple[Piece, Pairs]:
        pairs = integer_pairs(piece, layout, columns)
        if even is not None:
            even.check(piece, len(pairs[0]))
        return piece, pairs

    count = 0
    for piece, pairs in in_order(read, pieces):

        def error_at(row: int, message: str, piece: Piece = piece) -> InputError:
            return Rows.cut(piece, layout, 1).error(row, message)

        add_pairs(builder, pairs, numbering, error_at, both_ways=both_ways)
        count += len(pairs[0])
    return count


def without_header(pieces: Iterable[Piece], layout: Layout) -> Iterator[Piece]:
    """All lines but the first that holds data."""
    lines = iter(pieces)
    for piece in lines:
        rows = Rows.cut(piece, layout, 1)
        if len(rows):
            end = int(rows.line_end[0])
            end += int(np.argmax(piece.text[end:] == ord("\n"))) + 1
            yield from chain([piece.from_byte(end)] if end < piece.text.size else [], lines)
            return

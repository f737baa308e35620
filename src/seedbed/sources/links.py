"""Links from lines with two columns of page ids, and how ids in a file become pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.build import BadPair, LinkBuilder
from seedbed.sources.fields import Layout, Pairs, Rows, integer_pairs
from seedbed.sources.text import Piece, in_order


class Numbering(NamedTuple):
    """Which page an id means: id − first, or where ids are listed, its place in their ascending order."""

    first: int = 0
    count: int | None = None
    listed: NDArray[np.int64] | None = None

    def pages_of(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The page of each id, −1 where there is none."""
        if self.listed is None:
            return ids if self.first == 0 else ids - self.first
        places = np.minimum(np.searchsorted(self.listed, ids), len(self.listed) - 1)
        return np.where(self.listed[places] == ids, places, -1)

    def __str__(self) -> str:
        if self.listed is not None:
            return f"among the {self.count} ids that are listed"
        return f"in {self.first} … " + ("2⁴⁰" if self.count is None else str(self.first + self.count - 1))


def add_pairs(builder: LinkBuilder, pairs: Pairs, numbering: Numbering, rows: Callable[[], Rows]) -> None:
    """Add pairs of ids; one that is no link is named with its line, found in `rows`."""
    sources, targets = pairs
    try:
        builder.add(numbering.pages_of(sources), numbering.pages_of(targets))
    except BadPair as error:
        k = error.index
        message = f"the link {sources[k]} → {targets[k]} has an id that is not {numbering}."
        raise rows().error(k, message) from None


def add_links(
    builder: LinkBuilder,
    pieces: Iterable[Piece],
    layout: Layout,
    *,
    columns: tuple[int, int] = (0, 1),
    numbering: Numbering = Numbering(),
) -> None:
    """Add the links of all lines."""

    def read(piece: Piece) -> tuple[Piece, Pairs]:
        return piece, integer_pairs(piece, layout, columns)

    for piece, pairs in in_order(read, pieces):
        add_pairs(builder, pairs, numbering, partial(Rows.cut, piece, layout, max(columns) + 1))


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

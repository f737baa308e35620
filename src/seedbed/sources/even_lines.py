"""A list of links has the same number of columns throughout; a line of another number may be an adjacency list's.

Only the lines around it tell whether `0 1 5` is a link with a weight or two links. The first lines of a file may all
have two columns, and a later one five: read as one link, three would be lost. Such a line is refused. Columns that are
not on every line do no harm where they hold what no page could be (0.5, words), or where --columns or a header says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from seedbed.sources.adjacency_kernels import uneven_line
from seedbed.sources.field_kernels import BLANKS
from seedbed.sources.fields import Layout
from seedbed.sources.sniffing import Sample, kind_of
from seedbed.sources.text_files import Piece

_ANY = 1 << 30


class EvenLines(NamedTuple):
    """The number of fields that lines may have. `ids`: pages are ids, else URLs."""

    layout: Layout
    ids: bool
    fewest: int
    most: int

    @classmethod
    def like(cls, table: Sample) -> EvenLines:
        """As the first lines of a table have it; any where some have columns that hold no pages."""
        ids = table.link_kinds()[0] == "id"
        counts = {sum(bool(field) for field in row) for row in table.rows}
        if table.header:
            return cls(table.layout, ids, 0, max(len(table.header), *counts))
        like_pages = kind_of([field for row in table.rows for field in row[2:] if field]) == table.link_kinds()[0]
        if max(counts) >= table.width_seen or (len(counts) > 1 and not like_pages):
            return cls(table.layout, ids, 0, _ANY)
        first = sum(bool(field) for field in table.rows[0])
        return cls(table.layout, ids, first, first)

    def check(self, piece: Piece, rows: int) -> None:
        """Refuse a piece with a line that has another number of fields, all of them like pages.

        `rows`: its lines that are links. Each of them has a separator at least, so where there are no more than that
        all have two fields; counting separators takes a tenth of the time that looking at lines does.
        """
        separator, quotes, comments = self.layout
        if self.fewest == self.most == 2 and _separators(piece, separator) == rows:
            return
        signs = np.frombuffer(comments, np.uint8)
        line, fields = uneven_line(piece.text, separator, quotes, signs, self.fewest, self.most, self.ids)
        if line >= 0:
            before = f"no more than {self.most}" if self.fewest == 0 else str(self.fewest)
            raise piece.error(
                line,
                f"found {fields} columns, where the first lines have {before}. If a line lists all links of a page, "
                "give --format adjacency; if it is one link, --columns from,to.",
            )


def _separators(piece: Piece, separator: int) -> int:
    signs = (ord(" "), ord("\t")) if separator == BLANKS else (separator,)
    return sum(int(np.count_nonzero(piece.text == sign)) for sign in signs)

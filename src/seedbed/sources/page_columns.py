"""Columns of pages that are known by URL: rows in any order, several a page, brought together by least or largest.

A row may make its URL a page, or only say something of a URL if it is a page for another reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.spill import Spill


class Column(NamedTuple):
    """A column: what becomes of several rows of one page, what pages without a row have, its type at last."""

    name: str
    take: Literal["min", "max"] = "max"
    without: int = 0
    type: Any = np.int32


class PageRows:
    """Takes rows of (url, makes_page, value, …) as Arrow tables."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        self._columns = tuple(columns)
        self._tables: list[Any] = []
        self._spill: Spill | None = None

    def table(self, urls: Any, makes_page: Any, values: Mapping[str, Any]) -> Any:
        """Rows as a table: `urls` Arrow strings, `makes_page` true or false of each, or of all."""
        import pyarrow as pa

        flags = pa.array(np.broadcast_to(np.asarray(makes_page, np.bool_), len(urls)))
        numbers = {column.name: pa.array(values[column.name], pa.int64()) for column in self._columns}
        return pa.table({"url": urls.cast(pa.large_string()), "makes_page": flags, **numbers})

    def add(self, table: Any) -> int:
        """Add rows; the bytes that they take in memory."""
        self._tables.append(table)
        if self._spill is not None:
            self.spill_to(self._spill)
        return int(table.nbytes)

    def names(self) -> list[Any]:
        """The URLs that are pages, one dictionary array for each table that has some."""
        chosen = (table.filter(table["makes_page"])["url"].combine_chunks() for table in self._tables)
        return [_whole(urls).dictionary_encode() for urls in chosen if len(urls)]

    def values(self, names: Any) -> dict[str, NDArray[Any]]:
        """The columns of pages whose URLs are known, in their order."""
        import pyarrow.compute as pc

        made = self._empty(len(names))
        while self._tables:
            table = self._tables.pop()
            pages = pc.index_in(table["url"], value_set=names).to_numpy()
            listed = ~np.isnan(pages) if pages.dtype.kind == "f" else np.ones(len(pages), np.bool_)
            for column in self._columns:
                values = table[column.name].to_numpy()[listed]
                take = np.minimum if column.take == "min" else np.maximum
                take.at(made[column.name], pages[listed].astype(np.int64), values)
        return self._finished(made)

    def spill_to(self, spill: Spill) -> None:
        """Move all rows to the table `seen` on disk, and those that are still to come."""
        if self._spill is None:
            self._spill = spill
            numbers = "".join(f", {column.name} bigint" for column in self._columns)
            spill.run(f"create table seen (url varchar, makes_page boolean{numbers})")
        while self._tables:
            spill.insert("seen", self._tables.pop())

    def values_on_disk(self, spill: Spill, pages: int) -> dict[str, NDArray[Any]]:
        """The columns, from the tables `seen` and `names`."""
        made = self._empty(pages)
        taken = "".join(f", {column.take}({column.name})" for column in self._columns)
        query = f"select page{taken} from seen join names on url = name group by page"  # noqa: S608 - names are our own
        for batch in spill.batches(query) if self._columns else ():
            at = batch.column(0).to_numpy()
            for k, column in enumerate(self._columns):
                made[column.name][at] = batch.column(k + 1).to_numpy()
        return self._finished(made)

    def _empty(self, pages: int) -> dict[str, NDArray[Any]]:
        limits = np.iinfo(np.int64)
        return {
            column.name: np.full(pages, limits.max if column.take == "min" else limits.min) for column in self._columns
        }

    def _finished(self, made: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        limits = np.iinfo(np.int64)
        done = {}
        for column in self._columns:
            values = made[column.name]
            missing = values == (limits.max if column.take == "min" else limits.min)
            done[column.name] = np.where(missing, column.without, values).astype(column.type)
        return done

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tables)


def _whole(array: Any) -> Any:
    """One array of what may be in chunks."""
    import pyarrow as pa

    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array

"""Links between named pages: pages are numbered in byte order of their names.

In memory, each name is kept once per few MiB of links that use it, plus 8 bytes per link. Beyond `memory` (by default
half the machine's) the pairs go through DuckDB on disk: distinct names are sorted, then each pair is joined with the
numbers of its two names. Both ways give the same web. If pairs say whether they are marked nofollow, a link is nofollow
if all its pairs are.

Columns come as rows of pages in any order; if a page has several rows, the smallest or largest value counts. A row may
make its URL a page, or only describe a URL that is a page for another reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import chunk_of
from seedbed.common.memory import machine_memory
from seedbed.common.spill import Spill
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.nofollow import MarksBuilder
from seedbed.sources.read_options import ReadOptions
from seedbed.urls.url_table import BadUrl, UrlTable

_NAMES_PER_CHUNK = 1 << 16
_COPIES = 3
"""Names and numbers are held once, again while they are joined, and once more as the web."""


class Column(NamedTuple):
    """A column: how several rows of a page are combined, the value of pages without a row, its final type."""

    name: str
    take: Literal["min", "max"] = "max"
    without: int = 0
    type: Any = np.int32


class _PageRows:
    """Takes rows of (url, makes_page, value, …) as Arrow tables."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        self._columns = tuple(columns)
        self._tables: list[Any] = []
        self._spill: Spill | None = None

    def table(self, urls: Any, makes_page: Any, values: Mapping[str, Any]) -> Any:
        """Rows as a table: `urls` as Arrow strings, `makes_page` as a boolean for each or for all."""
        import pyarrow as pa

        flags = pa.array(np.broadcast_to(np.asarray(makes_page, np.bool_), len(urls)))
        numbers = {column.name: pa.array(np.asarray(values[column.name], np.int64)) for column in self._columns}
        return pa.table({"url": urls.cast(pa.large_string()), "makes_page": flags, **numbers})

    def add(self, table: Any) -> int:
        """Add rows; the bytes they take in memory."""
        self._tables.append(table)
        if self._spill is not None:
            self.spill_to(self._spill)
        return int(table.nbytes)

    def names(self) -> list[Any]:
        """The URLs that are pages, one dictionary array per table that has any."""
        chosen = (table.filter(table["makes_page"])["url"].combine_chunks() for table in self._tables)
        return [_whole(urls).dictionary_encode() for urls in chosen if len(urls)]

    def values(self, names: Any) -> dict[str, NDArray[Any]]:
        """The columns of the pages with these URLs, in the same order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._tables or not self._columns:
            return self._filled(len(names), [])
        taken = [(column.name, column.take) for column in self._columns]
        table = pa.concat_tables(self._tables).group_by("url").aggregate(taken)
        self._tables.clear()
        pages = pc.index_in(table["url"], value_set=names)
        table = table.drop_columns("url").append_column("page", pages).filter(pc.is_valid(pages))
        return self._filled(len(names), [[table["page"], *(table[f"{name}_{take}"] for name, take in taken)]])

    def spill_to(self, spill: Spill) -> None:
        """Move all rows to the table `seen` on disk, now and in future."""
        if self._spill is None:
            self._spill = spill
            numbers = "".join(f", {column.name} bigint" for column in self._columns)
            spill.run(f"create table seen (url varchar, makes_page boolean{numbers})")
        while self._tables:
            spill.insert("seen", self._tables.pop())

    def values_on_disk(self, spill: Spill, pages: int) -> dict[str, NDArray[Any]]:
        """The columns, from the tables `seen` and `names`."""
        taken = "".join(f", {column.take}({column.name})" for column in self._columns)
        query = f"select page{taken} from seen join names on url = name group by page"  # noqa: S608 - names are our own
        return self._filled(pages, (batch.columns for batch in spill.batches(query)) if self._columns else [])

    def _filled(self, pages: int, found: Iterable[Sequence[Any]]) -> dict[str, NDArray[Any]]:
        """The columns of all pages; `found`: batches of pages with the values of each column."""
        made = {column.name: np.full(pages, column.without, column.type) for column in self._columns}
        for at, *columns in found:
            for column, values in zip(self._columns, columns, strict=True):
                made[column.name][at.to_numpy()] = values.to_numpy().astype(column.type)
        return made


def _whole(array: Any) -> Any:
    """A possibly chunked array as one array."""
    import pyarrow as pa

    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def coded(sources: Any, targets: Any) -> Any:
    """Two Arrow arrays of strings as one, the sources and then the targets, with each name stored once."""
    import pyarrow as pa

    return pa.concat_arrays([sources, targets]).dictionary_encode()


def _coded_type() -> Any:
    import pyarrow as pa

    return pa.dictionary(pa.int32(), pa.large_string())


class NamedLinks:
    """Collects pairs of names, and rows that describe pages, and builds a web."""

    def __init__(self, options: ReadOptions, columns: Sequence[Column] = (), *, knows_nofollow: bool = False) -> None:
        self._options = options
        self._rows = _PageRows(columns)
        self._memory = machine_memory() // 2 if options.memory is None else options.memory
        self._knows_nofollow = knows_nofollow
        self._held: list[tuple[Any, Any]] = []
        self._bytes = 0
        self._named = False
        self._spill: Spill | None = None

    def add(self, ends: Any, marked: Any = None) -> None:
        """Add links, as returned by coded(); `marked`, a boolean Arrow array: which of them are nofollow."""
        marked = _unmarked(len(ends) // 2) if marked is None else marked
        self._held.append((ends, marked))
        self._named |= len(ends) > 0
        self._bytes += ends.nbytes + marked.nbytes
        self._make_room()

    def add_pages(self, urls: Any, values: Mapping[str, Any], makes_page: Any = True) -> None:
        """Add values for pages; if `makes_page` is false, only for those that other rows or links name."""
        import pyarrow.compute as pc

        table = self._rows.table(urls, makes_page, values)
        self._named |= pc.any(table["makes_page"]).as_py() or False
        self._bytes += self._rows.add(table)
        self._make_room()

    @property
    def empty(self) -> bool:
        """Whether there is neither a link nor a page."""
        return not self._named

    def _make_room(self) -> None:
        if self._spill is None and _COPIES * self._bytes > self._memory:
            self._spill = Spill(self._memory, self._options.scratch)
            self._spill.run("create table pairs (source varchar, target varchar, marked boolean)")
            self._rows.spill_to(self._spill)
        while self._spill is not None and self._held:
            self._put(self._spill, *self._held.pop())

    def _put(self, spill: Spill, ends: Any, marked: Any) -> None:
        import pyarrow as pa

        names = ends.dictionary_decode()
        half = len(names) // 2
        spill.insert("pairs", pa.table({"source": names[:half], "target": names[half:], "marked": marked}))

    def web(self, path: Path, kind: str, notes: Sequence[str] = (), *, may_be_empty: bool = False) -> Web:
        """The web of all links. Nothing can be added after this."""
        if self.empty and not may_be_empty:
            raise InputError(f"{path}: no links in it.")
        try:
            if self._spill is None:
                return self._in_memory(path, kind, notes)
            return self._on_disk(self._spill, path, kind, notes)
        except BadUrl as wrong:
            raise InputError(f"{path}: {wrong}") from None

    def _urls(self, names: Iterator[Any]) -> UrlTable:
        return UrlTable.build(map(chunk_of, names), memory=self._options.memory, scratch=self._options.scratch)

    def _in_memory(self, path: Path, kind: str, notes: Sequence[str]) -> Web:
        import pyarrow as pa
        import pyarrow.compute as pc

        marked = [marked for _, marked in self._held]
        ends = pa.chunked_array([ends for ends, _ in self._held] + self._rows.names(), _coded_type())
        ends = ends.unify_dictionaries()
        self._held.clear()
        names = ends.chunk(0).dictionary if ends.num_chunks else pa.array([], pa.large_string())
        order = pc.array_sort_indices(names)
        page_of = np.empty(len(names), np.int64)
        page_of[order.to_numpy()] = np.arange(len(names))
        urls = self._urls(names.take(order[k : k + _NAMES_PER_CHUNK]) for k in range(0, len(names), _NAMES_PER_CHUNK))
        builder = self._options.builder(len(urls))
        for chunk in ends.chunks[: len(marked)]:
            builder.add(*_pairs(chunk, page_of))
        marks = self._marks_in_memory(ends.chunks, marked, page_of) if self._knows_nofollow else None
        columns = self._rows.values(names.take(order))
        return self._options.web(path, kind, builder, urls=urls, columns=columns, notes=notes, nofollow=marks)

    def _marks_in_memory(self, ends: list[Any], marked: list[Any], page_of: NDArray[np.int64]) -> MarksBuilder:
        import pyarrow.compute as pc

        marks = self._options.marks_builder()
        for chunk, chosen in zip(ends, marked, strict=False):
            marks.add(*_pairs(chunk, page_of, chosen))
        for chunk, chosen in () if marks.is_empty else zip(ends, marked, strict=False):
            marks.strike(*_pairs(chunk, page_of, pc.invert(chosen)))
        return marks

    def _on_disk(self, spill: Spill, path: Path, kind: str, notes: Sequence[str]) -> Web:
        spill.run(
            "create table names as select name, row_number() over (order by name) - 1 as page "
            "from (select source as name from pairs union select target from pairs "
            "union select url from seen where makes_page)"
        )
        urls = self._urls(batch.column(0) for batch in spill.batches("select name from names order by page"))
        builder = self._options.builder(len(urls))
        for batch in spill.batches(
            "select a.page, b.page from pairs join names a on source = a.name join names b on target = b.name"
        ):
            builder.add(batch.column(0).to_numpy(), batch.column(1).to_numpy())
        marks = self._marks_on_disk(spill) if self._knows_nofollow else None
        columns = self._rows.values_on_disk(spill, len(urls))
        spill.close()
        return self._options.web(path, kind, builder, urls=urls, columns=columns, notes=notes, nofollow=marks)

    def _marks_on_disk(self, spill: Spill) -> MarksBuilder:
        # Only pairs that are marked somewhere are grouped: they are few compared with the others.
        marks = self._options.marks_builder()
        for batch in spill.batches(
            "with somewhere as (select distinct source, target from pairs where marked), everywhere as ("
            "select source, target from pairs semi join somewhere using (source, target) "
            "group by source, target having bool_and(marked)) "
            "select a.page, b.page from everywhere join names a on source = a.name join names b on target = b.name"
        ):
            marks.add(batch.column(0).to_numpy(), batch.column(1).to_numpy())
        return marks


def _pairs(ends: Any, page_of: NDArray[np.int64], chosen: Any = None) -> NDArray[np.int64]:
    """The pages at the ends of all links, or of the chosen ones: their sources, their targets."""
    names = ends.indices.to_numpy().reshape(2, -1)
    return page_of[names if chosen is None else names[:, chosen.to_numpy(zero_copy_only=False)]]


def _unmarked(links: int) -> Any:
    import pyarrow as pa

    return pa.array(np.zeros(links, np.bool_))

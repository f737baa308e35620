"""Links between named pages: pages are numbered in byte order of their names.

In memory, each name is kept once per few MiB of links that use it, plus 8 bytes per link. Beyond `memory` (by default
half the machine's) the pairs go through DuckDB on disk: distinct names are sorted, then each pair is joined with the
numbers of its two names. Both ways give the same web. If pairs say whether they are marked nofollow, a link is nofollow
if all its pairs are.

Columns come as rows of pages in any order; if a page has several rows, the smallest or largest value counts. A row may
make its URL a page, or only describe a URL that is a page for another reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, chunk_of
from seedbed.common.spill import Spill
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.nofollow import MarksBuilder
from seedbed.sources.read_options import ReadOptions
from seedbed.urls.url_table import BadUrl, UrlTable

_NAMES_PER_CHUNK = 1 << 16
_COPIES = 3
"""Names and numbers are held once, again while they are joined, and once more as the web."""


_Found = tuple[UrlTable, LinkBuilder, MarksBuilder | None, dict[str, NDArray[Any]]]


class Column(NamedTuple):
    """A column: how several rows of a page are combined, the value of pages without a row, its final type.

    `if_known`: left out if all pages have the value of those without a row.
    """

    name: str
    take: Literal["min", "max"] = "max"
    without: int = 0
    type: Any = np.int32
    if_known: bool = False


def coded(sources: Any, targets: Any) -> Any:
    """Two Arrow arrays of strings as one, the sources and then the targets, with each name stored once."""
    import pyarrow as pa

    return pa.concat_arrays([sources, targets]).dictionary_encode()


class NamedLinks:
    """Collects pairs of names, and rows that describe pages, (url, makes_page, value, …), and builds a web."""

    def __init__(self, options: ReadOptions, columns: Sequence[Column] = (), *, knows_nofollow: bool = False) -> None:
        self._options = options
        self._columns = columns
        self._memory = options.allowed_memory
        self._knows_nofollow = knows_nofollow
        self._held: list[tuple[Any, Any]] = []
        self._rows: list[Any] = []
        self._bytes = 0
        self._spill: Spill | None = None
        self.empty = True
        """Whether there is neither a link nor a page."""

    def add(self, ends: Any, marked: Any = None) -> None:
        """Add links, as returned by coded(); `marked`, a boolean Arrow array: which of them are nofollow."""
        import pyarrow as pa

        marked = pa.array(np.zeros(len(ends) // 2, np.bool_)) if marked is None else marked
        self._held.append((ends, marked))
        self._make_room(ends.nbytes + marked.nbytes, names=len(ends))

    def add_pages(self, urls: Any, values: Mapping[str, Any], makes_page: Any = True) -> None:
        """Add values for pages; if `makes_page` is false, only for those that other rows or links name."""
        import pyarrow as pa

        flags = np.broadcast_to(np.asarray(makes_page, np.bool_), len(urls))
        numbers = {column.name: pa.array(np.asarray(values[column.name], np.int64)) for column in self._columns}
        rows = pa.table({"url": urls.cast(pa.large_string()), "makes_page": pa.array(flags), **numbers})
        self._rows.append(rows)
        self._make_room(rows.nbytes, names=int(np.count_nonzero(flags)))

    def _make_room(self, size: int, names: int) -> None:
        """Count what was added; beyond the memory allowed, everything goes to disk, now and in future."""
        import pyarrow as pa

        self.empty &= names == 0
        self._bytes += size
        if self._spill is None and _COPIES * self._bytes > self._memory:
            self._spill = Spill(self._memory, self._options.scratch)
            self._spill.run("create table pairs (source varchar, target varchar, marked boolean)")
            numbers = "".join(f", {column.name} bigint" for column in self._columns)
            self._spill.run(f"create table seen (url varchar, makes_page boolean{numbers})")
        while self._spill is not None and self._held:
            ends, marked = self._held.pop()
            sources, targets = (ends[: len(marked)].dictionary_decode(), ends[len(marked) :].dictionary_decode())
            self._spill.insert("pairs", pa.table({"source": sources, "target": targets, "marked": marked}))
        while self._spill is not None and self._rows:
            self._spill.insert("seen", self._rows.pop())

    def web(self, path: Path, kind: str, notes: Sequence[str] = (), *, may_be_empty: bool = False) -> Web:
        """The web of all links. Nothing can be added after this."""
        if self.empty and not may_be_empty:
            raise InputError(f"{path}: no links in it.")
        try:
            found = self._in_memory() if self._spill is None else self._on_disk(self._spill)
        except BadUrl as wrong:
            raise InputError(f"{path}: {wrong}") from None
        urls, builder, marks, columns = found
        return self._options.web(path, kind, builder, urls=urls, columns=columns, notes=notes, nofollow=marks)

    def _in_memory(self) -> _Found:
        import pyarrow as pa
        import pyarrow.compute as pc

        marked = [marked for _, marked in self._held]
        pages = (table.filter(table["makes_page"])["url"].dictionary_encode() for table in self._rows)
        coded_type = pa.dictionary(pa.int32(), pa.large_string())
        chunks = [ends for ends, _ in self._held] + [chunk for urls in pages for chunk in urls.chunks]
        ends = pa.chunked_array(chunks, coded_type).unify_dictionaries()
        self._held.clear()
        names = ends.chunk(0).dictionary if ends.num_chunks else pa.array([], pa.large_string())
        order = pc.array_sort_indices(names)
        page_of = np.empty(len(names), np.int64)
        page_of[order.to_numpy()] = np.arange(len(names))
        starts = range(0, len(names), _NAMES_PER_CHUNK)
        urls = self._options.url_table(chunk_of(names.take(order[k : k + _NAMES_PER_CHUNK])) for k in starts)
        builder = self._options.builder(len(urls))
        for chunk in ends.chunks[: len(marked)]:
            builder.add(*_pairs(chunk, page_of))
        marks = self._options.marks_builder() if self._knows_nofollow else None
        if marks is not None:
            for chunk, chosen in zip(ends.chunks, marked, strict=False):
                marks.add(*_pairs(chunk, page_of, chosen))
        if marks is not None and not marks.is_empty:
            for chunk, chosen in zip(ends.chunks, marked, strict=False):
                marks.strike(*_pairs(chunk, page_of, pc.invert(chosen)))
        return urls, builder, marks, self._values(names.take(order))

    def _values(self, names: Any) -> dict[str, NDArray[Any]]:
        """The columns of the pages with these URLs, in the same order."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not self._rows or not self._columns:
            return self._filled(len(names), [])
        taken = [(column.name, column.take) for column in self._columns]
        table = pa.concat_tables(self._rows).group_by("url").aggregate(taken)
        self._rows.clear()
        pages = pc.index_in(table["url"], value_set=names)
        table = table.drop_columns("url").append_column("page", pages).filter(pc.is_valid(pages))
        return self._filled(len(names), [[table["page"], *(table[f"{name}_{take}"] for name, take in taken)]])

    def _on_disk(self, spill: Spill) -> _Found:
        spill.run(
            "create table names as select name, row_number() over (order by name) - 1 as page "
            "from (select source as name from pairs union select target from pairs "
            "union select url from seen where makes_page)"
        )
        in_order = spill.batches("select name from names order by page")
        urls = self._options.url_table(chunk_of(batch.column(0)) for batch in in_order)
        to_pages = "select a.page, b.page from {} join names a on source = a.name join names b on target = b.name"
        builder, marks = self._options.builder(len(urls)), None
        for batch in spill.batches(to_pages.format("pairs")):
            builder.add(*map(np.asarray, batch.columns))
        if self._knows_nofollow:
            marks = self._options.marks_builder()
            # Only pairs that are marked somewhere are grouped: they are few compared with the others.
            spill.run(
                "create table nofollow as select source, target from pairs semi join "
                "(select distinct source, target from pairs where marked) using (source, target) "
                "group by source, target having bool_and(marked)"
            )
            for batch in spill.batches(to_pages.format("nofollow")):
                marks.add(*map(np.asarray, batch.columns))
        taken = "".join(f", {column.take}({column.name})" for column in self._columns)
        query = f"select page{taken} from seen join names on url = name group by page"  # noqa: S608 - names are our own
        columns = self._filled(len(urls), (batch.columns for batch in spill.batches(query)) if self._columns else [])
        spill.close()
        return urls, builder, marks, columns

    def _filled(self, pages: int, found: Iterable[Sequence[Any]]) -> dict[str, NDArray[Any]]:
        """The columns of all pages; `found`: batches of pages with the values of each column."""
        made = {column.name: np.full(pages, column.without, column.type) for column in self._columns}
        for at, *columns in found:
            for column, values in zip(self._columns, columns, strict=True):
                made[column.name][at.to_numpy()] = values.to_numpy().astype(column.type)
        unknown = [one.name for one in self._columns if one.if_known and (made[one.name] == one.without).all()]
        return {name: values for name, values in made.items() if name not in unknown}


def _pairs(ends: Any, page_of: Ints, chosen: Any = None) -> Ints:
    """The pages at the ends of all links, or of the chosen ones: their sources, their targets."""
    names = ends.indices.to_numpy().reshape(2, -1)
    return page_of[names if chosen is None else names[:, chosen.to_numpy(zero_copy_only=False)]]

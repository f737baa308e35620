"""Parquet: one file, or a folder of them, with two columns of page ids or of URLs, one link per row.

The columns are those named from and to, source and target, src and dst and so on, or else the first two. A third one,
`nofollow`, may be true or false for each link; if all files have it, the web knows which links are nofollow.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from seedbed.common.arrays import page_dtype
from seedbed.common.outputs import WEB
from seedbed.common.parquet_files import batches, opened_parquet, parquet_writer, plain_errors
from seedbed.common.sidecar import parquet_metadata
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.links.link_builder import BadPair
from seedbed.sources.format import Format
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_in
from seedbed.sources.named_links import NamedLinks, coded
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.text_tables import link_columns
from seedbed.sources.writing import WriteJob

_MAGIC = b"PAR1"
_NOFOLLOW = "nofollow"


def detect(head: Head) -> bool:
    """Whether the file, or every file in the folder, starts like Parquet."""
    return bool(head.files) and all(head.of(file).raw.startswith(_MAGIC) for file in head.files)


def read(path: Path, options: ReadOptions) -> Web:
    """The web of these links."""
    files = [path] if path.is_file() else files_in(path)
    if not files:
        raise InputError(f"{path}: no Parquet file here.")
    ends = [ends_of(file) for file in files]
    if len({end.of_ids for end in ends}) > 1:
        raise InputError(f"{path}: some of its files link page ids and some URLs; expected one kind.")
    if not all(end.marks for end in ends):
        ends = [end._replace(marks=False) for end in ends]
    if ends[0].of_ids:
        return _read_ids(path, ends, options)
    import pyarrow as pa

    links = NamedLinks(options, knows_nofollow=ends[0].marks)
    for _, _, (sources, targets, *marked) in link_batches(ends, pa.large_string()):
        links.add(coded(sources, targets), *marked)
    return links.web(path, "parquet")


class LinkEnds(NamedTuple):
    """The two columns of a file that hold the ends of links; `marks`: a third one says whether they are nofollow."""

    file: Path
    names: tuple[str, str]
    of_ids: bool
    marks: bool


def ends_of(file: Path) -> LinkEnds:
    """Which columns of a file hold its links."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with plain_errors(file):
        schema = pq.read_schema(file)
    if len(schema.names) < 2 or len(set(schema.names)) < len(schema.names):
        raise InputError(f"{file}: its columns are {schema.names}, expected at least two, of different names.")
    columns = link_columns(schema.names)
    types = [schema.types[k] for k in columns]
    values = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in types]
    of_ids = [pa.types.is_integer(kind) for kind in values]
    of_names = [kind in (pa.string(), pa.large_string(), pa.string_view()) for kind in values]
    names = (schema.names[columns[0]], schema.names[columns[1]])
    if not (all(of_ids) or all(of_names)):
        raise InputError(
            f"{file}: the columns {names[0]!r} and {names[1]!r} hold {types[0]} and {types[1]}, "
            "expected whole numbers or strings in both."
        )
    marks = _NOFOLLOW in schema.names and pa.types.is_boolean(schema.field(_NOFOLLOW).type)
    return LinkEnds(file, names, all(of_ids), marks)


def _read_ids(path: Path, ends: list[LinkEnds], options: ReadOptions) -> Web:
    import pyarrow as pa

    builder, marks = options.builder(), options.marks_builder() if ends[0].marks else None
    for file, row, columns in link_batches(ends, pa.int64()):
        sources, targets, *marked = map(np.asarray, columns)
        try:
            builder.add(sources, targets)
        except BadPair as error:
            raise InputError(f"{file}, row {row + error.index + 1}: {error}") from None
        if marks is not None:
            marks.add(sources[marked[0]], targets[marked[0]])
    if builder.is_empty:
        raise InputError(f"{path}: no links in it.")
    if marks is not None and not marks.is_empty:
        # The files are read again, because a link marked in one row may be unmarked in another.
        for _, _, columns in link_batches(ends, pa.int64()):
            sources, targets, chosen = map(np.asarray, columns)
            marks.strike(sources[~chosen], targets[~chosen])
    return options.web(path, "parquet", builder, nofollow=marks)


def link_batches(ends: list[LinkEnds], kind: Any, *, coded: bool = False) -> Iterator[tuple[Path, int, list[Any]]]:
    """Each batch as its file, its first row and its columns, without nulls; the ends of links have the given type.

    `coded`: that is a dictionary's.
    """
    for file, names, _, marks in ends:
        row = 0
        wanted = [*names, _NOFOLLOW] if marks else [*names]
        with opened_parquet(file) as data:
            for batch in batches(file, data, wanted, coded=coded):
                columns = [batch.column(name).cast(kind) for name in names]
                columns += [batch.column(_NOFOLLOW)] if marks else []
                for name, column in zip(wanted, columns, strict=True):
                    if column.null_count:
                        null = row + column.is_null().index(True).as_py() + 1
                        raise InputError(f"{file}, row {null}: {name!r} is null; every link needs a value there.")
                yield file, row, columns
                row += batch.num_rows


def write(job: WriteJob) -> None:
    """Write one link per row, by page ids, and whether it is nofollow if that is known."""
    import pyarrow as pa

    web, pages = job.web, 0
    page = pa.from_numpy_dtype(np.dtype(page_dtype(web.page_count)))
    fields = {"from": page, "to": page} | ({} if web.nofollow is None else {_NOFOLLOW: pa.bool_()})
    schema = pa.schema(fields, metadata=parquet_metadata(WEB, {"source": web.origin.source}))
    with parquet_writer(job.files[0], schema) as writer:
        for block in job.blocks():
            sources = block.sources.astype(block.out_idx.dtype, copy=False)
            columns = [sources, block.out_idx] + ([] if web.nofollow is None else [web.nofollow.in_block(block)])
            writer.write_table(pa.Table.from_arrays([pa.array(column) for column in columns], schema=schema))
            if len(sources):
                pages = max(pages, int(sources[-1]) + 1, int(block.out_idx.max()) + 1)
    job.written_up_to(pages)


FORMAT = Format(
    name="parquet",
    meaning="two columns of ids or URLs",
    detect=detect,
    read=read,
    write=write,
    endings=(".parquet",),
    compressed=False,
    holds=("nofollow",),
    raw_urls=True,
)

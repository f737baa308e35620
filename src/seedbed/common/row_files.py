"""Results as files of rows: .txt (URLs only), .jsonl, .csv or .parquet, depending on the file ending.

In .txt and .csv, URL characters that could end a line are percent-encoded; .jsonl and .parquet keep URLs unchanged.
A sidecar (hidden for .txt) or the Parquet metadata records how the rows were made. A file appears only once it is
complete.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.common.messages import safe_url, safe_urls, visible
from seedbed.common.outputs import Kind, written_output
from seedbed.common.parquet_files import parquet_writer
from seedbed.common.sidecar import parquet_metadata
from seedbed.errors import unknown

Row = dict[str, Any]
_URLS = ("url", "old_url")


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """Refuse a file ending that cannot be written."""
    if path.suffix not in endings:
        raise unknown("file ending", path.suffix, endings)


def write_rows(
    path: Path,
    kind: Kind,
    rows: Sequence[Row],
    columns: Mapping[str, str],
    made: Mapping[str, Any],
    *,
    overwrite: bool = False,
) -> None:
    """Write rows. `columns`: their names and Arrow types in Parquet; `made`: how the rows were made."""
    import pyarrow as pa

    with written_output(path, kind, made, hidden=path.suffix == ".txt", overwrite=overwrite) as work:
        if path.suffix == ".parquet":
            schema = pa.schema([(name, pa.type_for_alias(alias)) for name, alias in columns.items()])
            table = pa.Table.from_pylist(list(rows), schema=schema)
            _write_arrow(work / path.name, iter([table]), parquet_metadata(kind, made))
        else:
            (work / path.name).write_text(_TEXTS[path.suffix](rows, columns), "utf-8", newline="")


def write_tables(
    path: Path, kind: Kind, tables: Iterator[Any], made: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Write Arrow tables with the same columns one after another, for results that may not fit in memory as rows."""
    with written_output(path, kind, made, overwrite=overwrite) as work:
        if path.suffix == ".jsonl":
            with (work / path.name).open("w", encoding="utf-8") as file:
                for table in tables:
                    file.write(json_lines(table.to_pylist()))
        else:
            _write_arrow(work / path.name, tables, parquet_metadata(kind, made))


def _write_arrow(path: Path, tables: Iterator[Any], metadata: Mapping[str, str]) -> None:
    from pyarrow import csv as arrow_csv

    lines = path.suffix == ".csv"
    tables = map(_one_line_urls, tables) if lines else tables
    first = next(tables)
    schema = first.schema.with_metadata(metadata)
    opened: Any = arrow_csv.CSVWriter(path, schema) if lines else parquet_writer(path, schema)
    with opened as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


def _one_line_urls(table: Any) -> Any:
    if "url" not in table.column_names:
        return table
    place = table.column_names.index("url")
    return table.set_column(place, "url", safe_urls(table.column(place).combine_chunks()))


def url_lines(rows: Iterable[Row], columns: Iterable[str] = ()) -> str:
    """URLs, one per line."""
    return "".join(f"{safe_url(row['url'])}\n" for row in rows)


def json_lines(rows: Iterable[Row], columns: Iterable[str] = ()) -> str:
    """JSON objects, one per line."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def csv_lines(rows: Iterable[Row], columns: Iterable[str]) -> str:
    """A table with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(name, row[name]) for name in columns} for row in rows)
    return text.getvalue()


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return safe_url(value) if name in _URLS else visible(value)


_TEXTS = {".txt": url_lines, ".jsonl": json_lines, ".csv": csv_lines}

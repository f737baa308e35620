"""Rows about seeds as .txt (URLs only), .jsonl, .csv or .parquet, one row a line: a URL cannot end its own.

In .txt and .csv, characters of a URL that could end a line are percent-encoded; .jsonl and .parquet hold it as it is.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.common.messages import safe_url, visible
from seedbed.common.outputs import SEEDS, written_output
from seedbed.common.parquet_files import write_parquet
from seedbed.common.sidecar import parquet_metadata

Row = dict[str, Any]
_URLS = ("url", "old_url")
_NUMBERS = {"rank": "int64", "id": "int64", "score": "float64", "confidence": "float64"}


def write_rows(
    path: Path, rows: Sequence[Row], columns: Sequence[str], made: Mapping[str, Any], *, overwrite: bool = False
) -> None:
    """Write rows, and how they were made: in a sidecar, hidden beside .txt, or in the metadata of Parquet."""
    with written_output(path, SEEDS, made, hidden=path.suffix == ".txt", overwrite=overwrite) as work:
        if path.suffix == ".parquet":
            _write_parquet(work / path.name, rows, columns, made)
        else:
            (work / path.name).write_text(TEXTS[path.suffix](rows, columns), "utf-8", newline="")


def text_lines(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """URLs, one a line."""
    return "".join(f"{safe_url(row['url'])}\n" for row in rows)


def json_lines(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """A JSON object a line."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def csv_lines(rows: Iterable[Row], columns: Sequence[str]) -> str:
    """A table with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(name, row[name]) for name in columns} for row in rows)
    return text.getvalue()


def _cell(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return safe_url(value) if name in _URLS else visible(value)


def _write_parquet(path: Path, rows: Sequence[Row], columns: Sequence[str], made: Mapping[str, Any]) -> None:
    import pyarrow as pa

    fields = [(name, pa.type_for_alias(_NUMBERS.get(name, "string"))) for name in columns]
    schema = pa.schema(fields, metadata=parquet_metadata(SEEDS, made))
    write_parquet(pa.Table.from_pylist(list(rows), schema=schema), path)


TEXTS = {".txt": text_lines, ".jsonl": json_lines, ".csv": csv_lines}

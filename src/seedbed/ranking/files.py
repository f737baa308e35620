"""The scores of all pages in a file: .csv, .jsonl or .parquet by ending, in page order, as a stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.errors import unknown
from seedbed.graph.arrow import arrow_strings
from seedbed.graph.files import moved_into

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seedbed.graph.web import Web
    from seedbed.ranking.result import Ranking

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES_PER_TABLE = 1 << 15


def check_ending(path: Path) -> None:
    """Refuse files of a kind that is not written."""
    if path.suffix not in ENDINGS:
        raise unknown("ending of a ranking", path.suffix, ENDINGS)


def write_ranking(web: Web, ranking: Ranking, path: Path) -> None:
    """Columns id, url (where known) and score; how they were computed stands in Parquet's metadata."""
    check_ending(path)
    with moved_into(path.parent) as work:
        tables = _tables(web, ranking)
        if path.suffix == ".jsonl":
            with (work / path.name).open("w", encoding="utf-8") as file:
                for table in tables:
                    file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
            return
        _write_tables(work / path.name, tables, ranking)


def _write_tables(path: Path, tables: Iterator[Any], ranking: Ranking) -> None:
    from pyarrow import csv, parquet

    first = next(tables)
    made = {"by": ranking.name, "iterations": ranking.iterations, "error_bound": ranking.error_bound}
    schema = first.schema.with_metadata({"seedbed": json.dumps(made)})
    writer: Any = csv.CSVWriter(path, schema) if path.suffix == ".csv" else parquet.ParquetWriter(path, schema)
    with writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


def _tables(web: Web, ranking: Ranking) -> Iterator[Any]:
    import pyarrow as pa

    for start in range(0, max(web.page_count, 1), PAGES_PER_TABLE):
        pages = np.arange(start, min(start + PAGES_PER_TABLE, web.page_count))
        columns: dict[str, Any] = {"id": pages}
        if web.urls is not None:
            columns["url"] = arrow_strings(web.urls.pick(pages))
        columns["score"] = ranking.scores[pages]
        yield pa.table(columns)

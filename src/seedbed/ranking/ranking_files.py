"""The scores of all pages in a file: .csv, .jsonl or .parquet by ending, in page order, as a stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.common.messages import safe_urls
from seedbed.common.outputs import RANKING, written_output
from seedbed.common.parquet_files import parquet_writer, plain_errors, read_parquet
from seedbed.common.sidecar import how_made, parquet_metadata
from seedbed.errors import InputError, unknown
from seedbed.ranking.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from seedbed.graph.web import Web

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES_PER_TABLE = 1 << 15


def check_ending(path: Path) -> None:
    """Refuse files of a kind that is not written."""
    if path.suffix not in ENDINGS:
        raise unknown("ending of a ranking", path.suffix, ENDINGS)


def write_ranking(web: Web | None, ranking: Ranking, path: Path, *, overwrite: bool = False) -> None:
    """Columns id, url (where known) and score; how they were computed stands in the sidecar, or Parquet's metadata."""
    check_ending(path)
    made = {
        "by": ranking.name,
        "iterations": ranking.iterations,
        "error_bound": ranking.error_bound,
        "converged": ranking.converged,
        "web": "" if web is None else web.origin.source,
    }
    with written_output(path, RANKING, made, overwrite=overwrite) as work:
        tables = _tables(web, ranking, lines=path.suffix == ".csv")
        if path.suffix == ".jsonl":
            with (work / path.name).open("w", encoding="utf-8") as file:
                for table in tables:
                    file.writelines(json.dumps(row) + "\n" for row in table.to_pylist())
        else:
            _write_tables(work / path.name, tables, made)


def load_ranking(path: Path, web: Web | None = None) -> Ranking:
    """The ranking in a file that write_ranking() wrote; with the web it is of, if that is at hand."""
    made = how_made(path)
    if made is None:
        raise InputError(f"{path}: is not a ranking that seedbed wrote. Make one with: seedbed rank WEB --out {path}")
    with plain_errors(path):
        if path.suffix == ".parquet":
            table = read_parquet(path)
        else:
            from pyarrow import csv
            from pyarrow import json as lines

            table = csv.read_csv(path) if path.suffix == ".csv" else lines.read_json(path)
    scores = table.column("score").to_numpy().astype(np.float64)
    if web is not None and web.page_count != len(scores):
        raise InputError(f"{path}: ranks {len(scores):,} pages, and the web has {web.page_count:,}.")
    facts = {name: made[name] for name in ("iterations", "error_bound", "converged")}
    return Ranking(made["by"], scores, **facts, web=web)


def _write_tables(path: Path, tables: Iterator[Any], made: Mapping[str, Any]) -> None:
    from pyarrow import csv

    first = next(tables)
    schema = first.schema.with_metadata(parquet_metadata(RANKING, made))
    opened: Any = csv.CSVWriter(path, schema) if path.suffix == ".csv" else parquet_writer(path, schema)
    with opened as writer:
        writer.write_table(first)
        for table in tables:
            writer.write_table(table)


def _tables(web: Web | None, ranking: Ranking, *, lines: bool) -> Iterator[Any]:
    import pyarrow as pa

    count = len(ranking.scores)
    for start in range(0, max(count, 1), PAGES_PER_TABLE):
        pages = np.arange(start, min(start + PAGES_PER_TABLE, count))
        columns: dict[str, Any] = {"id": pages}
        if web is not None and web.urls is not None:
            urls = arrow_strings(web.urls.pick(pages))
            columns["url"] = safe_urls(urls) if lines else urls
        columns["score"] = ranking.scores[pages]
        yield pa.table(columns)

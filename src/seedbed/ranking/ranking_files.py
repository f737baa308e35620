"""The scores of all pages in a file: .csv, .jsonl or .parquet by extension, in page order, streamed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Flags, TextChunk, arrow_strings, chunk_of
from seedbed.common.outputs import RANKING
from seedbed.common.parquet_files import batches, opened_parquet, plain_errors, read_parquet
from seedbed.common.row_files import check_ending, write_tables
from seedbed.common.sidecar import described_by, how_made
from seedbed.errors import InputError, OptionError
from seedbed.ranking.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seedbed.graph.web import Web

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES_PER_TABLE = 1 << 15
Floats = NDArray[np.float64]


def write_ranking(web: Web | None, ranking: Ranking, path: Path, *, overwrite: bool = False) -> None:
    """Columns id, url (if known) and score; how they were computed is in the sidecar, or in Parquet's metadata."""
    check_ending(path, ENDINGS)
    made = {
        "by": ranking.name,
        "iterations": ranking.iterations,
        "error_bound": ranking.error_bound,
        "converged": ranking.converged,
        "web": "" if web is None else web.origin.source,
    }
    write_tables(path, RANKING, _tables(web, ranking), made, overwrite=overwrite)


def load_ranking(path: Path, web: Web | None = None) -> Ranking:
    """The ranking in a file that write_ranking() wrote, attached to its web if that is given."""
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
        raise InputError(f"{path}: ranks {len(scores):,} pages, but the web has {web.page_count:,}.")
    facts = {name: made[name] for name in ("iterations", "error_bound", "converged")}
    return Ranking(made["by"], scores, **facts, web=web)


def is_ranking(path: Path) -> bool:
    """Whether a file is a table with the columns url and score, or a ranking that seedbed wrote."""
    if path.suffix not in ENDINGS or not path.is_file():
        return False
    if {"url", "score"} <= set(columns_of(path)):
        return True
    described = described_by(path, path)
    return described is not None and described["kind"] == RANKING


def scored_urls(path: Path) -> Iterator[tuple[TextChunk, Floats]]:
    """The URLs and scores of a table, a batch at a time. Scores must be finite and not negative."""
    import pyarrow as pa

    columns = _columns(path)
    if missing := [name for name in ("url", "score") if name not in columns]:
        found = ", ".join(columns) or "none"
        raise InputError(
            f"{path}: has no column {' and no column '.join(missing)}; it has {found}. 'seedbed rank WEB --out FILE' "
            "writes both if the web has URLs."
        )
    _check_are_numbers(path, columns["score"])
    row = 0
    with plain_errors(path):
        for batch in _batches(path):
            urls, scores = (batch.column(name) for name in ("url", "score"))
            numbers = scores.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            _refuse(path, row, "url is missing", urls.is_null().to_numpy(zero_copy_only=False))
            _check_scores(path, row, numbers)
            row += len(numbers)
            yield chunk_of(urls), numbers


def scored_pages(ranking: Ranking) -> Iterator[tuple[TextChunk, Floats]]:
    """The same of a ranking in memory, which needs its web."""
    if ranking.web is None or ranking.web.urls is None:
        raise OptionError("the ranking has no URLs. Rank a web that has them, or load it with its web: load(path, web)")
    done = 0
    for urls in ranking.web.urls.chunks():
        scores = ranking.scores[done : done + len(urls[1]) - 1]
        _check_scores(ranking.name, done, scores)
        done += len(scores)
        yield urls, scores


def _check_scores(source: Path | str, row: int, scores: Floats) -> None:
    _refuse(source, row, "score is no finite number", ~np.isfinite(scores))
    _refuse(source, row, "score is negative", scores < 0)


def _refuse(source: Path | str, row: int, fault: str, wrong: Flags) -> None:
    if wrong.any():
        raise InputError(f"{source}, row {row + int(np.argmax(wrong)) + 1:,}: {fault}. Fix or remove that row.")


def _check_are_numbers(path: Path, kind: Any) -> None:
    from pyarrow import types

    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_null(kind)):
        raise InputError(f"{path}: the column score holds {kind}, expected numbers.")


def columns_of(path: Path) -> list[str]:
    """The names of a table's columns; none if it cannot be read as a table."""
    return list(_columns(path))


def _columns(path: Path) -> dict[str, Any]:
    """The columns of a table and their types; those of text are what its first block says."""
    import pyarrow as pa

    with plain_errors(path):
        if path.suffix == ".parquet":
            with opened_parquet(path) as file:
                return {field.name: field.type for field in file.schema_arrow}
        try:
            with _opened_text(path) as found:
                return {field.name: field.type for field in found.schema}
        except pa.ArrowInvalid:
            return {}


def _batches(path: Path) -> Iterator[Any]:
    if path.suffix == ".parquet":
        with opened_parquet(path) as file:
            yield from batches(path, file, ["url", "score"])
    else:
        with _opened_text(path, typed=True) as found:
            for batch in found:
                batch.validate(full=True)
                yield batch


def _opened_text(path: Path, *, typed: bool = False) -> Any:
    """A reader of record batches of a .csv or .jsonl file. `typed`: of url and score only, whatever the first say."""
    import pyarrow as pa
    from pyarrow import csv
    from pyarrow import json as lines

    types = {"url": pa.string(), "score": pa.float64()} if typed else {}
    if path.suffix == ".csv":
        return csv.open_csv(
            path, convert_options=csv.ConvertOptions(column_types=types, include_columns=list(types) or None)
        )
    schema, others = (pa.schema(types), "ignore") if typed else (None, "infer")
    return lines.open_json(
        path, parse_options=lines.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others)
    )


def _tables(web: Web | None, ranking: Ranking) -> Iterator[Any]:
    import pyarrow as pa

    count = len(ranking.scores)
    for start in range(0, max(count, 1), PAGES_PER_TABLE):
        pages = np.arange(start, min(start + PAGES_PER_TABLE, count))
        columns: dict[str, Any] = {"id": pages}
        if web is not None and web.urls is not None:
            columns["url"] = arrow_strings(web.urls.pick(pages))
        columns["score"] = ranking.scores[pages]
        yield pa.table(columns)

"""The scores of all pages in a file: .csv, .jsonl or .parquet by extension, in page order, streamed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.common.outputs import RANKING
from seedbed.common.parquet_files import plain_errors, read_parquet
from seedbed.common.row_files import check_ending, write_tables
from seedbed.common.sidecar import how_made
from seedbed.errors import InputError
from seedbed.ranking.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from seedbed.graph.web import Web

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES_PER_TABLE = 1 << 15


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

"""Runs in Parquet files: a row a page fetched, in that order; all else about the run stands in the file's metadata.

Columns: id, url (where the web has URLs), parent, depth, and score and tick where the run has them. They have
checksums.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import arrow_strings
from seedbed.common.outputs import RUN
from seedbed.common.parquet_files import read_parquet
from seedbed.common.row_files import check_ending, write_tables
from seedbed.crawling.run import Run, Samples
from seedbed.errors import InputError

if TYPE_CHECKING:
    from seedbed.graph.web import Web

ENDINGS = (".parquet",)
ROWS_PER_TABLE = 1 << 16
FACTS = ("order", "known", "failed", "refused", "guaranteed_mass", "oracle", "exhausted", "seconds", "options")


def save_run(run: Run, path: Path | str, *, overwrite: bool = False) -> None:
    """Write a run; the file appears when it is whole. `overwrite`: also over a file that is not a run."""
    path = Path(path)
    check_ending(path, ENDINGS)
    write_tables(path, RUN, _tables(run), _facts(run), overwrite=overwrite)


def _tables(run: Run) -> Iterator[Any]:
    import pyarrow as pa

    for start in range(0, max(len(run), 1), ROWS_PER_TABLE):
        yield pa.table(columns_of(run, slice(start, start + ROWS_PER_TABLE)))


def columns_of(run: Run, rows: slice) -> dict[str, Any]:
    """Some rows of a run, by column."""
    urls = None if run.web is None else run.web.urls
    columns: dict[str, Any] = {"id": run.pages[rows]}
    if urls is not None:
        columns["url"] = arrow_strings(urls.pick(run.pages[rows].astype(np.int64)))
    columns |= {"parent": run.parent[rows], "depth": run.depth[rows]}
    return columns | {name: one[rows] for name in ("score", "tick") if (one := getattr(run, name)) is not None}


def _facts(run: Run) -> dict[str, Any]:
    samples = {field.name: getattr(run.samples, field.name).tolist() for field in fields(Samples)}
    return {**{name: getattr(run, name) for name in FACTS}, "options": dict(run.options), "samples": samples}


def load_run(path: Path | str, web: Web | None = None) -> Run:
    """Read a run; with the web it was made on, if that is at hand."""
    try:
        table = read_parquet(Path(path))
        facts = json.loads((table.schema.metadata or {})[b"seedbed"])
        facts.pop("kind", None)
        samples = Samples(**{name: np.array(values) for name, values in facts.pop("samples").items()})
        columns = {name: table.column(name).to_numpy() for name in table.column_names if name != "url"}
        run = Run(pages=columns.pop("id"), samples=samples, web=web, **columns, **facts)
    except InputError as error:
        raise InputError(
            f"{error} It is not a run; make one with: seedbed crawl WEB --seeds FILE --out {path}"
        ) from None
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: is not a run. Make one with: seedbed crawl WEB --seeds FILE --out {path}") from None
    if web is not None and len(run) and int(run.pages.max()) >= web.page_count:
        raise InputError(
            f"{path}: is a run on another web; it has page {run.pages.max()}, this one {web.page_count} pages."
        )
    return run

"""Seeds in files: .txt (URLs), .jsonl, .csv, .parquet, by ending, each saying how the seeds were made; and read back.

How they were made stands in the first lines of text files (after #), in the file's metadata in Parquet. A file appears
in its place only when it is whole.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.errors import InputError, OptionError, unknown
from seedbed.graph.files import moved_into

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.result import Seeds

COLUMNS = ("rank", "url", "id", "host", "score", "strategy", "reason")
Row = dict[str, Any]


def rows_of(web: Web, seeds: Seeds) -> list[Row]:
    """A row a seed; URL and host are None where the web has none."""
    pages = seeds.pages
    urls = [None] * len(seeds) if web.urls is None else web.urls.many(pages)
    hosts: list[str | None] = [None] * len(seeds)
    if web.urls is not None or web.hosts is not None:
        sites = web.sites("host")
        hosts = [str(sites.names[int(host)]) for host in sites.of_page[pages]]
    return [
        {
            "rank": seed.rank,
            "url": url,
            "id": seed.page,
            "host": host,
            "score": seed.score,
            "strategy": seed.strategy,
            "reason": seed.reason,
        }
        for seed, url, host in zip(seeds, urls, hosts, strict=True)
    ]


def write_seeds(path: Path, rows: list[Row], made: Mapping[str, Any]) -> None:
    """Write rows, and how they were made."""
    if path.suffix not in WRITERS:
        raise unknown("ending of a seed file", path.suffix, WRITERS)
    if path.suffix == ".txt" and any(row["url"] is None for row in rows):
        raise OptionError(f"{path}: a text file lists URLs, and the web has none. Write .jsonl, .csv or .parquet.")
    with moved_into(path.parent) as work:
        WRITERS[path.suffix](work / path.name, rows, made)


def _header(made: Mapping[str, Any]) -> str:
    return f"# seedbed {json.dumps(made, sort_keys=True)}\n"


def _write_text(path: Path, rows: list[Row], made: Mapping[str, Any]) -> None:
    path.write_text(_header(made) + "".join(f"{row['url']}\n" for row in rows))


def _write_jsonl(path: Path, rows: list[Row], made: Mapping[str, Any]) -> None:
    lines = [json.dumps({"seedbed": dict(made)}, sort_keys=True), *(json.dumps(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def _write_csv(path: Path, rows: list[Row], made: Mapping[str, Any]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(_header(made) + text.getvalue())


def _write_parquet(path: Path, rows: list[Row], made: Mapping[str, Any]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema(
        [
            ("rank", pa.int64()),
            ("url", pa.string()),
            ("id", pa.int64()),
            ("host", pa.string()),
            ("score", pa.float64()),
            ("strategy", pa.string()),
            ("reason", pa.string()),
        ],
        metadata={"seedbed": json.dumps(made, sort_keys=True)},
    )
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), path)


WRITERS = {".txt": _write_text, ".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}


def read_pages(web: Web, path: Path) -> tuple[list[int], int]:
    """The pages that a seed file names, in its order, and how many of its entries the web does not have."""
    pages = [page for _, page in listed(web, path)]
    known = [page for page in pages if page >= 0]
    return list(dict.fromkeys(known)), len(pages) - len(known)


def listed(web: Web, path: Path) -> list[tuple[str | int, int]]:
    """The entries of a seed file as it gives them, URLs or ids, and the page of each, −1 where the web has none.

    Files as write_seeds() writes them, and plain lists of URLs or, for webs without URLs, of ids.
    """
    names = names_in(path)
    pages: list[int]
    if all(isinstance(name, int) for name in names):
        pages = [int(name) if 0 <= int(name) < web.page_count else -1 for name in names]
    elif web.urls is None:
        raise InputError(f"{path}: lists URLs, and the web has none. List page ids instead.")
    else:
        pages = web.urls.find_many([str(name) for name in names]).tolist()
    return list(zip(names, pages, strict=True))


def names_in(path: Path) -> list[str | int]:
    """The entries of a seed file, URLs or ids, in its order."""
    if path.suffix == ".parquet":
        from pyarrow import ArrowException, parquet

        try:
            rows = parquet.read_table(path).to_pylist()
        except ArrowException:
            raise InputError(f"{path}: is not a whole Parquet file. Was it cut off? Write it again.") from None
        return [_name(path, row) for row in rows]
    try:
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 at byte {error.start}. Save it as UTF-8.") from None
    if path.suffix == ".csv":
        return [_name(path, row) for row in csv.DictReader(lines)]
    if path.suffix == ".jsonl":
        rows = [_json(path, number, line) for number, line in enumerate(lines, 1)]
        return [_name(path, row) for row in rows if "seedbed" not in row]
    return [int(line) if line.strip().isdigit() else line.strip() for line in lines]


def _json(path: Path, number: int, line: str) -> Row:
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {number}: expected a JSON object, found {line[:40]!r}.")
    return row


def _name(path: Path, row: Mapping[str, Any]) -> str | int:
    if row.get("url"):
        return str(row["url"])
    try:
        return int(row["id"])
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path}: a row has neither a 'url' nor a numeric 'id'.") from None

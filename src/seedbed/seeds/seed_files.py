"""Seeds in files: .txt (URLs), .jsonl, .csv, .parquet, by extension; written and read back.

How they were made is in a sidecar (see common/sidecar.py), or in the file's own metadata in Parquet. Files of earlier
versions, which have it in their first line, are read too. A file appears in its place only when it is complete.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.common.memory import show_size
from seedbed.common.messages import raw_url
from seedbed.common.outputs import SEEDS
from seedbed.common.parquet_files import batches, opened_parquet
from seedbed.common.row_files import Row, check_ending, write_rows
from seedbed.common.sidecar import how_made
from seedbed.common.user_lists import MOST_BYTES, check_is_regular, numbered_lines
from seedbed.errors import InputError, OptionError
from seedbed.seeds.refresh.refreshed_seeds import LOST
from seedbed.seeds.seeds import Seed, Seeds

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.url_table import UrlTable

COLUMNS = {
    "rank": "int64",
    "url": "string",
    "id": "int64",
    "host": "string",
    "score": "float64",
    "strategy": "string",
    "reason": "string",
}
ENDINGS = (".txt", ".jsonl", ".csv", ".parquet")
MAX_DIGITS = 30


def rows_of(web: Web | None, seeds: Seeds) -> list[Row]:
    """One row per seed; URL and host are None if neither the web nor the seeds have them."""
    web, pages = web or seeds.web, seeds.pages
    urls = replace(seeds, web=web).urls
    hosts = [seed.host for seed in seeds]
    if web is not None and (web.urls is not None or web.hosts is not None):
        sites = web.sites("host")
        hosts = [str(sites.names[int(host)]) for host in sites.of_page[pages]]
    facts = (vars(seed) | {"id": seed.page} for seed in seeds)
    rows = (one | {"url": url, "host": host} for one, url, host in zip(facts, urls, hosts, strict=True))
    return [{name: row[name] for name in COLUMNS} for row in rows]


def write_seeds(path: Path, rows: list[Row], made: Mapping[str, Any], *, overwrite: bool = False) -> None:
    """Write rows, and how they were made."""
    check_ending(path, ENDINGS)
    if path.suffix == ".txt" and any(row["url"] is None for row in rows):
        raise _needs_urls(path)
    write_rows(path, SEEDS, rows, COLUMNS, made, overwrite=overwrite)


def check_urls(web: Web, path: Path) -> None:
    """Refuse a list of URLs for a web that has none."""
    if path.suffix == ".txt" and web.urls is None:
        raise _needs_urls(path)


def _needs_urls(path: Path) -> OptionError:
    return OptionError(f"{path}: a text file lists URLs, and the web has none. Write .jsonl, .csv or .parquet.")


def read_pages(web: Web, path: Path) -> tuple[list[int], int]:
    """The pages that a seed file names, in its order, and how many of its entries the web does not have."""
    pages = [page for _, page in listed(web, path)]
    known = [page for page in pages if page >= 0]
    return list(dict.fromkeys(known)), len(pages) - len(known)


def listed(web: Web, path: Path) -> list[tuple[str | int, int]]:
    """The entries of a seed file as given, URLs or ids, and the page of each, −1 if the web does not have it.

    Files as write_seeds() writes them, and plain lists of URLs or, for webs without URLs, of ids.
    """
    names = names_in(path)
    if all(isinstance(name, int) for name in names):
        pages = [int(name) if 0 <= int(name) < web.page_count else -1 for name in names]
    elif web.urls is None:
        raise InputError(f"{path}: lists URLs, and the web has none. List page ids instead.")
    else:
        pages = _find(web.urls, [str(name) for name in names])
    return list(zip(names, pages, strict=True))


def _find(table: UrlTable, urls: list[str]) -> list[int]:
    """The pages of URLs, −1 if there is none; lists percent-encode characters that could end a line."""
    pages: list[int] = table.find_many(urls).tolist()
    missing = [place for place, page in enumerate(pages) if page < 0]
    again = {place: raw for place in missing if (raw := raw_url(urls[place])) != urls[place]}
    for place, page in zip(again, table.find_many(list(again.values())).tolist(), strict=True):
        pages[place] = page
    return pages


def names_in(path: Path) -> list[str | int]:
    """The entries of a seed file, URLs or ids, in its order. Refreshed seeds that were lost are left out."""
    return [_name(path, place, row) for place, row in _rows(path)]


def load_seeds(path: Path, web: Web | None = None) -> Seeds:
    """The seeds of a file. With a web, they are looked up in it by URL, and those it does not have are left out."""
    made = how_made(path) or {}
    rows = [row for _, row in _rows(path)]
    if web is not None:
        pages = [page for _, page in listed(web, path)]
    else:
        pages = [-1 if (page := _whole(row.get("id"))) is None else page for row in rows]
        if -1 in pages:
            raise InputError(f"{path}: names pages by URL alone. Give the web that has them: load(path, web)")
    seeds = tuple(_seed(rank, page, row) for rank, (page, row) in enumerate(zip(pages, rows, strict=True), 1))
    known = tuple(seed for seed in seeds if seed.page >= 0)
    notes = list(made.get("notes", ()))
    if len(known) < len(seeds):
        notes.append(f"{len(seeds) - len(known):,} of {len(seeds):,} seeds are not in the web, so they are left out")
    return Seeds(str(made.get("strategy", "listed")), known, made.get("options", {}), notes=tuple(notes), web=web)


def _seed(rank: int, page: int, row: Mapping[str, Any]) -> Seed:
    url, host = (row.get(name) or None for name in ("url", "host"))
    by = str(row.get("strategy") or row.get("how") or "listed")
    score = row.get("score") or row.get("confidence") or 0.0
    rank = _whole(row.get("rank")) or rank
    return Seed(rank, page, float(score), by, str(row.get("reason") or f"place {rank:,} of a list"), None, url, host)


def _rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The rows of a seed file, each with its location; those of a plain list have a url or an id."""
    if path.suffix == ".parquet":
        rows = _parquet_rows(path)
    elif path.suffix in (".csv", ".jsonl"):
        rows = _text_rows(path)
    else:
        lines = ((number, line.strip()) for number, line in numbered_lines(path))
        rows = ((f"line {number}", {"url" if _whole(line) is None else "id": line}) for number, line in lines)
    return ((place, row) for place, row in rows if row.get("how") != LOST)


def _parquet_rows(path: Path) -> Iterator[tuple[str, Row]]:
    check_is_regular(path)
    with opened_parquet(path) as file:
        groups = (file.metadata.row_group(k) for k in range(file.metadata.num_row_groups))
        if sum(group.total_byte_size for group in groups) > MOST_BYTES:
            raise InputError(f"{path}: holds more than {show_size(MOST_BYTES)}, the maximum for a list.")
        names = [name for name in (*COLUMNS, "how", "confidence") if name in file.schema_arrow.names]
        rows = [row for batch in batches(path, file, names) for row in batch.to_pylist()]
    return ((f"row {number}", row) for number, row in enumerate(rows, 1))


def _text_rows(path: Path) -> Iterator[tuple[str, Row]]:
    lines = numbered_lines(path)
    if path.suffix == ".jsonl":
        rows = ((f"line {number}", _json(path, number, line)) for number, line in lines)
        return ((place, row) for place, row in rows if list(row) != ["seedbed"])
    try:
        table = list(csv.DictReader(line for _, line in lines))
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read as CSV: {error}.") from None
    return ((f"row {number}", row) for number, row in enumerate(table, 1))


def _json(path: Path, number: int, line: str) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {number}: expected a JSON object, found {line[:40]!r}.")
    return row


def _name(path: Path, place: str, row: Mapping[str, Any]) -> str | int:
    if isinstance(row.get("url"), str) and row["url"]:
        return str(row["url"])
    number = _whole(row.get("id"))
    if number is None:
        raise InputError(f"{path}, {place}: has neither a 'url' nor a numeric 'id'.")
    return number


def _whole(value: Any) -> int | None:
    """A whole number of at least 0, from text, float or int; None for anything that cannot be a page."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= MAX_DIGITS:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None

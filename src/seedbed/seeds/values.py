"""What pages are worth: by the rule of Zheng, Dmitriev and Giles (2009), or by a column the user gives.

    w = 1;  −10 if spam;  10 if clicked;  plus n · P_uniq

where n is the number of links to uncrawled pages, and P_uniq the probability that a newly crawled page is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.parquet_files import read_parquet
from seedbed.common.user_lists import check_is_table
from seedbed.errors import InputError, OptionError
from seedbed.ranking.link_sums import add_targets

if TYPE_CHECKING:
    from seedbed.graph.web import Web

SPAM, CLICKED, UNIQUE = -10.0, 10.0, 1.0
PAPER_COLUMNS = ("spam", "clicked", "uncrawled", "crawled")


class Values(NamedTuple):
    """One value per page, and how many rows of the file match no page of the web."""

    values: NDArray[np.float64]
    unknown: int = 0


def values_of(web: Web, values: Any, say: Callable[[str], object]) -> Any:
    """What pages are worth: an array as it is, or what "paper", a column of the web or a file stands for.

    `say` receives what the user should know.
    """
    if not isinstance(values, str | Path):
        return values
    values = str(values)
    if values == "paper":
        if not any(name in web.columns for name in PAPER_COLUMNS):
            say(f"--values paper: the web has no column {', '.join(PAPER_COLUMNS)}, so every page is worth 1")
        return paper_values(web)
    if values in web.columns:
        return web.columns[values].astype(np.float64)
    name, _, column = (values, "", "") if Path(values).exists() else values.rpartition(":")
    if not name or not Path(name).exists():
        known = ", ".join(web.columns) or "none"
        raise OptionError(
            f"--values {values}: there is no such file, and the web has no column of that name; it has {known}."
        )
    found = file_values(web, Path(name), column or None)
    if found.unknown:
        say(f"{name}: {found.unknown:,} rows do not name a page of the web")
    return found.values


def paper_values(web: Web, *, unique: float = UNIQUE) -> NDArray[np.float64]:
    """The paper's rule from the columns `spam`, `clicked` and `uncrawled` (or `crawled`), as far as they exist."""
    if not 0 <= unique <= 1:
        raise OptionError(f"the probability that a page is new is {unique}; give 0 to 1.")
    worth = np.ones(web.page_count)
    columns = web.columns
    if "spam" in columns:
        worth[columns["spam"] != 0] = SPAM
    if "clicked" in columns:
        worth[columns["clicked"] != 0] = CLICKED
    if "uncrawled" in columns or "crawled" in columns:
        uncrawled = columns["uncrawled"] != 0 if "uncrawled" in columns else columns["crawled"] == 0
        weights, links = frozen(uncrawled.astype(np.float64)), np.empty(web.page_count)
        for block in web.links.blocks():
            add_targets(*block, weights, links)
        worth += unique * links
    return worth


def file_values(web: Web, path: Path, column: str | None = None) -> Values:
    """A column of a CSV or Parquet file whose rows are named by `url` or `id`; pages it does not name are worth 0.

    A page may be named twice only with the same value.
    """
    table = _table(path)
    key = next((name for name in ("url", "id", "page") if name in table.column_names), None)
    if key is None:
        raise InputError(f"{path}: has the columns {', '.join(table.column_names)}; one must be 'url' or 'id'.")
    numeric = [name for name in table.column_names if name != key and _is_number(table.schema.field(name).type)]
    name = column or next(iter(numeric), None)
    if name is None or name not in numeric:
        raise InputError(f"{path}: no column of numbers {f'named {column!r} ' if column else ''}besides '{key}'.")
    pages = _pages(web, path, key, table.column(key))
    numbers = table.column(name).to_numpy().astype(np.float64)
    if not np.isfinite(numbers).all():
        row = int(np.flatnonzero(~np.isfinite(numbers))[0])
        found = numbers[row] if table.column(name)[row].is_valid else "missing or nan"
        raise InputError(f"{path}, row {row + 1}: {name} is {found}; values must be finite numbers.")
    known = pages >= 0
    worth = np.zeros(web.page_count)
    worth[pages[known]] = numbers[known]
    other = np.flatnonzero(worth[pages[known]] != numbers[known])
    if len(other):
        row = int(np.flatnonzero(known)[other[0]])
        raise InputError(
            f"{path}, row {row + 1}: {name} is {numbers[row]:g}, and a later row says {worth[pages[row]]:g} of the "
            "same page. Give each page one value."
        )
    return Values(worth, int(np.count_nonzero(~known)))


def _table(path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    check_is_table(path)
    try:
        table = read_parquet(path) if path.suffix == ".parquet" else csv.read_csv(path)
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read as a table: {reason}") from None
    twice = [name for name, count in Counter(table.column_names).items() if count > 1]
    if twice:
        raise InputError(f"{path}: has two columns named '{twice[0]}'. Rename one of them.")
    return table


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def _pages(web: Web, path: Path, key: str, column: Any) -> NDArray[np.int64]:
    """The page of each row, −1 if the web does not have it."""
    import pyarrow as pa

    if key == "url":
        if web.urls is None:
            raise InputError(f"{path}: names pages by URL, and the web has no URLs. Name them by 'id'.")
        names = column.to_pylist()
        if not all(name is None or isinstance(name, str) for name in names):
            raise InputError(f"{path}: the column 'url' holds {column.type}, expected text in UTF-8.")
        return web.urls.find_many([name or "" for name in names])
    if not pa.types.is_integer(column.type):
        raise InputError(f"{path}: the column '{key}' holds {column.type}, expected whole numbers, one in each row.")
    pages = column.fill_null(0).to_numpy()
    known = column.is_valid().to_numpy() & (pages >= 0) & (pages < web.page_count)
    return np.where(known, pages, 0).astype(np.int64) - ~known

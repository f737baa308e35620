"""What pages are worth: by the rule of Zheng, Dmitriev and Giles (2009), or by a column the user gives.

    w = 1;  −10 if spam;  10 if clicked;  plus n · P_uniq

where n is the number of links to uncrawled pages, and P_uniq the probability that a newly crawled page of the site is
new (uniqueness.py). Only crawled pages have a value of their own; the others count through the links to them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from seedbed.common.arrays import frozen
from seedbed.common.user_tables import finite_numbers, key_column, number_column, text_column, user_table
from seedbed.errors import InputError, OptionError
from seedbed.ranking.link_sums import add_targets
from seedbed.seeds.given_uniqueness import probabilities

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.sites import SiteKind

SPAM, CLICKED = -10.0, 10.0
PAPER, PAPER_COLUMNS = "paper", ("spam", "clicked", "uncrawled", "crawled")


class Values(NamedTuple):
    """One value per page, and how many rows of the file match no page of the web."""

    values: NDArray[np.float64]
    unknown: int = 0


def values_of(
    web: Web,
    values: Any,
    say: Callable[[str], object],
    *,
    uniqueness: Any = None,
    last: Any = None,
    site: SiteKind = "host",
) -> Any:
    """What pages are worth: an array as it is, or what "paper", a column of the web or a file stands for.

    `uniqueness`, `last`: what P_uniq of "paper" is, or is estimated from; by default by this web alone. `say` receives
    what the user should know.
    """
    if is_paper(values):
        return _by_the_paper(web, say, uniqueness, last, site)
    check_uniqueness_unused(uniqueness)
    if not isinstance(values, str | Path):
        return values
    values = str(values)
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


def is_paper(values: Any) -> bool:
    """Whether values are those by the rule of the paper."""
    return isinstance(values, str) and values == PAPER


def check_uniqueness_unused(uniqueness: Any) -> None:
    """Refuse a uniqueness that would have no effect."""
    if uniqueness is not None:
        raise OptionError(
            "uniqueness is for values by the paper: add --values paper (values='paper'), or leave it out."
        )


def _by_the_paper(
    web: Web, say: Callable[[str], object], uniqueness: Any, last: Any, site: SiteKind
) -> NDArray[np.float64]:
    if not any(name in web.columns for name in PAPER_COLUMNS):
        say(f"values by the paper: the web has no column {', '.join(PAPER_COLUMNS)}, so every page is worth 1")
    if web.crawled is not None and not web.crawled.all():
        return paper_values(web, probabilities(web, uniqueness, say, last=last, site=site))
    if uniqueness is not None:
        probabilities(web, uniqueness, say, last=last, site=site)
    if uniqueness is not None or last is not None:
        say("the web has no uncrawled page, so how likely a newly crawled page is new changes nothing")
    return paper_values(web, 1.0)


def paper_values(web: Web, unique: ArrayLike) -> NDArray[np.float64]:
    """The paper's rule from the columns `spam`, `clicked` and `crawled` (or `uncrawled`), as far as they exist.

    `unique`: P_uniq, for each page that of its site, or one number.
    """
    worth = np.ones(web.page_count)
    columns = web.columns
    if "spam" in columns:
        worth[columns["spam"] != 0] = SPAM
    if "clicked" in columns:
        worth[columns["clicked"] != 0] = CLICKED
    if web.crawled is None:
        return worth
    weights, links = frozen((~web.crawled).astype(np.float64)), np.empty(web.page_count)
    for block in web.links.blocks():
        add_targets(*block, weights, links)
    return np.where(web.crawled, worth + np.asarray(unique) * links, 0.0)


def file_values(web: Web, path: Path, column: str | None = None) -> Values:
    """A column of a CSV, TSV or Parquet file whose rows are named by `url` or `id`; pages it does not name are worth 0.

    A page may be named twice only with the same value.
    """
    table = user_table(path)
    key = key_column(path, table, ("url", "id", "page"), "'url' or 'id'")
    name = number_column(path, table, key, column)
    pages = _pages(web, path, key, table)
    numbers = finite_numbers(path, table, name)
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


def _pages(web: Web, path: Path, key: str, table: Any) -> NDArray[np.int64]:
    """The page of each row, −1 if the web does not have it."""
    import pyarrow as pa

    if key == "url":
        if web.urls is None:
            raise InputError(f"{path}: names pages by URL, and the web has no URLs. Name them by 'id'.")
        return web.urls.find_many(text_column(path, table, key))
    column = table.column(key)
    if not pa.types.is_integer(column.type):
        raise InputError(f"{path}: the column '{key}' holds {column.type}, expected whole numbers, one in each row.")
    pages = column.fill_null(0).to_numpy()
    known = column.is_valid().to_numpy() & (pages >= 0) & (pages < web.page_count)
    return np.where(known, pages, 0).astype(np.int64) - ~known

"""P_uniq as the user gives it: one number, a column of the web, a file with a row for each site, or an estimate.

    site,p_uniq
    a.example,0.9
    b.example,0.25

The names of a column `domain` are registered domains. Sites that a file does not name have the mean of those it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seedbed.common.arrays import Ints
from seedbed.common.user_tables import finite_numbers, key_column, number_column, text_column, user_table
from seedbed.errors import InputError, OptionError
from seedbed.seeds.uniqueness import COLUMN, Floats, Uniqueness, sites_of, uniqueness
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.sites import SiteKind, Sites

ESTIMATE = "estimate"


def default_source(web: Web) -> str:
    """Where P_uniq comes from if the user does not say."""
    return COLUMN if COLUMN in web.columns else ESTIMATE


def probabilities(
    web: Web, given: Any, say: Callable[[str], object], *, last: Any = None, site: SiteKind = "host"
) -> Floats:
    """P_uniq of the site of each page: a number, an array, a `Uniqueness`, a column of the web, a file, "estimate".

    By default the column p_uniq if the web has it, else an estimate. `say` receives what the user should know.
    """
    if given is None:
        given = default_source(web)
        if given == COLUMN:
            say(f"P_uniq is the web's column {COLUMN}")
    if isinstance(given, Uniqueness):
        return _checked(web, given.of_page, "uniqueness")
    if not isinstance(given, str | Path):
        return _numbers(web, given)
    name = str(given)
    if name == ESTIMATE:
        found = uniqueness(web, last, site=site)
        for note in found.notes:
            say(note)
        return found.of_page
    if name in web.columns:
        return _checked(web, np.asarray(web.columns[name], np.float64), f"the column '{name}'")
    try:
        number = float(name)
    except ValueError:
        return file_probabilities(web, Path(name), say, site=site)
    return _numbers(web, number)


def add_uniqueness(web: Web, given: Any, say: Callable[[str], object], *, last: Any = None) -> Web:
    """The web with the column p_uniq."""
    return replace(web, columns={**web.columns, COLUMN: probabilities(web, given, say, last=last)})


def _numbers(web: Web, given: Any) -> Floats:
    """One number for all pages, or one for each."""
    try:
        numbers = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"uniqueness is {given!r:.60}; give a number, or one for each page.") from None
    if numbers.ndim:
        return _checked(web, numbers, "uniqueness")
    if not 0 <= numbers <= 1:
        raise OptionError(f"uniqueness is {numbers:g}; a probability is a number from 0 to 1.")
    return np.full(web.page_count, numbers)


def _checked(web: Web, numbers: Floats, what: str) -> Floats:
    if numbers.shape != (web.page_count,):
        raise OptionError(
            f"{what} has {numbers.size:,} numbers and the web {web.page_count:,} pages; give one for each."
        )
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        page = int(np.argmax(wrong))
        raise OptionError(f"{what} is {numbers[page]:g} for page {page}; a probability is a number from 0 to 1.")
    return numbers


def file_probabilities(web: Web, path: Path, say: Callable[[str], object], *, site: SiteKind = "host") -> Floats:
    """P_uniq from a CSV, TSV or Parquet file of sites: `site`, `host` or `domain`, and `p_uniq` or another number.

    Sites that it does not name have the mean of those it does.
    """
    if not path.exists():
        columns = ", ".join(web.columns) or "none"
        raise OptionError(
            f"--uniqueness {path}: not a number, 'estimate', a file, or a column of the web; it has {columns}."
        )
    table = user_table(path)
    key = key_column(path, table, ("site", "host", "domain"), "'site', 'host' or 'domain'")
    sites = sites_of(web, "domain" if key == "domain" else "host" if key == "host" else site)
    column = number_column(path, table, key, COLUMN if COLUMN in table.column_names else None)
    names, numbers = [name.lower() for name in text_column(path, table, key)], finite_numbers(path, table, column)
    _check_rows(path, names, numbers, column)
    at = _found(sites, names)
    known = at >= 0
    if not known.any():
        raise InputError(f"{path}: none of its {len(names):,} sites is a {sites.kind} of this web.")
    by_site = np.full(len(sites), numbers[known].mean())
    by_site[at[known]] = numbers[known]
    if not known.all():
        say(f"{path}: {np.count_nonzero(~known):,} of its {len(names):,} sites are not in the web")
    if (left := len(sites) - np.count_nonzero(known)) > 0:
        say(f"{path}: {left:,} of {len(sites):,} sites are not in it; they have the mean of those that are, "
            f"{numbers[known].mean():.3f}")  # fmt: skip
    return by_site[sites.of_page]


def _check_rows(path: Path, names: list[str], numbers: Floats, column: str) -> None:
    wrong = ~((numbers >= 0) & (numbers <= 1))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(f"{path}, row {row + 1}: {column} is {numbers[row]:g}; a probability is a number from 0 to 1.")
    rows: dict[str, int] = {}
    for row, name in enumerate(names, 1):
        if rows.setdefault(name, row) != row:
            raise InputError(f"{path}, row {row}: the site {name!r} is already in row {rows[name]}; give each one row.")


def _found(sites: Sites, names: list[str]) -> Ints:
    """The number of each site, −1 if the web does not have it."""
    if isinstance(sites.names, UrlTable):
        return sites.names.find_many(names)
    numbers = {name: k for k, name in enumerate(sites.names)}
    return np.array([numbers.get(name, -1) for name in names], np.int64)

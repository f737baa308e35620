"""Files that users give along with a web: page values, pages to exclude, seeds they already have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.cli.console import say
from seedbed.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from seedbed.graph.web import Web
    from seedbed.seeds.limits import Limits


def values_of(web: Web, values: str | None) -> Any:
    """What pages are worth, as the option --values says."""
    from seedbed.seeds.values import PAPER_COLUMNS, column_values, file_values, paper_values

    if values is None:
        return None
    if values == "paper":
        if not any(name in web.columns for name in PAPER_COLUMNS):
            say(f"--values paper: the web has no column {', '.join(PAPER_COLUMNS)}, so every page is worth 1")
        return paper_values(web)
    if values in web.columns:
        return column_values(web, values)
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


def values_files(values: str | None) -> list[Path]:
    """The files that --values may mean: FILE, or FILE:COLUMN."""
    return [] if values is None else [Path(values), Path(values.rpartition(":")[0])]


def limits_of(
    web: Web, max_per_site: int | None, site: str, exclude: Path | None, held: Path | None, require: Path | None
) -> Limits:
    """What may be chosen, as the options say."""
    from seedbed.seeds.limits import Limits

    return Limits(
        max_per_site=max_per_site,
        site=site,  # type: ignore[arg-type]
        excluded=None if exclude is None else _excluded(web, exclude),
        held=_listed(web, held),
        required=_listed(web, require),
    )


def _excluded(web: Web, path: Path) -> NDArray[np.bool_]:
    from seedbed.seeds.limits import excluded_pages

    mask, unknown = excluded_pages(web, path)
    if unknown:
        say(f"{path}: {len(unknown):,} of its entries are not in the web, such as {unknown[0]!r}")
    return mask


def _listed(web: Web, path: Path | None) -> tuple[int, ...]:
    from seedbed.seeds.seed_files import read_pages

    if path is None:
        return ()
    pages, unknown = read_pages(web, path)
    if unknown:
        say(f"{path}: {unknown:,} of its entries are not in the web and are ignored")
    return tuple(pages)

"""Columns that the user names: `id,crawled,url` of a table of pages, `from,to` of a list of links, `_` to skip one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import COLUMN_NAME
from seedbed.sources.page_tables import PageLayout
from seedbed.sources.sniffing import Sample, link_columns, names_link_ends, sample

FORMATS_WITH_COLUMNS = ("tables", "url-edges", "edges")

_SKIPPED = ("_", "-", "")


class NamedColumns(NamedTuple):
    """The names in order. `kind`: whether they are those of links or of pages."""

    names: tuple[str, ...]
    kind: Literal["links", "pages"]

    @classmethod
    def parse(cls, given: str | Sequence[str]) -> NamedColumns:
        """From `a,b,c` or from names."""
        names = tuple(name.strip() for name in (given.split(",") if isinstance(given, str) else given))
        used = [name for name in names if name not in _SKIPPED]
        for name in used:
            if used.count(name) > 1:
                raise OptionError(f"--columns names '{name}' twice; give each column its own name, or _ to skip it.")
            if not COLUMN_NAME.fullmatch(name):
                raise OptionError(f"--columns: '{name}' is no name of a column; use a-z, 0-9 and _, or _ to skip it.")
        if names_link_ends(names):
            return cls(names, "links")
        if "id" in names and "url" in names:
            return cls(names, "pages")
        raise OptionError(
            f"--columns {','.join(names)}: a list of links needs the names from and to, a table of pages id and url."
        )

    def ends(self, table: Sample) -> tuple[int, int]:
        """The columns a link is from and to."""
        self._check_width(table, ends := link_columns(self.names))
        return ends

    def page_layout(self, table: Sample) -> PageLayout:
        """Where pages have their ids, URLs and numbers."""
        numbers = {name: k for k, name in enumerate(self.names) if name not in _SKIPPED and name not in ("id", "url")}
        places = self.names.index("id"), self.names.index("url")
        self._check_width(table, (*places, *numbers.values()))
        return PageLayout(table.layout, *places, numbers)

    def fits(self, table: Sample) -> bool:
        """Whether a table has what the names say: ids where ids are, and something else for a URL."""
        needed = link_columns(self.names) if self.kind == "links" else (self.names.index("id"),)
        if max(needed) >= len(table.kinds) or any(table.kinds[k] != "id" for k in needed):
            return False
        if self.kind == "links":
            return True
        url = self.names.index("url")
        return url < len(table.kinds) and table.kinds[url] in ("url", "text")

    def _check_width(self, table: Sample, needed: Sequence[int]) -> None:
        if max(needed) >= len(table.kinds):
            raise InputError(
                f"--columns names {len(self.names)} columns, but the first lines have {len(table.kinds)}: {table}."
            )


def format_with_columns(path: Path, given: str | Sequence[str], encoding: str | None) -> str | None:
    """The format that the names tell together with the files; None where the files alone must tell it."""
    from seedbed.sources.formats import tables

    named = NamedColumns.parse(given)
    if named.kind == "pages" or tables.detect(path, named):
        return "tables"
    table = sample(path, encoding) if path.is_file() else None
    if table is None:
        return None
    return "edges" if all(table.kinds[k] == "id" for k in named.ends(table)) else "url-edges"

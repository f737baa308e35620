"""Seeds carried over from an old snapshot to a new one: how each was found, and files that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import counted
from seedbed.common.outputs import SEEDS
from seedbed.common.results import Tabular
from seedbed.common.row_files import Row, check_ending, write_rows

if TYPE_CHECKING:
    from seedbed.graph.web import Web

KEPT, RENAMED, MOVED, SIMILAR, HUB, ANEW, LOST = "kept", "renamed", "moved", "similar", "hub", "chosen anew", "lost"
STEPS = (KEPT, RENAMED, MOVED, SIMILAR, HUB, ANEW, LOST)
COLUMNS = {
    "rank": "int64",
    "old_url": "string",
    "how": "string",
    "url": "string",
    "id": "int64",
    "host": "string",
    "confidence": "float64",
    "reason": "string",
}
ENDINGS = (".jsonl", ".csv", ".parquet")


@dataclass(frozen=True)
class RefreshedSeed:
    """An old seed and the page of the new web in its place. `page` is None if the new web had none left."""

    rank: int
    old_page: int | None
    old_url: str | None
    how: str
    page: int | None
    url: str | None
    confidence: float
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Refreshed(Tabular):
    """One row for each old seed, in their order, then one for each additional seed up to k.

    >>> import seedbed as sb
    >>> old, new = sb.make_web(pages=300, snapshots=2, survival=0.5)
    >>> sb.refresh(sb.select(old, "pagerank", k=5), old, new)
    Refreshed(5 seeds: kept ...)
    """

    strategy: str
    rows: tuple[RefreshedSeed, ...]
    notes: tuple[str, ...]
    seconds: float
    web: Web | None = None

    def __repr__(self) -> str:
        steps = ", ".join(f"{how} {count:,}" for how, count in self.counts.items() if count)
        return f"Refreshed({counted(len(self), 'seed')}: {steps})"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def pages(self) -> NDArray[np.int64]:
        """The seeds in the new web."""
        return np.array([row.page for row in self.rows if row.page is not None], np.int64)

    @property
    def urls(self) -> list[str | None]:
        """Their URLs."""
        return [row.url for row in self.rows if row.page is not None]

    @property
    def counts(self) -> dict[str, int]:
        """How many seeds each step found."""
        found = Counter(row.how for row in self.rows)
        return {step: found[step] for step in STEPS}

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write one row per seed: .jsonl, .csv or .parquet, by extension. `sb.load` reads the seeds."""
        made = {"strategy": self.strategy, **self.counts}
        write_refreshed(Path(path), rows_of(self.web, self), made, overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        found = rows_of(self.web, self)[:rows]
        return {name: [row[name] for row in found] for name in COLUMNS}


def rows_of(web: Web | None, refreshed: Refreshed) -> list[Row]:
    """One row per seed, as in files; `web` is the new one."""
    sites = web.sites("host") if web is not None and len(refreshed) else None
    rows = []
    for row in refreshed.rows:
        host = None if row.page is None or sites is None else str(sites.names[int(sites.of_page[row.page])])
        facts = vars(row) | {"id": row.page, "host": host}
        rows.append({name: facts[name] for name in COLUMNS})
    return rows


def write_refreshed(path: Path, rows: list[Row], made: Mapping[str, Any], *, overwrite: bool = False) -> None:
    """Write rows, and how they were made."""
    check_ending(path, ENDINGS)
    write_rows(path, SEEDS, rows, COLUMNS, made, overwrite=overwrite)

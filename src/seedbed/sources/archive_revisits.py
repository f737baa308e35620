"""The links of revisits that repeat another URL's capture: gathered as archives are read, then looked up in them all.

Memory: the URLs and digests of such revisits, BYTES in all, shared out evenly among the files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.archives.archive_workers import Settings, parts_of_all
from seedbed.archives.revisits import write_revisits
from seedbed.archives.wacz import ArchiveFile
from seedbed.common.messages import Progress
from seedbed.common.read_issues import ReadIssue, ReadIssues

BYTES = 1 << 28
LEAST_BYTES_A_FILE = 1 << 16
_UNKNOWN = "revisits of captures that are not in these archives, so that their links are unknown"
_SHOWN = 3


def room_for(files: int) -> int:
    """How many bytes of revisits are kept of each of so many files."""
    return max(BYTES // max(files, 1), LEAST_BYTES_A_FILE)


class Revisits:
    """The revisits of a set of archives."""

    def __init__(self) -> None:
        self._tables: list[Any] = []

    def add(self, lists: dict[str, Any], rank: int) -> None:
        """Take those that a worker found in the file with a rank."""
        import pyarrow as pa

        if len(lists["revisit_key"]):
            columns = {name: lists[f"revisit_{name}"] for name in ("key", "url", "nofollow")}
            ranks = pa.array(np.full(len(columns["key"]), rank))
            self._tables.append(pa.table({**columns, "rank": ranks}))

    def look_up(
        self,
        files: Sequence[ArchiveFile],
        settings: Settings,
        processes: int,
        *,
        take: Callable[[Any], dict[str, Any]],
        issues: ReadIssues,
        scratch: Path | None,
        tell: Progress,
    ) -> None:
        """Take the links of all whose captures are in the files; count the others."""
        import pyarrow as pa

        if not self._tables:
            return
        # Files come in any order; what is told of them must not depend on it.
        order = [(name, "ascending") for name in ("key", "rank", "url")]
        table = pa.concat_tables(self._tables).sort_by(order)
        self._tables.clear()
        found, stage, done = np.zeros(len(table), bool), "looking up revisits", 0
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            path = Path(folder) / "revisits.arrow"
            write_revisits(path, table.select(["key", "url", "nofollow"]))
            for _, part in parts_of_all(files, settings._replace(revisits=str(path)), processes):
                if part is None:
                    done += 1
                    tell(stage, done, len(files))
                else:
                    found[take(part)["found"].to_numpy(zero_copy_only=False)] = True
        _count_unknown(table, found, issues)


def _count_unknown(table: Any, found: NDArray[Any], issues: ReadIssues) -> None:
    rest = table.filter(~found).sort_by([("rank", "ascending"), ("url", "ascending")])
    for row in rest.slice(0, _SHOWN).to_pylist():
        issues.add(ReadIssue(_UNKNOWN, row["url"][:200]), rank=row["rank"])
    if len(rest) > _SHOWN:
        issues.add(ReadIssue(_UNKNOWN), len(rest) - _SHOWN, rank=int(rest["rank"][-1].as_py()))

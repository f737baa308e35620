"""A comparison on disk: report.html and, next to it, all its numbers and the recommended seeds."""

from __future__ import annotations

import os
import platform
import resource
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seedbed.common.atomic_files import moved_into, written_beside
from seedbed.common.memory import core_count, machine_memory
from seedbed.common.outputs import check_output_folder, is_in_use, names_in, refuse_other_files
from seedbed.common.sidecar import fingerprint
from seedbed.errors import OptionError
from seedbed.evaluation.comparison_files import FILES, SUMMARY, write_files
from seedbed.graph.native_store import checksum, is_store
from seedbed.report.report_page import render

if TYPE_CHECKING:
    from seedbed.evaluation.comparison import Comparison

REPORT = "report.html"
PACKAGES = ("seedbed", "numpy", "numba", "scipy", "plotly")
REPORT_FILES = (REPORT, *FILES)


def write_report(
    comparison: Comparison,
    out: Path,
    *,
    web: Path,
    command: str,
    chosen_on: Sequence[Path] = (),
    overwrite: bool = False,
) -> Path:
    """Write the report and its files into a folder, all at once. Returns the path of the report.

    `chosen_on`: the older webs that the seeds judged were chosen from.
    """
    check_report_folder(out, overwrite=overwrite)
    made = {
        "command": command,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "web": identity(web),
        "chosen_on": [identity(one) for one in chosen_on],
        "versions": {"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}},
        "cores": core_count(),
        "memory": machine_memory(),
        "peak_memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    with _replaced(out) as work:
        write_files(comparison, work, made)
        page = render(comparison, {**made, "files": [_file(path) for path in sorted(work.iterdir())]})
        (work / REPORT).write_text(page, "utf-8", "backslashreplace")
    return out / REPORT


def _replaced(out: Path) -> AbstractContextManager[Path]:
    """A folder that holds nothing but a report is replaced as a whole: if killed at any time, one whole report remains.

    Otherwise the report's files are replaced one by one; the next report completes what a kill leaves undone.
    """
    whole = names_in(out) <= set(REPORT_FILES) and os.access(out.absolute().parent, os.W_OK)
    return written_beside(out) if whole and not is_in_use(out) else moved_into(out)


def check_report_folder(out: Path, *, overwrite: bool = False) -> None:
    """Refuse a path that cannot be a folder, a web, and a folder with files of others that it would overwrite."""
    check_output_folder(out)
    if is_store(out):
        raise OptionError(f"{out}: is a web; a report among its files would be confusing. Name another folder.")
    there = names_in(out)
    if not overwrite and not {REPORT, SUMMARY} <= there:
        refuse_other_files(out, there & set(REPORT_FILES), "a report")


def identity(web: Path) -> dict[str, str]:
    """Which web it was: its path, and a checksum if it is a store or a single file."""
    facts = {"name": _printable(web.name), "path": _printable(str(web))}
    if is_store(web):
        return {**facts, "checksum": checksum(web)}
    return {**facts, "checksum": fingerprint(web)["sha256"]} if web.is_file() else facts


def _printable(name: str) -> str:
    """A name from the file system, whose bytes may not be UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _file(path: Path) -> Mapping[str, Any]:
    return {"name": path.name, "about": FILES[path.name], **fingerprint(path)}

"""The files that a web is read from, so that no output takes the place of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seedbed.archives.wacz import Member
from seedbed.common.read_issues import ReadIssues
from seedbed.errors import SeedbedError


def files_read(path: Path, format: str | None = None) -> list[Path]:  # noqa: A002 - the word users know
    """All files that opening a path may read; none where there is no web."""
    from seedbed.sources import format_told

    try:
        return list(_files(path, format or format_told(path)))
    except (SeedbedError, OSError, ValueError):
        return [path]


def _files(path: Path, name: str | None) -> Iterator[Path]:
    from seedbed.sources import archive_files
    from seedbed.sources.formats import bvgraph, common_crawl, tables, wdc
    from seedbed.sources.input_paths import files_at, group_at

    yield path
    if name == "store":
        yield from path.iterdir()
    elif name == "bvgraph":
        base = bvgraph.base_of(path)
        yield from (base.with_name(base.name + ending) for ending in (*bvgraph.PARTS, *bvgraph.URL_LISTS))
    elif name == "archive":
        found = archive_files.archives_at([path], ReadIssues())
        yield from (file for file in found if isinstance(file, Path))
        yield from (file.wacz for file in found if isinstance(file, Member))
    elif name == "tables":
        yield from tables.files_of(path)
    elif name in ("common-crawl", "wdc"):
        words = common_crawl.WORDS if name == "common-crawl" else wdc.WORDS
        yield from (file for files in group_at(path, words).values() for file in files)
    else:
        yield from files_at(path)

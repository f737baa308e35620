"""Web archives: WARC, ARC and WAT files, gzip or not, one or thousands, also inside WACZ files; told from their first
bytes, or their names.

Pages are what was answered with 200 and HTML, redirects, and all that these link to. Columns: `crawled` (1 where the
archives hold an answer), `status` (its HTTP status, the lowest of several; 0 where there is none), `nofollow_links`
(how many of the page's links are nofollow; `web.nofollow` knows which). Pages are numbered in the order of their URLs'
bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.archives.archive_workers import Settings, parts_of_all, table_of
from seedbed.archives.capture_rows import Part
from seedbed.archives.wacz import ArchiveFile, Member, size_of
from seedbed.common.messages import no_progress
from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.common.threads import thread_count
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.archive_files import archive_files_at, archives_at, means_archives
from seedbed.sources.archive_revisits import Revisits, room_for
from seedbed.sources.format import Format
from seedbed.sources.input_paths import in_words
from seedbed.sources.named_links import Column, NamedLinks
from seedbed.sources.read_options import ReadOptions

NO_PAGE = "no page in it: no answer with status 200 and HTML, and no redirect"
COLUMNS = (
    Column("crawled", type=np.bool_),
    Column("status", take="min", type=np.int16),
)


def read(path: Path, options: ReadOptions) -> Web:
    """The web of all the archives that a path means."""
    return read_together([path], options)


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of all the archives that the paths mean."""
    links, issues = NamedLinks(options, COLUMNS, knows_nofollow=True), ReadIssues()
    path, files = in_words(paths), archives_at(paths, issues)
    sizes = {file: size_of(file) for file in files}
    tell, done, total = options.progress or no_progress, 0, sum(sizes.values())
    settings, revisits = Settings(options.drop_sessions, revisit_bytes=room_for(len(files))), Revisits()
    processes = thread_count(options.processes)
    stage = f"reading {len(files):,} archive{'s' if len(files) > 1 else ''}"
    tell(stage, 0, total)
    reached: dict[ArchiveFile, int] = {}
    ranks = {file: rank for rank, file in enumerate(files)}
    for file, part in parts_of_all(files, settings, processes):
        if part is None:
            done += sizes[file]
            reached.pop(file, None)
        else:
            lists = take(part, links)
            reached[file] = min(int(lists["place"][0].as_py()), sizes[file])
            revisits.add(lists, ranks[file])
            for issue in _issues(part):
                issues.add(issue, file=_name(file, paths), rank=ranks[file])
        tell(stage, done + sum(reached.values()), total)
    also = partial(take, links=links)
    revisits.look_up(files, settings, processes, take=also, issues=issues, scratch=options.scratch, tell=tell)
    notes = issues.notes()
    if links.empty and notes:
        raise InputError(f"{path}: {NO_PAGE}. Found: {'. '.join(notes)}.")
    if links.empty:
        notes = [NO_PAGE]
    return with_nofollow_counts(links.web(path, "archive", notes, may_be_empty=True))


def with_nofollow_counts(web: Web) -> Web:
    """The same with a column of how many links of each page are nofollow, which stays when these are left out."""
    if web.nofollow is None:
        return web
    return replace(web, columns={**web.columns, "nofollow_links": web.nofollow.counts()})


def _name(file: ArchiveFile, paths: Sequence[Path]) -> str:
    """What an archive is called where some paths were given."""
    if not isinstance(file, Path):
        return f"{_name(file.wacz, paths)}/{file.name}" if isinstance(file, Member) else file.name
    folder = next((path for path in paths if path.is_dir() and file.is_relative_to(path)), None)
    if folder is not None:
        return str(file.relative_to(folder))
    return file.name if [file] == list(paths) else str(file)


def _issues(part: Any) -> Iterator[ReadIssue]:
    """What a worker could not read."""
    return (ReadIssue(*json.loads(issue)) for issue in part["issues"].chunk(0).values.to_pylist())


def take(part: Any, links: NamedLinks) -> dict[str, Any]:
    """Take the pages and links that a worker found; all its lists."""
    lists = {name: part[name].chunk(0).values for name in part.column_names}
    if len(lists["ends"]):
        links.add(lists["ends"], lists["marked"])
    if len(lists["url"]):
        values = {
            "crawled": np.ones(len(lists["url"]), np.int64),
            "status": lists["status"],
        }
        links.add_pages(lists["url"], values, lists["is_page"])
    return lists


def add_part(part: Part, links: NamedLinks) -> None:
    """Add what was found in this process."""
    take(table_of(part), links)


FORMAT = Format(
    name="archive",
    meaning="WARC, ARC, WAT and WACZ files, one or thousands",
    detect=means_archives,
    read=read,
    read_together=read_together,
    files_read=archive_files_at,
)

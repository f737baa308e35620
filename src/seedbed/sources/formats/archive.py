"""Web archives: WARC, ARC and WAT files, compressed or not, one or thousands, also inside WACZ files; recognised
by their first bytes or their names.

Pages are HTML answers with status 200, redirects, and everything that these link to. Columns: `crawled` (1 if the
archives hold an answer), `status` (its HTTP status, the lowest of several; 0 if there is none), `nofollow_links` (how
many of the page's links are nofollow; `web.nofollow` knows which). `digest` and `canonical` are numbers that pages of
the same content, or of the same canonical URL by their own word, have in common; 0 if not known; of several captures
the largest. Without any known they are left out. Pages are numbered in byte order of their URLs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from seedbed.archives.archive_workers import Arrays, parts_of_all
from seedbed.archives.capture_rows import Settings
from seedbed.archives.revisits import write_revisits
from seedbed.archives.wacz import ArchiveFile, Member, size_of
from seedbed.common.arrays import chunk_of
from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.common.threads import thread_count
from seedbed.errors import InputError
from seedbed.graph.web import Web
from seedbed.sources.archive_files import archive_files_at, archives_at, means_archives
from seedbed.sources.format import Format
from seedbed.sources.input_paths import in_words
from seedbed.sources.named_links import Column, NamedLinks
from seedbed.sources.read_options import ReadOptions
from seedbed.urls.url_matching import normal_form_keys, text_keys

NO_PAGE = "no page in it: no answer with status 200 and HTML, and no redirect"
COLUMNS = (
    Column("crawled", type=np.bool_),
    Column("status", take="min", type=np.int16),
    Column("digest", type=np.int64, if_known=True),
    Column("canonical", type=np.int64, if_known=True),
)
REVISIT_BYTES = 1 << 28
"""Memory for the URLs and digests of revisits that repeat another URL's capture, divided evenly among the files."""
LEAST_BYTES_A_FILE = 1 << 16
UNKNOWN_CAPTURES = "revisits of captures that are not in these archives, so that their links are unknown"
_SHOWN = 3


def read_together(paths: Sequence[Path], options: ReadOptions) -> Web:
    """The web of all the archives that the paths mean."""
    import pyarrow as pa

    links, issues = NamedLinks(options, COLUMNS, knows_nofollow=True), ReadIssues()
    path, files = in_words(paths), archives_at(paths, issues)
    sizes = {file: size_of(file) for file in files}
    report, done, total = options.progress, 0, sum(sizes.values())
    room = max(REVISIT_BYTES // max(len(files), 1), LEAST_BYTES_A_FILE)
    settings, revisits = Settings(options.drop_sessions, revisit_bytes=room), []
    stage = f"reading {len(files):,} archive{'s' if len(files) > 1 else ''}"
    report(stage, 0, total)
    reached: dict[ArchiveFile, int] = {}
    ranks = {file: rank for rank, file in enumerate(files)}
    for file, part in parts_of_all(files, settings, thread_count(options.processes)):
        if part is None:
            done += sizes[file]
            reached.pop(file, None)
        else:
            take(part, links)
            reached[file] = min(part["place"], sizes[file])
            if len(part["revisit_key"]):
                columns = {name: part[f"revisit_{name}"] for name in ("key", "url", "nofollow")}
                revisits.append(pa.table({**columns, "rank": np.full(len(part["revisit_key"]), ranks[file])}))
            for issue in part["issues"]:
                issues.add(issue, file=name_shown(file, paths), rank=ranks[file])
        report(stage, done + sum(reached.values()), total)
    if revisits:
        _look_up(pa.concat_tables(revisits), files, settings, links, issues, options)
    notes = issues.notes()
    if links.empty and notes:
        raise InputError(f"{path}: {NO_PAGE}. Found: {'. '.join(notes)}.")
    if links.empty:
        notes = [NO_PAGE]
    return with_nofollow_counts(links.web(path, "archive", notes, may_be_empty=True))


def with_nofollow_counts(web: Web) -> Web:
    """The web with a column of how many links of each page are nofollow, which stays when those are dropped."""
    if web.nofollow is None:
        return web
    return replace(web, columns={**web.columns, "nofollow_links": web.nofollow.counts()})


def name_shown(file: ArchiveFile, paths: Sequence[Path]) -> str:
    """An archive's name for display, relative to the given paths."""
    if isinstance(file, Member):
        return f"{name_shown(file.wacz, paths)}/{file.name}"
    folder = next((path for path in paths if path.is_dir() and file.is_relative_to(path)), None)
    if folder is not None:
        return str(file.relative_to(folder))
    return file.name if [file] == list(paths) else str(file)


def take(part: Arrays, links: NamedLinks) -> None:
    """Add the pages and links that a worker found."""
    if len(part["ends"]):
        links.add(part["ends"], part["marked"])
    if len(part["url"]):
        values = {
            "crawled": np.ones(len(part["url"]), np.int64),
            "status": part["status"],
            "digest": text_keys(chunk_of(part["digest"])),
            "canonical": normal_form_keys(chunk_of(part["canonical"])),
        }
        links.add_pages(part["url"], values, part["is_page"])


def _look_up(
    revisits: Any,
    files: Sequence[ArchiveFile],
    settings: Settings,
    links: NamedLinks,
    issues: ReadIssues,
    options: ReadOptions,
) -> None:
    """Take the links of all revisits whose captures are in the files; count the others."""
    # Files come in any order; the notes must not depend on it.
    table = revisits.sort_by([(name, "ascending") for name in ("key", "rank", "url")])
    found, done = np.zeros(len(table), bool), 0
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        path = Path(folder) / "revisits.arrow"
        write_revisits(path, table.select(["key", "url", "nofollow"]))
        for _, part in parts_of_all(files, settings._replace(revisits=path), thread_count(options.processes)):
            if part is None:
                done += 1
                options.progress("looking up revisits", done, len(files))
            else:
                take(part, links)
                found[part["found"].to_numpy(zero_copy_only=False)] = True
    rest = table.filter(~found).sort_by([("rank", "ascending"), ("url", "ascending")])
    for row in rest.slice(0, _SHOWN).to_pylist():
        issues.add(ReadIssue(UNKNOWN_CAPTURES, row["url"][:200]), rank=row["rank"])
    if len(rest) > _SHOWN:
        issues.add(ReadIssue(UNKNOWN_CAPTURES), len(rest) - _SHOWN, rank=int(rest["rank"][-1].as_py()))


FORMAT = Format(
    name="archive",
    meaning="WARC, ARC, WAT and WACZ files, one or thousands",
    detect=means_archives,
    read_together=read_together,
    files_read=archive_files_at,
)

"""Readers of link graphs: one file a format, each with `detect(path) -> bool` and `read(path, options) -> Web`."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol, cast

from seedbed.errors import InputError, SeedbedError, unknown
from seedbed.graph.web import Web
from seedbed.sources.options import ReadOptions
from seedbed.sources.places import files_at, several_webs

__all__ = ["FORMATS", "ReadOptions", "format_told", "open_web"]

FORMATS = {
    "store": "seedbed.sources.store",
    "bvgraph": "seedbed.sources.bvgraph",
    "parquet": "seedbed.sources.parquet",
    "archive": "seedbed.sources.archive",
    "crawl-log": "seedbed.sources.crawl_log",
    "linkdb": "seedbed.sources.linkdb",
    "scrapy": "seedbed.sources.scrapy_items",
    "urlfrontier": "seedbed.sources.urlfrontier",
    "matrix-market": "seedbed.sources.matrix_market",
    "pajek": "seedbed.sources.pajek",
    "kleinberg": "seedbed.sources.kleinberg",
    "ukwa": "seedbed.sources.ukwa",
    "common-crawl": "seedbed.sources.common_crawl",
    "wdc": "seedbed.sources.wdc",
    "tables": "seedbed.sources.tables",
    "url-edges": "seedbed.sources.url_edges",
    "edges": "seedbed.sources.edges",
}
"""The modules by the name of their format, in the order in which they are tried."""


class Source(Protocol):
    """What each of the modules offers."""

    def detect(self, path: Path, /) -> bool:
        """Whether the path means a web in this format."""

    def read(self, path: Path, options: ReadOptions, /) -> Web:
        """The web."""


def open_web(
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    options: ReadOptions | None = None,
) -> Web:
    """Open the web at a path: a file, a folder or the start of some files' names; its format is told from the files."""
    path, options = Path(path), options or ReadOptions()
    if format is not None and format not in FORMATS:
        raise unknown("format", format, FORMATS)
    try:
        _check_is_there(path)
        name, path = _told(path) if format is None else (format, path)
        web = _source(name).read(path, options)
        web = web if options.hosts is None else _with_hosts(web, options.hosts, options)
        return _without_nofollow(web, options) if options.drop_nofollow else web
    except OSError as error:
        where = error.filename or path
        raise InputError(f"{where}: {error.strerror or error}.") from error


def _source(name: str) -> Source:
    return cast(Source, importlib.import_module(FORMATS[name]))


def _told(path: Path) -> tuple[str, Path]:
    """The format of what a path means, and the file where a folder holds just one web."""
    found = _format_of(path)
    if found is not None:
        return found, path
    if not path.is_file():
        inside = _webs_among(files_at(path))
        if len(inside) > 1:
            raise several_webs(path, list(inside))
        for file, name in inside.items():
            return name, file
    raise InputError(f"{path}: {_looked_at(path)} Known formats: {', '.join(FORMATS)}; name one with --format.")


def _webs_among(files: list[Path]) -> dict[Path, str]:
    """The webs that these files are, with their formats; files of one BVGraph are one web."""
    from seedbed.sources.bvgraph import base_of

    formats = {file: name for file in files if (name := format_told(file)) is not None}
    return {base_of(file) if name == "bvgraph" else file: name for file, name in formats.items()}


def _format_of(path: Path) -> str | None:
    return next((name for name in FORMATS if _source(name).detect(path)), None)


def format_told(path: Path) -> str | None:
    """The format that the files at a path tell, if they do."""
    try:
        return _format_of(path)
    except SeedbedError:
        return None


def _check_is_there(path: Path) -> None:
    if path.is_file():
        if path.stat().st_size == 0:
            raise InputError(f"{path}: is empty.")
    elif not path.is_dir() and not files_at(path) and not _matches_files(path):
        names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        near = difflib.get_close_matches(path.name, names, n=3)
        hint = f" Near it: {', '.join(near)}." if near else ""
        raise InputError(f"{path}: no such file or folder.{hint}")


def _matches_files(path: Path) -> bool:
    from seedbed.sources.archive_files import is_pattern, means_archives

    return is_pattern(path) and means_archives(path)


def _looked_at(path: Path) -> str:
    """What is known of a path whose format was not recognised."""
    if not path.is_file():
        files = files_at(path)
        return f"none of the {len(files)} files here is a web in a known format." if files else "no data files here."
    from seedbed.sources.sniff import first_piece, sample

    if first_piece(path) is None:
        return "format not recognised: it is not text, and starts like none of the binary formats."
    table = sample(path)
    lines = "its lines have no two columns" if table is None else f"its lines look like {table}"
    return f"format not recognised: {lines}."


def _without_nofollow(web: Web, options: ReadOptions) -> Web:
    from seedbed.graph.nofollow import without_marked

    return without_marked(web, memory=options.memory, scratch=options.scratch)


def _with_hosts(web: Web, file: Path, options: ReadOptions) -> Web:
    from seedbed.graph.sites import sites_from_names
    from seedbed.sources.text import text_chunks

    return replace(web, hosts=sites_from_names(text_chunks(file, encoding=options.encoding)))

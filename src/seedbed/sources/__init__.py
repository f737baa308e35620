"""Readers of link graphs: one file a format, each with `detect(path) -> bool` and `read(path, options) -> Web`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from seedbed.common.atomic_files import finish_moves_at
from seedbed.errors import InputError, NotEnoughMemory, OptionError, SeedbedError, unknown
from seedbed.graph.web import Web
from seedbed.sources.input_paths import files_at, in_words, several_webs
from seedbed.sources.missing_paths import check_is_there, looked_at
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.url_normalizing import normalized, with_duplicates_noted

__all__ = ["FORMATS", "ReadOptions", "format_told", "open_web"]

FORMATS = {
    "store": "seedbed.sources.formats.store",
    "bvgraph": "seedbed.sources.formats.bvgraph",
    "parquet": "seedbed.sources.formats.parquet",
    "archive": "seedbed.sources.formats.archive",
    "matlab": "seedbed.sources.formats.matlab",
    "crawl-log": "seedbed.sources.formats.crawl_log",
    "linkdb": "seedbed.sources.formats.linkdb",
    "scrapy": "seedbed.sources.formats.scrapy_items",
    "urlfrontier": "seedbed.sources.formats.urlfrontier_dump",
    "matrix-market": "seedbed.sources.formats.matrix_market",
    "pajek": "seedbed.sources.formats.pajek",
    "graphml": "seedbed.sources.formats.graphml",
    "gexf": "seedbed.sources.formats.gexf",
    "gml": "seedbed.sources.formats.gml",
    "dot": "seedbed.sources.formats.dot",
    "kleinberg": "seedbed.sources.formats.kleinberg",
    "ukwa": "seedbed.sources.formats.ukwa",
    "common-crawl": "seedbed.sources.formats.common_crawl",
    "wdc": "seedbed.sources.formats.wdc",
    "tables": "seedbed.sources.formats.tables",
    "adjacency": "seedbed.sources.formats.adjacency",
    "url-edges": "seedbed.sources.formats.url_edges",
    "edges": "seedbed.sources.formats.edges",
}
"""The modules by the name of their format, in the order in which they are tried."""


class Source(Protocol):
    """What each of the modules offers."""

    def detect(self, path: Path, /) -> bool:
        """Whether the path means a web in this format."""

    def read(self, path: Path, options: ReadOptions, /) -> Web:
        """The web."""


@runtime_checkable
class SourceOfSeveral(Source, Protocol):
    """What those offer besides that read one web from any number of files: a crawl leaves many behind."""

    def read_together(self, paths: Sequence[Path], options: ReadOptions, /) -> Web:
        """The web of all that the paths mean."""


def open_web(
    path: Path | str | Sequence[Path | str],
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    options: ReadOptions | None = None,
    columns: str | Sequence[str] | None = None,
    normalize: bool = False,
) -> Web:
    """Open the web at a path: a file, a folder, a pattern or the start of some files' names; or at several paths.

    The format is told from the files. Several paths are read together where the format allows it: archives, and what
    else crawlers leave behind. `columns` and `normalize` as in ReadOptions.
    """
    paths, options = _paths(path), options or ReadOptions()
    if columns is not None or normalize:
        options = replace(options, columns=columns or options.columns, normalize=normalize or options.normalize)
    if format is not None and format not in FORMATS:
        raise unknown("format", format, FORMATS)
    try:
        for one in paths:
            finish_moves_at(one)
            check_is_there(one, may_be_empty=len(paths) > 1)
        web = _read(format, paths, options)
        web = normalized(web, options) if options.normalize else with_duplicates_noted(web)
        web = web if options.hosts is None else _with_hosts(web, options.hosts, options)
        return _without_nofollow(web, options) if options.drop_nofollow else web
    except NotEnoughMemory as error:
        raise NotEnoughMemory(f"{in_words(paths)}: {error}") from None
    except OSError as error:
        where = error.filename or in_words(paths)
        raise InputError(f"{where}: {error.strerror or error}.") from error


def _paths(path: Path | str | Sequence[Path | str]) -> list[Path]:
    given = [path] if isinstance(path, str | PathLike) else list(path)
    if not given or "" in given:
        raise OptionError("no path is given. Name a file or a folder; '.' is the current one.")
    return [Path(one) for one in given]


def _read(name: str | None, paths: list[Path], options: ReadOptions) -> Web:
    if len(paths) == 1:
        name, path = _format_and_file(name, paths[0], options)
        return _source(name).read(path, options)
    name = name or _told_of_all(paths)
    source = _source(name)
    if options.columns is not None:
        raise OptionError(f"{in_words(paths)}: --columns is for text tables, which make a web one by one.")
    if not isinstance(source, SourceOfSeveral):
        several = ", ".join(known for known in FORMATS if isinstance(_source(known), SourceOfSeveral))
        raise OptionError(f"{in_words(paths)}: webs in the format {name} have one path each. Of several: {several}.")
    return source.read_together(paths, options)


def _format_and_file(name: str | None, path: Path, options: ReadOptions) -> tuple[str, Path]:
    """The format, named or told, and what to read."""
    if options.columns is None:
        return _told(path) if name is None else (name, path)
    from seedbed.sources.named_columns import FORMATS_WITH_COLUMNS, format_with_columns

    told = name or format_with_columns(path, options.columns, options.encoding)
    name, path = _told(path) if told is None else (told, path)
    if name not in FORMATS_WITH_COLUMNS:
        raise OptionError(f"{path}: is {name}; --columns is for text tables ({', '.join(FORMATS_WITH_COLUMNS)}).")
    return name, path


def _source(name: str) -> Source:
    return cast(Source, importlib.import_module(FORMATS[name]))


def _told(path: Path) -> tuple[str, Path]:
    """The format of what a path means, and the file where a folder holds just one web."""
    found = _format_of(path)
    if found is not None:
        return found, path
    inside = {} if path.is_file() else _webs_among(files_at(path))
    formats = set(inside.values())
    if len(inside) > 1 and not (len(formats) == 1 and isinstance(_source(*formats), SourceOfSeveral)):
        raise several_webs(path, list(inside))
    for file, name in inside.items():
        return name, path if len(inside) > 1 else file
    if path.is_dir() and _has_archives_below(path):
        return "archive", path
    raise InputError(f"{path}: {looked_at(path)} Known formats: {', '.join(FORMATS)}; name one with --format.")


def _has_archives_below(path: Path) -> bool:
    from seedbed.sources.archive_files import has_archives_below

    return has_archives_below(path)


def _told_of_all(paths: list[Path]) -> str:
    """The format of all the paths; one that tells none is left to the reader of the others."""
    told: dict[str, Path] = {}
    for path in paths:
        try:
            told.setdefault(_told(path)[0], path)
        except InputError:
            continue
    if not told:
        return _told(paths[0])[0]
    if len(told) > 1:
        (one, first), (other, second) = list(told.items())[:2]
        raise InputError(f"{first} is {one}, {second} is {other}. Files of one format make a web; convert one by one.")
    return next(iter(told))


def _webs_among(files: list[Path]) -> dict[Path, str]:
    """The webs that these files are, with their formats; files of one BVGraph are one web."""
    from seedbed.sources.formats.bvgraph import base_of

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


def _without_nofollow(web: Web, options: ReadOptions) -> Web:
    from seedbed.graph.transforms import without_marked

    return without_marked(web, memory=options.memory, scratch=options.scratch)


def _with_hosts(web: Web, file: Path, options: ReadOptions) -> Web:
    from seedbed.common.user_lists import check_is_regular
    from seedbed.sources.text_files import text_chunks
    from seedbed.urls.sites import sites_from_names

    check_is_regular(file)
    return replace(web, hosts=sites_from_names(text_chunks(file, encoding=options.encoding)))

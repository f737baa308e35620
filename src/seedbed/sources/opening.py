"""Opening a web: which files a path means, what format they are in, and the steps after reading any web."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path

from seedbed.common.atomic_files import finish_moves_at
from seedbed.errors import InputError, NotEnoughMemory, OptionError, SeedbedError, UnknownFormat
from seedbed.graph.web import Web
from seedbed.sources.format import Format
from seedbed.sources.formats import FORMATS, formats_in_order
from seedbed.sources.head import Head, Heads
from seedbed.sources.input_paths import check_is_there, files_at, in_words, several_webs
from seedbed.sources.read_options import ReadOptions
from seedbed.sources.url_normalizing import normalized, with_duplicates_noted

__all__ = ["ReadOptions", "files_read", "format_at", "open_web"]


def open_web(
    path: Path | str | Sequence[Path | str],
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    options: ReadOptions | None = None,
    columns: str | Sequence[str] | None = None,
    normalize: bool = False,
) -> Web:
    """Open the web at a path: a file, a folder, a pattern or a prefix of file names; or at several paths.

    The format is recognised from the files. Several paths are read together if the format allows it: archives and
    other output of crawlers. `columns` and `normalize` as in ReadOptions.
    """
    given = [path] if isinstance(path, str | PathLike) else list(path)
    if not given or "" in given:
        raise OptionError("no path is given. Name a file or a folder; '.' is the current one.")
    paths, options = list(map(Path, given)), options or ReadOptions()
    if columns is not None or normalize:
        options = replace(options, columns=columns or options.columns, normalize=normalize or options.normalize)
    named = None if format is None else FORMATS[format]
    try:
        for one in paths:
            finish_moves_at(one)
            check_is_there(one, may_be_empty=len(paths) > 1)
        return _finished(_read(named, paths, options), options)
    except NotEnoughMemory as error:
        raise NotEnoughMemory(f"{in_words(paths)}: {error}") from None
    except OSError as error:
        where = error.filename or in_words(paths)
        raise InputError(f"{where}: {error.strerror or error}.") from error


def format_at(path: Path) -> str | None:
    """The name of the format of the files at a path, if one is recognised."""
    with closing(Heads()) as heads, suppress(SeedbedError):
        found = _format_of(heads.at(path))
        return None if found is None else found.name
    return None


def files_read(path: Path, format: str | None = None) -> list[Path]:  # noqa: A002 - the word users know
    """All files that opening a path may read, so that no output overwrites one of them."""
    try:
        name = format or format_at(path)
        return [path, *(files_at(path) if name is None else FORMATS[name].files_read(path))]
    except (SeedbedError, OSError, ValueError):
        return [path]


def _read(named: Format | None, paths: list[Path], options: ReadOptions) -> Web:
    if len(paths) == 1:
        found, path = _format_and_file(named, paths[0], options)
        return found.read(path, options)
    found = named or _format_of_all(paths)
    if options.columns is not None:
        raise OptionError(f"{in_words(paths)}: --columns is for text tables, which are read one at a time.")
    if found.read_together is None:
        several = ", ".join(known.name for known in formats_in_order() if known.read_together is not None)
        raise OptionError(
            f"{in_words(paths)}: webs in the format {found.name} have one path each. Of several: {several}."
        )
    return found.read_together(paths, options)


def _format_and_file(named: Format | None, path: Path, options: ReadOptions) -> tuple[Format, Path]:
    """The format, given or recognised, and what to read."""
    if options.columns is None:
        return _recognised(path) if named is None else (named, path)
    from seedbed.sources.formats.tables import FORMATS_WITH_COLUMNS, format_with_columns

    name = format_with_columns(path, options) if named is None else named.name
    found, path = _recognised(path) if name is None else (FORMATS[name], path)
    if found.name not in FORMATS_WITH_COLUMNS:
        raise OptionError(f"{path}: is {found.name}; --columns is for text tables ({', '.join(FORMATS_WITH_COLUMNS)}).")
    return found, path


def _recognised(path: Path) -> tuple[Format, Path]:
    """The format of the files at a path, and the path to read: the file, if a folder holds just one web."""
    with closing(Heads()) as heads:
        head = heads.at(path)
        if (found := _format_of(head)) is not None:
            return found, path
        inside = {} if head.is_file else _webs_among(files_at(path), heads)
        names = {found.name for found in inside.values()}
        if len(inside) > 1 and not (len(names) == 1 and FORMATS[min(names)].read_together is not None):
            raise several_webs(path, list(inside))
        for file, found in inside.items():
            return found, path if len(inside) > 1 else file
        if path.is_dir():
            from seedbed.sources.archive_files import has_archives_below

            if has_archives_below(path):
                return FORMATS["archive"], path
        raise UnknownFormat(f"{path}: {_looked_at(head)} Known formats: {', '.join(FORMATS)}; name one with --format.")


def _looked_at(head: Head) -> str:
    """What is known about a path whose format was not recognised."""
    if not head.is_file:
        files = files_at(head.path)
        return f"none of the {len(files)} files here is a web in a known format." if files else "no data files here."
    from seedbed.archives.wacz import is_archive_name
    from seedbed.sources.text_tables import table_in

    if is_archive_name(head.path.name):
        return "named like an archive, but there is no WARC or ARC record in it."
    if head.raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "format not recognised: it is text in UTF-16. Give --encoding utf-16, and --format."
    if not head.data:
        return "is empty once decompressed."
    if head.piece is None:
        return "format not recognised: it is not text, and does not start like any of the binary formats."
    table = head.find(table_in)
    lines = "its lines do not have two columns" if table is None else f"its lines look like {table}"
    return f"format not recognised: {lines}."


def _format_of_all(paths: list[Path]) -> Format:
    """The format of all the paths; a path that is not recognised is left to the reader of the others."""
    found: dict[str, Path] = {}
    for path in paths:
        with suppress(InputError):
            found.setdefault(_recognised(path)[0].name, path)
    if not found:
        return _recognised(paths[0])[0]
    if len(found) > 1:
        (one, first), (other, second) = list(found.items())[:2]
        raise InputError(f"{first} is {one}, {second} is {other}. Files of one format make a web; convert each alone.")
    return FORMATS[next(iter(found))]


def _webs_among(files: list[Path], heads: Heads) -> dict[Path, Format]:
    """The webs among these files, with their formats; the files of one BVGraph are one web."""
    from seedbed.sources.formats.bvgraph import base_of

    webs = {}
    for file in files:
        with suppress(SeedbedError):
            if (found := _format_of(heads.at(file))) is not None:
                webs[base_of(file) if found.name == "bvgraph" else file] = found
    return webs


def _format_of(head: Head) -> Format | None:
    return next((known for known in formats_in_order() if known.detect(head)), None)


def _finished(web: Web, options: ReadOptions) -> Web:
    """The web after the steps that the options ask for, whatever its format."""
    if options.normalize:
        web = normalized(web, options)
    elif web.origin.format in FORMATS and FORMATS[web.origin.format].raw_urls:
        web = with_duplicates_noted(web)
    if options.hosts is not None:
        from seedbed.common.user_lists import check_is_regular
        from seedbed.sources.text_files import text_chunks
        from seedbed.urls.sites import sites_from_names

        check_is_regular(options.hosts)
        web = replace(web, hosts=sites_from_names(text_chunks(options.hosts, encoding=options.encoding)))
    if options.drop_nofollow:
        from seedbed.graph.transforms import without_marked

        web = without_marked(web, memory=options.memory, scratch=options.scratch)
    return web

"""What is said of a path that leads to nothing, or to nothing that is recognised."""

from __future__ import annotations

import codecs
import difflib
from pathlib import Path

from seedbed.errors import InputError
from seedbed.sources.input_paths import files_at, is_pattern


def check_is_there(path: Path, *, may_be_empty: bool = False) -> None:
    """Refuse a path that means no file that can be read."""
    if path.is_file():
        if not may_be_empty and path.stat().st_size == 0:
            raise InputError(f"{path}: is empty.")
    elif path.exists() and not path.is_dir():
        raise InputError(
            f"{path}: is not a regular file. It is looked into before it is read, so save it as one first."
        )
    elif not path.is_dir() and not files_at(path):
        raise InputError(f"{path}: {_missing(path)}")


def _missing(path: Path) -> str:
    if str(path) == "-":
        return "standard input is not read, as a format is told from files. Save it as a file first."
    if is_pattern(path):
        return "no file matches."
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=3)
    hint = f" Near it: {', '.join(near)}." if near else ""
    return f"no such file or folder.{hint}"


def looked_at(path: Path) -> str:
    """What is known of a path whose format was not recognised."""
    if not path.is_file():
        files = files_at(path)
        return f"none of the {len(files)} files here is a web in a known format." if files else "no data files here."
    from seedbed.archives.archive_kinds import is_archive_name
    from seedbed.sources.sniffing import first_piece, sample
    from seedbed.sources.text_files import pieces

    if is_archive_name(path.name):
        return "named like an archive, but there is no WARC or ARC record in it."
    with path.open("rb") as file:
        if file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "format not recognised: it is text in UTF-16. Give --encoding utf-16, and --format."
    if next(pieces(path), None) is None:
        return "is empty behind its packing."
    if first_piece(path) is None:
        return "format not recognised: it is not text, and starts like none of the binary formats."
    table = sample(path)
    lines = "its lines have no two columns" if table is None else f"its lines look like {table}"
    return f"format not recognised: {lines}."

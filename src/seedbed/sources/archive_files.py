"""Which archives a path means: a file, a folder with all below it, a pattern such as crawls/*.warc.gz, or a text file
that lists paths, one a line, from its own folder or the current one.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator
from pathlib import Path

from seedbed.archives.kinds import is_archive_name, kind_of
from seedbed.errors import InputError
from seedbed.sources.places import files_in
from seedbed.sources.sniff import first_lines
from seedbed.sources.text import pieces


def means_archives(path: Path) -> bool:
    """Whether a path means archives, from names and first bytes."""
    if path.is_file():
        return kind_of(path) is not None or _is_list(path)
    if path.is_dir():
        inside = files_in(path)
        return any(is_archive_name(file.name) for file in inside) if inside else next(_below(path), None) is not None
    return any(is_archive_name(name) for name in _matching(path))


def archives_at(path: Path) -> list[Path]:
    """The archives, each once, in the order of their names or of the list."""
    if path.is_file():
        files = [path] if kind_of(path) is not None or is_archive_name(path.name) else list(_in_list(path))
    elif path.is_dir():
        files = sorted(_below(path))
    else:
        files = sorted(Path(name) for name in _matching(path) if Path(name).is_file())
    if not files:
        raise InputError(
            f"{path}: no archives here. Their names end with .warc, .arc or .wat, perhaps with .gz behind."
        )
    return list(dict.fromkeys(files))


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern, as for a shell."""
    return glob.has_magic(str(path)) and not path.exists()


def _matching(path: Path) -> list[str]:
    return glob.glob(str(path), recursive=True) if is_pattern(path) else []  # noqa: PTH207 - patterns may be absolute


def _below(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if is_archive_name(file.name) and file.is_file())


def _is_list(path: Path) -> bool:
    """Whether the first line of a text file is the name of an archive and nothing else."""
    lines = first_lines(path)
    return bool(lines) and is_archive_name(lines[0]) and set(lines[0]).isdisjoint("\t<>|\"'")


def _in_list(path: Path) -> Iterator[Path]:
    for piece in pieces(path):
        for row, line in enumerate(bytes(piece.checked().text).decode().split("\n")):
            name = line.strip()
            if name and not name.startswith("#"):
                places = (path.parent / name, Path(name))
                file = next((place for place in places if place.is_file()), None)
                if file is None:
                    raise piece.error(
                        row, f"no such file: {name[:200]}. Paths start from the list's folder or from here."
                    )
                yield file

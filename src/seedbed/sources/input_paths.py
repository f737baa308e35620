"""Which files a path means: a file, a folder, a pattern or a prefix of file names; and which belong together."""

from __future__ import annotations

import difflib
import glob
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from seedbed.common.outputs import WEB
from seedbed.common.sidecar import read_sidecar, sidecars
from seedbed.errors import InputError

_NO_DATA = re.compile(
    r"\.(paths|md5|sha1|sha256|json|stats|properties|md|html?)(\.gz|\.zst|\.bz2|\.xz)?$|^readme|^license|^[._]", re.I
)
_SHOWN = 5


def files_at(path: Path) -> list[Path]:
    """The files a path may mean, sorted by name."""
    if path.is_file():
        return [path]
    if path.is_dir():
        return files_in(path)
    if matches := matching(path):
        return list(dict.fromkeys(file for match in matches for file in files_at(match)))
    return [file for file in files_in(path.parent) if file.name.startswith(path.name)] if path.name else []


def is_pattern(path: Path) -> bool:
    """Whether a path is a shell-style pattern."""
    return glob.has_magic(str(path)) and not path.exists()


def matching(path: Path) -> list[Path]:
    """The files and folders that a pattern matches, sorted; none if the path is not a pattern."""
    if not is_pattern(path):
        return []
    return sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207 - patterns may be absolute


def in_words(paths: Sequence[Path]) -> Path:
    """Several paths as one, for display."""
    names = list(map(str, paths[:_SHOWN])) + ([f"{len(paths) - _SHOWN:,} more"] if len(paths) > _SHOWN else [])
    return Path(" + ".join(names))


def files_in(folder: Path) -> list[Path]:
    """The files of a folder that may hold data, sorted by name. Empty files are left out, and so are those of /proc:
    they report size 0, and some can never be read to the end. Files that seedbed wrote and whose sidecar says that they
    are not a web are left out too: a ranking looks like a table of pages.
    """
    if not folder.is_dir():
        return []
    there = list(folder.iterdir())
    names = {file.name for file in there}
    return sorted(
        file
        for file in there
        if not _NO_DATA.search(file.name) and file.is_file() and _size(file) and not _is_other_output(file, names)
    )


def _is_other_output(file: Path, names: set[str]) -> bool:
    """Whether a sidecar says that a file is not a web; `names`: all names in the folder."""
    beside = [read_sidecar(place) for place in sidecars(file) if place.name in names]
    return any(found is not None and file.name in found["files"] and found["kind"] != WEB for found in beside)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


Group = dict[str, list[Path]]
"""Files by the word in their names that says what they hold."""


def group_at(path: Path, words: Sequence[str], list_files: Callable[[Path], list[Path]] = files_in) -> Group:
    """The files at a path whose name, or whose folder's name, has one of the words; those of one web only.

    Files belong together if their names agree up to the word. A single file brings in the others of its group.
    """
    folder = path if path.is_dir() else path.parent
    if path.is_file() and folder.name in words:
        folder = folder.parent
    groups: dict[str, Group] = {}
    listed = [(word, file) for word in words for file in list_files(folder / word)]
    for name, file in [*listed, *((file.name, file) for file in list_files(folder))]:
        match = re.search(rf"(?<![a-zA-Z])({'|'.join(words)})s?(?![a-zA-Z])", name)
        if match:
            groups.setdefault(name[: match.start()], {}).setdefault(match[1], []).append(file)
    whole = {stem: group for stem, group in groups.items() if all(word in group for word in words[:2])}
    if path.is_file():
        whole = {stem: group for stem, group in whole.items() if any(path in files for files in group.values())}
    elif not path.is_dir():
        whole = {stem: group for stem, group in whole.items() if stem.rstrip("-_.") == path.name}
    if len(whole) > 1:
        raise several_webs(path, [folder / stem.rstrip("-_.") for stem in whole])
    return next(iter(whole.values()), {})


def files_of_group(path: Path, words: Sequence[str]) -> Iterator[Path]:
    """All files of the group at a path."""
    return (file for files in group_at(path, words).values() for file in files)


def several_webs(path: Path, webs: Sequence[Path]) -> InputError:
    """The error for a folder with more than one web."""
    names = ", ".join(str(web) for web in webs[:_SHOWN]) + (", …" if len(webs) > _SHOWN else "")
    return InputError(f"{path}: holds several webs; give the path of one of them: {names}.")


def check_is_there(path: Path, *, may_be_empty: bool = False) -> None:
    """Refuse a path that leads to no readable file."""
    if path.is_file():
        if not may_be_empty and path.stat().st_size == 0:
            raise InputError(f"{path}: is empty.")
    elif path.exists() and not path.is_dir():
        raise InputError(
            f"{path}: is not a regular file. Its format is detected before it is read, so save it as one first."
        )
    elif not path.is_dir() and not files_at(path):
        raise InputError(f"{path}: {_missing(path)}")


def _missing(path: Path) -> str:
    if str(path) == "-":
        return "standard input is not read, because formats are recognised from files. Save it as a file first."
    if is_pattern(path):
        return "no file matches."
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=3)
    hint = f" Near it: {', '.join(near)}." if near else ""
    return f"no such file or folder.{hint}"

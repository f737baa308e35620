"""Which files a path means: a file, a folder, a pattern or the start of some files' names; which belong together."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from pathlib import Path

from seedbed.common.outputs import WEB
from seedbed.common.sidecar import read_sidecar, sidecars
from seedbed.errors import InputError

_NO_DATA = re.compile(
    r"\.(paths|md5|sha1|sha256|json|stats|properties|md|html?)(\.gz|\.zst|\.bz2|\.xz)?$|^readme|^license", re.I
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
    """Whether a path is a pattern, as for a shell."""
    return glob.has_magic(str(path)) and not path.exists()


def matching(path: Path) -> list[Path]:
    """The files and folders that a pattern matches, sorted; none where the path is no pattern."""
    if not is_pattern(path):
        return []
    return sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207 - patterns may be absolute


def in_words(paths: Sequence[Path]) -> Path:
    """What several paths are called together, for people."""
    names = list(map(str, paths[:_SHOWN])) + ([f"{len(paths) - _SHOWN:,} more"] if len(paths) > _SHOWN else [])
    return Path(" + ".join(names))


def files_in(folder: Path) -> list[Path]:
    """The files of a folder that may hold data, sorted by name; empty ones do not, nor do those of /proc, which say
    that they are empty, and some of which are never read to an end. What seedbed wrote as something else than a web,
    and says so beside, is left out too: a ranking looks like a table of pages.
    """
    if not folder.is_dir():
        return []
    there = list(folder.iterdir())
    names = {file.name for file in there}
    return sorted(
        file
        for file in there
        if _holds_data(file.name) and file.is_file() and _size(file) and not _is_other_output(file, names)
    )


def _is_other_output(file: Path, names: set[str]) -> bool:
    """Whether a sidecar, which is among the names in the folder, says that a file is no web."""
    beside = [read_sidecar(place) for place in sidecars(file) if place.name in names]
    return any(found is not None and file.name in found["files"] and found["kind"] != WEB for found in beside)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _holds_data(name: str) -> bool:
    return not name.startswith((".", "_")) and not _NO_DATA.search(name)


Group = dict[str, list[Path]]
"""Files by the word that says what they hold."""


def group_at(path: Path, words: Sequence[str]) -> Group:
    """The files a path means whose names, or whose folders', have one of the words; those of one web only.

    Files belong together where their names agree up to the word. A file brings in those that belong to it.
    """
    folder = path if path.is_dir() else path.parent
    if path.is_file() and folder.name in words:
        folder = folder.parent
    groups: dict[str, Group] = {}
    for name, file in [*_in_folders_named(folder, words), *((file.name, file) for file in files_in(folder))]:
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


def _in_folders_named(folder: Path, words: Sequence[str]) -> list[tuple[str, Path]]:
    return [(word, file) for word in words for file in files_in(folder / word)]


def several_webs(path: Path, webs: Sequence[Path]) -> InputError:
    """The error for a folder that does not say which web is meant."""
    names = ", ".join(str(web) for web in webs[:_SHOWN]) + (", …" if len(webs) > _SHOWN else "")
    return InputError(f"{path}: holds several webs; give the path of one of them: {names}.")

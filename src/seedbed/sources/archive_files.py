"""Which archives paths mean: a file, a folder with all below it, a pattern such as crawls/*.warc.gz, or a text file
that lists any of these, one per line, relative to its folder or the current one. A WACZ file means the archives in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from seedbed.archives.capture_rows import starts_an_archive, syntax_of
from seedbed.archives.wacz import (
    ZIP_STARTS,
    ArchiveFile,
    Member,
    NotWhole,
    is_archive_name,
    is_wacz_name,
    is_zip,
    members_of,
)
from seedbed.common.read_issues import ReadIssue, ReadIssues
from seedbed.errors import InputError
from seedbed.sources.head import Head
from seedbed.sources.input_paths import files_at, matching
from seedbed.sources.text_files import pieces

_NOWHERE = "names that lead nowhere left out"
_CLOSED = "folders that cannot be read left out"
_NOT_WHOLE = "WACZ files left out that are not whole"
_NOT_ALONE = "files in WACZ files left out that are encrypted or share bytes with others"
_EMPTY = "WACZ files without an archive in them"
_KERNEL = "folders of the kernel left out"
_LOOKED_AT = 10
MOST_ENTRIES = 1 << 20
LOOKED_THROUGH = 1 << 16
DEEPEST = 50


def means_archives(head: Head) -> bool:
    """Whether a path means archives, by names and first bytes; a folder with files is judged by those alone."""
    path = head.path
    if head.is_file:
        return _is_archive(head) or _is_wacz(head) or _is_list(head)
    if path.is_dir():
        inside = head.files_in(path)
        return any(is_archive_name(file.name) for file in inside) or (not inside and has_archives_below(path))
    matches = matching(path)
    return any(is_archive_name(match.name) or (match.is_dir() and means_archives(head.of(match))) for match in matches)


def _is_archive(head: Head) -> bool:
    """Whether it starts with a record; damaged files, and those compressed as only archives are, get a closer look."""
    if not head.damaged and starts_an_archive(head.data):
        return True
    closely = is_archive_name(head.path.name) or head.damaged or b"\x4d\x18" in head.raw
    return closely and syntax_of(head.path) is not None


def _is_wacz(head: Head) -> bool:
    """Whether it is a zip file that holds archives, or is named like one."""
    return head.raw[:4] in ZIP_STARTS and (is_wacz_name(head.path.name) or bool(_inside(head.path, ReadIssues())))


def has_archives_below(folder: Path) -> bool:
    """Whether there is an archive at any depth, within the limit for recognising a format."""
    return next(_below(folder, ReadIssues(), LOOKED_THROUGH), None) is not None


def archives_at(paths: Sequence[Path], issues: ReadIssues) -> list[ArchiveFile]:
    """The archives, each once, in the order of the paths; within each by name, or as listed."""
    return list(dict.fromkeys(file for path in paths for file in _archives(path, issues)))


def archive_files_at(path: Path) -> list[Path]:
    """The files that hold the archives at a path."""
    found = archives_at([path], ReadIssues())
    return [file.wacz if isinstance(file, Member) else Path(str(file)) for file in found]


def _archives(path: Path, issues: ReadIssues) -> list[ArchiveFile]:
    listed = path.is_file() and syntax_of(path) is None and not is_archive_name(path.name) and not is_zip(path)
    places = _in_list(path) if listed else [path]
    files = [one for place in places for file in _at_place(place, issues) for one in _inside(file, issues)]
    if not files:
        found = "".join(f" Found: {note}." for note in issues.notes())
        raise InputError(
            f"{path}: no archives here. Names end with .warc, .arc, .wat (also with .gz, .zst, .lz4) or .wacz.{found}"
        )
    return files


def _inside(file: Path, issues: ReadIssues) -> list[ArchiveFile]:
    """The archives in a WACZ file; any other file is itself an archive."""
    if not is_zip(file):
        return [file]
    try:
        members, left_out = members_of(file)
    except NotWhole as error:
        issues.add(ReadIssue(_NOT_WHOLE, str(file), error=str(error)))
        return []
    if left_out:
        issues.add(ReadIssue(_NOT_ALONE, str(file)), left_out)
    archives: list[ArchiveFile] = [one for one in members if is_archive_name(one.name) and not is_wacz_name(one.name)]
    if not archives:
        issues.add(ReadIssue(_EMPTY, str(file)))
    return archives


def _at_place(path: Path, issues: ReadIssues) -> list[Path]:
    """The archives that a file, a folder or a pattern means."""
    if path.is_dir():
        return sorted(_below(path, issues))
    if matches := matching(path):
        return [file for match in matches for file in _at_place(match, issues)]
    files = files_at(path)
    if not files:
        issues.add(ReadIssue(_NOWHERE, str(path)))
    return files


def _below(folder: Path, issues: ReadIssues, most: int = MOST_ENTRIES) -> Iterator[Path]:
    """The archives at any depth. Links are followed; a folder reached by several links, or by a loop, is read once.

    The kernel's own folders, whose links lead all over the machine, are skipped, and endless folders are refused after
    `most` files and folders.
    """
    seen: set[tuple[int, int]] = set()
    entries, depth, kernel = 0, len(folder.parts), _kernel_devices()
    walk = os.walk(folder, followlinks=True, onerror=lambda error: issues.add(ReadIssue(_CLOSED, str(error.filename))))
    for place, folders, names in walk:
        entries += len(folders) + len(names)
        if entries > most or len(Path(place).parts) - depth > DEEPEST:
            raise InputError(
                f"{folder}: more than {most:,} files and folders are below it, or {DEEPEST} levels. "
                "Name the folder that the archives are in."
            )
        about = _stat(Path(place))
        if about is None or about.st_dev in kernel:
            issues.add(ReadIssue(_CLOSED if about is None else _KERNEL, place))
        if about is None or about.st_dev in kernel or (about.st_dev, about.st_ino) in seen:
            folders.clear()
            continue
        seen.add((about.st_dev, about.st_ino))
        folders.sort()
        for file in (Path(place, name) for name in sorted(names)):
            what = _stat(file)
            if what is None:
                issues.add(ReadIssue(_NOWHERE, str(file)))
            elif is_archive_name(file.name) and stat.S_ISREG(what.st_mode):
                yield file


def _kernel_devices() -> set[int]:
    """The devices of the kernel's virtual file systems, if mounted."""
    found = {about.st_dev for place in ("/proc", "/sys", "/dev") if (about := _stat(Path(place))) is not None}
    return found - {Path("/").stat().st_dev}


def _stat(place: Path) -> os.stat_result | None:
    """None for a broken link, a file that has gone since it was listed, or one that may not be accessed."""
    try:
        return place.stat()
    except OSError:
        return None


def _is_list(head: Head) -> bool:
    """Whether the first lines of a text file are names of archives, or of folders and patterns among them."""
    path, lines = head.path, head.lines[:_LOOKED_AT]
    named = [is_archive_name(line) and set(line).isdisjoint("\t<>|\"'") for line in lines]
    return any(named) and all(name or _place(path, line) is not None for name, line in zip(named, lines, strict=True))


def _in_list(path: Path) -> Iterator[Path]:
    for piece in pieces(path):
        for row, line in enumerate(bytes(piece.checked().text).decode().split("\n")):
            name = line.strip()
            if name and not name.startswith("#"):
                place = _place(path, name)
                if place is None and is_archive_name(name):
                    message = f"no such file: {name[:200]}. Paths start from the list's folder or from here."
                    raise piece.error(row, message)
                if place is None:
                    message = f"found {name[:60]!r}, expected an archive, or a list of archives, folders and patterns."
                    raise piece.error(row, message)
                yield place


def _place(path: Path, name: str) -> Path | None:
    """What a name in a list stands for, relative to the list's folder or the current one."""
    places = (path.parent / name, Path(name))
    try:
        return next((place for place in places if place.is_file() or place.is_dir() or matching(place)), None)
    except (OSError, ValueError):
        return None

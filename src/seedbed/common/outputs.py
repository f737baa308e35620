"""Where output may go: decided before the work starts, and never over a command's input or somebody else's files.

An existing file is overwritten only if seedbed wrote it as the same kind of output and it has not changed since (see
sidecar), or if the user passes --overwrite. A command's input is never overwritten. Missing folders are created.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

from seedbed.common.atomic_files import moved_into
from seedbed.common.sidecar import is_ours, read_sidecar, sidecars, write_sidecar
from seedbed.errors import OptionError

Kind = Literal["list of seeds", "list of scored URLs", "ranking", "run", "web"]
SEEDS: Final = "list of seeds"
SCORED: Final = "list of scored URLs"
RANKING: Final = "ranking"
RUN: Final = "run"
WEB: Final = "web"


@contextmanager
def written_output(
    path: Path,
    kind: Kind,
    made: Mapping[str, Any],
    *,
    beside: Sequence[Path] = (),
    hidden: bool = False,
    overwrite: bool = False,
) -> Iterator[Path]:
    """A new folder for the file and those `beside` it; they move into place at the end, along with their sidecar."""
    check_output(path, kind, beside=beside, overwrite=overwrite)
    with moved_into(path.parent) as work:
        yield work
        if path.suffix != ".parquet":
            others = [work / file.name for file in beside]
            write_sidecar(work / path.name, kind, made, files=others, hidden=hidden)
    # The sidecar of an earlier output of this name does not describe the new one.
    other = sidecars(path)[not hidden]
    if path.suffix != ".parquet" and read_sidecar(other) is not None:
        other.unlink()


def check_output(
    path: Path, kind: Kind, *, beside: Sequence[Path] = (), reads: Iterable[Path] = (), overwrite: bool = False
) -> None:
    """Refuse a file that cannot or must not be written. `beside`: files written with it; `reads`: all input files.

    `overwrite` allows overwriting other people's files, but never the input.
    """
    for file in (path, *beside):
        if file.is_dir():
            raise OptionError(f"{file}: is a folder, but a file is needed. Name a file, such as {file / 'out'}.")
        if file.exists() and not file.is_file():
            raise OptionError(f"{file}: is not a regular file and cannot be replaced by one. Choose another name.")
    check_can_write(path.parent, path)
    there = [file for file in (path, *beside) if file.exists()]
    notes = [file for file in sidecars(path) if file.exists()]
    check_not_read([*there, *notes], reads)
    strange = [file for file in there if not is_ours(file, path, kind)]
    strange += [file for file in notes if read_sidecar(file) is None]
    if strange and not overwrite:
        raise OptionError(
            f"{strange[0]} exists, and is not a {kind} that seedbed wrote, or has changed since. Choose another name, "
            "remove it, or add --overwrite."
        )


def check_can_write(folder: Path, path: Path) -> None:
    """Refuse a folder that cannot be created or written to; `path` is what the user named."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise OptionError(f"{path}: cannot be written, because {there} is a file. Choose another place.")
    try:
        Path(tempfile.mkdtemp(prefix=".seedbed.", suffix=".part", dir=there)).rmdir()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OptionError(
            f"{path}: cannot be written, because {there} takes no new files ({reason}). Choose another place."
        ) from None


def check_not_read(written: Iterable[Path], reads: Iterable[Path]) -> None:
    """Refuse to overwrite the input, under whatever name."""
    taken = {one: file for file in written if (one := _identity(file)) is not None}
    for file in reads if taken else ():
        one = _identity(file)
        if one in taken:
            raise OptionError(f"{taken[one]}: is read by this very command, and would be lost. Choose another name.")


def _identity(path: Path) -> tuple[int, int] | None:
    """The same value for every name of a file, including links; None if it is not a regular file."""
    try:
        about = os.fstat(0) if str(path) == "-" else path.stat()
    except OSError:
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) else None


def check_output_folder(out: Path) -> None:
    """Refuse a place where a folder cannot be created or written to."""
    if out.exists() and not out.is_dir():
        raise OptionError(f"{out}: is a file, but a folder is needed. Name another place with --out.")
    check_can_write(out, out)


def is_in_use(out: Path) -> bool:
    """Whether a folder cannot be replaced as a whole: something is mounted there, or it is the current folder."""
    return out.exists() and (Path.cwd().is_relative_to(out.resolve()) or out.is_mount())


def names_in(out: Path) -> set[str]:
    """The names of the files in a folder; none if there is no folder."""
    return {path.name for path in out.iterdir()} if out.is_dir() else set()


def refuse_other_files(out: Path, others: Collection[str], what: str) -> None:
    """Refuse a folder that contains files that would be lost."""
    if others:
        raise OptionError(
            f"{out}: something other than {what} is already there ({min(others)}). Name another folder with --out."
        )

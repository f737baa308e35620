"""Files read in place, and files and folders that appear only once they are complete."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import glob
import math
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen
from seedbed.common.sidecar import ENDING as SIDECAR
from seedbed.errors import InputError, OptionError

if TYPE_CHECKING:
    from typing_extensions import Buffer

NPY_FAULTS = (
    EOFError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,
    TokenError,
    TypeError,
    UserWarning,
    ValueError,
)
"""What NumPy raises, or warns about, when the bytes are not an array."""
PART = ".part"
SECONDS_TO_LOCK = 10
"""A folder younger than this may not have been locked yet by the process that made it."""

MOVING = ".moving"


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, memory-mapped and read-only."""
    return frozen(np.memmap(path, np.uint8, mode="r") if path.stat().st_size else np.empty(0, np.uint8))


def map_array(path: Path, *, dimensions: int = 1) -> NDArray[Any]:
    """The array of a .npy file, memory-mapped and read-only."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            array = np.lib.format.open_memmap(path, mode="r").view(np.ndarray)
    except NPY_FAULTS:
        raise InputError(f"{path}: is not a complete NumPy array. It is damaged; convert the web again.") from None
    if array.ndim != dimensions or array.dtype.kind not in "biuf":
        raise InputError(
            f"{path}: holds {array.ndim}-dimensional {array.dtype}, expected numbers in {dimensions}. "
            "It is damaged; convert the web again."
        )
    return array


class ArrayFile:
    """A .npy file that grows by appending. Written, not mapped, so a full disk raises an error instead of crashing."""

    def __init__(self, path: Path, dtype: Any, row: tuple[int, ...] = ()) -> None:
        self._dtype, self._row = np.dtype(dtype), row
        self._bytes = 0
        self._file = path.open("wb")
        self._write_header()

    def _write_header(self) -> None:
        descr = np.lib.format.dtype_to_descr(self._dtype)
        header = {"descr": descr, "fortran_order": False, "shape": (self.length, *self._row)}
        np.lib.format.write_array_header_1_0(self._file, header)

    @property
    def length(self) -> int:
        """The number of rows."""
        return self._bytes // (self._dtype.itemsize * math.prod(self._row))

    def append(self, values: NDArray[Any]) -> None:
        """Add rows at the end."""
        self.write(np.ascontiguousarray(values, self._dtype).data)

    def write(self, data: Buffer) -> None:
        """Add the bytes of rows at the end."""
        self._bytes += self._file.write(data)

    def close(self) -> None:
        """Fill in the length, which has room reserved in NumPy's header, and close the file."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        self._file.close()


@contextmanager
def written_beside(target: Path) -> Iterator[Path]:
    """A new folder next to `target` that replaces it at the end; on any error it is removed and target stays.

    A kill at any moment leaves either the old target or the new one. A file system that cannot swap two names
    atomically may leave neither, if killed between two renames; the old one is then next to it as `.target.old`.
    """
    place = target.resolve()
    if Path.cwd().is_relative_to(place):
        raise OptionError(
            f"{target}: is the folder you are in, or one above it, and cannot be replaced. Name a folder inside it."
        )
    with _work_folder(place.parent, f".{place.name}.", target) as work:
        yield work
        for file in work.rglob("*"):
            if file.is_file():
                _flush(file)
        _replace(work, place)


@contextmanager
def moved_into(folder: Path) -> Iterator[Path]:
    """A new folder whose files move into `folder` at the end, all or none; on any error none of them move.

    Renaming the new folder to `.seedbed.….moving` commits its files; they are then moved one by one. If a kill
    interrupts the moves, the next process that writes into `folder` or opens a web there finishes them first (see
    finish_moves). So a kill at any moment leaves the old files or the new ones, never a mixture.
    """
    finish_moves(folder)
    with _work_folder(folder, ".seedbed.", folder) as work:
        yield work
        files = sorted(work.iterdir())
        for file in files:
            _flush(file)
            if (folder / file.name).is_dir():
                raise IsADirectoryError(errno.EISDIR, "a folder of this name already exists", folder / file.name)
        if len(files) == 1:
            files[0].replace(folder / files[0].name)
        elif files:
            moving = work.with_suffix(MOVING)
            _flush(work)
            work.rename(moving)
            _flush(folder)
            try:
                _move_all(moving, files, folder)
            except KeyboardInterrupt:
                _move_all(moving, files, folder)
                raise


def finish_moves(folder: Path) -> None:
    """Finish the moves into `folder` that `moved_into` had started when it was killed.

    Only the current user's: in a shared folder, nobody decides what happens to another user's files. Another process
    may be doing the same and may finish at any moment.
    """
    for moving in moves_begun(folder):
        with suppress(FileNotFoundError):
            if moving.stat().st_uid == os.geteuid():
                _move_all(moving, _left_to_move(moving), folder)


def finish_moves_at(path: Path) -> None:
    """As finish_moves, before the files at a path are read; raises an error if they are part old, part new."""
    for folder in (path.parent, path):
        try:
            finish_moves(folder)
            reason = "they are another user's"
        except OSError as error:
            reason = error.strerror or str(error)
        for moving in moves_begun(folder):
            left = _left_to_move(moving)
            if left and (folder == path or any(_first_word(file) == _first_word(path) for file in left)):
                raise InputError(
                    f"{path}: writing it was stopped while new files were moved in, and they cannot be moved now "
                    f"({reason}). Move those in {moving} to {folder}, or write the web again."
                )


def moves_begun(folder: Path) -> list[Path]:
    """The folders whose files are being moved into `folder`; none if `folder` cannot be listed."""
    try:
        found = [path for path in folder.iterdir() if path.name.startswith(".seedbed.") and path.suffix == MOVING]
    except (NotADirectoryError, FileNotFoundError, PermissionError):
        return []
    return sorted(path for path in found if path.is_dir() and not path.is_symlink())


def _left_to_move(moving: Path) -> list[Path]:
    """The files of an interrupted move; none if another process has finished it.

    The only hidden files included are sidecars, so that a folder of this name from elsewhere cannot plant a .bashrc.
    """
    try:
        files = [file for file in moving.iterdir() if file.is_file() and not file.is_symlink()]
    except FileNotFoundError:
        return []
    return [file for file in files if not file.name.startswith(".") or file.name.endswith(SIDECAR)]


def _first_word(path: Path) -> str:
    """The part of the name that files belonging together share."""
    return path.name.partition(".")[0]


def _move_all(moving: Path, files: list[Path], folder: Path) -> None:
    """Move the files and remove their folder. Another process may be doing the same."""
    for file in sorted(files):
        with suppress(FileNotFoundError):
            (moving / file.name).replace(folder / file.name)
    _flush(folder)
    with suppress(OSError):
        moving.rmdir()


@contextmanager
def _work_folder(parent: Path, prefix: str, target: Path) -> Iterator[Path]:
    """A folder that is always gone at the end; disk errors name the target.

    It is locked while this process lives. A folder left by a killed process is not locked, and is removed the next
    time the same target is written.
    """
    with _folder_that_is_needed(parent):
        _remove_left_behind(parent, prefix)
        work = Path(tempfile.mkdtemp(prefix=prefix, suffix=PART, dir=parent))
        lock = _lock(work)
        try:
            work.chmod(0o755)
            yield work
        except OSError as error:
            if error.filename is None or str(error.filename).startswith(str(work)):
                error.filename = str(target)
            raise
        finally:
            shutil.rmtree(work, ignore_errors=True)
            if lock is not None:
                os.close(lock)


@contextmanager
def _folder_that_is_needed(folder: Path) -> Iterator[None]:
    """Create the folder and its parents; on any error, remove those that were created."""
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for place in made:
                place.rmdir()
        raise


def _remove_left_behind(parent: Path, prefix: str) -> None:
    for work in parent.glob(f"{glob.escape(prefix)}*{PART}"):
        with suppress(OSError):
            settled = time.time() - work.stat().st_mtime > SECONDS_TO_LOCK
            if settled and (lock := _lock(work)) is not None:
                shutil.rmtree(work, ignore_errors=True)
                os.close(lock)


def _lock(folder: Path) -> int | None:
    """A lock, released at the latest when this process ends; None if another process holds it or locks do not work."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _flush(path: Path) -> None:
    """Flush a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _replace(work: Path, target: Path) -> None:
    """Replace a folder by another; if the file system can swap two names, there is always one in place."""
    old = target.with_name(f".{target.name}.old")
    if target.is_dir() and not target.is_symlink() and _exchanged(work, target):
        shutil.rmtree(old, ignore_errors=True)
        return
    if target.is_dir():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    elif target.exists():
        target.unlink()
    work.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap the names of two folders atomically; False if that is not possible (Linux's renameat2)."""
    try:
        exchange = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    here = -100  # AT_FDCWD
    failed = exchange(here, os.fsencode(one), here, os.fsencode(other), ctypes.c_uint(2))  # RENAME_EXCHANGE
    return not failed

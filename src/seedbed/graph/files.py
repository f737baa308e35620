"""Files read in place, and files and folders that appear only when they are whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError

NPY_FAULTS = (
    EOFError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    SyntaxError,
    TokenError,
    TypeError,
    ValueError,
)
"""What NumPy raises on bytes that are no array."""


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, memory-mapped and read-only."""
    if path.stat().st_size == 0:
        empty = np.empty(0, np.uint8)
        empty.flags.writeable = False
        return empty
    return np.memmap(path, np.uint8, mode="r").view(np.ndarray)


def map_array(path: Path) -> NDArray[Any]:
    """The one-dimensional array of a .npy file, memory-mapped and read-only."""
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except NPY_FAULTS as wrong:
        raise InputError(f"{path}: not a whole array file ({str(wrong)[:80]}). Make the store again.") from None
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "biuf":
        raise InputError(f"{path}: not a plain list of numbers. Make the store again.")
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


class ArrayFile:
    """A .npy file that grows by appending. Written, not mapped, so that a full disk is an error and not a crash."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._file = path.open("wb")
        self._write_header()

    def _write_header(self) -> None:
        header = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (self.length,),
        }
        np.lib.format.write_array_header_1_0(self._file, header)

    def append(self, values: NDArray[Any]) -> None:
        """Add values at the end."""
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Set the length; NumPy leaves room for it in the header."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def abandon(self) -> None:
        """Close the file as it is."""
        self._file.close()


@contextmanager
def written_beside(target: Path) -> Iterator[Path]:
    """A new folder beside `target` that takes its place at the end; on any error it is removed and target stays.

    A kill at any moment leaves the old target or the new one, or neither for the instant between two renames: the old
    one then still stands beside it, under the name `.target.old`.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        work.chmod(0o755)
        yield work
        for file in work.rglob("*"):
            if file.is_file():
                _flush(file)
        _replace(work, target)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _flush(file: Path) -> None:
    with file.open("rb") as handle:
        os.fsync(handle.fileno())


def _replace(work: Path, target: Path) -> None:
    old = target.with_name(f".{target.name}.old")
    if target.is_dir():
        shutil.rmtree(old, ignore_errors=True)
        target.rename(old)
    elif target.exists():
        target.unlink()
    work.rename(target)
    shutil.rmtree(old, ignore_errors=True)

"""Files read in place, and files and folders that appear only when they are whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def map_bytes(path: Path) -> NDArray[np.uint8]:
    """The bytes of a file, memory-mapped and read-only."""
    if path.stat().st_size == 0:
        empty = np.empty(0, np.uint8)
        empty.flags.writeable = False
        return empty
    return np.memmap(path, np.uint8, mode="r").view(np.ndarray)


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

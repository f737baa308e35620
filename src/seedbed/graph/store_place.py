"""Where a store may be written: it takes the place of a whole folder, so of nothing that it did not write itself."""

from __future__ import annotations

import re
from pathlib import Path

from seedbed.common.outputs import check_can_write
from seedbed.errors import OptionError
from seedbed.graph.native_store import is_store

FILE_NAME = re.compile(
    r"web\.json|out_(ptr|idx)\.npy|links\.(graph|offsets|properties)|hosts\.npy|column-[a-z][a-z0-9_]*\.npy"
    r"|nofollow-(sources|targets)\.npy|(urls|host-names)\.(text|(ptr|symbols|rank|id)\.npy)"
)
"""The files of a store."""


def check_store_path(path: Path) -> None:
    """Refuse a place that holds anything but a store, or cannot be written to; an empty folder will do."""
    if not path.exists():
        check_can_write(path.parent, path)
        return
    names = sorted(file.name for file in path.iterdir()) if path.is_dir() else [path.name]
    strange = [name for name in names if not FILE_NAME.fullmatch(name)]
    if is_store(path) and strange:
        raise OptionError(
            f"{path}: '{strange[0]}' is in this store and not of it, and would be lost. Move it away, or choose "
            "another name."
        )
    # A lone web.json may be anyone's.
    if not path.is_dir() or (names and not (is_store(path) and len(names) > 1)):
        raise OptionError(f"{path}: is there already and is not a store. Choose another name, or move it away.")
    check_can_write(path.resolve().parent, path)

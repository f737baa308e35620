"""Arrays as files in a folder, local or remote: what tasks on all machines read and write.

A file is the array's bytes, little-endian; its extension is the type. Local files are memory-mapped, remote ones read
by range through pyarrow.fs. A file is written under a name of its own and then renamed, so two attempts at one task
write the same bytes and never half of them.
"""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import fs

from seedbed.errors import InputError

TYPES = {".i64": "<i8", ".u32": "<u4", ".i32": "<i4", ".f64": "<f8", ".u8": "|u1"}


_PART = ".part"


class Folder:
    """A folder of arrays. `uri`: a path, or hdfs://…, s3://… as pyarrow.fs understands them."""

    def __init__(self, uri: str) -> None:
        # Workers have working folders of their own.
        self.uri = uri.rstrip("/") if "://" in uri else str(Path(uri).absolute())
        if "://" in uri:
            self._files, self._path = fs.FileSystem.from_uri(self.uri)
        else:
            self._files, self._path = fs.LocalFileSystem(), self.uri
        self._local = isinstance(self._files, fs.LocalFileSystem)

    def array(self, name: str, first: int = 0, last: int | None = None) -> NDArray[Any]:
        """The elements first … last of an array."""
        dtype = np.dtype(TYPES[PurePosixPath(name).suffix])
        try:
            if self._local:
                whole = np.frombuffer(pa.memory_map(self.path(name)).read_buffer(), dtype)
                return whole[first:last]
            with self._files.open_input_file(self.path(name)) as file:
                end = file.size() if last is None else last * dtype.itemsize
                return np.frombuffer(file.read_at(end - first * dtype.itemsize, first * dtype.itemsize), dtype)
        except FileNotFoundError:
            raise InputError(
                f"{self.uri}/{name}: is not there. Every machine must see the folder under the same name; use shared "
                "storage (HDFS, S3, NFS) on a cluster."
            ) from None

    def write(self, name: str, array: NDArray[Any]) -> None:
        """Write a whole array; it appears when it is complete."""
        self._put(name, np.ascontiguousarray(array, TYPES[PurePosixPath(name).suffix]).data)

    def write_json(self, name: str, content: object) -> None:
        """Write a small file of facts."""
        self._put(name, json.dumps(content).encode())

    def json(self, name: str) -> Any:
        """The facts in a small file; None if there is none."""
        if not self.has(name):
            return None
        with self._files.open_input_stream(self.path(name)) as file:
            try:
                return json.loads(file.read())
            except ValueError:
                raise InputError(f"{self.uri}/{name}: is not complete JSON. It is damaged; make it again.") from None

    def opened(self, name: str) -> Any:
        """A file to read from, of whatever kind."""
        return self._files.open_input_file(self.path(name))

    def has(self, name: str) -> bool:
        """Whether there is a file or folder of this name."""
        return bool(self._files.get_file_info(self.path(name)).type != fs.FileType.NotFound)

    def is_folder(self, name: str) -> bool:
        """Whether there is a folder of this name."""
        return bool(self._files.get_file_info(self.path(name)).type == fs.FileType.Directory)

    def size(self, name: str) -> int:
        """How many bytes a file has."""
        return int(self._files.get_file_info(self.path(name)).size or 0)

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path | None]:
        """A file as one of this machine, copied here if it is elsewhere; None for no name."""
        if not name or self._local:
            yield Path(self.path(name)) if name else None
            return
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / PurePosixPath(name).name
            with self.opened(name) as file:
                copy.write_bytes(file.read())
            yield copy

    def names(self, name: str = "") -> list[str]:
        """The names in a folder, sorted; none if there is no such folder."""
        found = self._files.get_file_info(fs.FileSelector(self.path(name), allow_not_found=True))
        return sorted(one.base_name for one in found)

    def copy(self, name: str, source: Folder) -> None:
        """Copy a file of another folder under the same name."""
        with source.opened(name) as file:
            self._put(name, file.read())

    def remove(self, name: str) -> None:
        """Remove a folder with everything in it."""
        if self.has(name):
            self._files.delete_dir(self.path(name))

    def remove_parts(self) -> None:
        """Remove what writers that were killed left half-written."""
        for one in self._files.get_file_info(fs.FileSelector(self._path, recursive=True, allow_not_found=True)):
            if one.path.endswith(_PART):
                self._files.delete_file(one.path)

    def path(self, name: str) -> str:
        """The path inside the file system."""
        return f"{self._path}/{name}" if name else self._path

    def write_bytes(self, name: str, data: Any) -> None:
        """Write a whole file; it appears when it is complete."""
        self._put(name, data)

    def _put(self, name: str, data: Any) -> None:
        place, part = self.path(name), self.path(f"{name}.{uuid.uuid4().hex}{_PART}")
        self._files.create_dir(str(PurePosixPath(place).parent), recursive=True)
        with self._files.open_output_stream(part) as file:
            file.write(data)
        self._files.move(part, place)

"""Archives read in parallel: each worker is a process that is given one file after another.

A worker is started as `python -m seedbed.archives.archive_workers`; it reads one line of JSON per file and answers with
the file's parts as Arrow streams, each prefixed with its length; a length of 0 ends a file. Not concurrent.futures or
loky: there, a worker killed by a file takes down the whole pool and the other workers' files, results arrive only when
a file is done, so memory is unbounded, and a script that opens archives would need a __main__ guard.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, cast

from seedbed.archives.capture_rows import Part, Settings, parts_of
from seedbed.archives.wacz import ArchiveFile, Member, size_of
from seedbed.common.read_issues import ReadIssue, failure

_MODULE = "seedbed.archives.archive_workers"
_FEW_BYTES = 16 << 20
"""One process reads fewer bytes than this before another has started."""

_DIED = "files left unread from some place on, where the reader died"

Arrays = dict[str, Any]
"""A part as Arrow arrays by name, with its issues and how far into the file it reaches."""


def parts_of_all(
    files: Sequence[ArchiveFile], settings: Settings, processes: int
) -> Iterator[tuple[ArchiveFile, Arrays | None]]:
    """(file, part), and (file, None) when a file is done; the order depends on which worker is faster."""
    if min(processes, len(files)) > 1 and sum(map(size_of, files)) >= _FEW_BYTES:
        yield from _in_parallel(deque(files), settings, processes)
        return
    for file in files:
        for part in read_parts(file, settings):
            yield file, part
        yield file, None


def read_parts(file: ArchiveFile, settings: Settings) -> Iterator[Arrays]:
    """The parts of a file; if reading fails, here or in a worker, only the rest of this file is lost."""
    try:
        for part in parts_of(file, settings):
            yield arrays_of(part)
    except Exception as error:  # noqa: BLE001 - one bad file of thousands must not stop the others
        yield arrays_of(Part(issues=[failure(error)]))


def arrays_of(part: Part) -> Arrays:
    """A part in the form in which it is sent between processes."""
    import pyarrow as pa

    urls = pa.array(part.urls, pa.large_string())
    sources = pa.DictionaryArray.from_arrays(pa.array(part.sources, pa.int32()), urls).dictionary_decode()
    return {
        "url": urls,
        "is_page": pa.array(part.is_page, pa.bool_()),
        "status": pa.array(part.status, pa.int64()),
        "digest": pa.array(part.digest, pa.large_string()),
        "canonical": pa.array(part.canonical, pa.large_string()),
        "ends": pa.concat_arrays([sources, pa.array(part.targets, pa.large_string())]).dictionary_encode(),
        "marked": pa.array(part.marked, pa.bool_()),
        "revisit_key": pa.array([revisit.key for revisit in part.revisits], pa.large_string()),
        "revisit_url": pa.array([revisit.url for revisit in part.revisits], pa.large_string()),
        "revisit_nofollow": pa.array([revisit.nofollow for revisit in part.revisits], pa.bool_()),
        "found": pa.array(part.found, pa.int64()),
        "place": part.place,
        "issues": part.issues,
    }


def _in_parallel(
    left: deque[ArchiveFile], settings: Settings, processes: int
) -> Iterator[tuple[ArchiveFile, Arrays | None]]:
    workers: list[_Worker] = []
    try:
        while left or workers:
            while left and len(workers) < processes:
                workers.append(_Worker())
                workers[-1].begin(left.popleft(), settings)
            for worker in cast(list[_Worker], wait(cast(list[int], workers))):
                data = worker.received()
                if data is None:
                    yield worker.file, arrays_of(Part(issues=[ReadIssue(_DIED)]))
                yield worker.file, _decoded(data) if data else None
                if data is None or not (data or left):
                    workers.remove(worker)
                    worker.end()
                elif not data:
                    worker.begin(left.popleft(), settings)
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """A process that reads one file at a time."""

    file: ArchiveFile

    def __init__(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and a module of ours
            [sys.executable, "-P", "-m", _MODULE],
            # Unbuffered: what lies in a buffer of ours, wait() would not see.
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            # Ctrl-C should reach only this process, which then stops its workers.
            start_new_session=True,
        )
        self._requests, self._parts = cast(io.FileIO, self._process.stdin), cast(io.FileIO, self._process.stdout)

    def fileno(self) -> int:
        """The pipe to wait for."""
        return self._parts.fileno()

    def begin(self, file: ArchiveFile, settings: Settings) -> None:
        """Read a file; if the worker has died, received() says so."""
        self.file = file
        with suppress(BrokenPipeError):
            self._requests.write(_request(file, settings))

    def received(self) -> bytearray | None:
        """The next part of the file; empty at its end, None if the worker has died."""
        head = self._read(8)
        return None if head is None else self._read(int.from_bytes(head, "little"))

    def _read(self, size: int) -> bytearray | None:
        data, at = bytearray(size), 0
        while at < size:
            read = self._parts.readinto(memoryview(data)[at:])
            if not read:
                return None
            at += read
        return data

    def end(self) -> None:
        self._process.kill()
        with self._process:
            pass  # leaving the block closes its pipes and waits for it


def main() -> None:
    """Read files for the parent process until there are no more."""
    try:
        while True:
            for data in chain(map(_encoded, read_parts(*_requested(sys.stdin.buffer.readline()))), [b""]):
                sys.stdout.buffer.write(len(data).to_bytes(8, "little") + data)
                sys.stdout.buffer.flush()
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        # There are no more files, or the parent has gone.
        return


def _request(file: ArchiveFile, settings: Settings) -> bytes:
    member = vars(file) if isinstance(file, Member) else None
    return json.dumps([str(file), member, settings], default=str).encode() + b"\n"


def _requested(line: bytes) -> tuple[ArchiveFile, Settings]:
    if not line:
        raise EOFError
    path, member, (drop_sessions, revisits, revisit_bytes) = json.loads(line)
    file = Path(path) if member is None else Member(**{**member, "wacz": Path(member["wacz"])})
    return file, Settings(drop_sessions, revisits and Path(revisits), revisit_bytes)


def _encoded(part: Arrays) -> bytes:
    """A part as one row of lists."""
    import pyarrow as pa

    rest = {name: part[name] for name in ("place", "issues")}
    lists = {
        name: pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values)
        for name, values in part.items()
        if name not in rest
    }
    table = pa.table(lists).replace_schema_metadata({"rest": json.dumps(rest)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def _decoded(data: bytearray) -> Arrays:
    import pyarrow as pa

    table = pa.ipc.open_stream(data).read_all()
    rest = json.loads(table.schema.metadata[b"rest"])
    arrays = {name: table[name].chunk(0).flatten() for name in table.column_names}
    return {**arrays, "place": rest["place"], "issues": [ReadIssue(*issue) for issue in rest["issues"]]}


if __name__ == "__main__":
    main()

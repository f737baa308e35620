"""Archives read in parallel: each worker is a process that is given one file after another.

A worker is started as `python -m seedbed.archives.archive_workers`; it reads one line of JSON per file and answers with
the file's parts as Arrow streams, each prefixed with its length; a length of 0 ends a file. Not concurrent.futures or
loky: there, a worker killed by a file takes down the whole pool and the other workers' files, results arrive only when
a file is done, so memory is unbounded, and a script that opens archives would need a __main__ guard.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO, Any

from seedbed.archives.capture_rows import Part, Settings, parts_of
from seedbed.archives.wacz import ArchiveFile, Member, size_of
from seedbed.common.read_issues import ReadIssue, failure

_MODULE = "seedbed.archives.archive_workers"
_WAITING = 4
_FEW_BYTES = 16 << 20
"""One process reads fewer bytes than this before another has started."""

_DIED = "files left unread from some place on, where the reader died"

Arrays = dict[str, Any]
"""A part as Arrow arrays by name, with its issues and how far into the file it reaches."""


def parts_of_all(
    files: Sequence[ArchiveFile], settings: Settings, processes: int
) -> Iterator[tuple[ArchiveFile, Arrays | None]]:
    """(file, part), and (file, None) when a file is done; the order depends on which worker is faster."""
    processes = min(processes, len(files))
    if processes <= 1 or sum(map(size_of, files)) < _FEW_BYTES:
        for file in files:
            for part in read_parts(file, settings):
                yield file, part
            yield file, None
        return
    yield from _Team(files, settings, processes).results()


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
        "ends": pa.concat_arrays([sources, pa.array(part.targets, pa.large_string())]).dictionary_encode(),
        "marked": pa.array(part.marked, pa.bool_()),
        "revisit_key": pa.array([revisit.key for revisit in part.revisits], pa.large_string()),
        "revisit_url": pa.array([revisit.url for revisit in part.revisits], pa.large_string()),
        "revisit_nofollow": pa.array([revisit.nofollow for revisit in part.revisits], pa.bool_()),
        "found": pa.array(part.found, pa.int64()),
        "place": part.place,
        "issues": part.issues,
    }


class _Team:
    """The workers, each with a thread that sends it files and receives its parts."""

    def __init__(self, files: Sequence[ArchiveFile], settings: Settings, processes: int) -> None:
        self._files: queue.SimpleQueue[ArchiveFile] = queue.SimpleQueue()
        for file in files:
            self._files.put(file)
        self._settings = settings
        self._found: queue.Queue[Any] = queue.Queue(_WAITING)
        self._stopped = threading.Event()
        self._workers: set[subprocess.Popen[bytes]] = set()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(processes)]

    def results(self) -> Iterator[tuple[ArchiveFile, Arrays | None]]:
        working = len(self._threads)
        try:
            for thread in self._threads:
                thread.start()
            while working:
                found = self._found.get()
                if isinstance(found, BaseException):
                    raise found
                working -= found is None
                if found is not None:
                    yield found
        finally:
            self._stop()

    def _stop(self) -> None:
        self._stopped.set()
        while any(thread.is_alive() for thread in self._threads):
            for worker in list(self._workers):  # repeatedly: one may just be starting
                worker.kill()
            with suppress(queue.Empty):
                self._found.get(timeout=0.05)

    def _serve(self) -> None:
        worker: subprocess.Popen[bytes] | None = None
        try:
            while not self._stopped.is_set():
                try:
                    file = self._files.get_nowait()
                except queue.Empty:
                    break
                worker = worker or self._started()
                if not self._read(worker, file):
                    self._end(worker)
                    worker = None
            self._found.put(None)
        except BaseException as error:  # noqa: BLE001 - results() raises it again
            self._found.put(error)
        finally:
            if worker is not None:
                self._end(worker)

    def _started(self) -> subprocess.Popen[bytes]:
        worker = subprocess.Popen(  # noqa: S603 - this interpreter and a module of ours
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            # Ctrl-C should reach only this process, which then stops its workers.
            start_new_session=True,
        )
        self._workers.add(worker)
        return worker

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        self._workers.discard(worker)
        with suppress(BrokenPipeError), worker:
            pass  # leaving the block closes its pipes and waits for it

    def _read(self, worker: subprocess.Popen[bytes], file: ArchiveFile) -> bool:
        """Read one file with a worker; whether the worker is still alive."""
        assert worker.stdin is not None and worker.stdout is not None  # noqa: S101 - for the type checker
        try:
            worker.stdin.write(_request(file, self._settings))
            worker.stdin.flush()
            while data := _frame(worker.stdout):
                self._found.put((file, _decoded(data)))
        except (OSError, EOFError):
            self._found.put((file, arrays_of(Part(issues=[ReadIssue(_DIED)]))))
            return False
        finally:
            self._found.put((file, None))
        return True


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


def _frame(pipe: IO[bytes]) -> bytes:
    head = pipe.read(8)
    length = int.from_bytes(head, "little")
    data = pipe.read(length)
    if len(head) < 8 or len(data) < length:
        raise EOFError
    return data


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


def _decoded(data: bytes) -> Arrays:
    import pyarrow as pa

    table = pa.ipc.open_stream(data).read_all()
    rest = json.loads(table.schema.metadata[b"rest"])
    arrays = {name: table[name].chunk(0).flatten() for name in table.column_names}
    return {**arrays, "place": rest["place"], "issues": [ReadIssue(*issue) for issue in rest["issues"]]}


if __name__ == "__main__":
    main()

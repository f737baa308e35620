"""Archives read side by side, each worker a process of its own that is handed one file after another.

Workers are started as `python -m seedbed.archives.archive_worker`, so a script that opens archives needs no guard
around its own code, and a file that kills its reader costs only the rest of that file.

    to a worker:    one line of JSON a file
    from a worker:  8 bytes of length and a part in Arrow's stream format, and so on; a length of 0 ends a file
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from seedbed.archives.capture_rows import Part, parts_of
from seedbed.archives.wacz import ArchiveFile, Member, size_of
from seedbed.common.read_issues import ReadIssue, failure

_MODULE = "seedbed.archives.archive_worker"
_WAITING = 4
_FEW_BYTES = 16 << 20
"""Less than this a process reads before another has started."""

_DIED = "files left unread from some place on, where the reader died"


class Settings(NamedTuple):
    """What a worker is told besides the file."""

    drop_sessions: bool = False
    revisits: str = ""
    """A file of revisits, where only what they refer to is to be read."""
    revisit_bytes: int = 1 << 28
    """Room for the revisits of one file."""


def parts_of_all(files: Sequence[ArchiveFile], settings: Settings, processes: int) -> Iterator[tuple[ArchiveFile, Any]]:
    """(file, part as an Arrow table), and (file, None) when it is done; the order depends on who is quicker."""
    processes = min(processes, len(files))
    if processes <= 1 or sum(map(size_of, files)) < _FEW_BYTES:
        for file in files:
            for table in tables_of(file, settings):
                yield file, table
            yield file, None
        return
    yield from _Team(files, settings, processes).results()


def tables_of(file: ArchiveFile, settings: Settings) -> Iterator[Any]:
    """The parts of a file as they travel; whatever fails in reading it, here or in a worker, costs only its rest."""
    try:
        for part in parts_of(file, **settings._asdict()):
            yield table_of(part)
    except Exception as error:  # noqa: BLE001 - one file of thousands must not end the others
        yield table_of(Part(issues=[failure(error)]))


class _Team:
    """Some workers, a thread for each that hands it files and takes its parts."""

    def __init__(self, files: Sequence[ArchiveFile], settings: Settings, processes: int) -> None:
        self._files: queue.SimpleQueue[ArchiveFile] = queue.SimpleQueue()
        for file in files:
            self._files.put(file)
        self._settings = settings
        self._found: queue.Queue[Any] = queue.Queue(_WAITING)
        self._stopped = threading.Event()
        self._workers: set[subprocess.Popen[bytes]] = set()
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(processes)]

    def results(self) -> Iterator[tuple[ArchiveFile, Any]]:
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
            for worker in list(self._workers):  # again and again: one may be starting
                worker.kill()
            try:
                self._found.get(timeout=0.05)
            except queue.Empty:
                continue

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
        except BaseException as error:  # noqa: BLE001 - it is raised again by whoever waits
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
            # Ctrl-C is for this process, which then ends its workers.
            start_new_session=True,
        )
        self._workers.add(worker)
        return worker

    def _end(self, worker: subprocess.Popen[bytes]) -> None:
        self._workers.discard(worker)
        for pipe in (worker.stdin, worker.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        worker.wait()

    def _read(self, worker: subprocess.Popen[bytes], file: ArchiveFile) -> bool:
        """Whether the worker lives on."""
        from pyarrow import ipc

        try:
            _send(worker.stdin, {**asked_for(file), **self._settings._asdict()})
            while data := _frame(worker.stdout):
                self._found.put((file, ipc.open_stream(data).read_all()))
        except (OSError, EOFError):
            self._found.put((file, table_of(Part(issues=[ReadIssue(_DIED)]))))
            self._found.put((file, None))
            return False
        self._found.put((file, None))
        return True


def asked_for(file: ArchiveFile) -> dict[str, Any]:
    """An archive in a message to a worker."""
    if not isinstance(file, Member):
        return {"path": str(file)}
    return {"path": str(file.wacz), "inside": {**vars(file), "wacz": ""}}


def file_asked_for(message: dict[str, Any]) -> ArchiveFile:
    """The archive of a message, which is taken out of it."""
    path, inside = Path(message.pop("path")), message.pop("inside", None)
    return path if inside is None else Member(**{**inside, "wacz": path})


def _send(pipe: IO[bytes] | None, message: dict[str, Any]) -> None:
    if pipe is not None:
        pipe.write(json.dumps(message).encode() + b"\n")
        pipe.flush()


def _frame(pipe: IO[bytes] | None) -> bytes:
    """The next frame; empty at the end of a file."""
    head = pipe.read(8) if pipe is not None else b""
    length = int.from_bytes(head, "little")
    data = pipe.read(length) if pipe is not None and length else b""
    if len(head) < 8 or len(data) < length:
        raise EOFError
    return data


def table_of(part: Part) -> Any:
    """A part as one row of lists, as it travels between processes."""
    import pyarrow as pa

    urls = pa.array(part.urls, pa.large_string())
    sources = pa.DictionaryArray.from_arrays(pa.array(part.sources, pa.int32()), urls).dictionary_decode()
    ends = pa.concat_arrays([sources, pa.array(part.targets, pa.large_string())]).dictionary_encode()
    columns = {
        "url": urls,
        "is_page": pa.array(part.is_page, pa.bool_()),
        "status": pa.array(part.status, pa.int64()),
        "ends": ends,
        "marked": pa.array(part.marked, pa.bool_()),
        "place": pa.array([part.place], pa.int64()),
        "revisit_key": pa.array([revisit.key for revisit in part.revisits], pa.large_string()),
        "revisit_url": pa.array([revisit.url for revisit in part.revisits], pa.large_string()),
        "revisit_nofollow": pa.array([revisit.nofollow for revisit in part.revisits], pa.bool_()),
        "found": pa.array(part.found, pa.int64()),
        "issues": pa.array([json.dumps(issue) for issue in part.issues], pa.string()),
    }
    return pa.table(
        {
            name: pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values)
            for name, values in columns.items()
        }
    )

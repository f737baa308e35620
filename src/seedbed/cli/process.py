"""The command as a process: signals that stop it, its standard streams, and how it exits after a signal.

Ctrl-C, `kill` and closing the terminal all mean the same: stop, leave nothing half-written, and keep checkpoints. Each
raises KeyboardInterrupt in the main thread. After cleaning up, the process kills itself with the signal it received, so
shells, make, systemd and batch systems see what happened: `$?` is 130, 143 or 129. If the reader of a pipe is gone, as
in `seedbed rank WEB | head -1`, the command ends silently by SIGPIPE (141), like other commands.
"""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn, TextIO

INPUT, OUTPUT, ERROR = 0, 1, 2
STOPPED = "stopped. Nothing was left half-written."
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SAME_WISH = 1.0
"""Seconds. A closing terminal sends its signal twice, as does `timeout`; the second must not interrupt cleaning up."""
MOMENT = 0.02

_heard: list[tuple[int, float]] = []
_ending: list[int] = []


def listen() -> None:
    """Handle every signal that asks to stop, except those the parent process set to be ignored (nohup, &)."""
    atexit.register(_end)  # registered first, so called last
    sys.unraisablehook = _raise_again
    signal.signal(signal.SIGALRM, _stop_again)
    for number in STOPPING:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    now = time.monotonic()
    again = bool(_heard) and now - _heard[-1][1] < SAME_WISH
    if not again:
        _heard.append((number, now))
        raise KeyboardInterrupt


def _raise_again(lost: Any) -> None:
    """Raise again what Python drops: an interrupt raised while it destroys an object or inside a library's callback."""
    if _heard and lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    elif not _heard:
        sys.__unraisablehook__(lost)


def _stop_again(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def asked_to_stop() -> int | None:
    """The first signal that asked to stop; None if none did."""
    return _heard[0][0] if _heard else None


def listen_no_more() -> None:
    """Ignore signals from now on: all output is written, and the interpreter is shutting down."""
    for number in (*STOPPING, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def end_by(number: int) -> NoReturn:
    """Exit like a program that does not handle the signal and is killed by it."""
    _ending.append(number)
    # Process 1 of a container cannot kill itself with a signal, so its exit code carries the number.
    raise SystemExit(128 + number)


def _end() -> None:
    """The last step at exit, after scratch files are removed."""
    for number in _ending:
        with suppress(OSError):
            sys.stdout.flush()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


class StandardFile(io.FileIO):
    """Standard output or standard error. Once it can no longer be written, all further output is discarded.

    Results that cannot be written end the command with an error that names standard output. Messages do not: the work
    is done even if nobody reads them.
    """

    def write(self, data: Any) -> int:
        """Write some bytes; returns how many."""
        try:
            return super().write(data)
        except OSError as error:
            _lead_nowhere(self.fileno())
            if self.fileno() == ERROR:
                return len(data)
            error.filename = "standard output"
            raise


def open_standard_files() -> None:
    """Open standard output and error as above. Streams that were closed (`2>&-`), standard input too, go to /dev/null:
    left closed, the next file opened would take their descriptor.
    """
    for number in (INPUT, OUTPUT, ERROR):
        try:
            os.fstat(number)
        except OSError:
            _lead_nowhere(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(INPUT, closefd=False)
    sys.stdout = _text(OUTPUT, sys.stdout, line_buffering=os.isatty(OUTPUT))
    sys.stderr = _text(ERROR, sys.stderr, line_buffering=True)


def _text(number: int, usual: TextIO | None, *, line_buffering: bool) -> io.TextIOWrapper:
    encoding = "utf-8" if usual is None else usual.encoding
    file = io.BufferedWriter(StandardFile(number, "w", closefd=False))
    # File names may not be UTF-8, and terminals may not support every character; neither must end a command.
    return io.TextIOWrapper(file, encoding, "backslashreplace", line_buffering=line_buffering)


def _lead_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)

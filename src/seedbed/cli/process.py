"""The command as a process: what asks it to stop, its standard files, and how it ends when a signal ended it.

Ctrl-C, `kill` and a terminal that is closed all ask for the same: stop, leave nothing half-written, keep what can be
gone on with. Each raises KeyboardInterrupt in the main thread. When all is tidied up, the process ends by the very
signal that it got, so that shells, make, systemd and batch systems see what happened: `$?` is 130, 143 or 129. A reader
that has gone, as in `seedbed rank WEB | head -1`, ends it as it ends other commands: without a word, by SIGPIPE, 141.
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
"""Seconds. A terminal that closes sends its signal twice, and so does `timeout`; tidying up shall not be cut short."""
MOMENT = 0.02

_heard: list[tuple[int, float]] = []
_ending: list[int] = []


def listen() -> None:
    """Take every signal that asks to stop, but those that whoever started us wants to be ignored (nohup, &)."""
    atexit.register(_end)  # the first that is registered is the last that is called
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
    """Python drops what is raised while it destroys an object, or inside a library's callback; it is not forgotten."""
    if _heard and lost.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    elif not _heard:
        sys.__unraisablehook__(lost)


def _stop_again(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def asked_to_stop() -> int | None:
    """The first signal that asked for it; None where none did."""
    return _heard[0][0] if _heard else None


def listen_no_more() -> None:
    """What was to be written is written: a signal while the interpreter winds up changes nothing."""
    for number in (*STOPPING, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)


def end_by(number: int) -> NoReturn:
    """Exit as a program would that knows nothing of the signal and is ended by it."""
    _ending.append(number)
    # Process 1 of a container cannot end itself by a signal, and says the number in its exit code.
    raise SystemExit(128 + number)


def _end() -> None:
    """The last that is done at exit, when scratch files are gone."""
    for number in _ending:
        with suppress(OSError):
            sys.stdout.flush()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


class StandardFile(io.FileIO):
    """Standard output or standard error. Where it cannot be written any more, all that follows leads nowhere.

    Results that cannot be written end the command, and the error says where that was. Messages do not: the work is done
    all the same where nobody reads them.
    """

    def write(self, data: Any) -> int:
        """Write some bytes; how many."""
        try:
            return super().write(data)
        except OSError as error:
            _lead_nowhere(self.fileno())
            if self.fileno() == ERROR:
                return len(data)
            error.filename = "standard output"
            raise


def open_standard_files() -> None:
    """Standard output and error as above. Those that were closed (`2>&-`) lead nowhere, and so does standard input:
    left closed, the next file that is opened would be taken for them.
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
    # Names of files need not be UTF-8, and terminals need not know all signs; neither shall end a command.
    return io.TextIOWrapper(file, encoding, "backslashreplace", line_buffering=line_buffering)


def _lead_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)

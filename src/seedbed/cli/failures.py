"""Failures: what a user can fix is one line on standard error; the exit code is 1, or 2 for wrong usage."""

from __future__ import annotations

import errno
import functools
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from seedbed.cli import process
from seedbed.cli.console import say
from seedbed.common.memory import address_space, require_address_space, show_size
from seedbed.errors import NotEnoughMemory, SeedbedError

P = ParamSpec("P")
R = TypeVar("R")

ADVICE = {
    errno.ENOSPC: "Free some space, or write elsewhere; nothing was left half-written.",
    errno.EDQUOT: "Free some space, or write elsewhere; nothing was left half-written.",
    errno.EFBIG: "Allow larger files (ulimit -f), or write elsewhere; nothing was left half-written.",
    errno.EACCES: "Change its permissions, or choose another place.",
    errno.EPERM: "Change its permissions, or choose another place.",
    errno.EROFS: "Choose a place that can be written to.",
    errno.ENOENT: "Is the name spelt right?",
    errno.EMFILE: "Allow more open files (ulimit -n).",
    errno.EAGAIN: "Allow more processes (ulimit -u).",
}


def fail(message: str, exit_code: int = 1) -> SystemExit:
    """Print one line on standard error; returns the exit to raise."""
    say("seedbed: " + " ".join(message.split()))
    return SystemExit(exit_code)


def command(function: Callable[P, R]) -> Callable[P, R]:
    """The command, with failures that a user can fix reported in one line, never as a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            require_address_space()
            done = function(*args, **kwargs)
            sys.stdout.flush()  # now, while a full disk can still be reported
        except BrokenPipeError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            line = explained(error)
            if line is None:
                raise
            raise fail(line, getattr(error, "exit_code", 1)) from None
        return done

    return guarded


def explained(error: BaseException) -> str | None:
    """The line for a failure that a user can fix; None for a bug."""
    if isinstance(error, KeyboardInterrupt) or process.asked_to_stop() is not None:
        return process.STOPPED
    if isinstance(error, SeedbedError):
        return str(error)
    if _is_lack_of_memory(error):
        return _no_memory()
    if isinstance(error, OSError):
        return _os_error(error)
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "no more threads can be started. Use fewer with --threads, or allow more (ulimit -u)."
    return None


def _is_lack_of_memory(error: BaseException) -> bool:
    if isinstance(error, ImportError):
        # Libraries are loaded on first use; if memory runs out then, the loader reports it in its own words.
        return address_space() is not None
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def _no_memory() -> str:
    try:
        require_address_space()
    except NotEnoughMemory as error:
        return str(error)
    limit = address_space()
    if limit is not None:
        return (
            f"{show_size(limit.size)} of address space ({limit.set_by}) is too little for this. Raise that limit, or "
            "allow less with --memory."
        )
    return "the machine has no memory left for this. Close other programs, or allow less with --memory."


def _os_error(error: OSError) -> str:
    place = f"{error.filename}: " if error.filename else ""
    reason = error.strerror or str(error)
    if "Detail: " in reason:  # Arrow explains in several sentences
        reason = os.strerror(error.errno) if error.errno else reason.rpartition("Detail: ")[2]
    return f"{place}{reason.rstrip('.')}. {ADVICE.get(error.errno or 0, '')}".rstrip()

"""Failures in one line: what a user can mend is said on standard error, and the exit code is 1."""

from __future__ import annotations

import errno
import os
import sys

from seedbed.cli import process
from seedbed.common.memory import address_space, require_address_space, show_size
from seedbed.common.messages import visible
from seedbed.errors import NotEnoughMemory, SeedbedError

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


def say(message: str) -> None:
    """A message for people, on standard error."""
    sys.stderr.write(visible(message) + "\n")


def fail(message: str, exit_code: int = 1) -> SystemExit:
    """One line on standard error, and the exit that follows it."""
    say("seedbed: " + " ".join(message.split()))
    return SystemExit(exit_code)


def explained(error: BaseException) -> str | None:
    """The line for a failure that a user can mend; None for a fault of ours."""
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
        # Libraries are loaded where they are first used; where there is no room, the loader says so in its own words.
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
    if "Detail: " in reason:  # Arrow tells in several sentences
        reason = os.strerror(error.errno) if error.errno else reason.rpartition("Detail: ")[2]
    return f"{place}{reason.rstrip('.')}. {ADVICE.get(error.errno or 0, '')}".rstrip()

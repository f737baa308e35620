"""What can go wrong that a user can mend. Each message is one line: place, found, expected, next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeedbedError(Exception):
    """The input or the options are at fault; the command prints the message and exits with `exit_code`."""

    exit_code = 1


class InputError(SeedbedError):
    """A file is missing, damaged or not what it claims to be."""


class OptionError(SeedbedError):
    """An option asks for something that cannot be."""


class UsageError(OptionError):
    """An option has a value that is wrong whatever the input: an unknown name, a number out of bounds."""

    exit_code = 2


class NeedsHosts(SeedbedError):
    """The work needs hosts, and the web has neither URLs nor a host file."""


class NotEnoughMemory(SeedbedError):
    """The work needs more memory than the machine has or the user allowed."""


class CorruptLinks(Exception):
    """Raised inside kernels; link stores turn it into an InputError that names the file and the page."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a name that is not in a registry, with the nearest one that is."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return UsageError(f"unknown {kind} '{name}'.{hint} Known: {', '.join(names)}.")

"""Errors that a user can fix. Each message is one line: place, found, expected, next step."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeedbedError(Exception):
    """The input or the options are at fault; the command prints the message and exits with `exit_code`.

    >>> import seedbed as sb
    >>> try:
    ...     sb.rank(sb.make_web(pages=10), "fame")
    ... except sb.SeedbedError as error:
    ...     print(error)
    unknown score 'fame'. Known: authorities, ...
    """

    exit_code = 1


class InputError(SeedbedError):
    """A file is missing, corrupt or not what it claims to be.

    >>> import seedbed as sb
    >>> try:
    ...     sb.load("nowhere.jsonl")
    ... except sb.InputError as error:
    ...     print(error)
    nowhere.jsonl: there is no such file.
    """


class UnknownFormat(InputError):
    """A file, or what is in a folder, is in none of the formats of webs."""


class OptionError(SeedbedError):
    """An option asks for something impossible.

    >>> import seedbed as sb
    >>> try:
    ...     sb.crawl(sb.make_web(pages=10), [10])
    ... except sb.OptionError as error:
    ...     print(error)
    seed 10 is not in the web, ...
    """


class UsageError(OptionError):
    """An option has a value that is wrong whatever the input: an unknown name, or a number out of range."""

    exit_code = 2


class NeedsHosts(SeedbedError):
    """The operation needs hosts, but the web has neither URLs nor a host file.

    >>> import seedbed as sb
    >>> try:
    ...     sb.from_scipy([[0, 1], [1, 0]]).sites("host")
    ... except sb.NeedsHosts as error:
    ...     print(error)
    this web: hosts are needed, and the web has no URLs. ...
    """


class NotEnoughMemory(SeedbedError):
    """The operation needs more memory than the machine has or the user allowed.

    >>> import seedbed as sb
    >>> try:
    ...     sb.describe(sb.make_web(pages=10_000), memory=1000)
    ... except sb.NotEnoughMemory as error:
    ...     print(error)
    describing this web needs about ...
    """


class CorruptLinks(Exception):
    """Raised inside kernels; link stores turn it into an InputError that names the file and the page."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """The error for a name that is not in a registry; it suggests the closest one that is."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return UsageError(f"unknown {kind} '{name}'.{hint} Known: {', '.join(names)}.")

"""Problems in the files that were read: how many, and where the first few are."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from typing import NamedTuple

_SHOWN = 3
GIVEN_UP = "files abandoned partway after too much damage"
_FAILED = "files left unread from some place on, where reading failed"
_PASSES = 16
_ALWAYS = 1 << 26


class ReadIssue(NamedTuple):
    """Something that was left out or cut short: what, and where.

    `where` is a URL or a line; if empty, the file's name is shown instead. `byte` −1: it concerns the whole file.
    """

    what: str
    where: str = ""
    byte: int = -1
    error: str = ""

    def place(self, file: str) -> str:
        """Where it is, for a message."""
        at = f" at byte {self.byte:,}" if self.byte >= 0 else ""
        return (self.where or file) + at + (f": {self.error}" if self.error else "")


def failure(error: Exception) -> ReadIssue:
    """The issue for a file that could not be read to the end because of an error."""
    said = error.strerror if isinstance(error, OSError) else None
    return ReadIssue(_FAILED, error=said or " ".join(f"{type(error).__name__} {error}".split())[:200])


class ReadIssues:
    """Counts issues by kind and keeps the first few places of each, in file order no matter which was read first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._places: dict[str, list[tuple[int, int, str]]] = {}

    def add(self, issue: ReadIssue, count: int = 1, *, file: str = "", rank: int = 0) -> None:
        """Count an issue of the file with this rank."""
        places = self._places.setdefault(issue.what, [])
        insort(places, (rank, self._counts.total(), issue.place(file)))
        del places[_SHOWN:]
        self._counts[issue.what] += count

    def notes(self) -> list[str]:
        """One line per kind, in order of first occurrence."""
        return [
            f"{what}: {self._counts[what]:,} ({'; '.join(place for _, _, place in places)}"
            f"{'; …' if self._counts[what] > len(places) else ''})"
            for what, places in sorted(self._places.items(), key=lambda kind: kind[1][0])
        ]


class ScanBudget:
    """A budget of bytes scanned in vain: a wrong length can send a reader to the end of the file again and again."""

    def __init__(self, size: int) -> None:
        self._left = _PASSES * size + _ALWAYS

    def spend(self, read: int) -> None:
        """Count bytes that were scanned in vain."""
        self._left -= read

    @property
    def exhausted(self) -> bool:
        """Whether the budget is used up."""
        return self._left < 0

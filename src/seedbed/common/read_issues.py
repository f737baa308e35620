"""What was wrong in archives: how often, and the first few places."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from typing import NamedTuple

_SHOWN = 3
GIVEN_UP = "files given up at some place after too much damage"
_FAILED = "files left unread from some place on, where reading failed"
_PASSES = 16
_ALWAYS = 1 << 26


class Damage(NamedTuple):
    """Something that was left out or cut: what it is, and where.

    `where` is a URL or a line, empty: the file says it. `byte` −1: it is of all the file.
    """

    what: str
    where: str = ""
    byte: int = -1
    error: str = ""

    def place(self, file: str) -> str:
        """Where it is, as people are told."""
        at = f" at byte {self.byte:,}" if self.byte >= 0 else ""
        return (self.where or file) + at + (f": {self.error}" if self.error else "")


def failure(error: Exception) -> Damage:
    """A file whose reading ended with an error."""
    said = error.strerror if isinstance(error, OSError) else None
    return Damage(_FAILED, error=said or " ".join(f"{type(error).__name__} {error}".split())[:200])


class Damages:
    """Counts them by kind; keeps the first few places, in the order of files whoever was read first."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._places: dict[str, list[tuple[int, int, str]]] = {}

    def add(self, damage: Damage, count: int = 1, *, file: str = "", rank: int = 0) -> None:
        """Count one, of the file with this rank."""
        places = self._places.setdefault(damage.what, [])
        insort(places, (rank, self._counts.total(), damage.place(file)))
        del places[_SHOWN:]
        self._counts[damage.what] += count

    def notes(self) -> list[str]:
        """One line for each kind, the one met first in the first of the files first."""
        return [
            f"{what}: {self._counts[what]:,} ({'; '.join(place for _, _, place in places)}"
            f"{'; …' if self._counts[what] > len(places) else ''})"
            for what, places in sorted(self._places.items(), key=lambda kind: kind[1][0])
        ]


class Patience:
    """How much of a file is read over: a wrong length may take a reader to the end of the file, again and again."""

    def __init__(self, size: int) -> None:
        self._left = _PASSES * size + _ALWAYS

    def spend(self, read: int) -> None:
        """Count bytes that were read for nothing."""
        self._left -= read

    @property
    def over(self) -> bool:
        """Whether it was too much."""
        return self._left < 0

"""Numbers with their nouns, as people write them: 1 seed, 2 seeds, 1,204 entries."""

from __future__ import annotations


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """The number and the noun, which is plural unless there is one; `nouns` where an s is not enough."""
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"

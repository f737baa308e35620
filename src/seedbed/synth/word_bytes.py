"""Words as bytes for kernels: fixed words from a table, and made-up ones that sort like the numbers they spell.

A number is spelled in base 85, a consonant and a vowel a digit, always with the same count of digits, so that the
order of the words is the order of the numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing

SYLLABLES = 85
_CONSONANTS = np.frombuffer(b"bcdfghjklmnprstvz", np.uint8)
_VOWELS = np.frombuffer(b"aeiou", np.uint8)


class Words(NamedTuple):
    """Word i is text[text_ptr[i] : text_ptr[i + 1]]."""

    text: NDArray[np.uint8]
    text_ptr: NDArray[np.int64]


def words(*names: str) -> Words:
    """The names as a table."""
    encoded = [name.encode("ascii") for name in names]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Words(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends)


@borrowing
def put_word(text: NDArray[np.uint8], at: int, table: Words, which: int) -> int:
    """Write a word of the table at `at`; the place after it."""
    for i in range(table.text_ptr[which], table.text_ptr[which + 1]):
        text[at] = table.text[i]
        at += 1
    return at


@borrowing
def put_syllables(text: NDArray[np.uint8], at: int, number: int, digits: int) -> int:
    """Spell the number with so many syllables."""
    for i in range(digits - 1, -1, -1):
        digit = number % SYLLABLES
        number //= SYLLABLES
        text[at + 2 * i] = _CONSONANTS[digit // 5]
        text[at + 2 * i + 1] = _VOWELS[digit % 5]
    return at + 2 * digits


@borrowing
def put_digits(text: NDArray[np.uint8], at: int, number: int, digits: int) -> int:
    """Write the number in decimal with so many digits."""
    for i in range(digits - 1, -1, -1):
        text[at + i] = 48 + number % 10
        number //= 10
    return at + digits


@borrowing
def digits_for(bound: int) -> int:
    """The fewest syllables, at least 2, that spell every number below `bound`."""
    digits, reach = 2, SYLLABLES**2
    while reach < bound:
        digits += 1
        reach *= SYLLABLES
    return digits

"""Host names, [word.]label.suffix, sorted as bytes; and the words that names and URLs are made of.

Words come from a fixed table, or are numbers spelled in base 85. Each digit is a consonant and a vowel, and the number
of digits is fixed, so words sort as their numbers do.

The label of a domain spells d·A + B modulo 85^k, a permutation, so no two domains share one. No name is another name
followed by '.' or '-', so names sort as their URLs do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints, arrow_bytes
from seedbed.common.kernels import borrowing, kernel
from seedbed.synth.random_draws import chance, draw

SYLLABLES = 85
_CONSONANTS = np.frombuffer(b"bcdfghjklmnprstvz", np.uint8)
_VOWELS = np.frombuffer(b"aeiou", np.uint8)


class Words(NamedTuple):
    """Word i is text[text_ptr[i] : text_ptr[i + 1]]."""

    text: Bytes
    text_ptr: Ints


def words(*names: str) -> Words:
    """The names as a table."""
    encoded = [name.encode("ascii") for name in names]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Words(np.frombuffer(b"".join(encoded) or b"\0", np.uint8), ends)


@borrowing
def put_word(text: Bytes, at: int, table: Words, which: int) -> int:
    """Write a word of the table at `at`; returns the position after it."""
    for i in range(table.text_ptr[which], table.text_ptr[which + 1]):
        text[at] = table.text[i]
        at += 1
    return at


@borrowing
def put_syllables(text: Bytes, at: int, number: int, digits: int) -> int:
    """Spell the number with this many syllables."""
    for i in range(digits - 1, -1, -1):
        digit = number % SYLLABLES
        number //= SYLLABLES
        text[at + 2 * i] = _CONSONANTS[digit // 5]
        text[at + 2 * i + 1] = _VOWELS[digit % 5]
    return at + 2 * digits


@borrowing
def put_digits(text: Bytes, at: int, number: int, digits: int) -> int:
    """Write the number in decimal with this many digits."""
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


NAME_BYTES = 48
_SUFFIXES = words(".com", ".org", ".net", ".it", ".si", ".de", ".fr", ".co.uk", ".ac.uk")
_SUFFIX_REACH = np.array([0.40, 0.50, 0.58, 0.70, 0.78, 0.86, 0.91, 0.97, 1.0])
_ENDINGS = words("", "lab", "net", "press", "soft", "web")
_WORDS = words("archive", "blog", "docs", "forum", "ftp", "lists", "mail", "news", "people", "shop", "wiki", "www2")
_FIRST = words("www.", "")
_DOT = words(".")
_NUMBERED = words("s")
_WORD_COUNT = 12
_ZERO = np.int64(0)  # typed, or kernels are compiled again for the constant
_STEP = 7_368_787  # prime, so it shares no factor with 85^k


@borrowing
def put_name(text: Bytes, at: int, key: np.uint64, digits: int, domain: int, place: int) -> int:
    """Write the name of host number `place` in the domain; returns the position after it."""
    own = draw(key, domain)
    if place == 0:
        at = put_word(text, at, _FIRST, 1 if chance(own, 0) < 0.2 else 0)
    elif place <= _WORD_COUNT:
        at = put_word(text, at, _WORDS, (place + np.int64(own >> np.uint64(8)) % _WORD_COUNT) % _WORD_COUNT)
        at = put_word(text, at, _DOT, _ZERO)
    else:
        at = put_word(text, at, _NUMBERED, _ZERO)
        at = put_digits(text, at, place, 4)
        at = put_word(text, at, _DOT, _ZERO)
    labels = SYLLABLES**digits
    code = (domain * _STEP + np.int64(chance(key, -1) * labels)) % labels
    at = put_syllables(text, at, code, digits)
    if chance(own, 1) < 0.3:
        at = put_word(text, at, _ENDINGS, 1 + np.int64(chance(own, 2) * 5))
    suffix = 0
    while chance(own, 3) >= _SUFFIX_REACH[suffix]:
        suffix += 1
    return put_word(text, at, _SUFFIXES, suffix)


@kernel
def _name_text(key: np.uint64, digits: int, domain: NDArray[np.int32], place: NDArray[np.int32]) -> tuple[Bytes, Ints]:
    text = np.empty(domain.size * NAME_BYTES, np.uint8)
    text_ptr = np.zeros(domain.size + 1, np.int64)
    for host in range(domain.size):
        text_ptr[host + 1] = put_name(text, text_ptr[host], key, digits, np.int64(domain[host]), np.int64(place[host]))
    return text[: text_ptr[-1]].copy(), text_ptr


def name_order(key: np.uint64, digits: int, domain: NDArray[np.int32], place: NDArray[np.int32]) -> Ints:
    """The hosts in ascending order of their names."""
    from pyarrow.compute import array_sort_indices

    return array_sort_indices(arrow_bytes(_name_text(key, digits, domain, place))).to_numpy().astype(np.int64)


def host_names(
    key: np.uint64, digits: int, domain: NDArray[np.int32], place: NDArray[np.int32], step: int = 1 << 16
) -> Iterator[tuple[Bytes, Ints]]:
    """The names of the given hosts, as text chunks."""
    for start in range(0, domain.size, step):
        yield _name_text(key, digits, domain[start : start + step], place[start : start + step])

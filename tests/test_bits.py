"""The codes of WebGraph, against codes written out as text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.arrays import frozen
from seedbed.errors import CorruptLinks
from seedbed.links.bit_codes import (
    CODE_NAMES,
    DELTA,
    GAMMA,
    GOLOMB,
    NIBBLE,
    UNARY,
    ZETA,
    code_length,
    encode_numbers,
    read_bits,
    read_code,
)
from tests.reference import bvgraph as reference


def stream(bits: str) -> np.ndarray:
    padded = bits + "0" * (-len(bits) % 8)
    return frozen(np.array([int(padded[k : k + 8], 2) for k in range(0, len(padded), 8)], np.uint8))


@pytest.mark.parametrize(
    ("code", "k", "x", "bits"),
    [
        (UNARY, 0, 0, "1"),
        (UNARY, 0, 3, "0001"),
        (GAMMA, 0, 0, "1"),
        (GAMMA, 0, 4, "00101"),
        (DELTA, 0, 4, "01101"),
        (ZETA, 3, 0, "100"),
        (ZETA, 3, 1, "1010"),
        (ZETA, 3, 6, "1111"),
        (ZETA, 3, 7, "0100000"),
        (GOLOMB, 3, 5, "0111"),
        (NIBBLE, 0, 0, "1000"),
        (NIBBLE, 0, 9, "00011001"),
    ],
)
def test_codes_worked_out_by_hand(code: int, k: int, x: int, bits: str) -> None:
    assert reference.code(x, code, k) == bits
    assert read_code(stream(bits), 0, code, k) == (x, len(bits))
    assert code_length(x, code, k) == len(bits)


@settings(deadline=None, max_examples=150)
@given(st.data(), st.sampled_from(sorted(CODE_NAMES.values())), st.integers(1, 12))
def test_what_one_writes_the_other_reads(data: st.DataObject, code: int, k: int) -> None:
    largest = 3000 if code in (UNARY, GOLOMB) else 2**40
    numbers = data.draw(st.lists(st.one_of(st.integers(0, 20), st.integers(0, largest)), min_size=1, max_size=30))
    text = "".join(reference.code(x, code, k) for x in numbers)
    coded, position = stream(text), 0
    for x in numbers:
        found, after = read_code(coded, position, code, k)
        assert found == x
        assert after - position == code_length(x, code, k)
        position = after
    assert position == len(text)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=40), st.sampled_from([GAMMA, DELTA]))
def test_written_bits_are_those_of_the_reference(numbers: list[int], code: int) -> None:
    words, bits = encode_numbers(np.array(numbers), code)
    written = "".join(f"{word:064b}" for word in words.tolist())[:bits]
    assert written == "".join(reference.code(x, code) for x in numbers)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=24), st.integers(0, 300), st.sampled_from(sorted(CODE_NAMES.values())), st.integers(1, 30))
def test_any_bytes_give_a_number_or_an_error(content: bytes, position: int, code: int, k: int) -> None:
    data = frozen(np.frombuffer(content, np.uint8))
    try:
        value, after = read_code(data, position, code, k)
    except CorruptLinks:
        return
    assert value >= 0
    assert after > position


def test_wide_numbers_are_read_across_words() -> None:
    bits = "1" * 70
    assert read_bits(stream(bits), 5, 62) == (2**62 - 1, 67)

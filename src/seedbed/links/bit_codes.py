"""The instantaneous codes of WebGraph, read from and written to bit streams, most significant bit first.

    unary    x zeros, then a one
    γ        ⌊log₂(x+1)⌋ in unary, then that many low bits of x+1
    δ        ⌊log₂(x+1)⌋ in γ, then that many low bits of x+1
    ζₖ       h = ⌊log₂(x+1)/k⌋ in unary, then x+1 − 2^{hk} in minimal binary below 2^{(h+1)k} − 2^{hk}
    Golomb   ⌊x/b⌋ in unary, then x mod b in minimal binary below b
    nibble   groups of three bits, highest first, each preceded by a bit that is 1 for the last group

A read takes the bytes and a bit position and returns (value, next position). `peek` returns at least 57 bits at any
position with one unaligned load, so the usual code costs a count of leading zeros and a shift, without tables. Past
the end the stream reads as zeros, never outside its buffer; a reader that ends past the end has found a corrupt file.

A write takes 64-bit words, which must be zero from the bit position on, and that position; it returns the next one.

Boldi, Vigna: The WebGraph framework I and II (2004); Elias (1975).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import borrowing, inlined, kernel, leading_zeros, load_eight
from seedbed.errors import CorruptLinks

DELTA, GAMMA, GOLOMB, UNARY, ZETA, NIBBLE = 1, 2, 3, 5, 6, 7
CODE_NAMES = {"DELTA": DELTA, "GAMMA": GAMMA, "GOLOMB": GOLOMB, "UNARY": UNARY, "ZETA": ZETA, "NIBBLE": NIBBLE}

MAX_VALUE_BITS = 62
OVERRUN = "its record runs past the end of the file"
TOO_LARGE = "it holds a number too large for any page"


@inlined
def zeros_ahead(word: int) -> int:
    """The number of zeros before the first one; 64 if there is none."""
    return np.int64(leading_zeros(word))


@inlined
def log2(x: int) -> int:
    """⌊log₂ x⌋ for x ≥ 1."""
    return 63 - zeros_ahead(np.uint64(x))


@borrowing
def _peek_at_end(stream: Bytes, byte: int) -> int:
    word = np.uint64(0)
    for k in range(8):
        word = word << np.uint64(8)
        if byte + k < stream.size:
            word |= np.uint64(stream[byte + k])
    return word


@inlined
def peek(stream: Bytes, position: int) -> int:
    """The bits from `position` on, at the top of a 64-bit word; at least 57 of them come from the stream."""
    byte = position >> 3
    word = load_eight(stream, byte) if byte + 8 <= stream.size else _peek_at_end(stream, byte)
    return word << np.uint64(position & 7)


@inlined
def read_bits(stream: Bytes, position: int, width: int) -> tuple[int, int]:
    """An unsigned number of `width` ≤ 62 bits."""
    if width == 0:
        return 0, position
    if width <= 57:
        return np.int64(peek(stream, position) >> np.uint64(64 - width)), position + width
    high = np.int64(peek(stream, position) >> np.uint64(32))
    low = np.int64(peek(stream, position + 32) >> np.uint64(96 - width))
    return (high << (width - 32)) | low, position + width


@borrowing
def _read_long_unary(stream: Bytes, position: int) -> tuple[int, int]:
    start = position
    end = stream.size * 8
    while position < end:
        zeros = zeros_ahead(peek(stream, position))
        if zeros < 57:
            return position + zeros - start, position + zeros + 1
        position += 57
    raise CorruptLinks(OVERRUN)


@inlined
def read_unary(stream: Bytes, position: int) -> tuple[int, int]:
    """The number of zeros before the next one."""
    zeros = zeros_ahead(peek(stream, position))
    if zeros < 57:
        return zeros, position + zeros + 1
    return _read_long_unary(stream, position)


@borrowing
def _read_low_bits(stream: Bytes, position: int, width: int) -> tuple[int, int]:
    """The x of which `width` low bits of x+1 follow, the end of γ and of δ."""
    if width > MAX_VALUE_BITS:
        raise CorruptLinks(TOO_LARGE)
    low, position = read_bits(stream, position, width)
    return (np.int64(1) << width) + low - 1, position


@borrowing
def _read_minimal(stream: Bytes, position: int, bound: int) -> tuple[int, int]:
    """A number below `bound` in minimal binary."""
    width = log2(bound)
    short = (np.int64(2) << width) - bound
    value, position = read_bits(stream, position, width)
    if value < short:
        return value, position
    bit, position = read_bits(stream, position, 1)
    return (value << 1) + bit - short, position


@borrowing
def _read_long_gamma(stream: Bytes, position: int) -> tuple[int, int]:
    width, position = read_unary(stream, position)
    return _read_low_bits(stream, position, width)


@inlined
def read_gamma(stream: Bytes, position: int) -> tuple[int, int]:
    """γ."""
    word = peek(stream, position)
    zeros = zeros_ahead(word)
    if zeros <= 28:
        return np.int64(word >> np.uint64(63 - 2 * zeros)) - 1, position + 2 * zeros + 1
    return _read_long_gamma(stream, position)


@borrowing
def read_delta(stream: Bytes, position: int) -> tuple[int, int]:
    """δ."""
    width, position = read_gamma(stream, position)
    return _read_low_bits(stream, position, width)


@borrowing
def _read_long_zeta(stream: Bytes, position: int, k: int) -> tuple[int, int]:
    h, position = read_unary(stream, position)
    if h * k + k > MAX_VALUE_BITS:
        raise CorruptLinks(TOO_LARGE)
    left = np.int64(1) << (h * k)
    value, position = _read_minimal(stream, position, (left << k) - left)
    return value + left - 1, position


@inlined
def read_zeta(stream: Bytes, position: int, k: int) -> tuple[int, int]:
    """ζₖ."""
    word = peek(stream, position)
    h = zeros_ahead(word)
    width = h * k + k - 1
    if h + 2 + width > 57:
        return _read_long_zeta(stream, position, k)
    # The top width + 1 bits after the unary part; the last of them belongs to the code only if value ≥ 2^{hk}.
    value = np.int64((word << np.uint64(h + 1)) >> np.uint64(63 - width))
    left = np.int64(1) << (h * k)
    if (value >> 1) < left:
        return (value >> 1) + left - 1, position + h + 1 + width
    return value - 1, position + h + 2 + width


@borrowing
def read_golomb(stream: Bytes, position: int, b: int) -> tuple[int, int]:
    """Golomb with modulus b."""
    quotient, position = read_unary(stream, position)
    rest, position = _read_minimal(stream, position, b)
    return quotient * b + rest, position


@borrowing
def read_nibble(stream: Bytes, position: int) -> tuple[int, int]:
    """Variable-length nibbles."""
    value = np.int64(0)
    for _ in range(20):
        group, position = read_bits(stream, position, 4)
        value = (value << 3) | (group & 7)
        if group & 8:
            return value, position
    raise CorruptLinks(TOO_LARGE)


@inlined
def read_code(stream: Bytes, position: int, code: int, k: int) -> tuple[int, int]:
    """A number in any of the codes; `k` is ζ's parameter or Golomb's modulus."""
    if code == GAMMA:
        return read_gamma(stream, position)
    if code == ZETA:
        return read_zeta(stream, position, k)
    if code == UNARY:
        return read_unary(stream, position)
    if code == DELTA:
        return read_delta(stream, position)
    if code == GOLOMB:
        return read_golomb(stream, position, k)
    return read_nibble(stream, position)


@inlined
def nat_to_int(x: int) -> int:
    """0, −1, 1, −2, 2, … from 0, 1, 2, 3, 4, …"""
    return (x >> 1) ^ -(x & 1)


@inlined
def int_to_nat(x: int) -> int:
    """0, 1, 2, 3, 4, … from 0, −1, 1, −2, 2, …"""
    return 2 * x if x >= 0 else -2 * x - 1


@inlined
def code_word(x: int, code: int, k: int) -> tuple[int, int, int]:
    """x in any of the codes, as (zeros, rest, width): so many zeros, a one, and `rest` in `width` bits."""
    width = log2(x + 1)
    rest = x + 1 - (np.int64(1) << width)
    if code == GAMMA:
        return width, rest, width
    if code == ZETA:
        h = width // k
        left = np.int64(1) << (h * k)
        rest, width = minimal_binary(x + 1 - left, (left << k) - left)
        return h, rest, width
    if code == UNARY:
        return x, np.int64(0), np.int64(0)
    if code == DELTA:
        zeros = log2(width + 1)
        return zeros, ((width + 1 - (np.int64(1) << zeros)) << width) | rest, zeros + width
    if code == GOLOMB:
        rest, width = minimal_binary(x % k, k)
        return x // k, rest, width
    word, bits = np.int64(8 | (x & 7)), np.int64(4)
    while x > 7:
        x >>= 3
        word |= (x & 7) << bits
        bits += 4
    width = log2(word)
    return bits - 1 - width, word - (np.int64(1) << width), width


@inlined
def minimal_binary(x: int, bound: int) -> tuple[int, int]:
    """x below `bound` in minimal binary, as (bits, their number)."""
    width = log2(bound)
    short = (np.int64(2) << width) - bound
    return (x, width) if x < short else (x + short, width + 1)


@borrowing
def code_length(x: int, code: int, k: int) -> int:
    """Length of x in any of the codes, in bits."""
    zeros, _, width = code_word(x, code, k)
    return zeros + 1 + width


@inlined
def put_code(words: NDArray[np.uint64], position: int, x: int, code: int, k: int, writing: bool) -> int:
    """Append x in any of the codes, most significant bit first; unless `writing`, only count its bits."""
    zeros, rest, width = code_word(x, code, k)
    if writing:
        word, used = (position + zeros) >> 6, (position + zeros) & 63
        bits = np.uint64(rest | (np.int64(1) << width)) << np.uint64(63 - width)
        words[word] |= bits >> np.uint64(used)
        if used + width >= 64:
            words[word + 1] |= bits << np.uint64(64 - used)
    return position + zeros + 1 + width


@kernel
def encode_numbers(numbers: Ints, code: int) -> tuple[NDArray[np.uint64], int]:
    """Encode the numbers one after another; returns (bits in 64-bit words, number of bits)."""
    bits = np.int64(0)
    for x in numbers:
        bits += code_length(x, code, 0)
    words = np.zeros(bits // 64 + 2, np.uint64)
    position = np.int64(0)
    for x in numbers:
        position = put_code(words, position, x, code, 0, True)
    return words, position


@kernel
def shifted(words: NDArray[np.uint64], bits: int, carry: int, used: int) -> NDArray[np.uint64]:
    """The first `used` < 64 bits of carry followed by `bits` bits of words."""
    count = (bits + 63) // 64
    result = np.zeros((used + bits) // 64 + 2, np.uint64)
    result[0] = carry
    for k in range(count):
        result[k] |= words[k] >> np.uint64(used)
        if used > 0:
            result[k + 1] |= words[k] << np.uint64(64 - used)
    return result

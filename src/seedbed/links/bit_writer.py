"""Writing bit streams: the codes of bits.py, their lengths, and runs of bits put one behind the other.

Bits go into 64-bit words, most significant first; the words must be zero where bits are still to come.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.links.bit_reader import DELTA, GAMMA, GOLOMB, UNARY, ZETA, zeros_ahead


@inlined
def int_to_nat(x: int) -> int:
    """0, 1, 2, 3, 4, … from 0, −1, 1, −2, 2, …"""
    return 2 * x if x >= 0 else -2 * x - 1


@inlined
def log2(x: int) -> int:
    """⌊log₂ x⌋ for x ≥ 1."""
    return 63 - zeros_ahead(np.uint64(x))


@inlined
def gamma_length(x: int) -> int:
    """Bits of x in γ."""
    return 2 * log2(x + 1) + 1


@inlined
def zeta_length(x: int, k: int) -> int:
    """Bits of x in ζₖ."""
    h = log2(x + 1) // k
    left = np.int64(1) << (h * k)
    return h + 1 + h * k + k - (1 if x + 1 - left < left else 0)


@borrowing
def code_length(x: int, code: int, k: int) -> int:
    """Bits of x in any of the codes."""
    if code == GAMMA:
        return gamma_length(x)
    if code == ZETA:
        return zeta_length(x, k)
    if code == UNARY:
        return x + 1
    if code == DELTA:
        return gamma_length(log2(x + 1)) + log2(x + 1)
    if code == GOLOMB:
        width = log2(k)
        return x // k + 1 + width + (1 if x % k >= (np.int64(2) << width) - k else 0)
    return 4 * (1 + (log2(x) // 3 if x > 0 else 0))


@inlined
def put(words: NDArray[np.uint64], position: int, value: int, width: int) -> int:
    """Append `width` ≤ 64 bits of value, most significant first, to words that are still zero there."""
    if width == 0:
        return position
    word, used = position >> 6, position & 63
    bits = np.uint64(value) << np.uint64(64 - width)
    words[word] |= bits >> np.uint64(used)
    if used + width > 64:
        words[word + 1] |= bits << np.uint64(64 - used)
    return position + width


@inlined
def put_unary(words: NDArray[np.uint64], position: int, x: int) -> int:
    """Append x in unary."""
    return put(words, position + x, 1, 1)


@inlined
def put_gamma(words: NDArray[np.uint64], position: int, x: int) -> int:
    """Append x in γ."""
    width = log2(x + 1)
    position = put_unary(words, position, width)
    return put(words, position, x + 1 - (np.int64(1) << width), width)


@borrowing
def put_zeta(words: NDArray[np.uint64], position: int, x: int, k: int) -> int:
    """Append x in ζₖ."""
    h = log2(x + 1) // k
    left = np.int64(1) << (h * k)
    position = put_unary(words, position, h)
    if x + 1 - left < left:
        return put(words, position, x + 1 - left, h * k + k - 1)
    return put(words, position, x + 1, h * k + k)


@borrowing
def put_golomb(words: NDArray[np.uint64], position: int, x: int, b: int) -> int:
    """Append x in Golomb's code with modulus b."""
    position = put_unary(words, position, x // b)
    width, rest = log2(b), x % b
    short = (np.int64(2) << width) - b
    return put(words, position, rest, width) if rest < short else put(words, position, rest + short, width + 1)


@borrowing
def put_nibble(words: NDArray[np.uint64], position: int, x: int) -> int:
    """Append x in variable-length nibbles."""
    groups = log2(x) // 3 if x > 0 else 0
    for group in range(groups, -1, -1):
        position = put(words, position, ((x >> (3 * group)) & 7) | (8 if group == 0 else 0), 4)
    return position


@borrowing
def put_code(words: NDArray[np.uint64], position: int, x: int, code: int, k: int) -> int:
    """Append x in any of the codes."""
    if code == GAMMA:
        return put_gamma(words, position, x)
    if code == ZETA:
        return put_zeta(words, position, x, k)
    if code == UNARY:
        return put_unary(words, position, x)
    if code == DELTA:
        width = log2(x + 1)
        position = put_gamma(words, position, width)
        return put(words, position, x + 1 - (np.int64(1) << width), width)
    if code == GOLOMB:
        return put_golomb(words, position, x, k)
    return put_nibble(words, position, x)


@kernel
def grown(words: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """A longer copy."""
    longer = np.zeros(size, np.uint64)
    longer[: words.size] = words
    return longer


@kernel
def encode_numbers(numbers: NDArray[np.int64], code: int) -> tuple[NDArray[np.uint64], int]:
    """The numbers one after the other; gives (bits in 64-bit words, their number)."""
    bits = np.int64(0)
    for x in numbers:
        bits += code_length(x, code, 0)
    words = np.zeros(bits // 64 + 2, np.uint64)
    position = np.int64(0)
    for x in numbers:
        position = put_code(words, position, x, code, 0)
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

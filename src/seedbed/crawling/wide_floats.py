"""Scores that never underflow: floating-point numbers with as many exponents as a crawl can need.

    value = mantissa · 2^(512 · block),      2⁻²⁵⁶ ≤ mantissa < 2²⁵⁶

A score that is shared out on page after page shrinks without end: on a chain of a few thousand pages it leaves the
range of a float64, all scores beyond are 0, and their order is lost. Here the exponent has 31 more bits, enough for
10⁸ pages that each pass on a millionth. Scaling by powers of two is exact, so sums and products are rounded just as
float64 rounds them, and where float64 is enough the results are the same bit for bit. Comparing looks at the blocks
first.

Scores that would be equal if nothing were rounded, such as 1/3 + 1/3 + 1/3 and 1/2 + 1/2, often differ in their last
bits, and then rounding would decide which page comes first. So mantissas are compared by their first 32 bits, rounded
to nearest. That is an order (if a is not behind b, and b not behind c, then a is not behind c), unlike "within 10⁻¹⁰ of
each other", and a rounding error of 2⁻⁵¹ parts two equal scores once in half a million times.
"""

from __future__ import annotations

from typing import Any

from seedbed.common.kernels import jitable

TOP = 2.0**256
BOTTOM = 2.0**-256
UP = 2.0**512
DOWN = 2.0**-512
SPLITTER = 2.0**21 + 1.0


@jitable
def normalized(mantissa: Any, block: Any) -> Any:
    """The same value with its mantissa in range; for mantissas that are at most one block off, and for 0."""
    if mantissa >= TOP:
        return mantissa * DOWN, block + 1
    if 0.0 < mantissa < BOTTOM:
        return mantissa * UP, block - 1
    return mantissa, block


@jitable
def plus(mantissa: Any, block: Any, other: Any, other_block: Any) -> Any:
    """The sum of two values above 0. What is two blocks smaller is less than half of the last digit."""
    if other_block == block:
        return normalized(mantissa + other, block)
    if other_block == block - 1:
        return normalized(mantissa + other * DOWN, block)
    if other_block == block + 1:
        return normalized(other + mantissa * DOWN, other_block)
    if other_block > block:
        return other, other_block
    return mantissa, block


@jitable
def to_32_bits(mantissa: Any) -> Any:
    """A finite number rounded to 32 significant bits (Veltkamp 1968)."""
    large = mantissa * SPLITTER
    return large - (large - mantissa)


@jitable
def alike(mantissa: Any, other: Any) -> bool:
    """Whether two finite mantissas of one block count as equal. Most differ by far, which is quicker to see."""
    return abs(mantissa - other) <= abs(mantissa) * 2.0**-30 and to_32_bits(mantissa) == to_32_bits(other)


@jitable
def to_float(mantissa: Any, block: Any) -> float:
    """The value as a float64; 0 where it is too small for one."""
    while block < 0 and mantissa != 0.0:
        mantissa *= DOWN
        block += 1
    while block > 0:
        mantissa *= UP
        block -= 1
    return mantissa

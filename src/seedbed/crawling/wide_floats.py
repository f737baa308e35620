"""Scores that never underflow: floating-point numbers with as many exponents as a crawl can need.

    value = mantissa · 2^(512 · block),      2⁻²⁵⁶ ≤ mantissa < 2²⁵⁶

A score that is shared out on page after page shrinks without end: on a chain of a few thousand pages it leaves the
range of a float64, all scores beyond are 0, and their order is lost. Here the exponent has 31 more bits, enough for
10⁸ pages that each pass on a millionth. Scaling by powers of two is exact, so sums and products are rounded just as
float64 rounds them, and where float64 is enough the results are the same bit for bit. Comparing looks at the blocks
first.
"""

from __future__ import annotations

from typing import Any

from seedbed.common.kernels import jitable

TOP = 2.0**256
BOTTOM = 2.0**-256
UP = 2.0**512
DOWN = 2.0**-512


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
def to_float(mantissa: Any, block: Any) -> float:
    """The value as a float64; 0 where it is too small for one."""
    while block < 0 and mantissa != 0.0:
        mantissa *= DOWN
        block += 1
    while block > 0:
        mantissa *= UP
        block -= 1
    return mantissa

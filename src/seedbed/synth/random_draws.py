"""Counter-based random numbers: the i-th draw of a key is mix(key + i·γ), with splitmix64's mix and γ (Steele 2014).

Any draw of any host or page can be computed at any time, in any thread, without those before it. A key's own draws
serve as the keys one level down: web → host → page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel, typed

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)


@typed("uint64(uint64, int64)")
def draw(key: np.uint64, number: int) -> np.uint64:
    """64 random bits: draw `number` of `key`."""
    z = key + (np.uint64(number) + np.uint64(1)) * _GAMMA
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@typed("float64(uint64, int64)")
def chance(key: np.uint64, number: int) -> float:
    """A float in [0, 1): draw `number` of `key`."""
    return np.float64(draw(key, number) >> _11) * 2.0**-53


@typed("int64(uint64, int64, int64)")
def below(key: np.uint64, number: int, bound: int) -> int:
    """An integer in [0, bound): draw `number` of `key`."""
    return np.int64(chance(key, number) * bound)


@kernel
def chances(key: np.uint64, count: int) -> NDArray[np.float64]:
    """Draws 0 … count − 1 of `key` as floats in [0, 1)."""
    values = np.empty(count)
    for i in range(count):
        values[i] = chance(key, i)
    return values


def subkey(key: np.uint64, number: int) -> np.uint64:
    """A key one level below `key`, for Python: a compiled `draw` returns a plain int to Python."""
    return np.uint64(draw(key, number))

"""Kernels of HyperBall: counters that grow round by round. See harmonic.py.

The counter of page p is registers p·m … p·m + m − 1. Round t makes `new` from `old`. Only pages that changed in round
t − 1 pass their counter on; for all others `new`, two rounds old, still holds what `old` does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import inlined, kernel

ONE = np.uint64(1)
FRACTION = 48
"""Registers hold at most 48, so that sums of 2^(48 − register) over 2^14 registers are whole numbers below 2^63."""


class Balls(NamedTuple):
    """Counters before and after a round, which of them changed, and what is known of each page's ball."""

    registers: int
    old: NDArray[np.uint8]
    new: NDArray[np.uint8]
    changed: NDArray[np.uint8]
    grown: NDArray[np.uint8]
    near: NDArray[np.float64]
    size: NDArray[np.float64]
    score: NDArray[np.float64]
    sigma: NDArray[np.float64]


@kernel
def first_balls(counters: NDArray[np.uint8], precision: int, seed: int) -> None:
    """Each page counts itself: a register named by some bits of its hash holds the place of the first 1 in the rest."""
    for page in range(counters.size >> precision):
        bits = mixed(np.uint64(page) ^ mixed(np.uint64(seed)))
        register = np.int64(bits >> np.uint64(64 - precision))
        bits <<= np.uint64(precision)
        place = 1
        while place < FRACTION and bits >> np.uint64(63) == 0:
            bits <<= ONE
            place += 1
        counters[(page << precision) + register] = place


@inlined
def mixed(bits: Any) -> Any:
    """64 bits from 64 bits, each depending on all (the finisher of SplitMix64; Steele, Lea, Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def count_others(first: int, out_ptr: NDArray[np.int64], out_idx: Any, near: NDArray[np.float64]) -> None:
    """Add 1 to each target of a block's links that is not the page itself."""
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            if out_idx[j] != first + k:
                near[out_idx[j]] += 1.0


@kernel
def keep_changed(balls: Any) -> None:
    """Bring `new` up to `old`."""
    old, new, changed, registers = balls.old, balls.new, balls.changed, balls.registers
    for page in range(changed.size):
        if changed[page] != 0:
            start = page * registers
            for k in range(start, start + registers):
                new[k] = old[k]


@kernel
def pull_balls(in_ptr: NDArray[np.int64], in_idx: Any, first: int, last: int, balls: Any, distance: int) -> None:
    """Round `distance` for some pages: each takes in the counters of the pages that link to it."""
    old, new, changed, grown, registers = balls.old, balls.new, balls.changed, balls.grown, balls.registers
    near, size, score, sigma = balls.near, balls.size, balls.score, balls.sigma
    for page in range(first, last):
        for j in range(in_ptr[page], in_ptr[page + 1]):
            if changed[in_idx[j]] != 0:
                join(new, page * registers, old, in_idx[j] * registers, registers)
                grown[page] = 1
        if grown[page] != 0:
            settle(page, registers, old, new, grown, near, size, score, sigma, distance)


@kernel
def push_balls(first: int, out_ptr: NDArray[np.int64], out_idx: Any, balls: Any) -> None:
    """The counters of a block's pages, taken in by the pages they link to."""
    old, new, changed, grown, registers = balls.old, balls.new, balls.changed, balls.grown, balls.registers
    for k in range(out_ptr.size - 1):
        if changed[first + k] != 0:
            for j in range(out_ptr[k], out_ptr[k + 1]):
                join(new, out_idx[j] * registers, old, (first + k) * registers, registers)
                grown[out_idx[j]] = 1


@kernel
def settle_balls(first: int, last: int, balls: Any, distance: int) -> None:
    """After all counters were pushed: sizes and scores of the pages that took one in."""
    old, new, grown, registers = balls.old, balls.new, balls.grown, balls.registers
    near, size, score, sigma = balls.near, balls.size, balls.score, balls.sigma
    for page in range(first, last):
        if grown[page] != 0:
            settle(page, registers, old, new, grown, near, size, score, sigma, distance)


@inlined
def join(into: NDArray[np.uint8], to: int, source: NDArray[np.uint8], at: int, registers: int) -> None:
    """The union: the larger of each register. Places are unsigned: a look at their sign would keep vectors out."""
    mine, other = np.uint64(to), np.uint64(at)
    for _ in range(registers):
        into[mine] = max(into[mine], source[other])
        mine += ONE
        other += ONE


@inlined
def settle(
    page: int, registers: int, old: Any, new: Any, grown: Any, near: Any, size: Any, score: Any, sigma: Any,
    distance: int,
) -> None:  # fmt: skip
    """Whether a counter changed, and what that adds to the score of its page."""
    start = page * registers
    differs = 0
    for k in range(start, start + registers):
        differs |= old[k] ^ new[k]
    grown[page] = 1 if differs != 0 else 0
    now = size[page]
    if distance == 1:
        now = near[page]
    elif differs != 0:
        now = max(now, counted(new, start, registers, sigma))
    score[page] += (now - size[page]) / distance
    size[page] = now


@inlined
def counted(counters: NDArray[np.uint8], start: int, registers: int, sigma: NDArray[np.float64]) -> float:
    """Ertl's estimator: m²/(2·ln 2) / (Σ 2^−register over registers above 0, + m·σ(share of registers at 0))."""
    total, zeros = np.uint64(0), 0
    for k in range(start, start + registers):
        total += ONE << np.uint64(FRACTION - counters[k])
        zeros += counters[k] == 0
    above = np.float64(total) / 2.0**FRACTION - zeros
    return registers * registers / (2 * np.log(2.0)) / (above + sigma[zeros])


@kernel
def search_back(
    in_ptr: NDArray[np.int64], in_idx: Any, first: int, last: int, seen: Any, queue: Any, scores: NDArray[np.float64]
) -> None:
    """Exact scores of some pages, by a breadth-first search back from each."""
    for page in range(first, last):
        seen[page] = page
        queue[0] = page
        head, tail, distance = 0, 1, 0
        while head < tail:
            level = tail
            if distance > 0:
                scores[page] += (level - head) / distance
            while head < level:
                for j in range(in_ptr[queue[head]], in_ptr[queue[head] + 1]):
                    source = in_idx[j]
                    if seen[source] != page:
                        seen[source] = page
                        queue[tail] = source
                        tail += 1
                head += 1
            distance += 1

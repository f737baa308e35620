"""Kernels of HyperBall: counters that grow with each iteration. See harmonic.py.

The counter of page p is registers p·m … p·m + m − 1. Iteration t computes `new` from `old`. Only pages that
changed in iteration t − 1 pass their counter on; for all others `new`, two iterations old, still equals `old`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Bytes, Ints
from seedbed.common.kernels import inlined, kernel

ONE = np.uint64(1)
FRACTION = 48
"""Registers hold at most 48, so sums of 2^(48 − register) over 2^14 registers are integers below 2^63."""


class Balls(NamedTuple):
    """Counters before and after an iteration, which of them changed, and what is known about each page's ball."""

    registers: int
    old: Bytes
    new: Bytes
    passed: Bytes  # the counters of the pages that link to these: `old`, or what a block of pages got from others
    changed: Bytes  # which of those changed in the last iteration
    grown: Bytes  # which pages changed in this one
    first_size: NDArray[np.float64]  # |B_1|
    size: NDArray[np.float64]
    score: NDArray[np.float64]
    sigma: NDArray[np.float64]  # m·σ(k/m) for k registers at 0


@kernel
def count_own_page(counters: Bytes, precision: int, seed: int, first: int) -> None:
    """Each page from `first` on counts itself: bits of its hash choose a register, which holds the rank of the first 1
    in the rest.
    """
    for page in range(counters.size >> precision):
        bits = mixed(np.uint64(first + page) ^ mixed(np.uint64(seed)))
        register = np.int64(bits >> np.uint64(64 - precision))
        bits <<= np.uint64(precision)
        place = 1
        while place < FRACTION and bits >> np.uint64(63) == 0:
            bits <<= ONE
            place += 1
        counters[(page << precision) + register] = place


@inlined
def mixed(bits: Any) -> Any:
    """A 64-bit hash of 64 bits, each depending on all (SplitMix64's finaliser; Steele, Lea, Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@kernel
def count_sources(first: int, out_ptr: Ints, out_idx: Any, first_size: NDArray[np.float64]) -> None:
    """Add 1 to each target of a block's links that is not the page itself."""
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            if out_idx[j] != first + k:
                first_size[out_idx[j]] += 1.0


@kernel
def copy_changed(balls: Any) -> None:
    """Bring `new` up to date with `old`."""
    old, new, changed, registers = balls.old, balls.new, balls.changed, balls.registers
    for page in range(changed.size):
        if changed[page] != 0:
            start = page * registers
            for k in range(start, start + registers):
                new[k] = old[k]


@kernel
def grow_balls(in_ptr: Ints, in_idx: Any, balls: Any, distance: int, first: int, last: int) -> None:
    """Iteration `distance` for some pages: each merges the counters of the pages that link to it.

    If in_ptr is empty, the counters were already pushed, and only sizes and scores remain to be computed.
    """
    new, passed, changed, grown, registers = balls.new, balls.passed, balls.changed, balls.grown, balls.registers
    for page in range(first, last):
        if in_ptr.size != 0:
            for j in range(in_ptr[page], in_ptr[page + 1]):
                if changed[in_idx[j]] != 0:
                    unite(new, page * registers, passed, in_idx[j] * registers, registers)
                    grown[page] = 1
        if grown[page] != 0:
            add_to_score(page, balls, distance)


@kernel
def push_balls(first: int, out_ptr: Ints, out_idx: Any, balls: Any) -> None:
    """Merge the counters of a block's pages into those of the pages they link to."""
    old, new, changed, grown, registers = balls.old, balls.new, balls.changed, balls.grown, balls.registers
    for k in range(out_ptr.size - 1):
        if changed[first + k] != 0:
            for j in range(out_ptr[k], out_ptr[k + 1]):
                unite(new, out_idx[j] * registers, old, (first + k) * registers, registers)
                grown[out_idx[j]] = 1


@inlined
def unite(into: Bytes, to: int, source: Bytes, at: int, registers: int) -> None:
    """The union: the register-wise maximum. Indices are unsigned, because a sign test prevents vectorization."""
    mine, other = np.uint64(to), np.uint64(at)
    for _ in range(registers):
        into[mine] = max(into[mine], source[other])
        mine += ONE
        other += ONE


@inlined
def add_to_score(page: int, balls: Any, distance: int) -> None:
    """Record whether a counter changed, and update the score of its page accordingly."""
    old, new, size, registers = balls.old, balls.new, balls.size, balls.registers
    start = page * registers
    differs = 0
    for k in range(start, start + registers):
        differs |= old[k] ^ new[k]
    balls.grown[page] = 1 if differs != 0 else 0
    now = size[page]
    if distance == 1:
        now = balls.first_size[page]
    elif differs != 0:
        now = max(now, estimated_size(new, start, registers, balls.sigma))
    balls.score[page] += (now - size[page]) / distance
    size[page] = now


@inlined
def estimated_size(counters: Bytes, start: int, registers: int, sigma: NDArray[np.float64]) -> float:
    """Ertl's estimator: m²/(2·ln 2) / (Σ 2^−register over registers above 0 + m·σ(share of registers at 0))."""
    total, zeros = np.uint64(0), 0
    for k in range(start, start + registers):
        total += ONE << np.uint64(FRACTION - counters[k])
        zeros += counters[k] == 0
    above = np.float64(total) / 2.0**FRACTION - zeros
    return registers * registers / (2 * np.log(2.0)) / (above + sigma[zeros])


@kernel
def search_backward(
    in_ptr: Ints, in_idx: Any, first: int, last: int, seen: Any, queue: Any, scores: NDArray[np.float64]
) -> None:
    """Exact scores of some pages, by a backward breadth-first search from each."""
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

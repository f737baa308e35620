"""HITS on classes of pages that no ranking can tell apart, exact up to a stated error.

Pages with equal lists of links have equal hub scores, whatever the round; pages with equal lists of links to them have
equal authority scores. So one member of each class stands for all, counted as often as there are members left:

    a(D) = Σ_{C → D} |C| · h(C),      h(C) = Σ_{C → D} |D| · a(D),      h = 1 at the start

Removing pages only lowers the counts. Scores are not normalised but scaled by powers of two, which changes no digit, so
what is ranked are whole numbers: the walks back and forth along links that end on a page. All terms are positive, so a
computed score is within `error` of the true one, relatively; closer scores are compared by their remainders modulo a
prime and, where these differ, as whole numbers of any length.

Cost: two passes over the links between classes a round.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.graph.csr import Csr
from seedbed.graph.kernel import borrowing, kernel
from seedbed.graph.transform import transposed

PRIME = (1 << 61) - 1
STRIDE = 64
CLASS_COST = 4
ROUNDS_PER_SCALING = 8  # a round multiplies scores by less than 2⁶²
Ints = NDArray[np.int64]


class Side(NamedTuple):
    """Classes of hubs or authorities: of each page (−1: none), members left, lists of the other side's classes."""

    of_page: NDArray[np.int32]
    members: Ints
    ptr: Ints
    idx: NDArray[np.int32]


class Quotient:
    """The links of a web between classes of hubs and classes of authorities. Pages can be removed."""

    def __init__(self, links: Csr, threads: int = 1) -> None:
        out = links.arrays()
        hub_of_page, hub_ptr, hub_idx = classes(out.out_ptr, out.out_idx)
        into = transposed(_csr(hub_ptr, hub_idx, links.pages)).arrays()
        in_ptr = into.out_ptr[: links.pages + 1]
        authority_of_page, ptr, idx = classes(in_ptr, into.out_idx)
        self.authorities = Side(authority_of_page, _sizes(authority_of_page), ptr, idx)
        back = transposed(_csr(ptr, idx, len(hub_ptr) - 1)).arrays()
        hubs = len(hub_ptr) - 1
        self.hubs = Side(hub_of_page, _sizes(hub_of_page), back.out_ptr[: hubs + 1].copy(), back.out_idx)
        self._threads = threads
        self._parts = [_even_parts(side, threads) for side in (self.authorities, self.hubs)]
        longest = max((int(np.diff(side.ptr).max(initial=0)) for side in (self.hubs, self.authorities)), default=0)
        self._sum_error = (3 * STRIDE + longest / STRIDE**2 + 4) * np.finfo(np.float64).eps

    def remove(self, pages: Ints) -> None:
        """Take pages out of their classes."""
        for side in (self.hubs, self.authorities):
            owner = side.of_page[pages]
            np.subtract.at(side.members, owner[owner >= 0], 1)

    def error(self, rounds: int) -> float:
        """A bound of the relative error of computed scores."""
        return 2 * rounds * self._sum_error

    def hits(self, rounds: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(hub score, authority score) of each class, up to powers of two."""
        hub, authority = np.ones(len(self.hubs.members)), np.zeros(len(self.authorities.members))
        hub_weight, authority_weight = self.hubs.members.astype(np.float64), np.zeros(len(authority))
        with ThreadPoolExecutor(self._threads) as pool:
            for number in range(rounds):
                if number % ROUNDS_PER_SCALING == 0:
                    _scale(hub_weight)
                self._pass(pool, sum_scores, self.authorities, hub_weight, authority, authority_weight)
                self._pass(pool, sum_scores, self.hubs, authority_weight, hub, hub_weight)
        _scale(hub)
        _scale(authority)
        return hub, authority

    def remainders(self, rounds: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """(hub score, authority score) of each class as a whole number modulo PRIME."""
        hub = np.ones(len(self.hubs.members), np.uint64)
        authority = np.zeros(len(self.authorities.members), np.uint64)
        with ThreadPoolExecutor(self._threads) as pool:
            for _ in range(rounds):
                self._pass(pool, sum_remainders, self.authorities, times(hub, self.hubs.members), authority)
                self._pass(pool, sum_remainders, self.hubs, times(authority, self.authorities.members), hub)
        return hub, authority

    def whole_numbers(self, rounds: int) -> tuple[list[int], list[int]]:
        """(hub score, authority score) of each class, exact. For the rare pair that nothing else can tell apart."""
        hub = [1] * len(self.hubs.members)
        authority: list[int] = []
        for _ in range(rounds):
            authority = _exact_sums(self.authorities, hub, self.hubs.members)
            hub = _exact_sums(self.hubs, authority, self.authorities.members)
        return hub, authority

    def _pass(
        self, pool: ThreadPoolExecutor, function: Callable[..., None], side: Side, weights: Any, *results: Any
    ) -> None:
        parts = self._parts[side is self.hubs]
        list(pool.map(lambda part: function(side, weights, *results, *part), parts))


def _even_parts(side: Side, parts: int) -> list[tuple[int, int]]:
    """Ranges of classes that cost about the same: a class costs as much as a few of its links."""
    cost = side.ptr + CLASS_COST * np.arange(len(side.ptr))
    cuts = np.searchsorted(cost, np.linspace(0, cost[-1], parts + 1)[1:-1]).tolist()
    return list(pairwise([0, *cuts, len(side.members)]))


def _csr(ptr: Ints, idx: NDArray[Any], targets: int) -> Csr:
    """Lists over `targets` others as a square store, so that it can be turned round."""
    pages = max(len(ptr) - 1, targets)
    full = np.concatenate([ptr, np.full(pages + 1 - len(ptr), ptr[-1])])
    return Csr(full, idx, checked=True)


def _sizes(of_page: NDArray[np.int32]) -> Ints:
    return np.bincount(of_page[of_page >= 0]).astype(np.int64)


def _scale(scores: NDArray[np.float64]) -> None:
    """By a power of two, so that the largest is near 1."""
    _, exponent = np.frexp(scores.max(initial=0.0))
    np.ldexp(scores, -exponent, out=scores)


def _exact_sums(side: Side, scores: list[int], counts: Ints) -> list[int]:
    weights = [score * count for score, count in zip(scores, counts.tolist(), strict=True)]
    ptr, idx = side.ptr.tolist(), side.idx.tolist()
    return [sum(weights[k] for k in idx[start:stop]) for start, stop in pairwise(ptr)]


@borrowing
def sum_scores(side: Any, weights: Any, scores: Any, weighted: Any, first: int, last: int) -> None:
    """scores = Σ weights over each list, and the same times the members of the class; for classes first … last − 1."""
    ptr, idx, members = side.ptr, side.idx, side.members
    for row in range(first, last):
        start, stop = ptr[row], ptr[row + 1]
        total = 0.0
        if stop - start <= STRIDE:
            for k in range(start, stop):
                total += weights[idx[k]]
        else:
            total = sum_long(idx, weights, start, stop)
        scores[row] = total
        weighted[row] = total * members[row]


@borrowing
def sum_long(idx: Any, weights: Any, start: int, stop: int) -> float:
    """The sum over a long list, by blocks of blocks of STRIDE, so that rounding errors hardly add up."""
    total = 0.0
    while start < stop:
        end = min(start + STRIDE * STRIDE, stop)
        block = 0.0
        while start < end:
            pause = min(start + STRIDE, end)
            part = 0.0
            for k in range(start, pause):
                part += weights[idx[k]]
            block += part
            start = pause
        total += block
    return total


@borrowing
def sum_remainders(side: Any, weights: Any, result: Any, first: int, last: int) -> None:
    """As sum_scores, modulo PRIME."""
    ptr, idx = side.ptr, side.idx
    for row in range(first, last):
        total = np.uint64(0)
        for k in range(ptr[row], ptr[row + 1]):
            total += weights[idx[k]]
            if total >= np.uint64(PRIME):
                total -= np.uint64(PRIME)
        result[row] = total


@kernel
def times(scores: NDArray[np.uint64], counts: Ints) -> NDArray[np.uint64]:
    """scores · counts modulo PRIME, for counts below 2³⁰: twice 30 bits at a time."""
    result = np.empty_like(scores)
    low = np.uint64((1 << 31) - 1)
    for k in range(scores.size):
        count = np.uint64(counts[k])
        high = (scores[k] >> np.uint64(31)) * count % np.uint64(PRIME)
        # high · 2³¹ modulo 2⁶¹ − 1: the bits that pass 61 come back at the bottom.
        turned = ((high << np.uint64(31)) & np.uint64(PRIME)) + (high >> np.uint64(30))
        result[k] = (turned % np.uint64(PRIME) + (scores[k] & low) * count) % np.uint64(PRIME)
    return result


def classes(ptr: Ints, idx: NDArray[Any]) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """Rows with equal lists are a class: (class of each row, −1 where the list is empty; the lists of the classes)."""
    rows = np.flatnonzero(np.diff(ptr) > 0)
    prints = fingerprints(ptr, idx, rows)
    order = np.lexsort((rows, prints))
    of_row = np.full(len(ptr) - 1, -1, np.int32)
    firsts = number_classes(ptr, idx, rows[order], prints[order], of_row)
    # Numbered by their first row, classes that are near each other link to near places: sums stay in the cache.
    by_row = np.argsort(firsts)
    place = np.empty(len(firsts), np.int32)
    place[by_row] = np.arange(len(firsts), dtype=np.int32)
    of_row[rows] = place[of_row[rows]]
    firsts = firsts[by_row]
    lengths = np.diff(ptr)[firsts]
    class_ptr = np.concatenate([[0], np.cumsum(lengths)])
    return of_row, class_ptr, take_lists(ptr, idx, firsts, class_ptr)


@kernel
def fingerprints(ptr: Ints, idx: Any, rows: Ints) -> NDArray[np.uint64]:
    """A hash of each row's list."""
    prints = np.empty(rows.size, np.uint64)
    for j in range(rows.size):
        value = np.uint64(0x9E3779B97F4A7C15)
        for k in range(ptr[rows[j]], ptr[rows[j] + 1]):
            value = (value ^ np.uint64(idx[k])) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(29)
        prints[j] = value
    return prints


@borrowing
def equal_lists(ptr: Ints, idx: Any, row: int, other: int) -> bool:
    """Whether two rows have the same list."""
    length = ptr[row + 1] - ptr[row]
    if ptr[other + 1] - ptr[other] != length:
        return False
    j = 0
    while j < length and idx[ptr[row] + j] == idx[ptr[other] + j]:
        j += 1
    return j == length


@kernel
def number_classes(ptr: Ints, idx: Any, rows: Ints, prints: NDArray[np.uint64], of_row: NDArray[np.int32]) -> Ints:
    """Number the classes of rows sorted by fingerprint and row; gives the first row of each.

    Lists that differ and share a fingerprint may end up in more classes than needed, which does no harm.
    """
    firsts = np.empty(rows.size, np.int64)
    count = 0
    for j in range(rows.size):
        same = j > 0 and prints[j] == prints[j - 1] and equal_lists(ptr, idx, rows[j], firsts[count - 1])
        if not same:
            firsts[count] = rows[j]
            count += 1
        of_row[rows[j]] = count - 1
    return firsts[:count]


@kernel
def take_lists(ptr: Ints, idx: Any, rows: Ints, new_ptr: Ints) -> NDArray[np.int32]:
    """The lists of some rows, one after the other."""
    result = np.empty(new_ptr[-1], np.int32)
    for j in range(rows.size):
        for k in range(new_ptr[j + 1] - new_ptr[j]):
            result[new_ptr[j] + k] = idx[ptr[rows[j]] + k]
    return result

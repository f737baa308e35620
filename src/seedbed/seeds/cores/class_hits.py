"""HITS on classes of pages that no ranking can tell apart, exact up to a stated error.

Pages with equal lists of links have equal hub scores in every iteration; pages with equal lists of in-links have
equal authority scores. So one member of each class stands for all, weighted by the number of members left:

    a(D) = Σ_{C → D} |C| · h(C),      h(C) = Σ_{C → D} |D| · a(D),      h = 1 at the start

Classes are found in a hash table of lists: O(pages + links).
Removing pages only lowers the counts. Scores are not normalised but scaled by powers of two, which changes no digit, so
the ranking is of whole numbers: the walks back and forth along links that end on a page. All terms are positive, so a
computed score has a relative error of at most `error`; closer scores are compared by their remainders modulo a prime
and, if these differ, as integers of arbitrary length.

Cost: one pass over the links between classes per iteration. A hub class sums the scores that its list names and adds
its own to the same list right away, while the list is in the processor's cache. Only two numbers per authority class
are read and written at random, and there are few such classes. Neighbouring hub classes are sorted by the length of
their lists, so that the branch predictor gets the end of each right. Pointers and indices are unsigned: the compiler
then need not check for negative indices, which halves the time.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import borrowing, inlined, kernel
from seedbed.links.csr import Csr
from seedbed.links.transpose import transposed
from seedbed.ranking.link_sums import find_equal_lists

PRIME = (1 << 61) - 1
PARTS = 4  # each with its own sums; the same for any number of threads, so that sums are rounded the same way
CLASS_COST = 4
NEIGHBOURS = 4096  # classes close together link to targets close together
ONE, TWO = np.uint64(1), np.uint64(2)
ITERATIONS_PER_SCALING = 8  # one iteration multiplies scores by less than 2⁶²
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]


class Side(NamedTuple):
    """Classes of hubs or authorities: the class of each page (−1: none), and the members left in each class."""

    of_page: NDArray[np.int32]
    members: Ints


class ClassGraph:
    """The links of a web between classes of hubs and classes of authorities. Pages can be removed."""

    def __init__(self, links: Csr, threads: int = 1) -> None:
        out = links.arrays()
        hub_of_page, hub_ptr, hub_idx = classes_of(out.out_ptr, out.out_idx)
        into = transposed(_csr(hub_ptr, hub_idx, links.page_count)).arrays()
        authority_of_page, in_ptr, in_idx = classes_of(into.out_ptr[: links.page_count + 1], into.out_idx)
        hubs = len(hub_ptr) - 1
        lists = transposed(_csr(in_ptr, in_idx, hubs)).arrays()
        self.authorities = Side(authority_of_page, _sizes(authority_of_page))
        hub_of_page, ptr, idx = _by_length(hub_of_page, lists.out_ptr[: hubs + 1], lists.out_idx)
        self.ptr, self.idx = ptr.astype(np.uint64), idx.view(np.uint32)
        self.hubs = Side(hub_of_page, _sizes(hub_of_page))
        self._threads = min(threads, PARTS)
        self._cuts = _even_parts(ptr, PARTS)
        longest = max(int(np.diff(some).max(initial=0)) for some in (ptr, in_ptr))
        self._sum_error = (longest + PARTS + 4) * np.finfo(np.float64).eps

    def remove(self, pages: Ints) -> None:
        """Remove pages from their classes."""
        for side in (self.hubs, self.authorities):
            owner = side.of_page[pages]
            np.subtract.at(side.members, owner[owner >= 0], 1)

    def error(self, iterations: int) -> float:
        """A bound on the relative error of computed scores."""
        return 2 * iterations * self._sum_error

    def hits(self, iterations: int) -> tuple[Floats, Floats]:
        """(hub score, authority score) of each class, up to powers of two."""
        hubs, authorities = (side.members.astype(np.float64) for side in (self.hubs, self.authorities))
        hub, authority, weights = np.ones(len(hubs)), np.zeros(len(authorities)), np.zeros(len(authorities))
        parts = np.zeros((PARTS, len(authorities)))

        def iterate(part: int, first: Any, last: Any) -> None:
            take_and_give(self.ptr, self.idx, weights, hubs, parts[part], first, last)

        with ThreadPoolExecutor(self._threads) as pool:
            self._each(pool, lambda part, *rows: give(self.ptr, self.idx, hubs, parts[part], *rows))
            add_up(parts, authority)
            for number in range(1, iterations):
                if number % ITERATIONS_PER_SCALING == 0:
                    _scale(authority)
                np.multiply(authority, authorities, out=weights)
                self._each(pool, iterate)
                add_up(parts, authority)
            np.multiply(authority, authorities, out=weights)
            self._each(pool, lambda part, *rows: take(self.ptr, self.idx, weights, hub, *rows))
        _scale(hub)
        _scale(authority)
        return hub, authority

    def remainders(self, iterations: int) -> tuple[Words, Words]:
        """(hub score, authority score) of each class as a whole number modulo PRIME."""
        hubs, authorities = self.hubs.members, self.authorities.members
        hub, authority = np.ones(len(hubs), np.uint64), np.zeros(len(authorities), np.uint64)
        for _ in range(iterations):
            iterate_remainders(self.ptr, self.idx, hub, hubs, authority, authorities)
        return hub, authority

    def whole_numbers(self, iterations: int) -> tuple[list[int], list[int]]:
        """(hub score, authority score) of each class, exact. For the rare pair that nothing else can tell apart."""
        ptr, idx = self.ptr.tolist(), self.idx.tolist()
        lists = [idx[start:stop] for start, stop in pairwise(ptr)]
        hub, authority = [1] * len(lists), [0] * len(self.authorities.members)
        hubs_left, authorities_left = self.hubs.members.tolist(), self.authorities.members.tolist()
        for _ in range(iterations):
            authority = [0] * len(authority)
            for row, one in enumerate(lists):
                for k in one:
                    authority[k] += hub[row] * hubs_left[row]
            hub = [sum(authority[k] * authorities_left[k] for k in one) for one in lists]
        return hub, authority

    def _each(self, pool: ThreadPoolExecutor, function: Callable[..., None]) -> None:
        """Call a function for every part of the hub classes, with its first class and the one after its last."""
        list(pool.map(lambda part: function(part, *self._cuts[part]), range(PARTS)))


def _by_length(of_page: NDArray[np.int32], ptr: Ints, idx: NDArray[Any]) -> tuple[NDArray[np.int32], Ints, Any]:
    """Renumber classes: within each block of NEIGHBOURS, those with short lists come first."""
    lengths = np.diff(ptr)
    order = np.lexsort((lengths, np.arange(len(lengths)) // NEIGHBOURS))
    place = np.empty(len(order) + 1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    place[-1] = -1
    return place[of_page], *take_lists(ptr, idx, order)


def _even_parts(ptr: Ints, parts: int) -> list[tuple[np.uint64, np.uint64]]:
    """Ranges of classes with about the same cost: a class costs as much as a few of its links."""
    cost = ptr + CLASS_COST * np.arange(len(ptr))
    cuts = np.searchsorted(cost, np.linspace(0, cost[-1], parts + 1)[1:-1]).tolist()
    return list(pairwise(np.array([0, *cuts, len(ptr) - 1], np.uint64)))


def _csr(ptr: Ints, idx: NDArray[Any], targets: int) -> Csr:
    """Lists over `targets` other nodes as a square store, so that it can be transposed."""
    pages = max(len(ptr) - 1, targets)
    full = np.concatenate([ptr, np.full(pages + 1 - len(ptr), ptr[-1])])
    return Csr(full, idx, checked=True)


def _sizes(of_page: NDArray[np.int32]) -> Ints:
    return np.bincount(of_page[of_page >= 0]).astype(np.int64)


def _scale(scores: Floats) -> None:
    """Scale by a power of two, so that the largest is near 1."""
    _, exponent = np.frexp(scores.max(initial=0.0))
    np.ldexp(scores, -exponent, out=scores)


@inlined
def list_sum(idx: Any, weights: Any, start: Any, stop: Any) -> float:
    """Σ weights over a list; every other one goes to a second sum, so that no addition waits for the previous one."""
    even = odd = 0.0
    while start + ONE < stop:
        even += weights[idx[start]]
        odd += weights[idx[start + ONE]]
        start += TWO
    if start < stop:
        even += weights[idx[start]]
    return even + odd


@borrowing
def take(ptr: Any, idx: Any, weights: Any, hub: Any, first: Any, last: Any) -> None:
    """hub = Σ weights over the list, for the classes first … last − 1."""
    for row in range(first, last):
        hub[row] = list_sum(idx, weights, ptr[row], ptr[row + ONE])


@borrowing
def give(ptr: Any, idx: Any, weights: Any, sums: Any, first: Any, last: Any) -> None:
    """sums += weight of the class, over the list."""
    for row in range(first, last):
        for k in range(ptr[row], ptr[row + ONE]):
            sums[idx[k]] += weights[row]


@borrowing
def take_and_give(ptr: Any, idx: Any, weights: Any, members: Any, sums: Any, first: Any, last: Any) -> None:
    """Both at once: sums += (Σ weights over the list) · members, over the same list."""
    for row in range(first, last):
        start, stop = ptr[row], ptr[row + ONE]
        total = list_sum(idx, weights, start, stop) * members[row]
        for k in range(start, stop):
            sums[idx[k]] += total


@kernel
def add_up(parts: Any, result: Floats) -> None:
    """result = the sum of the parts, which are reset to zero."""
    for k in range(result.size):
        total = 0.0
        for part in range(parts.shape[0]):
            total += parts[part, k]
            parts[part, k] = 0.0
        result[k] = total


@kernel
def iterate_remainders(ptr: Words, idx: Any, hub: Words, hubs: Ints, authority: Words, authorities: Ints) -> None:
    """An iteration modulo PRIME: authorities from hubs, then hubs from authorities."""
    prime = np.uint64(PRIME)
    weights = times(hub, hubs)
    authority[:] = 0
    for row in range(hub.size):
        for k in range(ptr[row], ptr[row + 1]):
            authority[idx[k]] = (authority[idx[k]] + weights[row]) % prime
    weights = times(authority, authorities)
    for row in range(hub.size):
        total = np.uint64(0)
        for k in range(ptr[row], ptr[row + 1]):
            total = (total + weights[idx[k]]) % prime
        hub[row] = total


@kernel
def times(scores: NDArray[np.uint64], counts: Ints) -> NDArray[np.uint64]:
    """scores · counts modulo PRIME, for counts below 2³⁰: 30 bits at a time, twice."""
    result = np.empty_like(scores)
    low = np.uint64((1 << 31) - 1)
    for k in range(scores.size):
        count = np.uint64(counts[k])
        high = (scores[k] >> np.uint64(31)) * count % np.uint64(PRIME)
        # high · 2³¹ modulo 2⁶¹ − 1: bits beyond the 61st wrap around to the bottom.
        shifted = ((high << np.uint64(31)) & np.uint64(PRIME)) + (high >> np.uint64(30))
        result[k] = (shifted % np.uint64(PRIME) + (scores[k] & low) * count) % np.uint64(PRIME)
    return result


def classes_of(ptr: Ints, idx: NDArray[Any]) -> tuple[NDArray[np.int32], Ints, NDArray[np.int32]]:
    """Rows with equal lists form a class: (class of each row, −1 if its list is empty; the lists of the classes).

    Numbered by their first row, classes close together link to targets close together: sums stay in the cache.
    """
    rows = len(ptr) - 1
    same = np.empty(rows, np.int32)
    find_equal_lists(ptr, idx, 0, rows, np.empty(1 << (2 * rows).bit_length(), np.int32), same)
    firsts = np.flatnonzero(same == np.arange(rows))
    number = np.full(rows + 1, -1, np.int32)
    number[firsts] = np.arange(len(firsts))
    return number[same], *take_lists(ptr, idx, firsts)


@kernel
def take_lists(ptr: Ints, idx: Any, rows: Ints) -> tuple[Ints, NDArray[np.int32]]:
    """The lists of some rows, one after another."""
    new_ptr = np.zeros(rows.size + 1, np.int64)
    for j in range(rows.size):
        new_ptr[j + 1] = new_ptr[j] + ptr[rows[j] + 1] - ptr[rows[j]]
    new_idx = np.empty(new_ptr[-1], np.int32)
    for j in range(rows.size):
        for k in range(new_ptr[j + 1] - new_ptr[j]):
            new_idx[new_ptr[j] + k] = idx[ptr[rows[j]] + k]
    return new_ptr, new_idx

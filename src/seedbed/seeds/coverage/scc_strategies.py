"""MaxSCC and RootSCC: seeds from strong components (Zheng, Dmitriev, Giles 2009, §3.3 and Algorithm 2).

MaxSCC takes the page with the largest depth-d weight (greedy.py) in the strong component with the most value left.
RootSCC takes it from a root component (one that no other component links to): of the roots that reach that heaviest
component, the one with the most value left.

The paper does not say what to do when the component has nothing to offer: all its pages are seeds, ineligible, or
without weight above zero. Then the next root is tried, and after the last root the next component, heaviest first. It
stops when no component has anything to offer. Ties go to the component with the smallest page, and to the smaller
page.

Cost: O(pages + d · links), for RootSCC also a sort of the links between components; then one walk of d links for each
page weighed, and for each component examined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import page_dtype
from seedbed.links.csr import Csr
from seedbed.links.link_builder import LinkBuilder
from seedbed.links.transpose import transposed
from seedbed.seeds.coverage.covered import Covered
from seedbed.seeds.coverage.greedy import DEPTH, ZHENG, Depth, picked, second_bounds
from seedbed.seeds.coverage.lazy_greedy import Lazy
from seedbed.seeds.coverage.reach import cover_from
from seedbed.seeds.problem import Eligible
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import strategy
from seedbed.shape.components import strong_components

if TYPE_CHECKING:
    from seedbed.links.link_store import LinkStore
    from seedbed.seeds.problem import Problem


@strategy(
    "like maxweight, inside the largest part of the web in which all pages reach each other",
    measure="value covered",
    paper=ZHENG,
)
def maxscc(problem: Problem, k: int, *, depth: Depth = DEPTH) -> list[Pick]:
    """Up to k pages, each the heaviest of the strong component with the most value left."""
    with Covered.of(problem) as covered:
        parts = Parts(problem, covered, depth)
        return _choose(problem, k, covered, parts, parts.by_weight)


@strategy("like maxweight, among pages that reach the largest such part", measure="value covered", paper=ZHENG)
def rootscc(problem: Problem, k: int, *, depth: Depth = DEPTH) -> list[Pick]:
    """Up to k pages, each the heaviest of the heaviest root component that reaches the heaviest strong component."""
    with Covered.of(problem) as covered:
        parts = Parts(problem, covered, depth)
        roots = Roots(covered.links, parts)
        return _choose(problem, k, covered, parts, roots.by_weight)


def _choose(
    problem: Problem, k: int, covered: Covered, parts: Parts, candidates: Callable[[], Iterator[int]]
) -> list[Pick]:
    picks: list[Pick] = []
    while len(picks) < k and not covered.is_all:
        pick = next((pick for part in candidates() if (pick := parts.pick(part)) is not None), None)
        if pick is None:
            break
        picks.append(pick)
        problem.progress("seeds", len(picks), k)
    return picks


class Parts:
    """The strong components, numbered by their smallest page, and the value they have left."""

    def __init__(self, problem: Problem, covered: Covered, depth: int) -> None:
        of_page = strong_components(covered.links, progress=problem.progress).of_page
        _, first, of_page = np.unique(of_page, return_index=True, return_inverse=True)
        self.of_page: NDArray[np.int64] = np.argsort(np.argsort(first))[of_page.reshape(-1)]
        self.count = len(first)
        self.weights = np.zeros(self.count, np.int64)
        np.add.at(self.weights, self.of_page, covered.left)
        self._covered, self._depth = covered, depth
        self._eligible = Eligible(problem)
        self._bounds = covered.bounds(depth)
        self._plus = second_bounds(covered, self._bounds)
        self._by_part = np.argsort(self.of_page, kind="stable").astype(page_dtype(len(self.of_page)))
        self._ends = np.searchsorted(self.of_page[self._by_part], np.arange(self.count + 1))
        self._lazy: dict[int, Lazy] = {}
        self._spent = np.zeros(self.count, np.bool_)

    def by_weight(self) -> Iterator[int]:
        """Components that may have something to offer, heaviest first."""
        yield from self.ordered(self.unspent(np.arange(self.count)))

    def ordered(self, parts: NDArray[Any]) -> Iterator[int]:
        """Some components, given ascending, by the value they have left. The first is found without sorting."""
        if len(parts):
            weights = self.weights[parts]
            first = int(weights.argmax())
            yield int(parts[first])
            order = np.argsort(-weights, kind="stable")
            yield from parts[order[order != first]].tolist()

    def unspent(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Those of the given components that may still offer a page."""
        return parts[~self._spent[parts]]

    def pick(self, part: int) -> Pick | None:
        """Make the heaviest page of a component a seed, if it has a weight above zero."""
        if part not in self._lazy:
            pages = self._by_part[self._ends[part] : self._ends[part + 1]]
            bounds = self._bounds[pages]
            self._lazy[part] = Lazy(self._covered, self._eligible, self._depth, pages, bounds, self._plus)
        best = self._lazy[part].best()
        if best is None:
            # Without negative values weights only fall, so a component with none above zero will never have one.
            self._spent[part] = not self._covered.has_negative
            return None
        page, weight = best
        self._eligible.take(page)
        new = self._covered.cover(page)
        np.subtract.at(self.weights, self.of_page[new.pages], new.values)
        return picked(self._covered, new, page, weight, self._depth)


class Roots:
    """The components that no other component links to, and which of them reach a component."""

    def __init__(self, links: LinkStore, parts: Parts) -> None:
        self._parts = parts
        self._back = transposed(_between(links, parts))
        self._is_root = self._back.out_degrees() == 0
        self._done = np.zeros(parts.count, np.bool_)
        self._last: tuple[int, NDArray[Any]] | None = None

    def by_weight(self) -> Iterator[int]:
        """Roots that may have something to offer: those that reach the heaviest component, heaviest first, then those
        that reach the next.
        """
        tried: set[int] = set()
        for part in self._parts.ordered(np.flatnonzero(~self._done)):
            roots = self._parts.unspent(self._reaching(part))
            self._done[part] = not len(roots)
            for root in self._parts.ordered(roots):
                if root not in tried:
                    tried.add(root)
                    yield root

    def _reaching(self, part: int) -> NDArray[Any]:
        if self._last is None or self._last[0] != part:
            count = self._parts.count
            near = np.full(count, count + 1, np.int64)
            queue, met = np.empty(count, np.int64), np.empty(count, np.int64)
            found = cover_from(self._back.arrays(), self._back.buffer(), near, queue, met, part, count)
            reaching = np.sort(met[:found])
            self._last = part, reaching[self._is_root[reaching]]
        return self._last[1]


def _between(links: LinkStore, parts: Parts) -> Csr:
    """The web of components: a link from one to another if a page of the first links to one of the second."""
    builder = LinkBuilder(parts.count)
    for block in links.blocks():
        builder.add(parts.of_page[block.sources], parts.of_page[block.out_idx])
    return builder.finish().links

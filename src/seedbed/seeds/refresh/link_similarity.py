"""How similar the links of an old page and of new pages are, over the neighbours that both snapshots have.

Neighbours are matched across snapshots by URL (urls/url_matching.py); those without a match are left out. A neighbour r
weighs 1 / log₂(1 + d), where d counts its links in the direction that leads back: the more links, the less each one
says. Beyond `max_links` of them it weighs nothing. With A the matched neighbours of the old page, in-links and
out-links separately, and B those of a new page,

    similarity = weight of A ∩ B / weight of A ∪ B        (weighted Jaccard)

and `own` is the same for the out-links alone: links to a page are made by others, who keep linking to whatever replaces
it, but the links on it are its own.

Cost: three passes over the links of the new web, two of the old. Candidates are the pages that share a neighbour. For
an old page at most `max_work` links are followed, through the heaviest neighbours first; the others do not count as
shared, so the similarity can only be understated. Memory: about 60 bytes per page, and the links followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen
from seedbed.common.kernels import kernel
from seedbed.links.link_store import in_degrees
from seedbed.ranking.link_sums import add_targets, add_to_targets

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.links.link_store import LinkStore

MAX_LINKS = 10_000
MAX_WORK = 1_000_000
NONE = frozen(np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class SimilarPages:
    """New pages that share neighbours with an old one, ascending: how similar they are, and how many they share.

    `own`, `own_shared`: the same for out-links alone. `matched`: the neighbours of the old page that are still there.
    """

    pages: Ints
    similarity: NDArray[np.float64]
    own: NDArray[np.float64]
    shared: Ints
    own_shared: Ints
    matched: int

    def only(self, which: NDArray[np.bool_] | Ints) -> SimilarPages:
        """Those selected by a mask or a list of places."""
        return SimilarPages(
            self.pages[which],
            self.similarity[which],
            self.own[which],
            self.shared[which],
            self.own_shared[which],
            self.matched,
        )

    def best(self, count: int) -> SimilarPages:
        """The `count` most similar, most similar first, ties to the smaller id."""
        return self.only(np.lexsort((self.pages, -self.similarity))[:count])


@kernel
def _fill_in(first: int, out_ptr: Ints, out_idx: Ints, slot: Ints, free: Ints, in_idx: Ints) -> None:
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            at = slot[out_idx[j]]
            if at >= 0:
                in_idx[free[at]] = first + k
                free[at] += 1


def in_links(links: LinkStore, pages: Ints, degrees: Ints) -> dict[int, Ints]:
    """The pages that link to each of some pages, ascending, in one pass over all links; `degrees`: all in-degrees."""
    pages = np.unique(pages)
    slot = np.full(links.page_count, -1, np.int64)
    slot[pages] = np.arange(len(pages))
    ends = np.cumsum(degrees[pages])
    free, in_idx = ends - degrees[pages], np.empty(degrees[pages].sum(), np.int64)
    for block in links.blocks() if len(pages) else ():
        _fill_in(*block, slot, free, in_idx)
    return dict(zip(pages.tolist(), np.split(in_idx, ends[:-1]), strict=False))


def _weights(degrees: Ints, known: NDArray[np.bool_], max_links: int) -> NDArray[np.float64]:
    weights = 1 / np.log2(1 + np.maximum(degrees, 1))
    weights[~known | (degrees > max_links) | (degrees == 0)] = 0
    return frozen(weights)


class LinkSimilarity:
    """Finds new pages whose links are similar to those of old pages, which are given at the start."""

    def __init__(
        self,
        old: Web,
        new: Web,
        matches: Ints,
        pages: Ints,
        *,
        max_links: int = MAX_LINKS,
        max_work: int = MAX_WORK,
    ) -> None:
        self._old, self._new, self._matches, self._max_work = old, new, matches, max_work
        self._old_in = in_links(old.links, pages, in_degrees(old.links))
        self._out_degrees, self._in_degrees = new.links.out_degrees(), in_degrees(new.links)
        known = np.zeros(new.page_count, np.bool_)
        known[matches[matches >= 0]] = True
        self._as_target = _weights(self._in_degrees, known, max_links)
        self._as_source = _weights(self._out_degrees, known, max_links)
        self._out_total, self._in_total = np.zeros(new.page_count), np.zeros(new.page_count)
        for block in new.links.blocks():
            add_targets(*block, self._as_target, self._out_total)
            add_to_targets(*block, self._as_source, self._in_total)
        targets = [self._targets(int(page)) for page in pages]
        self._new_in = in_links(new.links, np.concatenate([NONE, *targets]), self._in_degrees)

    def _matched(self, pages: Ints, weights: NDArray[np.float64]) -> Ints:
        found = np.unique(self._matches[pages])
        found = found[found >= 0]
        return found[weights[found] > 0]

    def _targets(self, page: int) -> Ints:
        return self._matched(self._old.links.successors(page), self._as_target)

    def similar_to(self, page: int) -> SimilarPages:
        """The new pages that share a neighbour with this old page, and the page's matched neighbours."""
        targets, sources = self._targets(page), self._matched(self._old_in.get(page, NONE), self._as_source)
        neighbours = np.concatenate([targets, sources])
        weights = np.concatenate([self._as_target[targets], self._as_source[sources]])
        work = np.concatenate([self._in_degrees[targets], self._out_degrees[sources]])
        order = np.argsort(-weights, kind="stable")
        order = order[np.cumsum(work[order]) <= self._max_work]
        lists = [
            self._new_in[page] if k < len(targets) else self._new.links.successors(page)
            for k, page in zip(order.tolist(), neighbours[order].tolist(), strict=True)
        ]
        if not lists:
            return SimilarPages(NONE, np.empty(0), np.empty(0), NONE, NONE, len(neighbours))
        pages, place = np.unique(np.concatenate(lists).astype(np.int64), return_inverse=True)
        lengths = [len(one) for one in lists]
        common = np.bincount(place, np.repeat(weights[order], lengths))
        is_own = np.repeat(order < len(targets), lengths)
        own = np.bincount(place, np.where(is_own, np.repeat(weights[order], lengths), 0))
        either = weights.sum() + self._out_total[pages] + self._in_total[pages] - common
        own_either = weights[: len(targets)].sum() + self._out_total[pages] - own
        own = np.divide(own, own_either, out=np.zeros(len(pages)), where=own > 0)
        own_shared = np.bincount(place[is_own], minlength=len(pages))
        return SimilarPages(pages, common / either, own, np.bincount(place), own_shared, len(neighbours))

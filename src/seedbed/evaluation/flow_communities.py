"""Communities by maximum flow, and whether cores lie inside them.

The community of some seeds S, among the pages N within two links of them, links followed both ways, is the smallest set
with the least cut:

    C = argmin { |C \\ S| + k · links between C and N \\ C : S ⊆ C ⊆ N },   k = |S|

By max-flow min-cut it is what a source still reaches once as much as possible flows from it to a sink: from the source
to the seeds without limit, along each link both ways up to k, from every other page to the sink up to 1 (Flake,
Lawrence, Giles 2000; Flake, Lawrence, Giles, Coetzee 2002). The number of seeds is a rule of thumb for k: communities
grow with it. Nothing is added to the seeds in further rounds.

A core lies inside the community of its pages by construction. So the community is grown from half of the core's hubs
and half of its authorities, drawn at random, and the other half is looked for in it. A community may take in all that
is near; therefore each page of the other half is compared with a page outside the core that is linked with the seeds
too and has about as many links.

Cost per core: Dinic's algorithm (SciPy) on at most `MAX_PAGES` pages, hundredths of a second on the webs we tried.
Memory: the links and their transpose, 9 bytes a link each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.seeds.seeds import Core

Ints = NDArray[np.int64]
MAX_PAGES, LINKS_AWAY = 20_000, 2


@dataclass(frozen=True, eq=False)
class FlowCommunity:
    """`pages`: the community, its seeds included. `around`: the pages it was sought among. `cut`: what C costs."""

    pages: Ints
    around: Ints
    cut: int


@dataclass(frozen=True)
class HeldOut:
    """The community of one half of a core, and the shares of the other half and of similar pages that are in it."""

    seeds: int
    around: int
    community: int
    inside: float
    similar_inside: float


class LinkedPages:
    """The links of a web, followed both ways."""

    def __init__(self, web: Web) -> None:
        self.out = web.to_scipy()
        self.back = self.out.T.tocsr()

    def around(self, pages: Ints) -> Ints:
        """The pages, and those linked with one of them; sorted."""
        return np.unique(np.concatenate([pages, self.out[pages].indices, self.back[pages].indices])).astype(np.int64)

    def counts(self, pages: Ints) -> Ints:
        """How many links lead from and to each page."""
        return np.diff(self.out.indptr)[pages] + np.diff(self.back.indptr)[pages]

    def among(self, pages: Ints) -> tuple[Ints, Ints]:
        """The links among some pages as indices into them; each in both directions, once."""
        tails, heads = self.out[pages][:, pages].nonzero()
        apart = tails != heads
        both = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        codes = np.unique((both[0].astype(np.int64) * len(pages) + both[1])[np.tile(apart, 2)])
        return codes // len(pages), codes % len(pages)


def flow_community(links: LinkedPages, seeds: Ints, max_pages: int = MAX_PAGES) -> FlowCommunity | None:
    """The community of some pages; None if more than `max_pages` pages are around them."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, maximum_flow

    around = np.unique(seeds)
    for _ in range(LINKS_AWAY):
        around = links.around(around)
        if len(around) > max_pages:
            return None
    count = len(around)
    source, sink = count, count + 1
    is_seed = np.isin(around, seeds)
    inner, outer = np.flatnonzero(is_seed), np.flatnonzero(~is_seed)
    one, other = links.among(around)
    tails = np.concatenate([one, np.full(len(inner), source), outer])
    heads = np.concatenate([other, inner, np.full(len(outer), sink)])
    limits = np.repeat(np.array([len(inner), count, 1], np.int32), [len(one), len(inner), len(outer)])
    capacity = csr_array((limits, (tails.astype(np.int32), heads.astype(np.int32))), shape=(count + 2, count + 2))
    found = maximum_flow(capacity, source, sink)
    left = (capacity - found.flow).tocsr()
    left.eliminate_zeros()
    reached = breadth_first_order(left, source, return_predecessors=False)
    return FlowCommunity(around[np.sort(reached[reached < count])], around, int(found.flow_value))


def other_half_inside(links: LinkedPages, core: Core, seed: int = 1, max_pages: int = MAX_PAGES) -> HeldOut | None:
    """How much of one half of a core is in the community of the other half.

    None if more than `max_pages` pages are around that half, or none but the core.
    """
    random = np.random.default_rng([seed, core.number])
    halves = [random.permutation(side)[: (len(side) + 1) // 2] for side in (core.hubs, core.authorities)]
    members, seeds = np.union1d(core.hubs, core.authorities), np.unique(np.concatenate(halves))
    rest = np.setdiff1d(members, seeds)
    others = np.setdiff1d(links.around(seeds), members)
    if not len(rest) or not len(others):
        return None
    community = flow_community(links, seeds, max_pages)
    if community is None:
        return None
    similar = others[nearest(links.counts(others), links.counts(rest), random)]
    inside, similar_inside = (float(np.isin(pages, community.pages).mean()) for pages in (rest, similar))
    return HeldOut(len(seeds), len(community.around), len(community.pages), inside, similar_inside)


def nearest(numbers: Ints, wanted: Ints, random: np.random.Generator) -> Ints:
    """For each wanted number, the index of the nearest one; of several that are equal, any."""
    blurred = numbers + random.random(len(numbers)) / 2
    order = np.argsort(blurred)
    ascending, aims = blurred[order], wanted + random.random(len(wanted)) / 2
    after = np.searchsorted(ascending, aims)
    before, after = np.maximum(after - 1, 0), np.minimum(after, len(order) - 1)
    return order[np.where(np.abs(aims - ascending[before]) <= np.abs(ascending[after] - aims), before, after)]

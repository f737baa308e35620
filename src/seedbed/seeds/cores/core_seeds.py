"""Seeds from bipartite cores (Daneshpajouh, Nasiri, Ghodsi 2008, Figures 1 to 3).

Repeat: rank by HITS on the links between sites, grow a core around the best authority, take its best hub as a seed,
remove the core. The core grows by the highest-ranked page with a link to or from it, alternating between hubs and
authorities:

- fixed cover density: while 100 · links / (hubs · authorities) stays at or above `density`. Reading `paper`: the first
  page that would take it below ends the core. Reading `maximal`: such pages are skipped.
- fixed size: `new_members` hubs, then as many authorities, until there are `size` pages.

The result is the same, page for page, as running HITS from scratch for every seed: see class_hits.py for why the ranks
are exact. Ties go to the smaller page. Cost: `iterations` passes over the links between classes per seed.

A candidate hub has a link to some authority of the core; a candidate authority has a link from some hub. `ties` counts
those links for each candidate, so the density of the core with it is known at once. Each page that joins costs its own
links; choosing one costs a pass over the candidates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.kernels import kernel
from seedbed.common.messages import counted
from seedbed.errors import OptionError
from seedbed.links.transpose import transposed
from seedbed.seeds.cores.class_hits import ClassGraph
from seedbed.seeds.seeds import Core, Pick
from seedbed.seeds.strategy import strategy
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from seedbed.links.csr import CsrLinks
    from seedbed.seeds.problem import Problem

MAX_NEAR = 4096
Ints = NDArray[np.int64]
Site = Annotated[SiteKind, Option("What a site is; links inside one do not count.")]
READINGS = {
    "paper": "the first page that would take the density below the target ends the core",
    "maximal": "such pages are skipped",
}
PICKS = {"best": "the hub with the highest score", "random": "any hub"}


@dataclass(frozen=True)
class CoreOptions:
    """How cores grow: to a fixed size if `size` is set, else at a fixed cover density."""

    density: float = 100.0
    size: int | None = None
    new_members: int = 1
    reading: str = "paper"
    max_hubs: int | None = None
    iterations: int = 60

    def __post_init__(self) -> None:
        if self.size is None and self.new_members != 1:
            raise OptionError("new_members says how cores grow to a size; give size too, or leave it out.")
        if self.size is not None and (self.density != 100 or self.reading != "paper"):
            raise OptionError(
                "cores grow to a size or while they keep a density; leave out size, or density and reading."
            )


@strategy(
    "the best hub of one community after another: a page that links to what other hubs link to as well",
    paper="Daneshpajouh, Nasiri, Ghodsi 2008",
    chance_with={"pick": "random"},
    needs_hosts=True,
    per_site=False,
)
def cores(
    problem: Problem,
    k: int,
    *,
    density: Annotated[float, Option("Minimum percentage of all possible links in a core.", least=0, most=100)] = 100.0,
    size: Annotated[int | None, Option("Grow cores to this many pages, whatever their density.", least=2)] = None,
    new_members: Annotated[int, Option("With size: hubs, then authorities, added at a time.", least=1)] = 1,
    reading: Annotated[str, Option("What ends a core.", choices=READINGS)] = "paper",
    max_hubs: Annotated[int | None, Option("Maximum number of hubs in a core.", least=1)] = None,
    pick: Annotated[str, Option("Which hub of a core is its seed.", choices=PICKS)] = "best",
    iterations: Annotated[int, Option("Iterations of HITS.", least=1)] = 60,
    site: Site = "host",
) -> list[Pick]:
    """One seed per core; fewer than k if no link between sites is left."""
    chosen = CoreOptions(density, size, new_members, reading, max_hubs, iterations)
    links = problem.web.without_links_inside(site).links.to_csr()
    finder = CoreFinder(links.arrays(), transposed(links).arrays(), ClassGraph(links, problem.threads), chosen)
    picks: list[Pick] = []
    number = 0
    while len(picks) < k and (core := finder.next(number + 1)) is not None:
        number += 1
        problem.progress("cores", len(picks), k)
        free = [page for page in core.hubs.tolist() if problem.may_pick(page)]
        if free:
            page = finder.best_hub(free) if pick == "best" else free[int(problem.random.integers(len(free)))]
            problem.quota.take(page)
            reason = f"core {number}: {sizes(core)}"
            picks.append(Pick(page, float(core.hub_scores[core.hubs == page][0]), reason, core))
    if len(picks) < k:
        found = f"after {counted(number, 'core')}; seeds found: {len(picks):,}"
        problem.note(f"cores: no link between sites is left {found}")
    return picks


def sizes(core: Core) -> str:
    """How many hubs and authorities a core has, in words."""
    return f"{counted(len(core.hubs), 'hub')}, {counted(len(core.authorities), 'authority', 'authorities')}"


@dataclass
class Scores:
    """The scores of one run of HITS, by class, and what decides near ties; computed when first needed."""

    classes: ClassGraph
    iterations: int
    floats: tuple[NDArray[np.float64], NDArray[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.floats = self.classes.hits(self.iterations)

    @cached_property
    def remainders(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Scores modulo a prime: equal scores have equal remainders."""
        return self.classes.remainders(self.iterations)

    @cached_property
    def whole(self) -> tuple[list[int], list[int]]:
        """Scores as whole numbers."""
        return self.classes.whole_numbers(self.iterations)

    def best(self, side: int, pages: Iterable[int]) -> int:
        """Of pages too close to tell apart, the one with the highest score; ties go to the smallest."""
        of_page = (self.classes.hubs, self.classes.authorities)[side].of_page
        pages = sorted(pages)
        if len({int(self.remainders[side][of_page[page]]) for page in pages}) == 1:
            return pages[0]
        return max(pages, key=lambda page: (self.whole[side][of_page[page]], -page))


class CoreFinder:
    """Finds one core after another and removes it."""

    def __init__(self, out: CsrLinks, into: CsrLinks, classes: ClassGraph, options: CoreOptions) -> None:
        self._out, self._into = out, into
        self._classes = classes
        self._options = options
        pages = len(out.out_ptr) - 1
        self._alive = np.ones(pages, np.bool_)
        self._in_core = np.zeros(pages, np.bool_)
        self._hubs, self._authorities = CoreSide(pages), CoreSide(pages)
        self._near = np.empty(MAX_NEAR, np.int64)
        self._error = classes.error(options.iterations)
        pages_by_class = np.argsort(classes.authorities.of_page, kind="stable")
        self._by_class = pages_by_class[classes.authorities.of_page[pages_by_class] >= 0]
        self._sorted_classes = classes.authorities.of_page[self._by_class]

    def next(self, number: int) -> Core | None:
        """The next core, or None if no link is left."""
        self._scores = Scores(self._classes, self._options.iterations)
        top = self._top_authority()
        if top is None:
            return None
        self._links = 0
        self._join(self._authorities, top)
        if self._options.size is None:
            self._grow_by_density()
        else:
            self._grow_to_size(self._options.size)
        return self._taken_out(number)

    def best_hub(self, hubs: list[int]) -> int:
        """Of these hubs of the last core found, the one with the highest score; ties go to the smallest."""
        scores = self._scores.floats[0][self._classes.hubs.of_page[hubs]]
        near = [page for page, score in zip(hubs, scores, strict=True) if score >= scores.max() * (1.0 - self._error)]
        classes = {int(self._classes.hubs.of_page[page]) for page in near}
        return min(near) if len(classes) == 1 else self._scores.best(0, near)

    def _top_authority(self) -> int | None:
        side, scores = self._classes.authorities, self._scores.floats[1]
        present = np.where(side.members > 0, scores, 0.0)
        best = present.max(initial=0.0)
        if best <= 0:
            return None
        near = np.flatnonzero(present >= best * (1.0 - self._error)).tolist()
        pages = [self._smallest_member(one) for one in near]
        return pages[0] if len(pages) == 1 else self._scores.best(1, pages)

    def _smallest_member(self, authority_class: int) -> int:
        """The smallest remaining page of a class of authorities."""
        first, last = np.searchsorted(self._sorted_classes, [authority_class, authority_class + 1])
        members = self._by_class[first:last]
        return int(members[np.argmax(self._alive[members])])

    def _join(self, side: CoreSide, page: int) -> None:
        """Add a page to the core, and make its neighbours on the other side candidates there."""
        self._links += int(side.ties[page])
        side.members.append(page)
        self._in_core[page] = True
        links, other = (self._out, self._authorities) if side is self._hubs else (self._into, self._hubs)
        other.tie(links.out_idx[links.out_ptr[page] : links.out_ptr[page + 1]], self._alive)

    def _best(self, side: CoreSide, least_ties: int = 1) -> int:
        """The highest-ranked candidate; −1 if there is none."""
        which = 0 if side is self._hubs else 1
        of_page = (self._classes.hubs, self._classes.authorities)[which].of_page
        page, near = best_of(
            side.waiting,
            side.ties,
            self._in_core,
            least_ties,
            of_page,
            self._scores.floats[which],
            self._error,
            self._near,
        )
        return self._scores.best(which, self._near[:near].tolist()) if near > 1 else int(page)

    def _open(self, side: CoreSide, about_to_join: int = 0) -> bool:
        most = self._options.max_hubs
        return side is self._authorities or most is None or len(self._hubs.members) + about_to_join < most

    def _least_ties(self, side: CoreSide) -> int:
        """How many ties a page needs for the core to meet the density with it."""
        hubs, authorities = len(self._hubs.members), len(self._authorities.members)
        grown = (hubs + 1) * authorities if side is self._hubs else hubs * (authorities + 1)
        return int(np.ceil(self._options.density * grown / 100 - 1e-9)) - self._links

    def _grow_by_density(self) -> None:
        side, other = self._hubs, self._authorities
        stuck = 0
        while stuck < 2:
            needed = self._least_ties(side)
            page = -1
            if self._open(side):
                page = self._best(side, max(needed, 1) if self._options.reading == "maximal" else 1)
            if page >= 0 and side.ties[page] < needed:
                return
            if page >= 0:
                self._join(side, page)
            stuck = 0 if page >= 0 else stuck + 1
            side, other = other, side

    def _grow_to_size(self, size: int) -> None:
        while len(self._hubs.members) + len(self._authorities.members) < size:
            before = len(self._hubs.members) + len(self._authorities.members)
            for side in (self._hubs, self._authorities):
                for page in self._best_few(side):
                    self._join(side, page)
            if len(self._hubs.members) + len(self._authorities.members) == before:
                return

    def _best_few(self, side: CoreSide) -> list[int]:
        """The `new_members` highest-ranked candidates."""
        chosen: list[int] = []
        while len(chosen) < self._options.new_members and self._open(side, len(chosen)):
            page = self._best(side)
            if page < 0:
                break
            chosen.append(page)
            self._in_core[page] = True
        return chosen

    def _taken_out(self, number: int) -> Core:
        hubs, authorities = (np.array(side.members, np.int64) for side in (self._hubs, self._authorities))
        core = Core(
            hubs=hubs,
            authorities=authorities,
            density=100 * self._links / max(len(hubs) * len(authorities), 1),
            number=number,
            hub_scores=self._scores.floats[0][self._classes.hubs.of_page[hubs]],
            authority_scores=self._scores.floats[1][self._classes.authorities.of_page[authorities]],
        )
        pages = np.concatenate([hubs, authorities])
        self._alive[pages] = False
        self._in_core[pages] = False
        self._hubs.clear()
        self._authorities.clear()
        self._classes.remove(pages)
        return core


class CoreSide:
    """The hubs or the authorities of a core: its members, and the candidates."""

    def __init__(self, pages: int) -> None:
        self.members: list[int] = []
        self.ties = np.zeros(pages, np.int32)
        self._waiting = np.empty(1024, np.int64)
        self._count = 0

    @property
    def waiting(self) -> Ints:
        """The pages with ties."""
        return self._waiting[: self._count]

    def tie(self, neighbours: NDArray[Any], alive: NDArray[np.bool_]) -> None:
        """Count a link for each of these pages that is still there."""
        if self._count + len(neighbours) > len(self._waiting):
            longer = np.empty(2 * (self._count + len(neighbours)), np.int64)
            longer[: self._count] = self.waiting
            self._waiting = longer
        self._count = add_ties(neighbours, alive, self.ties, self._waiting, self._count)

    def clear(self) -> None:
        """Reset for the next core."""
        self.ties[self.waiting] = 0
        self._count = 0
        self.members = []


@kernel
def add_ties(neighbours: Any, alive: Any, ties: Any, waiting: Ints, count: int) -> int:
    """Add one tie for each neighbour; those that had none are appended to waiting[:count]."""
    for page in neighbours:
        if alive[page]:
            if ties[page] == 0:
                waiting[count] = page
                count += 1
            ties[page] += 1
    return count


@kernel
def best_of(
    waiting: Ints,
    ties: Any,
    in_core: Any,
    least_ties: int,
    of_page: Any,
    scores: NDArray[np.float64],
    error: float,
    near: Ints,
) -> tuple[int, int]:
    """(the page with the highest score, how many pages of other classes are too close to tell).

    Pages in the core, and those with fewer than `least_ties` ties, are skipped; −1 if none is left. The smallest page
    represents its class. `near` receives the smallest page of each class that is too close.
    """
    best, best_page = -1.0, -1
    for page in waiting:
        if not in_core[page] and ties[page] >= least_ties:
            score = scores[of_page[page]]
            if score > best or (score == best and page < best_page):
                best, best_page = score, page
    if best_page < 0:
        return -1, 0
    limit = best * (1.0 - error)
    count = 0
    for page in waiting:
        if in_core[page] or ties[page] < least_ties or scores[of_page[page]] < limit:
            continue
        k = 0
        while k < count and of_page[near[k]] != of_page[page]:
            k += 1
        if k == count:
            if count == near.size:
                return best_page, count
            near[count] = page
            count += 1
        else:
            near[k] = min(near[k], page)
    return (near[0] if count == 1 else best_page), count

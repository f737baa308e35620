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
    from seedbed.links.csr import Csr
    from seedbed.seeds.problem import Problem

HUBS, AUTHORITIES = range(2)
Ints = NDArray[np.int64]
Site = Annotated[SiteKind, Option("What a site is; links inside one do not count.")]
READINGS = {
    "paper": "the first page that would take the density below the target ends the core",
    "maximal": "such pages are skipped",
}
PICKS = {"best": "the hub with the highest score", "random": "any hub"}
Density = Annotated[float, Option("Minimum percentage of all possible links in a core.", least=0, most=100)]
Size = Annotated[int | None, Option("Grow cores to this many pages, whatever their density.", least=2)]
MaxHubs = Annotated[int | None, Option("Maximum number of hubs in a core.", least=1)]
HubPick = Annotated[str, Option("Which hub of a core is its seed.", choices=PICKS)]
Iterations = Annotated[int, Option("Iterations of HITS.", least=1)]


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
    density: Density = 100.0,
    size: Size = None,
    new_members: Annotated[int, Option("With size: hubs, then authorities, added at a time.", least=1)] = 1,
    reading: Annotated[str, Option("What ends a core.", choices=READINGS)] = "paper",
    max_hubs: MaxHubs = None,
    pick: HubPick = "best",
    iterations: Iterations = 60,
    site: Site = "host",
) -> list[Pick]:
    """One seed per core; fewer than k if no link between sites is left."""
    if size is None and new_members != 1:
        raise OptionError("new_members says how cores grow to a size; give size too, or leave it out.")
    check_growth(size, density, reading)
    links = problem.web.without_links_inside(site).links.to_csr()
    finder = CoreFinder(links, ClassGraph(links, problem.threads), iterations, max_hubs)
    picks: list[Pick] = []
    number = 0
    while len(picks) < k and finder.start():
        if size is None:
            finder.grow_by_density(density, maximal=reading == "maximal")
        else:
            finder.grow_to_size(size, new_members)
        number += 1
        core = finder.take_out(number)
        problem.progress("cores", len(picks), k)
        free = [page for page in core.hubs.tolist() if problem.may_pick(page)]
        if free:
            best = pick == "best"
            page = finder.scores.best(HUBS, np.array(free)) if best else free[int(problem.random.integers(len(free)))]
            problem.quota.take(page)
            reason = f"core {number}: {sizes(core)}"
            picks.append(Pick(page, float(core.hub_scores[core.hubs == page][0]), reason, core))
    if len(picks) < k:
        found = f"after {counted(number, 'core')}; seeds found: {len(picks):,}"
        problem.note(f"cores: no link between sites is left {found}")
    return picks


def check_growth(size: int | None, density: float, reading: str) -> None:
    """Refuse a size together with what says how a core keeps its density."""
    if size is not None and (density != 100 or reading != "paper"):
        raise OptionError("cores grow to a size or while they keep a density; leave out size, or density and reading.")


def sizes(core: Core) -> str:
    """How many hubs and authorities a core has, in words."""
    return f"{counted(len(core.hubs), 'hub')}, {counted(len(core.authorities), 'authority', 'authorities')}"


class Scores:
    """The scores of one run of HITS, by class, and what decides near ties; computed when first needed."""

    def __init__(self, classes: ClassGraph, iterations: int) -> None:
        self._classes, self._iterations = classes, iterations
        self._of_page = classes.hubs.of_page, classes.authorities.of_page
        self.floats = classes.hits(iterations)
        self.enough = 1.0 - classes.error(iterations)
        """Times the highest score: a score of at least this may be higher."""

    @cached_property
    def remainders(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Scores modulo a prime: equal scores have equal remainders."""
        return self._classes.remainders(self._iterations)

    @cached_property
    def whole(self) -> tuple[list[int], list[int]]:
        """Scores as whole numbers."""
        return self._classes.whole_numbers(self._iterations)

    def of(self, side: int, pages: Ints) -> NDArray[np.float64]:
        """The scores of some pages."""
        return self.floats[side][self._of_page[side][pages]]

    def best(self, side: int, pages: Ints) -> int:
        """The page with the highest score; ties go to the smallest."""
        scores = self.of(side, pages)
        near = np.sort(pages[scores >= scores.max() * self.enough])
        classes, first = np.unique(self._of_page[side][near], return_index=True)
        if len(classes) == 1 or len(np.unique(self.remainders[side][classes])) == 1:
            return int(near[0])
        exact = self.whole[side]
        return max(zip(near[first].tolist(), classes.tolist(), strict=True), key=lambda one: (exact[one[1]], -one[0]))[
            0
        ]


class CoreFinder:
    """Grows one core after another and removes it."""

    def __init__(self, links: Csr, classes: ClassGraph, iterations: int, max_hubs: int | None) -> None:
        self._classes, self._iterations = classes, iterations
        self._max_hubs = max_hubs
        self._gone = np.zeros(links.page_count, np.bool_)
        self._hubs = CoreSide(HUBS, links, classes.hubs.of_page)
        self._authorities = CoreSide(AUTHORITIES, transposed(links), classes.authorities.of_page)
        pages_by_class = np.argsort(classes.authorities.of_page, kind="stable")
        self._by_class = pages_by_class[classes.authorities.of_page[pages_by_class] >= 0]
        self._sorted_classes = classes.authorities.of_page[self._by_class]

    def start(self) -> bool:
        """Start a core with the best authority; False if no link is left."""
        self.scores = Scores(self._classes, self._iterations)
        self._links = 0
        present = np.where(self._classes.authorities.members > 0, self.scores.floats[AUTHORITIES], 0.0)
        best = present.max(initial=0.0)
        if best <= 0:
            return False
        near = np.flatnonzero(present >= best * self.scores.enough).tolist()
        top = self.scores.best(AUTHORITIES, np.array([self._smallest_member(one) for one in near]))
        self._join(self._authorities, top)
        return True

    def _smallest_member(self, authority_class: int) -> int:
        """The smallest remaining page of a class of authorities."""
        first, last = np.searchsorted(self._sorted_classes, [authority_class, authority_class + 1])
        members = self._by_class[first:last]
        return int(members[np.argmin(self._gone[members])])

    def _join(self, side: CoreSide, page: int) -> None:
        """Add a page to the core, and make its neighbours on the other side candidates there."""
        self._links += int(side.ties[page])
        side.members.append(page)
        self._gone[page] = True
        other = self._authorities if side is self._hubs else self._hubs
        other.count = add_ties(side.links.successors(page), self._gone, other.ties, other.waiting, other.count)

    def _best(self, side: CoreSide, least_ties: int = 1) -> int:
        """The highest-ranked candidate; −1 if there is none, or no room."""
        if side is self._hubs and self._max_hubs is not None and len(side.members) >= self._max_hubs:
            return -1
        scores, waiting = self.scores.floats[side.number], side.waiting[: side.count]
        near = near_best(waiting, side.ties, self._gone, least_ties, side.class_of, scores, self.scores.enough)
        return self.scores.best(side.number, near) if len(near) else -1

    def grow_by_density(self, density: float, *, maximal: bool) -> None:
        """Add hubs and authorities in turn while 100 · links / (hubs · authorities) stays at or above the density."""
        side, other = self._hubs, self._authorities
        stuck = 0
        while stuck < 2:
            grown = (len(side.members) + 1) * len(other.members)
            needed = int(np.ceil(density * grown / 100 - 1e-9)) - self._links
            page = self._best(side, max(needed, 1) if maximal else 1)
            if page >= 0 and side.ties[page] < needed:
                return
            if page >= 0:
                self._join(side, page)
            stuck = 0 if page >= 0 else stuck + 1
            side, other = other, side

    def grow_to_size(self, size: int, new_members: int) -> None:
        """Add `new_members` hubs, then as many authorities, until there are `size` pages or no candidates."""
        before, now = 0, 1
        while before < now < size:
            before = now
            for side in (self._hubs, self._authorities):
                for _ in range(new_members):
                    if (page := self._best(side)) >= 0:
                        self._join(side, page)
            now = len(self._hubs.members) + len(self._authorities.members)

    def take_out(self, number: int) -> Core:
        """The core that was grown; its pages are removed from the web."""
        hubs, authorities = (np.array(side.members, np.int64) for side in (self._hubs, self._authorities))
        density = 100 * self._links / max(len(hubs) * len(authorities), 1)
        scores = self.scores.of(HUBS, hubs), self.scores.of(AUTHORITIES, authorities)
        for side in (self._hubs, self._authorities):
            side.clear()
        self._classes.remove(np.concatenate([hubs, authorities]))
        return Core(hubs, authorities, density, number, *scores)


class CoreSide:
    """The hubs or the authorities of a core: its members, and the candidates, waiting[:count], which have ties."""

    def __init__(self, number: int, links: Csr, class_of: NDArray[np.int32]) -> None:
        self.number, self.links, self.class_of = number, links, class_of
        self.members: list[int] = []
        self.ties = np.zeros(links.page_count, np.int32)
        self.waiting = np.empty(links.page_count, np.int64)  # takes memory only as far as it is filled
        self.count = 0

    def clear(self) -> None:
        """Reset for the next core."""
        self.ties[self.waiting[: self.count]] = 0
        self.count = 0
        self.members = []


@kernel
def add_ties(neighbours: Any, gone: Any, ties: Any, waiting: Ints, count: int) -> int:
    """Add one tie for each neighbour; those that had none are appended to waiting[:count]."""
    for page in neighbours:
        if not gone[page]:
            if ties[page] == 0:
                waiting[count] = page
                count += 1
            ties[page] += 1
    return count


@kernel
def near_best(
    waiting: Ints, ties: Any, gone: Any, least_ties: int, class_of: Any, scores: NDArray[np.float64], enough: float
) -> Ints:
    """The candidates whose scores are at least `enough` times the highest.

    Pages that joined the core meanwhile, and those with fewer than `least_ties` ties, are skipped.
    """
    best = -1.0
    for page in waiting:
        if not gone[page] and ties[page] >= least_ties:
            best = max(best, scores[class_of[page]])
    near = np.empty(waiting.size, np.int64)
    count = 0
    for page in waiting:
        if not gone[page] and ties[page] >= least_ties and scores[class_of[page]] >= best * enough:
            near[count] = page
            count += 1
    return near[:count]

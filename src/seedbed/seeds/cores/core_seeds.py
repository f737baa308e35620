"""Seeds from bipartite cores (Daneshpajouh, Nasiri, Ghodsi 2008, Figures 1 to 3).

Again and again: rank by HITS on the links between sites, grow a core round the best authority, take its best hub as
a seed, remove the core. The core grows by the highest-ranked page with a link to or from it, a hub and an authority
in turn:

- fixed cover density: while 100 · links / (hubs · authorities) stays at or above `density`. Reading `paper`: the first
  page that would take it below ends the core. Reading `maximal`: such pages are passed over.
- fixed size: `new_members` hubs, then as many authorities, until there are `size` pages.

The result is that of running HITS from scratch for every seed, page for page: see quotient.py for why the ranks are
exact. Ties go to the smaller page. Cost: `iterations` passes over the links between classes a seed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.common.messages import counted
from seedbed.errors import OptionError
from seedbed.links.transpose import transposed
from seedbed.seeds.cores.class_hits import Quotient
from seedbed.seeds.cores.core_growth import Flank, best_of
from seedbed.seeds.seeds import Core, Pick
from seedbed.seeds.strategy import strategy
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from seedbed.links.csr import CsrLinks
    from seedbed.seeds.problem import Problem

MAX_NEAR = 4096
Site = Annotated[SiteKind, Option("What a site is; links inside one do not count.")]
READINGS = {
    "paper": "the first page that would take the density below the target ends the core",
    "maximal": "such pages are passed over",
}
PICKS = {"best": "the hub with the highest score", "random": "any hub"}


@dataclass(frozen=True)
class CoreOptions:
    """How cores grow. `size` set: fixed size; else fixed cover density."""

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
    density: Annotated[float, Option("Least per cent of all possible links in a core.", least=0, most=100)] = 100.0,
    size: Annotated[int | None, Option("Grow cores to this many pages, whatever their density.", least=2)] = None,
    new_members: Annotated[int, Option("With size: hubs, then authorities, added at a time.", least=1)] = 1,
    reading: Annotated[str, Option("What ends a core.", choices=READINGS)] = "paper",
    max_hubs: Annotated[int | None, Option("At most so many hubs in a core.", least=1)] = None,
    pick: Annotated[str, Option("Which hub of a core is its seed.", choices=PICKS)] = "best",
    iterations: Annotated[int, Option("Iterations of HITS.", least=1)] = 60,
    site: Site = "host",
) -> list[Pick]:
    """One seed a core; fewer than k where no link between sites is left."""
    chosen = CoreOptions(density, size, new_members, reading, max_hubs, iterations)
    links = problem.web.without_links_inside(site).links.to_csr()
    finder = CoreFinder(links.arrays(), transposed(links).arrays(), Quotient(links, problem.threads), chosen)
    picks: list[Pick] = []
    number = 0
    while len(picks) < k and (core := finder.next(number + 1)) is not None:
        number += 1
        problem.progress("cores", len(picks), k)
        free = [page for page in core.hubs.tolist() if problem.may_pick(page)]
        if free:
            page = finder.best_hub(free) if pick == "best" else free[int(problem.random.integers(len(free)))]
            problem.quota.take(page)
            reason = f"core {number}: {_many(core.hubs, 'hub')}, {_many(core.authorities, 'authority')}"
            picks.append(Pick(page, float(core.hub_scores[core.hubs == page][0]), reason, core))
    if len(picks) < k:
        found = f"after {counted(number, 'core')}; seeds found: {len(picks):,}"
        problem.note(f"cores: no link between sites is left {found}")
    return picks


def _many(pages: NDArray[np.int64], word: str) -> str:
    plural = {"hub": "hubs", "authority": "authorities"}
    return f"{len(pages):,} {word if len(pages) == 1 else plural[word]}"


@dataclass
class Scores:
    """The scores of one run of HITS, by class, and what settles near ties; made when first needed."""

    quotient: Quotient
    iterations: int
    floats: tuple[NDArray[np.float64], NDArray[np.float64]] = field(init=False)

    def __post_init__(self) -> None:
        self.floats = self.quotient.hits(self.iterations)

    @cached_property
    def remainders(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Scores modulo a prime: equal scores have equal ones."""
        return self.quotient.remainders(self.iterations)

    @cached_property
    def whole(self) -> tuple[list[int], list[int]]:
        """Scores as whole numbers."""
        return self.quotient.whole_numbers(self.iterations)

    def best(self, side: int, pages: Iterable[int]) -> int:
        """Of pages too near to tell apart, the one with the highest score; of equal ones the smallest."""
        of_page = (self.quotient.hubs, self.quotient.authorities)[side].of_page
        pages = sorted(pages)
        if len({int(self.remainders[side][of_page[page]]) for page in pages}) == 1:
            return pages[0]
        return max(pages, key=lambda page: (self.whole[side][of_page[page]], -page))


class CoreFinder:
    """Finds one core after the other and removes it."""

    def __init__(self, out: CsrLinks, into: CsrLinks, quotient: Quotient, options: CoreOptions) -> None:
        self._out, self._into = out, into
        self._quotient = quotient
        self._options = options
        pages = len(out.out_ptr) - 1
        self._alive = np.ones(pages, np.bool_)
        self._in_core = np.zeros(pages, np.bool_)
        self._hubs, self._authorities = Flank(pages), Flank(pages)
        self._near = np.empty(MAX_NEAR, np.int64)
        self._error = quotient.error(options.iterations)
        pages_by_class = np.argsort(quotient.authorities.of_page, kind="stable")
        self._by_class = pages_by_class[quotient.authorities.of_page[pages_by_class] >= 0]
        self._sorted_classes = quotient.authorities.of_page[self._by_class]

    def next(self, number: int) -> Core | None:
        """The next core, or None where no link is left."""
        self._scores = Scores(self._quotient, self._options.iterations)
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
        """Of some hubs of the core found last the one with the highest score; of equal ones the smallest."""
        scores = self._scores.floats[0][self._quotient.hubs.of_page[hubs]]
        near = [page for page, score in zip(hubs, scores, strict=True) if score >= scores.max() * (1.0 - self._error)]
        classes = {int(self._quotient.hubs.of_page[page]) for page in near}
        return min(near) if len(classes) == 1 else self._scores.best(0, near)

    def _top_authority(self) -> int | None:
        side, scores = self._quotient.authorities, self._scores.floats[1]
        present = np.where(side.members > 0, scores, 0.0)
        best = present.max(initial=0.0)
        if best <= 0:
            return None
        near = np.flatnonzero(present >= best * (1.0 - self._error)).tolist()
        pages = [self._smallest_member(one) for one in near]
        return pages[0] if len(pages) == 1 else self._scores.best(1, pages)

    def _smallest_member(self, authority_class: int) -> int:
        """The smallest page of a class of authorities that is still there."""
        first, last = np.searchsorted(self._sorted_classes, [authority_class, authority_class + 1])
        members = self._by_class[first:last]
        return int(members[np.argmax(self._alive[members])])

    def _join(self, flank: Flank, page: int) -> None:
        """Add a page to the core, and its neighbours on the other side to those who may join there."""
        self._links += int(flank.ties[page])
        flank.members.append(page)
        self._in_core[page] = True
        links, other = (self._out, self._authorities) if flank is self._hubs else (self._into, self._hubs)
        other.tie(links.out_idx[links.out_ptr[page] : links.out_ptr[page + 1]], self._alive)

    def _best(self, flank: Flank, least_ties: int = 1) -> int:
        """The highest-ranked page that may join; −1 where there is none."""
        side = 0 if flank is self._hubs else 1
        of_page = (self._quotient.hubs, self._quotient.authorities)[side].of_page
        page, near = best_of(
            flank.waiting,
            flank.ties,
            self._in_core,
            least_ties,
            of_page,
            self._scores.floats[side],
            self._error,
            self._near,
        )
        return self._scores.best(side, self._near[:near].tolist()) if near > 1 else int(page)

    def _open(self, flank: Flank, about_to_join: int = 0) -> bool:
        most = self._options.max_hubs
        return flank is self._authorities or most is None or len(self._hubs.members) + about_to_join < most

    def _least_ties(self, flank: Flank) -> int:
        """How many ties a page needs so that the core meets the density with it."""
        hubs, authorities = len(self._hubs.members), len(self._authorities.members)
        grown = (hubs + 1) * authorities if flank is self._hubs else hubs * (authorities + 1)
        return int(np.ceil(self._options.density * grown / 100 - 1e-9)) - self._links

    def _grow_by_density(self) -> None:
        flank, other = self._hubs, self._authorities
        stuck = 0
        while stuck < 2:
            needed = self._least_ties(flank)
            page = -1
            if self._open(flank):
                page = self._best(flank, max(needed, 1) if self._options.reading == "maximal" else 1)
            if page >= 0 and flank.ties[page] < needed:
                return
            if page >= 0:
                self._join(flank, page)
            stuck = 0 if page >= 0 else stuck + 1
            flank, other = other, flank

    def _grow_to_size(self, size: int) -> None:
        while len(self._hubs.members) + len(self._authorities.members) < size:
            before = len(self._hubs.members) + len(self._authorities.members)
            for flank in (self._hubs, self._authorities):
                for page in self._best_few(flank):
                    self._join(flank, page)
            if len(self._hubs.members) + len(self._authorities.members) == before:
                return

    def _best_few(self, flank: Flank) -> list[int]:
        """The `new_members` highest-ranked pages that may join now."""
        chosen: list[int] = []
        while len(chosen) < self._options.new_members and self._open(flank, len(chosen)):
            page = self._best(flank)
            if page < 0:
                break
            chosen.append(page)
            self._in_core[page] = True
        return chosen

    def _taken_out(self, number: int) -> Core:
        hubs, authorities = (np.array(flank.members, np.int64) for flank in (self._hubs, self._authorities))
        core = Core(
            hubs=hubs,
            authorities=authorities,
            density=100 * self._links / max(len(hubs) * len(authorities), 1),
            round=number,
            hub_scores=self._scores.floats[0][self._quotient.hubs.of_page[hubs]],
            authority_scores=self._scores.floats[1][self._quotient.authorities.of_page[authorities]],
        )
        pages = np.concatenate([hubs, authorities])
        self._alive[pages] = False
        self._in_core[pages] = False
        self._hubs.clear()
        self._authorities.clear()
        self._quotient.remove(pages)
        return core

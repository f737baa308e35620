"""Seeds of an old snapshot carried over to a new one: kept, found again, or replaced, and each time with the reason.

Steps, each for all seeds that the steps ahead of it left over; no page is used twice:

1. kept: the URL is in the new web.
2. renamed: one new page only has the same URL but for its spelling (see sameness).
3. moved: a page of the same host that the old web did not have, whose links are alike (see likeness) and more so than
   those of its rivals: other such pages, and other lost old pages of the host.
4. similar: the page anywhere whose links are most like the old ones. Here and in step 3 a page with links is not
   replaced by one without.
5. hub: the page of the same host with the most links to other hosts, unless it is a seed already.
6. chosen anew: by a strategy of `select`, what the pages above cover being covered.

Cost: a pass over the URLs of both webs; if seeds are left over, some passes over the links (see likeness), and
`select` for the rest. docs/refresh.md says what the confidence is, and how often it is justified.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError, OptionError
from seedbed.graph.kernel import kernel
from seedbed.graph.progress import Progress, no_progress
from seedbed.seeds.carried import ANEW, HUB, KEPT, LOST, MOVED, RENAMED, SIMILAR, Carried, Refreshed
from seedbed.seeds.likeness import Alike, Likeness
from seedbed.seeds.sameness import difference, matched_pages
from seedbed.seeds.select import Limits, select

if TYPE_CHECKING:
    from seedbed.graph.sites import Sites
    from seedbed.graph.urls import UrlTable
    from seedbed.graph.web import Web

ALIKE = 0.5
SURE = 0.25
SHARED = 2
CANDIDATES = 32
IN_BOTH = 0.8


def refresh(
    old: Web,
    new: Web,
    seeds: Sequence[int],
    *,
    strategy: str = "cover",
    k: int | None = None,
    hops: int = 5,
    alike: float = ALIKE,
    sure: float = SURE,
    threads: int | None = None,
    progress: Progress = no_progress,
    **options: Any,
) -> Refreshed:
    """k seeds in the new web, by default one for each old seed. `options`: the strategy's."""
    start = time.perf_counter()
    asked = _checked(old, seeds)
    k = len(asked) if k is None else k
    if k < 0 or not (0 <= alike <= 1 and 0 <= sure <= 1):
        raise OptionError(f"k is {k}, alike {alike}, sure {sure}; k must be 0 or more, the others from 0 to 1.")
    work = _Work(old, new, asked[:k])
    work.by_url()
    progress("matching links", 0, 0)
    if work.left():
        work.by_links(alike, sure)
    if work.left():
        work.hubs()
    progress("choosing anew", 0, 0)
    wanted = min(k, new.page_count) - len(work.used)
    anew = _anew(new, tuple(work.used), wanted, strategy, {"hops": hops, "threads": threads, **options})
    rows = _rows(work, anew, k)
    notes = _notes(len(seeds), len(asked), k, rows)
    return Refreshed(strategy, tuple(rows), tuple(notes), time.perf_counter() - start)


def _checked(old: Web, seeds: Sequence[int]) -> list[int]:
    for page in seeds:
        if not 0 <= page < old.page_count:
            raise OptionError(f"the seed {page} is not a page of the old web, which has {old.page_count}.")
    return list(dict.fromkeys(int(page) for page in seeds))


def _urls(web: Web, which: str) -> UrlTable:
    if web.urls is None:
        raise InputError(
            f"{web.origin.source or f'the {which} web'}: has no URLs, by which pages of two snapshots are matched. "
            "Convert the graph with its URLs."
        )
    return web.urls


@dataclass(frozen=True)
class _Found:
    how: str
    page: int
    confidence: float
    reason: str


@kernel
def _count_outward(
    first: int, out_ptr: NDArray[Any], out_idx: NDArray[Any], site_of: NDArray[Any], outward: NDArray[Any]
) -> None:
    for k in range(out_ptr.size - 1):
        for j in range(out_ptr[k], out_ptr[k + 1]):
            outward[first + k] += site_of[out_idx[j]] != site_of[first + k]


class _Work:
    """Old seeds, what was found for each, and the new pages used so far."""

    def __init__(self, old: Web, new: Web, seeds: list[int]) -> None:
        self.old, self.new, self.seeds = old, new, seeds
        self.old_urls, self.new_urls = _urls(old, "old"), _urls(new, "new")
        self.found: dict[int, _Found] = {}
        self.used: dict[int, None] = {}
        self.is_used = np.zeros(new.page_count, np.bool_)

    def left(self) -> list[int]:
        return [seed for seed in self.seeds if seed not in self.found]

    def take(self, seed: int, how: str, page: int, confidence: float, reason: str) -> None:
        if page not in self.used and seed not in self.found:
            self.found[seed] = _Found(how, page, round(confidence, 4), reason)
            self.used[page] = None
            self.is_used[page] = True

    def by_url(self) -> None:
        """Steps 1 and 2."""
        matched = matched_pages(self.old_urls, self.new_urls)
        self.matches = matched.near
        self.was_there = np.zeros(self.new.page_count, np.bool_)
        self.was_there[matched.same[matched.same >= 0]] = True
        for seed in self.seeds:
            if matched.same[seed] >= 0:
                self.take(seed, KEPT, int(matched.same[seed]), 1.0, "the same URL")
        for seed in self.left():
            page = int(matched.near[seed])
            if page < 0 or page in self.used:
                continue
            what, sure = difference(self.old_urls[seed], self.new_urls[page])
            if sure > 0:
                both = " (both were in the old web)" if self.was_there[page] else ""
                self.take(seed, RENAMED, page, sure * (IN_BOTH if both else 1), f"the same URL but for {what}{both}")
        self.was_there[self.matches[self.matches >= 0]] = True

    def by_links(self, alike: float, sure: float) -> None:
        """Steps 3 and 4."""
        left = self.left()
        self.old_sites, self.new_sites = self.old.sites("host"), self.new.sites("host")
        self.site = _same_sites(self.old_sites, self.new_sites, left)
        likeness = Likeness(self.old, self.new, self.matches, np.array(left, np.int64))
        has_links = self.new.links.out_degrees() > 0
        near: dict[int, Alike] = {}
        best: dict[int, tuple[Alike, float]] = {}
        for seed in left:
            around = likeness.like(seed)
            fit = ~self.is_used[around.pages]
            if len(self.old.links.successors(seed)):
                fit &= has_links[around.pages]
            around = around.only(fit)
            on_site = self.new_sites.of_page[around.pages] == self.site[seed]
            own = around.only(on_site & ~self.was_there[around.pages]).best(2)
            if len(own.pages) and own.likeness[0] >= alike:
                best[seed] = own, float(own.likeness[1] / own.likeness[0]) if len(own.pages) > 1 else 0.0
            near[seed] = around.only((around.likeness >= alike) & (around.shared >= SHARED)).best(CANDIDATES)
        if best:
            self._moved(best, sure)
        self._similar(near)

    def _moved(self, best: dict[int, tuple[Alike, float]], sure: float) -> None:
        """A pair must be best both ways; the nearest rival on either side takes from the confidence."""
        pages = np.unique([own.pages[0] for own, _ in best.values()]).astype(np.int64)
        known = np.flatnonzero(self.matches >= 0)
        back = np.full(self.new.page_count, -1, np.int64)
        back[self.matches[known][::-1]] = known[::-1]
        likeness = Likeness(self.new, self.old, back, pages)
        site_of = self.old_sites.of_page
        for seed, (own, second) in best.items():
            page = int(own.pages[0])
            others = likeness.like(page)
            others = others.only((self.matches[others.pages] < 0) & (site_of[others.pages] == site_of[seed]))
            this = others.likeness[others.pages == seed].sum()
            other = others.likeness[others.pages != seed].max(initial=0.0)
            rival = max(second, other / this if this else 1.0)
            shared = int(own.shared[0])
            confidence = float(own.likeness[0]) * (1 - rival) * shared / (shared + 1)
            if confidence >= sure:
                reason = f"new on this host; {_alike(own, 0)}; the nearest rival has {rival:.2f} times that"
                self.take(seed, MOVED, page, confidence, reason)

    def _similar(self, near: dict[int, Alike]) -> None:
        pairs = []
        for place, seed in enumerate(self.left()):
            one = near[seed]
            elsewhere = self.new_sites.of_page[one.pages] != self.site[seed]
            confidence = one.likeness * one.shared / (one.shared + 1) / 4
            for at, page in enumerate(one.pages.tolist()):
                key = (-float(confidence[at]), place, bool(elsewhere[at]), bool(self.was_there[page]), page)
                pairs.append((key, seed, at))
        for key, seed, at in sorted(pairs):
            where = "on another host" if key[2] else "on this host"
            self.take(seed, SIMILAR, key[4], -key[0], f"{where}; {_alike(near[seed], at)}")

    def hubs(self) -> None:
        """Step 5."""
        site_of = self.new_sites.of_page
        left = [seed for seed in self.left() if self.site[seed] >= 0]
        pages = np.flatnonzero(np.isin(site_of, [self.site[seed] for seed in left]))
        outward = np.zeros(self.new.page_count, np.int64)
        for block in self.new.links.blocks():
            _count_outward(block.first, block.out_ptr, block.out_idx, site_of, outward)
        pages = pages[outward[pages] > 0]
        pages = pages[np.lexsort((pages, -outward[pages], site_of[pages]))]
        sites, first = np.unique(site_of[pages], return_index=True)
        best = dict(zip(sites.tolist(), pages[first].tolist(), strict=True))
        for seed in left:
            page = best.get(self.site[seed])
            if page is not None and not self.is_used[page]:
                linked, again = self._hosts_linked(seed, page)
                reason = f"{outward[page]} links to other hosts, {again} of the {linked} hosts linked to before"
                self.take(seed, HUB, page, again / max(linked, 1) / 8, reason)

    def _hosts_linked(self, seed: int, page: int) -> tuple[int, int]:
        """Other hosts that the old seed linked to, and how many of them the new page does."""
        before = np.unique(self.old_sites.of_page[self.old.links.successors(seed)])
        before = before[before != self.old_sites.of_page[seed]]
        now = np.unique(self.new_sites.of_page[self.new.links.successors(page)])
        names = {str(self.new_sites.names[int(site)]) for site in now}
        return len(before), sum(str(self.old_sites.names[int(site)]) in names for site in before)


def _alike(alike: Alike, at: int) -> str:
    return f"links {alike.likeness[at]:.2f} alike, {alike.shared[at]} of {alike.matched} neighbours found again"


def _same_sites(old: Sites, new: Sites, seeds: list[int]) -> dict[int, int]:
    """The new web's number of each seed's host, with or without www.; −1 where it has neither."""
    wanted = {str(old.names[int(old.of_page[seed])]) for seed in seeds}
    wanted = (wanted | {_other_name(name) for name in wanted}) - {""}
    number = {str(name): place for place, name in enumerate(new.names) if name in wanted}
    names = {seed: str(old.names[int(old.of_page[seed])]) for seed in seeds}
    return {seed: number.get(name, number.get(_other_name(name), -1)) for seed, name in names.items()}


def _other_name(host: str) -> str:
    return host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"


def _anew(web: Web, used: tuple[int, ...], wanted: int, strategy: str, options: dict[str, Any]) -> list[_Found]:
    """Step 6; where the strategy finds nothing left to gain, the pages with most links."""
    if wanted <= 0:
        return []
    chosen = list(select(web, strategy, wanted, limits=Limits(held=used), **options))
    if len(chosen) < wanted:
        limits = Limits(held=(*used, *(seed.page for seed in chosen)))
        chosen += select(web, "outdegree", wanted - len(chosen), limits=limits)
    return [_Found(ANEW, seed.page, 0.0, f"{seed.strategy}: {seed.reason}") for seed in chosen]


def _rows(work: _Work, anew: list[_Found], k: int) -> list[Carried]:
    rest = iter(anew)
    rows = []
    for rank in range(1, k + 1):
        seed = work.seeds[rank - 1] if rank <= len(work.seeds) else None
        found = None if seed is None else work.found.get(seed)
        found = found or next(rest, None)
        old_url = None if seed is None else work.old_urls[seed]
        if found is None:
            rows.append(Carried(rank, seed, old_url, LOST, None, None, 0.0, "the new web has no page left"))
        else:
            url = work.new_urls[found.page]
            rows.append(Carried(rank, seed, old_url, found.how, found.page, url, found.confidence, found.reason))
    return rows


def _notes(given: int, asked: int, k: int, rows: list[Carried]) -> Iterable[str]:
    if given > asked:
        yield f"{given - asked} of the old seeds were named twice, and count once."
    if k < asked:
        yield f"k is {k}: the last {asked - k} of {asked} old seeds were left out."
    lost = sum(row.how == LOST for row in rows)
    if lost:
        yield f"{lost} seeds have no page: the new web has fewer pages than seeds were asked for."

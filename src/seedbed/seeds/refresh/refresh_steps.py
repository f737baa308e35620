"""The steps by which pages of an old snapshot are found again in a new one; refresh says what they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.errors import InputError
from seedbed.seeds.refresh.link_similarity import LinkSimilarity, SimilarPages
from seedbed.seeds.refresh.page_names import same_names
from seedbed.seeds.refresh.refreshed_seeds import HUB, KEPT, MOVED, RENAMED, SIMILAR
from seedbed.seeds.refresh.url_matching import difference, matched_pages
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.sites import Sites

SHARED = 2
CANDIDATES = 32
IN_BOTH = 0.8
NO_LINKS = 0.4
BY_LINKS = 0.5


def _urls(web: Web, which: str) -> UrlTable:
    if web.urls is None:
        raise InputError(
            f"{web.origin.source or f'the {which} web'}: has no URLs, by which pages of two snapshots are matched. "
            "Convert the graph with its URLs."
        )
    return web.urls


@dataclass(frozen=True)
class Found:
    """A page of the new web, and how it was found."""

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


class Work:
    """Old seeds (pages, or URLs that the old web does not have), what was found for each, and the new pages used."""

    def __init__(self, old: Web, new: Web, seeds: list[int | str]) -> None:
        self.old, self.new, self.seeds = old, new, seeds
        self.old_urls, self.new_urls = _urls(old, "old"), _urls(new, "new")
        self.found: dict[int | str, Found] = {}
        self.used: dict[int, None] = {}
        self.is_used = np.zeros(new.page_count, np.bool_)

    def url_of(self, seed: int | str) -> str:
        """The old URL of a seed."""
        return seed if isinstance(seed, str) else self.old_urls[seed]

    def left(self) -> list[int]:
        """Pages of the old web for which nothing was found yet."""
        return [seed for seed in self.seeds if seed not in self.found and not isinstance(seed, str)]

    def take(self, seed: int | str, found: Found) -> None:
        """Put a new page in the place of a seed, unless either has one."""
        if found.page not in self.used and seed not in self.found:
            self.found[seed] = replace(found, confidence=round(found.confidence, 4))
            self.used[found.page] = None
            self.is_used[found.page] = True

    def by_url(self) -> None:
        """Steps 1 and 2."""
        matched = matched_pages(self.old_urls, self.new_urls)
        self.matches = matched.near
        self.was_there = np.zeros(self.new.page_count, np.bool_)
        self.was_there[matched.same[matched.same >= 0]] = True
        same: dict[int | str, int] = {seed: int(matched.same[seed]) for seed in self.seeds if isinstance(seed, int)}
        near: dict[int | str, int] = {seed: int(matched.near[seed]) for seed in self.seeds if isinstance(seed, int)}
        if unknown := [seed for seed in self.seeds if isinstance(seed, str)]:
            others = matched_pages(UrlTable.from_strings(unknown), self.new_urls)
            same |= dict(zip(unknown, others.same.tolist(), strict=True))
            near |= dict(zip(unknown, others.near.tolist(), strict=True))
        for seed in self.seeds:
            if same[seed] >= 0:
                self.take(seed, Found(KEPT, same[seed], 1.0, "the same URL"))
        for seed in self.seeds:
            if seed not in self.found and near[seed] >= 0 and near[seed] not in self.used:
                self._renamed(seed, near[seed])
        self.was_there[self.matches[self.matches >= 0]] = True

    def _renamed(self, seed: int | str, page: int) -> None:
        what, sure = difference(self.url_of(seed), self.new_urls[page])
        if sure > 0:
            both = " (both were in the old web)" if self.was_there[page] and not isinstance(seed, str) else ""
            sure *= IN_BOTH if both else 1
            self.take(seed, Found(RENAMED, page, sure, f"the same URL but for {what}{both}"))

    def by_name_and_links(self, alike: float, sure: float) -> None:
        """Steps 3 and 4."""
        left = self.left()
        self.old_sites, self.new_sites = self.old.sites("host"), self.new.sites("host")
        self.site = _same_sites(self.old_sites, self.new_sites, left)
        self.names = same_names(self.old_urls, self.new_urls, self.matches)
        self.places = np.where(self.matches >= 0, self.matches, self.names)
        self.has_place = np.zeros(self.new.page_count, np.bool_)
        self.has_place[self.places[self.places >= 0]] = True
        likeness = LinkSimilarity(self.old, self.new, self.places, np.array(left, np.int64))
        out_degrees = self.new.links.out_degrees()
        best: dict[int, tuple[SimilarPages, float, str]] = {}
        named: dict[int, Found] = {}
        near: dict[int, SimilarPages] = {}
        for seed in left:
            around = likeness.like(seed)
            own_links = len(self.old.links.successors(seed))
            page = int(self.names[seed])
            on_site = self.new_sites.of_page[around.pages] == self.site[seed]
            if page >= 0 and (out_degrees[page] or not own_links):
                chance, why = _identity(around.only(on_site), page, own_links + int(out_degrees[page]))
                named[seed] = Found(MOVED, page, chance, f"the same name on this host; {why}")
                if chance >= sure:
                    self.take(seed, named[seed])
            if seed in self.found:
                continue
            fit = ~self.is_used[around.pages] & ((own_links == 0) | (out_degrees[around.pages] > 0))
            own = around.only(fit & on_site & ~self.has_place[around.pages]).best(2)
            if len(own.pages) and own.likeness[0] >= alike:
                links = own_links + int(out_degrees[own.pages[0]])
                best[seed] = own, *_identity(around.only(on_site), int(own.pages[0]), links)
            near[seed] = around.only(fit & (around.likeness >= alike) & (around.shared >= SHARED)).best(CANDIDATES)
        if best:
            self._moved(best, sure)
        for seed, found in named.items():
            self.take(seed, replace(found, how=SIMILAR))
        self._similar({seed: near[seed] for seed in self.left()})

    def _moved(self, best: dict[int, tuple[SimilarPages, float, str]], sure: float) -> None:
        """A pair must be best both ways; the nearest rival on either side takes from the confidence."""
        pages = np.unique([own.pages[0] for own, _, _ in best.values()]).astype(np.int64)
        known = np.flatnonzero(self.places >= 0)
        back = np.full(self.new.page_count, -1, np.int64)
        back[self.places[known][::-1]] = known[::-1]
        likeness = LinkSimilarity(self.new, self.old, back, pages)
        site_of = self.old_sites.of_page
        for seed, (own, chance, why) in best.items():
            page = int(own.pages[0])
            others = likeness.like(page)
            others = others.only(
                ((self.places[others.pages] < 0) | (others.pages == seed)) & (site_of[others.pages] == site_of[seed])
            )
            this = others.likeness[others.pages == seed].sum()
            other = others.likeness[others.pages != seed].max(initial=0.0)
            second = float(own.likeness[1] / own.likeness[0]) if len(own.pages) > 1 else 0.0
            rival = min(max(second, other / this if this else 1.0), 1.0)
            shared = int(own.shared[0])
            confidence = min(chance * (1 - rival**2) * shared / (shared + 1), BY_LINKS)
            if confidence >= sure:
                reason = f"new on this host; {_alike(own, 0)}, the nearest rival {rival:.2f} times that; {why}"
                self.take(seed, Found(MOVED, page, confidence, reason))

    def _similar(self, near: dict[int, SimilarPages]) -> None:
        pairs = []
        for place, (seed, one) in enumerate(near.items()):
            elsewhere = self.new_sites.of_page[one.pages] != self.site[seed]
            confidence = one.likeness * one.shared / (one.shared + 1) / 16
            for at, page in enumerate(one.pages.tolist()):
                key = (-float(confidence[at]), place, bool(elsewhere[at]), bool(self.was_there[page]), page)
                pairs.append((key, seed, at))
        for key, seed, at in sorted(pairs):
            where = "on another host" if key[2] else "on this host"
            self.take(seed, Found(SIMILAR, key[4], -key[0], f"{where}; {_alike(near[seed], at)}"))

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
                self.take(seed, Found(HUB, page, 0.0, reason))

    def _hosts_linked(self, seed: int, page: int) -> tuple[int, int]:
        """Other hosts that the old seed linked to, and how many of them the new page does."""
        before = np.unique(self.old_sites.of_page[self.old.links.successors(seed)])
        before = before[before != self.old_sites.of_page[seed]]
        now = np.unique(self.new_sites.of_page[self.new.links.successors(page)])
        names = {str(self.new_sites.names[int(site)]) for site in now}
        return len(before), sum(str(self.old_sites.names[int(site)]) in names for site in before)


def _identity(around: SimilarPages, page: int, links: int) -> tuple[float, str]:
    """How sure it is that a page in the right place is the old one and not one that came after it, and why.

    The links on the page tell: they must be alike, and more so than those of other pages (`around`) of the host.
    """
    if not links:
        return NO_LINKS, "no links on the page then and now"
    own = float(around.own[around.pages == page].sum())
    rival = min(float(around.own[around.pages != page].max(initial=0.0)) / own, 1.0) if own else 1.0
    why = f"links on the page {own:.2f} alike, the nearest rival {rival:.2f} times that"
    return own**3 * (1 - 0.6 * rival**2), why


def _alike(alike: SimilarPages, at: int) -> str:
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

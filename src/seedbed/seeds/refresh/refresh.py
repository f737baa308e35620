"""Seeds of an old snapshot carried over to a new one: kept, re-found, or replaced, each with the reason.

Steps, each for all seeds left over by the steps before it; no page is used twice:

1. kept: the URL is in the new web.
2. renamed: exactly one new page has the same URL except for spelling (see urls/url_matching.py).
3. moved: a page of the same host that the old web did not have and that takes the old one's place: it has its name (see
   url_matching.py), or is the page with the most similar links, both ways (see link_similarity.py). The links on the
   page show how certain it is that this is the old page and not a successor.
4. similar: what step 3 found but was not certain of; else the page anywhere with the most similar links. In steps 3
   and 4 a page with links is not replaced by one without.
5. hub: the page of the same host with the most links to other hosts, unless it is a seed already.
6. chosen anew: by a strategy of `select`, given what the pages above cover.

Cost: a pass over the URLs of both webs; if seeds are left over, some passes over the links, and `select` for the rest.
docs/refresh.md says what the confidence is, and how often it is justified.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.kernels import kernel
from seedbed.common.messages import Progress, counted, no_progress
from seedbed.errors import InputError, OptionError
from seedbed.seeds import strategy_of
from seedbed.seeds.limits import Limits
from seedbed.seeds.refresh.link_similarity import LinkSimilarity, SimilarPages
from seedbed.seeds.refresh.refreshed_seeds import (
    ANEW,
    HUB,
    KEPT,
    LOST,
    MOVED,
    RENAMED,
    SIMILAR,
    Refreshed,
    RefreshedSeed,
)
from seedbed.seeds.select import select
from seedbed.seeds.strategy import Choose, Strategy
from seedbed.urls.url_matching import difference, matched_pages, same_names
from seedbed.urls.url_table import UrlTable

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.sites import Sites

ALIKE = 0.5
SURE = 0.25
SHARED = 2
CANDIDATES = 32
IN_BOTH = 0.8
NO_LINKS = 0.4
FEW_LINKS = 2
BY_LINKS = 0.5


def refresh(
    old: Web,
    new: Web,
    seeds: Sequence[int | str],
    *,
    strategy: str | Strategy | Choose = "cover",
    k: int | None = None,
    hops: int = 5,
    alike: float = ALIKE,
    sure: float = SURE,
    threads: int | None = None,
    progress: Progress = no_progress,
    values: NDArray[Any] | None = None,
    **options: Any,
) -> Refreshed:
    """k seeds in the new web, by default one for each old seed. `options`: the strategy's.

    `values`: what the pages of the new web are worth to the strategy.
    A seed is a page of the old web, or a URL; a URL that the old web does not have is looked up by URL alone.
    """
    start = time.perf_counter()
    chosen = strategy_of(strategy)
    options = chosen.checked(options)
    asked = _checked(old, seeds)
    k = len(asked) if k is None else k
    if k < 0 or not (0 <= alike <= 1 and 0 <= sure <= 1):
        raise OptionError(f"k is {k}, alike {alike}, sure {sure}; k must be 0 or more, the others from 0 to 1.")
    matching = Matching(old, new, asked[:k])
    matching.by_url()
    progress("matching links", 0, 0)
    if matching.left():
        matching.by_name_and_links(alike, sure)
    if matching.left():
        matching.hubs()
    progress("choosing anew", 0, 0)
    wanted = min(k, new.page_count) - len(matching.used)
    anew, said = _anew(
        new, tuple(matching.used), wanted, chosen, {"hops": hops, "values": values, "threads": threads, **options}
    )
    rows = _rows(matching, anew, k)
    notes = (*_notes(len(seeds), len(asked), k, rows), *said)
    return Refreshed(chosen.name, tuple(rows), notes, time.perf_counter() - start)


def _checked(old: Web, seeds: Sequence[int | str]) -> list[int | str]:
    asked: dict[int | str, None] = {}
    for seed in seeds:
        if isinstance(seed, str):
            page = None if old.urls is None else old.urls.find(seed)
            asked[seed if page is None else page] = None
        elif 0 <= seed < old.page_count:
            asked[int(seed)] = None
        else:
            raise OptionError(f"the seed {seed} is not a page of the old web, which has {old.page_count}.")
    return list(asked)


def _anew(
    web: Web, used: tuple[int, ...], wanted: int, strategy: Strategy, options: dict[str, Any]
) -> tuple[list[Match], list[str]]:
    """Step 6, and its notes; if the strategy finds nothing left to gain, the pages with the most links."""
    if wanted <= 0:
        return [], []
    seeds = select(web, strategy, wanted, limits=Limits(held=used), **options)
    chosen = list(seeds)
    if len(chosen) < wanted:
        limits = Limits(held=(*used, *(seed.page for seed in chosen)))
        chosen += select(web, "outdegree", wanted - len(chosen), limits=limits)
    found = [Match(ANEW, seed.page, 0.0, f"{seed.strategy}: {seed.reason}") for seed in chosen]
    notes = [f"chosen anew by {strategy.name}: {note}" for note in seeds.notes]
    if len(chosen) > len(seeds):
        notes.append(f"the other {len(chosen) - len(seeds)} chosen anew are the pages with the most links.")
    return found, notes


def _rows(matching: Matching, anew: list[Match], k: int) -> list[RefreshedSeed]:
    rest = iter(anew)
    rows = []
    for rank in range(1, k + 1):
        seed = matching.seeds[rank - 1] if rank <= len(matching.seeds) else None
        before = (None if isinstance(seed, str) else seed, None if seed is None else matching.url_of(seed))
        found = None if seed is None else matching.found.get(seed)
        found = found or next(rest, None)
        if found is None:
            rows.append(RefreshedSeed(rank, *before, LOST, None, None, 0.0, "the new web has no page left"))
        else:
            url = matching.new_urls[found.page]
            rows.append(RefreshedSeed(rank, *before, found.how, found.page, url, found.confidence, found.reason))
    return rows


def _notes(given: int, asked: int, k: int, rows: list[RefreshedSeed]) -> Iterable[str]:
    if given > asked:
        yield f"named twice, and counted once: {counted(given - asked, 'old seed')}."
    if k < asked:
        yield f"k is {k}: the last {asked - k} of {asked} old seeds were left out."
    lost = sum(row.how == LOST for row in rows)
    if lost:
        has = counted(lost, "seed has", "seeds have")
        yield f"{has} no page: the new web has fewer pages than seeds were asked for."


def _urls(web: Web, which: str) -> UrlTable:
    if web.urls is None:
        raise InputError(
            f"{web.origin.source or f'the {which} web'}: has no URLs, by which pages of two snapshots are matched. "
            "Convert the graph together with its URLs."
        )
    return web.urls


@dataclass(frozen=True)
class Match:
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


class Matching:
    """Old seeds (pages, or URLs that the old web does not have), what was found for each, and the new pages used."""

    def __init__(self, old: Web, new: Web, seeds: list[int | str]) -> None:
        self.old, self.new, self.seeds = old, new, seeds
        self.old_urls, self.new_urls = _urls(old, "old"), _urls(new, "new")
        self.found: dict[int | str, Match] = {}
        self.used: dict[int, None] = {}
        self.is_used = np.zeros(new.page_count, np.bool_)

    def url_of(self, seed: int | str) -> str:
        """The old URL of a seed."""
        return seed if isinstance(seed, str) else self.old_urls[seed]

    def left(self) -> list[int]:
        """Pages of the old web for which nothing has been found yet."""
        return [seed for seed in self.seeds if seed not in self.found and not isinstance(seed, str)]

    def take(self, seed: int | str, found: Match) -> None:
        """Put a new page in the place of a seed, unless either is already matched."""
        if found.page not in self.used and seed not in self.found:
            self.found[seed] = replace(found, confidence=round(found.confidence, 4))
            self.used[found.page] = None
            self.is_used[found.page] = True

    def by_url(self) -> None:
        """Steps 1 and 2."""
        kept, self.matches = matched_pages(self.old_urls, self.new_urls)
        self.was_there = np.zeros(self.new.page_count, np.bool_)
        self.was_there[kept[kept >= 0]] = True
        same: dict[int | str, int] = {seed: int(kept[seed]) for seed in self.seeds if isinstance(seed, int)}
        near: dict[int | str, int] = {seed: int(self.matches[seed]) for seed in self.seeds if isinstance(seed, int)}
        if unknown := [seed for seed in self.seeds if isinstance(seed, str)]:
            others = matched_pages(UrlTable.from_strings(unknown), self.new_urls)
            same |= dict(zip(unknown, others[0].tolist(), strict=True))
            near |= dict(zip(unknown, others[1].tolist(), strict=True))
        for seed in self.seeds:
            if same[seed] >= 0:
                self.take(seed, Match(KEPT, same[seed], 1.0, "the same URL"))
        for seed in self.seeds:
            if seed not in self.found and near[seed] >= 0 and near[seed] not in self.used:
                self._renamed(seed, near[seed])
        self.was_there[self.matches[self.matches >= 0]] = True

    def _renamed(self, seed: int | str, page: int) -> None:
        what, sure = difference(self.url_of(seed), self.new_urls[page])
        if sure > 0:
            both = " (both were in the old web)" if self.was_there[page] and not isinstance(seed, str) else ""
            sure *= IN_BOTH if both else 1
            self.take(seed, Match(RENAMED, page, sure, f"the same URL but for {what}{both}"))

    def by_name_and_links(self, alike: float, sure: float) -> None:
        """Steps 3 and 4."""
        left = self.left()
        self.old_sites, self.new_sites = self.old.sites("host"), self.new.sites("host")
        self.site = _same_sites(self.old_sites, self.new_sites, left)
        self.names = same_names(self.old_urls, self.new_urls, self.matches)
        self.places = np.where(self.matches >= 0, self.matches, self.names)
        self.has_place = np.zeros(self.new.page_count, np.bool_)
        self.has_place[self.places[self.places >= 0]] = True
        similarity = LinkSimilarity(self.old, self.new, self.places, np.array(left, np.int64))
        out_degrees = self.new.links.out_degrees()
        best: dict[int, tuple[SimilarPages, float, str]] = {}
        named: dict[int, Match] = {}
        near: dict[int, SimilarPages] = {}
        for seed in left:
            around = similarity.similar_to(seed)
            own_links = len(self.old.links.successors(seed))
            page = int(self.names[seed])
            on_site = self.new_sites.of_page[around.pages] == self.site[seed]
            if page >= 0 and (out_degrees[page] or not own_links):
                chance, why = _identity(around.only(on_site), page, own_links + int(out_degrees[page]))
                named[seed] = Match(MOVED, page, chance, f"the same name on this host; {why}")
                if chance >= sure:
                    self.take(seed, named[seed])
            if seed in self.found:
                continue
            fit = ~self.is_used[around.pages] & ((own_links == 0) | (out_degrees[around.pages] > 0))
            own = around.only(fit & on_site & ~self.has_place[around.pages]).best(2)
            if len(own.pages) and own.similarity[0] >= alike:
                links = own_links + int(out_degrees[own.pages[0]])
                best[seed] = own, *_identity(around.only(on_site), int(own.pages[0]), links)
            near[seed] = around.only(fit & (around.similarity >= alike) & (around.shared >= SHARED)).best(CANDIDATES)
        if best:
            self._moved(best, sure)
        for seed, found in named.items():
            self.take(seed, replace(found, how=SIMILAR))
        self._similar({seed: near[seed] for seed in self.left()})

    def _moved(self, best: dict[int, tuple[SimilarPages, float, str]], sure: float) -> None:
        """Match pairs that are best both ways; the nearest rival on either side lowers the confidence."""
        pages = np.unique([own.pages[0] for own, _, _ in best.values()]).astype(np.int64)
        known = np.flatnonzero(self.places >= 0)
        back = np.full(self.new.page_count, -1, np.int64)
        back[self.places[known][::-1]] = known[::-1]
        similarity = LinkSimilarity(self.new, self.old, back, pages)
        site_of = self.old_sites.of_page
        for seed, (own, chance, why) in best.items():
            page = int(own.pages[0])
            others = similarity.similar_to(page)
            others = others.only(
                ((self.places[others.pages] < 0) | (others.pages == seed)) & (site_of[others.pages] == site_of[seed])
            )
            this = others.similarity[others.pages == seed].sum()
            other = others.similarity[others.pages != seed].max(initial=0.0)
            second = float(own.similarity[1] / own.similarity[0]) if len(own.pages) > 1 else 0.0
            rival = min(max(second, other / this if this else 1.0), 1.0)
            shared = int(own.shared[0])
            confidence = min(chance * (1 - rival**2) * shared / (shared + 1), BY_LINKS)
            if confidence >= sure:
                reason = f"new on this host; {_alike(own, 0)}, the nearest rival {rival:.2f} times that; {why}"
                self.take(seed, Match(MOVED, page, confidence, reason))

    def _similar(self, near: dict[int, SimilarPages]) -> None:
        pairs = []
        for place, (seed, one) in enumerate(near.items()):
            elsewhere = self.new_sites.of_page[one.pages] != self.site[seed]
            confidence = one.similarity * one.shared / (one.shared + 1) / 16
            for at, page in enumerate(one.pages.tolist()):
                key = (-float(confidence[at]), place, bool(elsewhere[at]), bool(self.was_there[page]), page)
                pairs.append((key, seed, at))
        for key, seed, at in sorted(pairs):
            where = "on another host" if key[2] else "on this host"
            self.take(seed, Match(SIMILAR, key[4], -key[0], f"{where}; {_alike(near[seed], at)}"))

    def hubs(self) -> None:
        """Step 5."""
        site_of = self.new_sites.of_page
        left = [seed for seed in self.left() if self.site[seed] >= 0]
        pages = np.flatnonzero(np.isin(site_of, [self.site[seed] for seed in left]))
        outward = np.zeros(self.new.page_count, np.int64)
        for block in self.new.links.blocks():
            _count_outward(*block, site_of, outward)
        pages = pages[outward[pages] > 0]
        pages = pages[np.lexsort((pages, -outward[pages], site_of[pages]))]
        sites, first = np.unique(site_of[pages], return_index=True)
        best = dict(zip(sites.tolist(), pages[first].tolist(), strict=True))
        for seed in left:
            page = best.get(self.site[seed])
            if page is not None and not self.is_used[page]:
                linked, again = self._hosts_linked(seed, page)
                reason = f"{outward[page]} links to other hosts, {again} of the {linked} hosts linked to before"
                self.take(seed, Match(HUB, page, 0.0, reason))

    def _hosts_linked(self, seed: int, page: int) -> tuple[int, int]:
        """How many other hosts the old seed linked to, and how many of them the new page links to."""
        before = np.unique(self.old_sites.of_page[self.old.links.successors(seed)])
        before = before[before != self.old_sites.of_page[seed]]
        now = np.unique(self.new_sites.of_page[self.new.links.successors(page)])
        names = {str(self.new_sites.names[int(site)]) for site in now}
        return len(before), sum(str(self.old_sites.names[int(site)]) in names for site in before)


def _identity(around: SimilarPages, page: int, links: int) -> tuple[float, str]:
    """How certain it is that a page in the right place is the old one and not a successor, and why.

    The links on the page decide: they must be alike, and more so than those of other pages (`around`) of the host. Few
    shared links raise the chance little above that of a page without links: a successor may share one or two as well.
    """
    if not links:
        return NO_LINKS, "no links on the page then and now"
    own = float(around.own[around.pages == page].sum())
    rival = min(float(around.own[around.pages != page].max(initial=0.0)) / own, 1.0) if own else 1.0
    shared = int(around.own_shared[around.pages == page].sum())
    chance = own**3 * (1 - 0.6 * rival**2)
    if chance > NO_LINKS:
        chance = NO_LINKS + (chance - NO_LINKS) * shared / (shared + FEW_LINKS)
    return chance, f"links on the page {own:.2f} alike, {shared} shared, the nearest rival {rival:.2f} times that"


def _alike(alike: SimilarPages, at: int) -> str:
    return f"links {alike.similarity[at]:.2f} alike, {alike.shared[at]} of {alike.matched} neighbours found again"


def _same_sites(old: Sites, new: Sites, seeds: list[int]) -> dict[int, int]:
    """The new web's number of each seed's host, with or without www.; −1 if it has neither."""
    names = {seed: str(old.names[int(old.of_page[seed])]) for seed in seeds}
    wanted = {*names.values(), *map(_other_name, names.values())} - {""}
    number = {str(name): place for place, name in enumerate(new.names) if name in wanted}
    return {seed: number.get(name, number.get(_other_name(name), -1)) for seed, name in names.items()}


def _other_name(host: str) -> str:
    return host.removeprefix("www.") if host.startswith("www.") else f"www.{host}"

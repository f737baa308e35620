"""Captures as rows of pages and links, some ten thousand at a time.

A page is HTML that was answered with 200, or a redirect, which has one link. Of any other answer only the status is
kept, should a link lead to it. Where a URL was captured several times its links are those of all captures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from seedbed.archives import arc, warc
from seedbed.archives.captures import REDIRECTS, Capture, Listed
from seedbed.archives.damage import Damage
from seedbed.archives.html import PageLinks, links_of, refresh_target, says_nofollow
from seedbed.archives.kinds import Kind, kind_of
from seedbed.graph.browser_urls import BrowserUrls

_LINKS_PER_PART = 1 << 17
_PAGES_PER_PART = 1 << 14
_READERS: dict[Kind | None, Callable[[Path], Iterator[Capture | Damage]]] = {
    "warc": warc.captures,
    "arc": arc.captures,
    None: lambda path: iter(()),
}


@dataclass
class Part:
    """Some rows: pages with their status and links; link k leads from urls[sources[k]] to targets[k]."""

    urls: list[str] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    is_page: list[bool] = field(default_factory=list)
    nofollow: list[int] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    place: int = 0
    """How far into the file it reaches, in bytes."""

    @property
    def full(self) -> bool:
        """Whether it is time for the next."""
        return len(self.targets) >= _LINKS_PER_PART or len(self.urls) >= _PAGES_PER_PART

    def add(self, url: str, status: int, links: PageLinks | None, keep_nofollow: bool) -> None:
        """Add one URL; `links` None: it is no page by itself."""
        if links is not None:
            targets = links.followed | links.nofollow if keep_nofollow else links.followed
            self.sources.extend([len(self.urls)] * len(targets))
            self.targets.extend(targets)
        self.urls.append(url)
        self.status.append(status)
        self.is_page.append(links is not None)
        self.nofollow.append(len(links.nofollow) if links is not None else 0)


def parts_of(path: Path, *, drop_sessions: bool = False, keep_nofollow: bool = True) -> Iterator[Part]:
    """All that an archive holds of pages and links."""
    urls = BrowserUrls(drop_sessions=drop_sessions)
    kind = kind_of(path)
    part = Part()
    if kind is None:
        # Nothing can be read, and what is wrong is said once.
        part.damages.append(Damage("files without a sound record"))
    for found in _READERS[kind](path):
        if isinstance(found, Damage):
            part.damages.append(found)
            continue
        _add(part, found, urls, path, keep_nofollow)
        if part.full:
            yield part
            part = Part()
    yield part


def _add(part: Part, capture: Capture, urls: BrowserUrls, path: Path, keep_nofollow: bool) -> None:
    part.place = capture.place
    url = urls.page(capture.url.partition("#")[0])
    if url is None:
        return
    links = _links(capture, url, urls)
    if links is not None and links.cut:
        part.damages.append(Damage("pages read in part (too long, too deep or badly packed)", capture.url[:200]))
    part.add(url, capture.status, links, keep_nofollow)


def _links(capture: Capture, url: str, urls: BrowserUrls) -> PageLinks | None:
    """The links of a page or redirect; None for what is neither."""
    if capture.status in REDIRECTS:
        target = urls.resolved(capture.headers.get("location", ""), url) if "location" in capture.headers else None
        return PageLinks({target} if target else set(), set())
    if capture.status != 200 or capture.revisit or not capture.may_be_html():
        return None
    nofollow = says_nofollow(capture.headers.get("x-robots-tag"))
    if capture.listed is not None:
        links = _resolved(capture.listed, url, urls, nofollow)
    else:
        page = capture.page()
        if page is None:
            return None
        body, cut = page
        links = links_of(body, url, capture.charset, urls, nofollow=nofollow)
        links = links._replace(cut=links.cut or cut)
    refresh = refresh_target(capture.headers.get("refresh", ""))
    target = urls.resolved(refresh, url) if refresh else None
    return links._replace(followed=links.followed | {target}) if target else links


def _resolved(listed: Listed, url: str, urls: BrowserUrls, nofollow: bool) -> PageLinks:
    base = urls.base(listed.base, url)
    followed, marked = urls.pages(listed.followed, base), urls.pages(listed.nofollow, base)
    return PageLinks(set(), followed | marked) if nofollow else PageLinks(followed, marked - followed)

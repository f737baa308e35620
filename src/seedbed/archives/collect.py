"""Captures as rows of pages and links, some ten thousand at a time.

A page is HTML that was answered with 200, or a redirect, which has one link. Of any other answer only the status is
kept, should a link lead to it. Where a URL was captured several times its links are those of all captures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from seedbed.archives import arc, warc
from seedbed.archives.captures import REDIRECTS, Capture
from seedbed.archives.damage import Damage
from seedbed.archives.html import FOLLOWED_RELATIONS, PageLinks, links_of, refresh_target, resolved, words
from seedbed.archives.http_headers import linked
from seedbed.archives.kinds import Kind, kind_of
from seedbed.archives.robots import header_says_nofollow
from seedbed.archives.wacz import ArchiveFile, unpacked
from seedbed.graph.browser_urls import LONGEST_URL, OTHER_SCHEME, BrowserUrls

_LINKS_PER_PART = 1 << 17
_PAGES_PER_PART = 1 << 14
_BYTES_PER_PART = 1 << 25
_NO_ANSWER = "records left out that are no HTTP answer"
_NO_URL = "records left out whose URL is none of a page"
_TRUNCATED = "pages that the crawler cut short (WARC-Truncated)"
_CUT = "pages read in part (too long, too deep or badly packed)"
_TOO_LONG = f"pages with links left out that are longer than {LONGEST_URL:,} bytes"
_READERS: dict[Kind | None, Callable[[ArchiveFile], Iterator[Capture | Damage]]] = {
    "warc": warc.captures,
    "arc": arc.captures,
    None: lambda path: iter(()),
}


@dataclass
class Part:
    """Some rows: pages with their status and links; link k leads from urls[sources[k]] to targets[k].

    `marked`: whether the link is nofollow.
    """

    urls: list[str] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    is_page: list[bool] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    marked: list[bool] = field(default_factory=list)
    damages: list[Damage] = field(default_factory=list)
    place: int = 0
    """How far into the file it reaches, in bytes."""
    link_bytes: int = 0
    """Of the URLs at both ends of all links."""

    @property
    def full(self) -> bool:
        """Whether it is time for the next."""
        rows = max(len(self.urls), len(self.damages))
        return len(self.targets) >= _LINKS_PER_PART or rows >= _PAGES_PER_PART or self.link_bytes >= _BYTES_PER_PART

    def add(self, url: str, status: int, links: PageLinks | None) -> None:
        """Add one URL; `links` None: it is no page by itself."""
        if links is not None:
            for targets, marked in ((links.followed, False), (links.nofollow - links.followed, True)):
                self.sources.extend([len(self.urls)] * len(targets))
                self.targets.extend(targets)
                self.marked.extend([marked] * len(targets))
                self.link_bytes += sum(map(len, targets)) + len(url) * len(targets)
        self.urls.append(url)
        self.status.append(status)
        self.is_page.append(links is not None)


def parts_of(file: ArchiveFile, *, drop_sessions: bool = False) -> Iterator[Part]:
    """All that an archive holds of pages and links."""
    with unpacked(file) as archive:
        yield from _parts(archive, BrowserUrls(drop_sessions=drop_sessions))


def _parts(path: ArchiveFile, urls: BrowserUrls) -> Iterator[Part]:
    kind = kind_of(path)
    part = Part()
    if kind is None:
        # Nothing can be read, and what is wrong is said once.
        part.damages.append(Damage("files without a sound record"))
    for found in _READERS[kind](path):
        if isinstance(found, Damage):
            part.damages.append(found)
        else:
            _add(part, found, urls)
        if part.full:
            yield part
            part = Part()
    yield part


def _add(part: Part, capture: Capture, urls: BrowserUrls) -> None:
    part.place = capture.place
    url = urls.page(capture.url.partition("#")[0])
    if url is None or capture.status == 0:
        # dns: and the like are records of another kind, and a revisit may do without headers.
        if not OTHER_SCHEME.match(capture.url) and not capture.revisit:
            part.damages.append(Damage(_NO_URL if url is None else _NO_ANSWER, byte=capture.place))
        return
    links = _links(capture, url, urls)
    if links is not None and capture.truncated:
        part.damages.append(Damage(_TRUNCATED, url[:200]))
    if links is not None and links.cut:
        part.damages.append(Damage(_CUT, url[:200]))
    if links is not None and links.too_long:
        part.damages.append(Damage(_TOO_LONG, url[:200]))
    part.add(url, capture.status, links)


def _links(capture: Capture, url: str, urls: BrowserUrls) -> PageLinks | None:
    """The links of a page or redirect; None for what is neither."""
    if capture.status in REDIRECTS:
        found = urls.targets([capture.header("location")] if "location" in capture.headers else [], url)
        return PageLinks(found.urls, set(), too_long=found.too_long)
    if capture.status != 200 or capture.revisit or not capture.may_be_html():
        return None
    nofollow = header_says_nofollow(capture.headers.get("x-robots-tag", ""))
    named = urls.targets(_named_by_headers(capture), url)
    if capture.listed is not None:
        capture.listed.all_nofollow |= nofollow
        links = resolved(capture.listed, url, urls, named.urls)
    else:
        page = capture.page()
        if page is None:
            return None
        body, cut = page
        links = links_of(body, url, capture.charset, urls, nofollow=nofollow, also=named.urls)
        links = links._replace(cut=links.cut or cut)
    return links._replace(cut=links.cut or named.cut, too_long=links.too_long or named.too_long)


def _named_by_headers(capture: Capture) -> Iterator[str]:
    """References in the headers Refresh and Link."""
    refresh = refresh_target(capture.header("refresh"))
    if refresh:
        yield refresh
    for reference, relations in linked(capture.headers.get("link", "")):
        if FOLLOWED_RELATIONS & words(relations):
            yield reference

"""Captures as rows of pages and links, some ten thousand at a time.

A page is HTML served with status 200, or a redirect, which has one link. For any other answer only the status is kept,
in case a link leads to it. If a URL was captured several times, its links are those of all captures.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from seedbed.archives import arc, warc
from seedbed.archives.archive_records import Syntax, captures, starts_somewhere
from seedbed.archives.captures import REDIRECTS, Capture, Listed
from seedbed.archives.frames import CorruptRecord, Decompressed, Place
from seedbed.archives.http_messages import linked
from seedbed.archives.page_links import (
    CANONICAL,
    FOLLOWED_RELATIONS,
    PageLinks,
    header_says_nofollow,
    references_of,
    refresh_target,
    resolved,
    words,
)
from seedbed.archives.revisits import Revisit, RevisitTable, keys_of, revisit_of
from seedbed.archives.wacz import ArchiveFile, is_archive_name, without_zip
from seedbed.common.read_issues import ReadIssue
from seedbed.urls.browser_urls import LONGEST_URL, OTHER_SCHEME, BrowserUrls

_LINKS_PER_PART = 1 << 17
_PAGES_PER_PART = 1 << 14
_BYTES_PER_PART = 1 << 25
_NO_ANSWER = "records left out that are not HTTP answers"
_NO_URL = "records left out because their URL is not a page's"
TOO_MANY_REVISITS = "revisits of other URLs' captures left without their links because there are too many"
_TRUNCATED = "pages that the crawler cut short (WARC-Truncated)"
_CUT = "pages read in part (too long, too deep or badly encoded)"
_TOO_LONG = f"pages with links left out that are longer than {LONGEST_URL:,} bytes"
_START = re.compile(warc.SYNTAX.start.pattern + rb"|filedesc:")


@dataclass
class Part:
    """A batch of rows: pages with their status and links; link k leads from urls[sources[k]] to targets[k].

    `marked`: whether the link is nofollow. `digest`, `canonical`: of each page, empty if not known.
    """

    urls: list[str] = field(default_factory=list)
    status: list[int] = field(default_factory=list)
    is_page: list[bool] = field(default_factory=list)
    digest: list[str] = field(default_factory=list)
    canonical: list[str] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    marked: list[bool] = field(default_factory=list)
    issues: list[ReadIssue] = field(default_factory=list)
    revisits: list[Revisit] = field(default_factory=list)
    """Revisits of other URLs' captures; their links are still to be found."""
    found: list[int] = field(default_factory=list)
    """Rows of the revisits whose captures were found."""
    place: int = 0
    """How far into the file this part reaches, in bytes."""
    link_bytes: int = 0
    """Total length of the URLs at both ends of all links."""

    @property
    def full(self) -> bool:
        """Whether it is time to start the next part."""
        rows = max(len(self.urls), len(self.issues), len(self.revisits), len(self.found))
        return len(self.targets) >= _LINKS_PER_PART or rows >= _PAGES_PER_PART or self.link_bytes >= _BYTES_PER_PART

    def add(self, url: str, status: int, links: PageLinks | None, digest: str = "") -> None:
        """Add one URL; `links` None: it is not a page by itself. `digest`: of its content."""
        if links is not None:
            for targets, marked in ((links.followed, False), (links.nofollow - links.followed, True)):
                self.sources.extend([len(self.urls)] * len(targets))
                self.targets.extend(targets)
                self.marked.extend([marked] * len(targets))
                self.link_bytes += sum(map(len, targets)) + len(url) * len(targets)
        self.urls.append(url)
        self.status.append(status)
        self.is_page.append(links is not None)
        self.digest.append(digest.lower() if digest.isascii() else "")
        self.canonical.append("" if links is None else links.canonical)


def starts_an_archive(data: bytes) -> bool:
    """Whether an archive, decompressed, may start with these bytes."""
    return _START.match(data.lstrip(b"\r\n")) is not None


def syntax_of(path: ArchiveFile) -> Syntax | None:
    """The kind of archive by the first bytes, or by the first intact record if the name fits; None for other files."""
    try:
        with path.open("rb") as file:
            stream = Decompressed(file, Place(0))
            if stream.more() and stream.matches(_START):
                return warc.SYNTAX if stream.matches(warc.SYNTAX.start) else arc.SYNTAX
    except CorruptRecord:
        pass
    if not is_archive_name(path.name):
        return None
    return next((syntax for syntax in (warc.SYNTAX, arc.SYNTAX) if starts_somewhere(path, syntax)), None)


class Settings(NamedTuple):
    """How to read an archive."""

    drop_sessions: bool = False
    revisits: Path | None = None
    """A file of revisits; if given, only what they refer to is read."""
    revisit_bytes: int = 1 << 28
    """Memory for the revisits of one file."""


def parts_of(file: ArchiveFile, settings: Settings | None = None) -> Iterator[Part]:
    """All pages and links in an archive, or only those that revisits refer to."""
    settings = settings or Settings()
    urls = BrowserUrls(drop_sessions=settings.drop_sessions)
    with without_zip(file) as archive:
        if settings.revisits is not None:
            yield from _parts_referred_to(archive, urls, RevisitTable(settings.revisits))
        else:
            yield from _parts(archive, urls, settings.revisit_bytes)


def _parts(path: ArchiveFile, urls: BrowserUrls, room: int) -> Iterator[Part]:
    syntax = syntax_of(path)
    part = Part()
    for found in [ReadIssue("files without an intact record")] if syntax is None else captures(path, syntax):
        if isinstance(found, ReadIssue):
            part.issues.append(found)
        elif found.revisit and (revisit := revisit_of(found, urls)) is not None:
            room -= len(revisit.key) + len(revisit.url)
            _add_revisit(part, found, revisit, urls, has_room=room >= 0)
        else:
            _add(part, found, urls)
        if part.full:
            yield part
            part = Part()
    yield part


def _add_revisit(part: Part, capture: Capture, revisit: Revisit, urls: BrowserUrls, *, has_room: bool) -> None:
    """Add a page that has the links of a capture elsewhere; those in its own headers are already known."""
    part.place = capture.place
    if has_room:
        part.revisits.append(revisit)
    else:
        part.issues.append(ReadIssue(TOO_MANY_REVISITS, revisit.url[:200]))
    if capture.status == 200 and capture.is_html():
        named = urls.targets(_named_by_headers(capture), revisit.url).urls
        links = PageLinks(set(), named) if revisit.nofollow else PageLinks(named, set())
        part.add(revisit.url, capture.status, links, capture.digest)
    elif capture.status:
        part.add(revisit.url, capture.status, None, capture.digest)


def _parts_referred_to(path: ArchiveFile, urls: BrowserUrls, revisits: RevisitTable) -> Iterator[Part]:
    """The pages of revisits whose captures are in this archive; damage was counted when it was first read."""
    syntax = syntax_of(path)
    part = Part()
    for capture in [] if syntax is None else captures(path, syntax):
        if isinstance(capture, ReadIssue) or capture.revisit:
            continue
        part.place = capture.place
        rows = {row for key in keys_of(capture, urls) for row in revisits.rows(key)}
        part.found.extend(rows)
        references = _references(capture) if rows else None
        if references is None:
            continue
        listed, encoding, _ = references
        for revisit in (revisits[row] for row in sorted(rows)):
            marked = replace(listed, all_nofollow=listed.all_nofollow or revisit.nofollow)
            part.add(revisit.url, 200, resolved(marked, revisit.url, urls, encoding=encoding), _digest(capture))
            if part.full:
                yield part
                part = Part()
    yield part


def _references(capture: Capture) -> tuple[Listed, str, bool] | None:
    """The references in a page, its encoding, and whether it was cut; None if it is not a page."""
    if capture.status != 200 or capture.revisit or not capture.may_be_html():
        return None
    if capture.listed is not None:
        return capture.listed, "utf-8", False
    page = capture.page()
    if page is None:
        return None
    body, body_cut = page
    listed, encoding, cut = references_of(body, capture.charset)
    return listed, encoding, cut or body_cut


def _add(part: Part, capture: Capture, urls: BrowserUrls) -> None:
    part.place = capture.place
    url = urls.page(capture.url.partition("#")[0])
    if url is None or capture.status == 0:
        # dns: and the like are other kinds of records, and a revisit may have no headers.
        if not OTHER_SCHEME.match(capture.url) and not capture.revisit:
            part.issues.append(ReadIssue(_NO_URL if url is None else _NO_ANSWER, byte=capture.place))
        return
    links = _links(capture, url, urls)
    if links is not None:
        faults = {_TRUNCATED: capture.truncated, _CUT: links.cut, _TOO_LONG: links.too_long}
        part.issues += [ReadIssue(fault, url[:200]) for fault, has_it in faults.items() if has_it]
    part.add(url, capture.status, links, _digest(capture))


def _digest(capture: Capture) -> str:
    """The digest of the payload that the archive gives, else one of the body as the server sent it."""
    if capture.digest or not capture.body or capture.cut or not capture.may_be_html():
        return capture.digest
    return f"body:{hashlib.sha1(capture.body, usedforsecurity=False).hexdigest()}"


def _links(capture: Capture, url: str, urls: BrowserUrls) -> PageLinks | None:
    """The links of a page or redirect; None for anything else."""
    if capture.status in REDIRECTS:
        found = urls.targets([capture.header("location")] if "location" in capture.headers else [], url)
        return PageLinks(found.urls, set(), too_long=found.too_long)
    references = _references(capture)
    if references is None:
        return None
    listed, encoding, cut = references
    listed.all_nofollow |= header_says_nofollow(capture.headers.get("x-robots-tag", ""))
    named = urls.targets(_named_by_headers(capture), url)
    links = resolved(listed, url, urls, named.urls, encoding)
    return links._replace(
        cut=links.cut or cut or named.cut,
        too_long=links.too_long or named.too_long,
        canonical=links.canonical or _canonical_by_header(capture, url, urls),
    )


def _canonical_by_header(capture: Capture, url: str, urls: BrowserUrls) -> str:
    """The canonical URL in the Link header; empty if there is none."""
    entries = linked(capture.headers.get("link", ""))
    named = [reference for reference, relations in entries if CANONICAL in words(relations)]
    return next(iter(urls.pages(named[:1], url)), "")


def _named_by_headers(capture: Capture) -> Iterator[str]:
    """References in the Refresh and Link headers."""
    refresh = refresh_target(capture.header("refresh"))
    if refresh:
        yield refresh
    for reference, relations in linked(capture.headers.get("link", "")):
        if FOLLOWED_RELATIONS & words(relations):
            yield reference

"""Revisits of another URL's capture: a crawler that finds the same bytes at two URLs stores them once.

The second record says which capture it repeats: by the digest of its payload, and by the capture's URL and date. The
page at its own URL has the links of that payload, relative ones resolved against its own URL. The capture may be in any
file of the set, earlier or later, so archives with such revisits are read twice: first for everything else, which also
collects what the revisits refer to, then for the captures they refer to. Revisits of the same URL need none of this: a
page has the links of all its captures.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import Any, NamedTuple

from seedbed.archives.captures import Capture
from seedbed.archives.page_links import header_says_nofollow
from seedbed.urls.browser_urls import BrowserUrls

_REPEATED = frozenset({0, 200, 304})
"""Status codes of a revisit that repeats a capture; 0: it has no HTTP header."""


class Revisit(NamedTuple):
    """What a revisit refers to, and its own page. `nofollow`: whether its own headers say nofollow for all links."""

    key: str
    url: str
    nofollow: bool


def revisit_of(capture: Capture, urls: BrowserUrls) -> Revisit | None:
    """What a revisit refers to; None if that is its own URL, or one of the two cannot be a page."""
    url = urls.page(capture.url.partition("#")[0])
    original = urls.page(capture.refers_to.partition("#")[0]) if capture.revisit and capture.refers_to else None
    if url is None or original is None or original == url or capture.status not in _REPEATED:
        return None
    if capture.status == 200 and not capture.may_be_html():
        return None
    key = capture.digest.lower() or _place(original, capture.refers_to_date)
    return Revisit(key, url, header_says_nofollow(capture.headers.get("x-robots-tag", "")))


def keys_of(capture: Capture, urls: BrowserUrls) -> list[str]:
    """The keys by which revisits may refer to a capture."""
    url = urls.page(capture.url.partition("#")[0])
    keys = [capture.digest.lower(), _place(url, capture.date) if url is not None else ""]
    return [key for key in keys if key]


def _place(url: str, date: str) -> str:
    return f"{url} {date}"


class RevisitTable:
    """All revisits of a set of archives, sorted by key, in a file that workers share."""

    def __init__(self, path: Path) -> None:
        import pyarrow as pa
        from pyarrow import ipc

        table = ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
        self._keys, self._urls, self._nofollow = (table[name] for name in ("key", "url", "nofollow"))

    def rows(self, key: str) -> range:
        """The rows with this key."""
        rows = range(len(self._keys))
        return range(bisect_left(rows, key, key=self._key), bisect_right(rows, key, key=self._key))

    def __getitem__(self, row: int) -> Revisit:
        return Revisit(self._key(row), self._urls[row].as_py(), self._nofollow[row].as_py())

    def _key(self, row: int) -> str:
        key: str = self._keys[row].as_py()
        return key


def write_revisits(path: Path, table: Any) -> None:
    """Write the table, which must be sorted by `key`."""
    import pyarrow as pa
    from pyarrow import ipc

    with pa.OSFile(str(path), "wb") as file, ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)

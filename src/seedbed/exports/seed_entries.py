"""Seeds on their way to a crawler: URLs that break no file, ranks, and weights derived from the ranks.

URLs are written as a browser sends them: ASCII, the host in lower case and Punycode, without the fragment. Crawlers
normalise URLs to that form or close to it, and anything looked up by URL, such as a precedence, must already be in it.
A name without a scheme, such as a page of a host graph, stands for the home page of that host.

Strategies score by different measures: pages covered, PageRank, walks. What they agree on is the order, so only that is
carried over: rank 1 of k has the weight 1, rank k the weight 1/k, whatever the scores were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from seedbed.errors import InputError, unknown

SCHEMES = ("http", "https")
MAX_CHARACTERS = 1 << 16
_SHOWN = 3
_HOST = re.compile(r"(?:[^\s.:/?#@\\\[\]]+\.)+[^\s.:/?#@\\\[\]]+\.?(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """`rank` from 1 up, in the order of the seeds; `weight` above 0 and at most 1."""

    url: str
    host: str
    rank: int
    weight: float


class NotFetchable(ValueError):
    """A seed that no crawler can fetch; says which and why."""


@dataclass
class Some:
    """How many seeds something happened to, and the first few of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, seed: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(seed)

    def __str__(self) -> str:
        return f"{self.count:,} ({'; '.join(self.first)}{'; …' if self.count > len(self.first) else ''})"


@dataclass(frozen=True)
class SeedList:
    """The seeds that a crawler gets, each URL once, best first; and what happened to the others."""

    entries: list[Entry]
    left_out: Some
    merged: Some
    completed: Some
    scheme: str

    def notes(self) -> list[str]:
        """What a user should know about it."""
        counts = (
            (self.left_out, "seeds left out that no crawler can fetch"),
            (self.merged, "seeds merged that are the same URL as one before"),
            (self.completed, f"hosts without a scheme written as {self.scheme}://"),
        )
        return [f"{what}: {some}" for some, what in counts if some.count]

    def summary(self) -> dict[str, Any]:
        """The same as numbers."""
        return {
            "seeds": len(self.entries),
            "left_out": self.left_out.count,
            "left_out_first": self.left_out.first,
            "merged": self.merged.count,
            "hosts_completed": self.completed.count,
        }


def seed_list(urls: Iterable[Any], source: str, *, scheme: str = "http", strict: bool = False) -> SeedList:
    """What can be passed on to a crawler. `scheme`: for hosts; `strict`: refuse what cannot be fetched."""
    from ada_url import URL

    if scheme not in SCHEMES:
        raise unknown("scheme", scheme, SCHEMES)
    listed: dict[str, None] = {}
    left_out, merged, completed = Some(), Some(), Some()
    for url in urls:
        try:
            clean = fetchable(url, scheme)
        except NotFetchable as error:
            if strict:
                raise InputError(f"{source}: {error}. Fix or remove it, or omit --strict.") from None
            left_out.add(str(error))
            continue
        if _is_host(str(url)):
            completed.add(_shown(url))
        if clean in listed:
            merged.add(clean[:100])
        listed[clean] = None
    if left_out.count and not listed:
        raise InputError(f"{source}: has no seed that a crawler can fetch. Left out: {left_out}.")
    if not listed:
        raise InputError(f"{source}: has no seeds, so there is nothing for a crawler to start from.")
    k = len(listed)
    entries = [Entry(url, URL(url).hostname, rank, (k - rank + 1) / k) for rank, url in enumerate(listed, 1)]
    return SeedList(entries, left_out, merged, completed, scheme)


def fetchable(url: Any, scheme: str = "http") -> str:
    """The URL as a browser sends it, with every character percent-encoded that could end a line or a field.

    Raises NotFetchable if there is none.
    """
    from ada_url import URL

    if not isinstance(url, str) or not url:
        raise NotFetchable("a seed has no URL, and crawlers need one; choose seeds on a web that has URLs")
    if len(url) > MAX_CHARACTERS:
        raise NotFetchable(f"a URL has {len(url):,} characters: {_shown(url)}")
    clean = "".join(quote(letter, errors="replace") if breaks(letter) else letter for letter in url)
    try:
        parsed = URL(f"{scheme}://{clean}" if _is_host(url) else clean)
    except ValueError:
        raise NotFetchable(f"{_shown(clean)} is not a URL") from None
    if parsed.protocol.rstrip(":") not in SCHEMES or not parsed.hostname.strip("."):
        raise NotFetchable(f"{_shown(clean)} is not an http or https URL")
    parsed.hash = ""
    # A host is percent-decoded, so what was encoded above, or by whoever wrote the URL, may be back.
    if any(map(breaks, parsed.href)):
        raise NotFetchable(f"{_shown(clean)} has an invalid host")
    return str(parsed.href)


def _is_host(url: str) -> bool:
    """Whether it is a host, possibly with a port or a path, and no scheme: its name has a dot."""
    return _HOST.fullmatch(url) is not None


def _shown(url: Any) -> str:
    text = str(url)
    return repr(text[:100]) + ("…" if len(text) > 100 else "")


def breaks(letter: str) -> bool:
    """Whether a character could break a file of lines and fields: any space, control, quote, backslash."""
    return letter.isspace() or letter in "\"'\\`<>" or unicodedata.category(letter)[0] in "CZ"

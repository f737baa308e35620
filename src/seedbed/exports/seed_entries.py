"""What is on its way to a crawler: URLs that break no file, with ranks, and weights derived from the ranks.

URLs are written as a browser sends them: ASCII, the host in lower case and Punycode, without the fragment. Crawlers
normalise URLs to that form or close to it, and anything looked up by URL, such as a precedence, must already be in it.
A name without a scheme, such as a page of a host graph, stands for the home page of that host.

Strategies score by different measures: pages covered, PageRank, walks. What they agree on is the order, so only that is
carried over: rank 1 of k has the weight 1, rank k the weight 1/k, whatever the scores were. A ranking of all pages (see
ranking_entries.py) has scores of one measure, and keeps them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote

from seedbed.errors import InputError, unknown

SCHEMES = ("http", "https")
MAX_CHARACTERS = 1 << 16
_SHOWN = 3
_WHOLE = re.compile(r"[!#-&(-;=?-\[\]-_a-~]*")
"""ASCII without what `breaks`: most URLs, so that their letters need not be looked at one by one."""
_HOST = re.compile(r"(?:[^\s.:/?#@\\\[\]]+\.)+[^\s.:/?#@\\\[\]]+\.?(?::\d{1,5})?(?:[/?#].*)?", re.DOTALL)


class Entry(NamedTuple):
    """`rank` from 1 up, the best first; `weight` above 0 and at most 1; `score` with a mean of 1."""

    url: str
    rank: int
    weight: float
    score: float

    @property
    def host(self) -> str:
        """The host of the URL."""
        from ada_url import URL

        return str(URL(self.url).hostname)


class Entries(Protocol):
    """Seeds, best first, or all pages of a ranking, in its order. They can be gone through more than once."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Entry]: ...


class NotFetchable(ValueError):
    """A URL that no crawler can fetch; says which and why."""


@dataclass
class Some:
    """How many URLs something happened to, and the first few of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, url: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(url)

    def __str__(self) -> str:
        return f"{self.count:,} ({'; '.join(self.first)}{'; …' if self.count > len(self.first) else ''})"


@dataclass
class Sieve:
    """Lets through what a crawler can fetch, and counts the rest. `scheme`: for hosts; `strict`: refuse the rest."""

    source: str
    scheme: str = "http"
    strict: bool = False
    left_out: Some = field(default_factory=Some)
    merged: Some = field(default_factory=Some)
    completed: Some = field(default_factory=Some)

    def __post_init__(self) -> None:
        if self.scheme not in SCHEMES:
            raise unknown("scheme", self.scheme, SCHEMES)

    def __call__(self, url: Any) -> str | None:
        """The URL as it is written, None if it is left out."""
        try:
            clean = fetchable(url, self.scheme)
        except NotFetchable as error:
            if self.strict:
                raise InputError(f"{self.source}: {error}. Fix or remove it, or omit --strict.") from None
            self.left_out.add(str(error))
            return None
        if _is_host(str(url)):
            self.completed.add(_shown(url))
        return clean


@dataclass(frozen=True)
class Listed:
    """What a crawler gets, each URL once, and what happened to the rest. `ranking`: all pages of one, or else seeds."""

    entries: Entries
    sieve: Sieve
    ranking: bool = False

    @property
    def noun(self) -> str:
        """What an entry is."""
        return "page" if self.ranking else "seed"

    def notes(self) -> list[str]:
        """What a user should know about it."""
        counts = (
            (self.sieve.left_out, f"{self.noun}s left out that no crawler can fetch"),
            (self.sieve.merged, f"{self.noun}s merged that are the same URL as one before"),
            (self.sieve.completed, f"hosts without a scheme written as {self.sieve.scheme}://"),
        )
        return [f"{what}: {some}" for some, what in counts if some.count]

    def summary(self) -> dict[str, Any]:
        """The same as numbers."""
        return {
            f"{self.noun}s": len(self.entries),
            "left_out": self.sieve.left_out.count,
            "left_out_first": self.sieve.left_out.first,
            "merged": self.sieve.merged.count,
            "hosts_completed": self.sieve.completed.count,
        }


def seed_list(urls: Iterable[Any], sieve: Sieve) -> Listed:
    """The seeds that can be passed on to a crawler. Scores fall evenly with the rank."""
    listed: dict[str, None] = {}
    for url in urls:
        if (clean := sieve(url)) is None:
            continue
        if clean in listed:
            sieve.merged.add(clean[:100])
        listed[clean] = None
    if not listed:
        raise nothing_left(sieve, "seed")
    k = len(listed)
    entries = [
        Entry(url, rank, weight(rank, k), weight(rank, k) * 2 * k / (k + 1)) for rank, url in enumerate(listed, 1)
    ]
    return Listed(entries, sieve)


def weight(rank: Any, count: int) -> Any:
    """1 for the first, 1/count for the last; of a rank, or an array of ranks."""
    return (count - rank + 1) / count


def share(rank: int, count: int, steps: int) -> int:
    """The step of a rank, from 1 to `steps`, which ranks share evenly; the rank itself if there are enough steps."""
    return rank if count <= steps else 1 + (rank - 1) * steps // count


def nothing_left(sieve: Sieve, noun: str) -> InputError:
    """What to say if there is nothing to write."""
    if sieve.left_out.count:
        return InputError(f"{sieve.source}: has no {noun} that a crawler can fetch. Left out: {sieve.left_out}.")
    return InputError(f"{sieve.source}: has no {noun}s, so there is nothing for a crawler to start from.")


def fetchable(url: Any, scheme: str = "http") -> str:
    """The URL as a browser sends it, with every character percent-encoded that could end a line or a field.

    Raises NotFetchable if there is none.
    """
    from ada_url import URL

    if not isinstance(url, str) or not url:
        raise NotFetchable("an entry has no URL, and crawlers need one; use a web that has URLs")
    if len(url) > MAX_CHARACTERS:
        raise NotFetchable(f"a URL has {len(url):,} characters: {_shown(url)}")
    clean = url
    if not _WHOLE.fullmatch(url):
        clean = "".join(quote(letter, errors="replace") if breaks(letter) else letter for letter in url)
    try:
        parsed = URL(f"{scheme}://{clean}" if _is_host(url) else clean)
    except ValueError:
        raise NotFetchable(f"{_shown(clean)} is not a URL") from None
    if parsed.protocol.rstrip(":") not in SCHEMES or not parsed.hostname.strip("."):
        raise NotFetchable(f"{_shown(clean)} is not an http or https URL")
    parsed.hash = ""
    # A host is percent-decoded, so what was encoded above, or by whoever wrote the URL, may be back.
    if not _WHOLE.fullmatch(parsed.href):
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

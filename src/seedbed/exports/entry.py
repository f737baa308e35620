"""One seed on its way to a crawler: a URL that breaks no file, its rank, and a weight made of the rank.

URLs are written as a browser sends them: ASCII, the host in lower case and Punycode, without what follows a #. Crawlers
bring URLs into that form or near it, and what is looked up by URL, such as a precedence, must be in it already.

Strategies score by different measures: pages covered, PageRank, walks. What they agree on is the order, so that is what
is carried over: rank 1 of k has the weight 1, rank k the weight 1/k, whatever the scores were.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ada_url import URL

from seedbed.errors import InputError

SCHEMES = ("http:", "https:")
MOST_CHARACTERS = 1 << 16


@dataclass(frozen=True)
class Entry:
    """`rank` from 1 on, in the order of the seeds; `weight` from above 0 to 1."""

    url: str
    host: str
    rank: int
    weight: float


@dataclass(frozen=True)
class Options:
    """What some crawlers can be told besides. `depth`: links to follow from a seed; `scope`: Browsertrix's scope type;
    `fetch_interval`: seconds between two fetches, Nutch; `key`: the sorted set, scrapy-redis; `without`: hosts that
    Heritrix shall leave out.
    """

    depth: int | None = None
    scope: str = "host"
    fetch_interval: int | None = None
    key: str = "seedbed:start_urls"
    without: tuple[str, ...] = ()


def entries(rows: Iterable[Mapping[str, Any]], source: str) -> list[Entry]:
    """The entries of a seed list, each URL once, best first."""
    urls = list(dict.fromkeys(safe(row.get("url"), source) for row in rows))
    if not urls:
        raise InputError(f"{source}: has no seeds, so there is nothing for a crawler to start from.")
    return [Entry(url, URL(url).hostname, rank, (len(urls) - rank + 1) / len(urls)) for rank, url in enumerate(urls, 1)]


def safe(url: Any, source: str) -> str:
    """The URL as a browser sends it, every character percent-encoded that could end a line or a field."""
    if not isinstance(url, str) or not url:
        raise InputError(f"{source}: a seed has no URL, and crawlers need one. Choose seeds on a web that has URLs.")
    if len(url) > MOST_CHARACTERS:
        raise InputError(f"{source}: a URL has {len(url):,} characters: {url[:60]}… Leave it out.")
    clean = "".join(quote(letter, errors="replace") if breaks(letter) else letter for letter in url)
    try:
        parsed = URL(clean)
    except ValueError:
        raise InputError(f"{source}: {clean[:100]!r} is not a URL. Leave it out.") from None
    if parsed.protocol not in SCHEMES or not parsed.hostname.strip("."):
        raise InputError(f"{source}: {clean[:100]!r} is no http or https URL, so no crawler fetches it. Leave it out.")
    parsed.hash = ""
    return parsed.href


def breaks(letter: str) -> bool:
    """Whether a character could break a file of lines and fields: any space, control, quote, backslash."""
    return letter.isspace() or letter in "\"'\\`<>" or unicodedata.category(letter)[0] in "CZ"

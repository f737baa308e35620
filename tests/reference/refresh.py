"""Normal forms of URLs and the likeness of pages, written for reading."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

Graph = Sequence[Sequence[int]]
INDEX = re.compile(r"/(index|default)\.(s?html?|xhtml|php[34]?|aspx?|jsp|cgi|cfm|pl)$")
SESSION = re.compile(r"(utm_.*|(jsessionid|phpsessid|sessionid|sid)(=.*)?)$", re.IGNORECASE | re.DOTALL)


def lower(text: str) -> str:
    """Only A to Z, as host names and paths of plain bytes have it."""
    return re.sub("[A-Z]", lambda letter: letter.group().lower(), text)


def normal_form(url: str) -> str:
    url = url.split("#", maxsplit=1)[0]
    scheme, rest = "", url
    found = re.match(r"[A-Za-z0-9+.-]*://", url)
    if found:
        scheme, rest = lower(found.group()), url[found.end() :]
    host, path, query = re.match(r"([^/?]*)([^?]*)\??(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    host = lower(host)
    if host.startswith("www.") and host.count(".") > 1:
        host = host[4:]
    path = re.sub(r";jsessionid=[^/;]*", "", lower(path))
    path = INDEX.sub("/", path) if not path.endswith("\n") else path
    kept = [part for part in query.split("&") if part and not SESSION.match(part)]
    scheme = "" if scheme in ("http://", "https://") else scheme
    return scheme + host + path.rstrip("/") + ("?" if kept else "") + "&".join(kept)


def page_name(url: str, folders: bool) -> str:
    """The normal form without the file's ending and without parameters after the first; with or without folders."""
    path, mark, query = normal_form(url).split("&", maxsplit=1)[0].partition("?")
    host = path.find("/")
    if host > 0 and path[host - 1] == ":":
        host = path.find("/", host + 2)
    host = len(path) if host < 0 else host
    file = max(path.rfind("/") + 1, host)
    end = path.rfind(".") if path.rfind(".") > file else len(path)
    lead = path[:file] if folders else path[:host] + ("/" if file > host else "")
    return lead + path[file:end] + mark + query


def likeness(
    old: Graph,
    new: Graph,
    matches: Mapping[int, int],
    most_links: int,
    page: int,
    other: int,
    kinds: tuple[str, ...] = ("target", "source"),
) -> float:
    """Weighted Jaccard of the matched neighbours of an old page and those of a new one; 0 where neither has any."""
    known = set(matches.values())

    def weigh(neighbour: tuple[str, int]) -> float:
        kind, at = neighbour
        links = len(new[at]) if kind == "source" else sum(at in row for row in new)
        return 1 / math.log2(1 + links) if links <= most_links else 0.0

    mine = {(kind, matches[at]) for kind, at in neighbours(old, page) if at in matches and kind in kinds}
    mine = {(kind, at) for kind, at in mine if len(new[at]) > 0 or kind == "target"}
    mine = {(kind, at) for kind, at in mine if any(at in row for row in new) or kind == "source"}
    theirs = {(kind, at) for kind, at in neighbours(new, other) if at in known and kind in kinds}
    whole = sum(map(weigh, mine | theirs))
    return sum(map(weigh, mine & theirs)) / whole if whole else 0.0


def neighbours(graph: Graph, page: int) -> set[tuple[str, int]]:
    return {("target", at) for at in graph[page]} | {("source", at) for at, row in enumerate(graph) if page in row}

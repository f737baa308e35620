"""The headers of an HTTP answer that say something of pages and links; a repeated one is kept line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote_from_bytes

_READ = frozenset(b"content-type content-encoding transfer-encoding location refresh x-robots-tag link".split())
_FOLD = re.compile(rb"\r?\n[ \t]+")
_PRINTABLE = bytes(range(33, 127))
_TYPE = re.compile(r"(?:^|,)\s*+([^\s/;,\"]++/[^\s;,\"]++)((?:[^,\"]|\"[^\"]*+\"?+)*+)")
_CHARSET = re.compile(r";\s*+charset=\s*+(?:\"([^\"]*+)\"?|([^\s;\"]++))", re.IGNORECASE)
_LINK = re.compile(r"<([^<>]*+)>((?:[^<>,\"]|\"[^\"]*+\"?+)*+)")
_RELATION = re.compile(r";\s*+rel\s*+=\s*+(?:\"([^\"]*+)\"|([^\s;\"]++))", re.IGNORECASE)


def headers_of(head: bytes) -> dict[str, str]:
    """Those that are read, by their names in lower case; `head` is all between status line and body."""
    found: dict[str, list[str]] = {}
    for line in _FOLD.sub(b" ", head).split(b"\n"):
        name, colon, value = line.partition(b":")
        key = name.strip().lower()
        if colon and key in _READ:
            text = _location(value.strip()) if key == b"location" else _text(value.strip())
            found.setdefault(key.decode(), []).append(text)
    return {name: "\n".join(values) for name, values in found.items()}


def media_type(value: str) -> tuple[str, str | None]:
    """The type in a Content-Type header, in lower case, and its charset; of several types the last counts."""
    kind, charset = "", None
    for found in _TYPE.finditer(value.replace("\n", ",")):
        if found[1].lower() != kind:
            kind, charset = found[1].lower(), None
        named = _CHARSET.search(found[2])
        charset = charset if named is None else (named[1] or named[2])
    return kind, charset


def linked(value: str) -> Iterator[tuple[str, str]]:
    """(URL, relations) for each entry of a Link header."""
    for found in _LINK.finditer(value):
        relation = _RELATION.search(found[2])
        if relation is not None:
            yield found[1], relation[1] or relation[2] or ""


def _location(value: bytes) -> str:
    """Bytes beyond ASCII percent-encoded, as browsers do, which know nothing of their encoding either."""
    return quote_from_bytes(value, safe=_PRINTABLE)


def _text(value: bytes) -> str:
    """UTF-8 where it can be."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")

"""The encoding of a page as a browser decides it: byte order mark, HTTP header, what the first 1,024 bytes declare.

Where none of them says, the page is UTF-8 if it can be, and windows-1252 otherwise. Names are those of the encoding
standard: iso-8859-1 means windows-1252, a page that declares UTF-16 in ASCII is UTF-8.
"""

from __future__ import annotations

import re

PRESCANNED = 1024
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_SKIPPED = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_META = re.compile(rb"<meta[\s/]((?:[^>\"']|\"[^\"]*\"|'[^']*')*)", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"([^\s=/>\"']+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))")
_CHARSET = re.compile(rb"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"']+))", re.IGNORECASE)


def encoding_of(page: bytes, declared: str | None) -> str:
    """The encoding, by the name Python knows it by. `declared`: the charset of the HTTP header."""
    for mark, name in _MARKS:
        if page.startswith(mark):
            return name
    return _known(declared) or _prescanned(page[:PRESCANNED]) or _fallback(page)


def decoded(page: bytes, encoding: str) -> str:
    """The text; bytes that the encoding lacks become U+FFFD, a byte order mark goes."""
    return page.decode(encoding, "replace").removeprefix("\ufeff")


def _known(label: str | None) -> str | None:
    if not label:
        return None
    from resiliparse.parse.encoding import map_encoding_to_html5

    name = map_encoding_to_html5(label.strip().strip("'\"").lower(), False)
    try:
        "".encode(name or "")
    except LookupError:
        return None
    return name


def _prescanned(start: bytes) -> str | None:
    for tag in _META.finditer(_SKIPPED.sub(b"", start)):
        values = {key.lower(): b"".join(value) for key, *value in _ATTRIBUTE.findall(tag[1])}
        label = values.get(b"charset")
        if label is None and values.get(b"http-equiv", b"").lower() == b"content-type":
            found = _CHARSET.search(values.get(b"content", b""))
            label = b"".join(part or b"" for part in found.groups()) if found else None
        name = _known(label.decode("latin-1")) if label else None
        if name is not None:
            return "utf-8" if name.startswith("utf-16") else name
    return None


def _fallback(page: bytes) -> str:
    try:
        page.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character that the end of what was read cuts in two is no sign of another encoding.
        return "utf-8" if error.start > 0 and error.start >= len(page) - 3 else "cp1252"
    return "utf-8"

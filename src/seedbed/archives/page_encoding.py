"""The encoding of a page as a browser determines it: byte order mark, HTTP header, or the first 1,024 bytes.

If none of them says, the page is UTF-8 if it is valid UTF-8, and windows-1252 otherwise. Labels follow the Encoding
Standard: iso-8859-1 means windows-1252, and a page that declares UTF-16 in ASCII is UTF-8.

That standard's encodings are wider than Python's of the same name: bytes 0x80 to 0x9F that windows-125x and windows-874
leave undefined are control characters; Shift_JIS, EUC-KR, GBK and Big5 include vendors' extensions. Codecs for these
are registered as `browser_` plus Python's name. (w3lib and webencodings know the labels, but neither these codecs nor
the standard's prescan of tags.)
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_PREFIX = "browser_"
_OPEN = frozenset({"cp874", "koi8_u", *(f"cp{number}" for number in range(1250, 1259))})
_CHANGED = {("koi8_u", 0xAE): "ў", ("koi8_u", 0xBE): "Ў", ("cp1255", 0xCA): "\u05ba"}
# (decoder, encoder): in GBK and Big5, browsers decode more than they encode.
_WIDER = {
    "shift_jis": ("cp932", "cp932"),
    "euc_kr": ("cp949", "cp949"),
    "gbk": ("gb18030", "gbk"),
    "big5": ("big5hkscs", "big5"),
}
_RENAMED = {"iso8859-11": "cp874", "koi8-u": "koi8_u"}
_LEFT_OUT_BY_RESILIPARSE = {"x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic"}
_UNDEFINED = "\ufffe"

PRESCANNED = 1024
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_TAG = re.compile(rb"</?([a-zA-Z][^\t\n\f\r />]*+)")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*+([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)(?:\"|\Z)|'([^']*+)(?:'|\Z)|([^\t\n\f\r >]*+)))?+"
)
_WITHOUT_TAGS = frozenset(b"script style title textarea noscript noframes iframe xmp".split())
_CHARSET = re.compile(
    rb"charset[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\t\n\f\r ;\"']++))", re.IGNORECASE
)
_XML = re.compile(rb"<\?xml[^>]*?encoding[\x00-\x20]*+=[\x00-\x20]*+(?:\"([^\x00-\x20\">]*+)\"|'([^\x00-\x20'>]*+)')")


def encoding_of(page: bytes, declared: str | None) -> str:
    """The encoding, by its name in Python. `declared`: the charset in the HTTP header."""
    for mark, name in _MARKS:
        if page.startswith(mark):
            return name
    return (known(declared) if declared else None) or _prescanned(page[:PRESCANNED]) or _fallback(page)


def decoded(page: bytes, encoding: str) -> str:
    """The text; invalid bytes become U+FFFD, and a byte order mark is removed."""
    return page.decode(encoding, "replace").removeprefix("\ufeff")


def _prescanned(start: bytes) -> str | None:
    """The encoding that the first meta with one declares, or else the XML declaration."""
    for label in (*map(_label, _metas(start)), _first(_XML.match(start))):
        name = known(label.decode("latin-1")) if label else None
        if name is not None:
            return "utf-8" if name.startswith("utf-16") else name
    return None


def _metas(start: bytes) -> Iterator[dict[bytes, bytes]]:
    """The attributes of each meta, found as in the HTML standard's prescan; scripts and titles contain no tags."""
    at = start.find(b"<")
    while at >= 0:
        tag = _TAG.match(start, at)
        if start.startswith(b"<!--", at):
            at = start.find(b"-->", at + 2)
        elif tag is not None:
            values, at = _attributes(start, tag.end())
            name = tag[1].lower()
            if tag[0].lower() == b"<meta":
                yield values
            elif name in _WITHOUT_TAGS and tag[0][1:2] != b"/":
                at = start.lower().find(b"</" + name, at)
        elif start[at + 1 : at + 2] in (b"!", b"/", b"?"):
            at = start.find(b">", at)
        else:
            at += 1
        at = start.find(b"<", at) if at >= 0 else -1


def _attributes(start: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes from a position on, and where they end; the first of a repeated attribute counts."""
    values: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(start, at):
        values.setdefault(found[1].lower(), _first(found, 2))
        at = found.end()
    return values, at


def _label(meta: dict[bytes, bytes]) -> bytes:
    if b"charset" in meta:
        return meta[b"charset"]
    if meta.get(b"http-equiv", b"").lower() == b"content-type":
        return _first(_CHARSET.search(meta.get(b"content", b"")))
    return b""


def _first(found: re.Match[bytes] | None, group: int = 1) -> bytes:
    """The text of the first group that matched, starting at `group`."""
    return b"" if found is None else next((part for part in found.groups()[group - 1 :] if part is not None), b"")


def _fallback(page: bytes) -> str:
    try:
        page.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut in two at the end of the page does not indicate another encoding.
        return "utf-8" if error.start > 0 and error.start >= len(page) - 3 else "browser_cp1252"
    return "utf-8"


def known(label: str) -> str | None:
    """Python's name for the encoding that a page declares; None if browsers do not know the label."""
    from resiliparse.parse.encoding import map_encoding_to_html5

    label = label.strip(" \t\n\f\r").lower()
    name = _LEFT_OUT_BY_RESILIPARSE.get(label) or map_encoding_to_html5(label, False) or ""
    name = _RENAMED.get(name, name)
    try:
        return _PREFIX + name if name in _OPEN or name in _WIDER else codecs.lookup(name).name
    except LookupError:
        return None


def _codec(name: str) -> codecs.CodecInfo | None:
    if not name.startswith(_PREFIX):
        return None
    name = name.removeprefix(_PREFIX)
    if name in _WIDER:
        read, write = map(codecs.lookup, _WIDER[name])
        return codecs.CodecInfo(write.encode, read.decode, name=name)
    if name not in _OPEN:
        return None
    table = "".join(_character(name, byte) for byte in range(256))
    writing = codecs.charmap_build(table)
    return codecs.CodecInfo(
        lambda text, errors="strict": codecs.charmap_encode(text, errors, writing),
        lambda data, errors="strict": codecs.charmap_decode(data, errors, table),
        name=name,
    )


def _character(name: str, byte: int) -> str:
    if (name, byte) in _CHANGED:
        return _CHANGED[name, byte]
    try:
        return bytes([byte]).decode(name)
    except UnicodeDecodeError:
        return chr(byte) if byte < 0xA0 else _UNDEFINED


codecs.register(_codec)

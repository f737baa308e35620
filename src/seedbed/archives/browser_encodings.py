"""Encodings as browsers know them (the encoding standard), which are wider than Python's of the same name.

Bytes 0x80 to 0x9F that windows-125x and windows-874 leave open are control characters; Shift_JIS, EUC-KR, GBK and Big5
have the characters that vendors added. Codecs for these are registered as `browser_` and the name in Python.
"""

from __future__ import annotations

import codecs

_PREFIX = "browser_"
_OPEN = frozenset({"cp874", "koi8_u", *(f"cp{number}" for number in range(1250, 1259))})
_CHANGED = {("koi8_u", 0xAE): "ў", ("koi8_u", 0xBE): "Ў", ("cp1255", 0xCA): "\u05ba"}
# To read and to write: what a browser reads in GBK and Big5 is more than what it writes.
_WIDER = {
    "shift_jis": ("cp932", "cp932"),
    "euc_kr": ("cp949", "cp949"),
    "gbk": ("gb18030", "gbk"),
    "big5": ("big5hkscs", "big5"),
}
_RENAMED = {"iso8859-11": "cp874", "koi8-u": "koi8_u"}
_LEFT_OUT_BY_RESILIPARSE = {"x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic"}
_UNDEFINED = "\ufffe"


def known(label: str) -> str | None:
    """The name by which Python knows the encoding that a page declares; None where browsers know none."""
    from resiliparse.parse.encoding import map_encoding_to_html5

    label = label.strip(" \t\n\f\r").lower()
    name = _LEFT_OUT_BY_RESILIPARSE.get(label) or map_encoding_to_html5(label, False) or ""
    name = _RENAMED.get(name, name)
    try:
        return _PREFIX + name if name in _OPEN or name in _WIDER else codecs.lookup(name).name
    except LookupError:
        return None


def _registered(name: str) -> codecs.CodecInfo | None:
    return _codec(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None


def _codec(name: str) -> codecs.CodecInfo | None:
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


codecs.register(_registered)

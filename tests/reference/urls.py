"""What a URL table does, with a list and a dict; and its file format, read byte by byte."""

from __future__ import annotations

from collections.abc import Sequence

STRINGS_PER_BLOCK = 32
STRINGS_PER_SYMBOL_TABLE = 65536
ESCAPE = 255


class PlainUrls:
    def __init__(self, urls: Sequence[str]) -> None:
        self.urls = list(urls)
        self.first: dict[str, int] = {}
        for page, url in enumerate(urls):
            self.first.setdefault(url, page)

    def find(self, url: str) -> int | None:
        return self.first.get(url)

    def in_order(self) -> list[tuple[int, str]]:
        return sorted(enumerate(self.urls), key=lambda entry: (entry[1].encode(), entry[0]))


def read_format(text: bytes, ptr: Sequence[int], symbols: Sequence[Sequence[Sequence[int]]]) -> list[bytes]:
    """All strings of a sound table, in order of rank."""
    strings = []
    for block in range(len(ptr) - 1):
        table = symbols[block * STRINGS_PER_BLOCK // STRINGS_PER_SYMBOL_TABLE]
        data = list(text[ptr[block] : ptr[block + 1]])
        last = b""
        while data:
            shared = _varint(data)
            codes = [data.pop(0) for _ in range(_varint(data))]
            last = last[:shared] + _expanded(codes, table)
            strings.append(last)
    return strings


def _varint(data: list[int]) -> int:
    byte = data.pop(0)
    return byte if byte < 128 else (byte & 127) + 128 * _varint(data)


def _expanded(codes: list[int], table: Sequence[Sequence[int]]) -> bytes:
    out = b""
    while codes:
        code = codes.pop(0)
        if code == ESCAPE:
            out += bytes([codes.pop(0)])
        else:
            out += bytes(table[code][1 : 1 + table[code][0]])
    return out

"""What a file is, WARC (or WAT) or ARC: told from its first bytes, or from the first sound record behind damage."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Literal

from seedbed.archives import arc, warc

Kind = Literal["warc", "arc"]

_NAME = re.compile(r"\.(?:warc|arc|wat)(?:\.(?:wat|gz|zst|zstd|lz4))*$", re.IGNORECASE)
_FIRST = 1 << 14


def kind_of(path: Path) -> Kind | None:
    """What a file is by its first bytes, or by its first sound record if its name is an archive's; None for others."""
    start = _first_bytes(path)
    if warc.START.match(start):
        return "warc"
    if arc.START.match(start):
        return "arc"
    if not is_archive_name(path.name):
        return None
    return "warc" if warc.first_sound(path) is not None else "arc" if arc.first_sound(path) is not None else None


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        packed = file.read(_FIRST)
    if packed[:2] == b"\x1f\x8b":
        try:
            return zlib.decompressobj(31).decompress(packed, 64)
        except zlib.error:
            return b""
    if packed[:4] in (b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18", b"\x04\x22\x4d\x18"):
        return _first_of_other_packings(path)
    return packed[:64]


def _first_of_other_packings(path: Path) -> bytes:
    from fastwarc.warc import ArchiveIterator

    try:
        with path.open("rb") as file:
            return b"WARC/1.0\r\n" if next(iter(ArchiveIterator(file, parse_http=False)), None) is not None else b""
    except (OSError, ValueError, EOFError):
        return b""


def is_archive_name(name: str) -> bool:
    """Whether a file is called like an archive."""
    return _NAME.search(name) is not None

"""What a file is, WARC (or WAT) or ARC: told from its first bytes, or from the first sound record behind damage."""

from __future__ import annotations

import re
from typing import Literal

from seedbed.archives import arc, warc
from seedbed.archives.archive_records import starts_somewhere
from seedbed.archives.frames import CorruptRecord
from seedbed.archives.unpacked_archive import Place, Unpacked
from seedbed.archives.wacz import ArchiveFile, is_archive_name

Kind = Literal["warc", "arc"]

_START_OF_ARC = re.compile(rb"filedesc:")


def kind_in(start: bytes) -> Kind | None:
    """What a file with these first bytes is, decompressed."""
    start = start.lstrip(b"\r\n")
    if warc.SYNTAX.start.match(start):
        return "warc"
    return "arc" if _START_OF_ARC.match(start) else None


def kind_of(path: ArchiveFile) -> Kind | None:
    """What a file is by its first bytes, or by its first sound record if its name is an archive's; None for others."""
    if _starts_with(path, warc.SYNTAX.start):
        return "warc"
    if _starts_with(path, _START_OF_ARC):
        return "arc"
    if not is_archive_name(path.name):
        return None
    if starts_somewhere(path, warc.SYNTAX):
        return "warc"
    return "arc" if starts_somewhere(path, arc.SYNTAX) else None


def _starts_with(path: ArchiveFile, pattern: re.Pattern[bytes]) -> bool:
    try:
        with path.open("rb") as file:
            stream = Unpacked(file, Place(0))
            return stream.more() and stream.matches(pattern)
    except CorruptRecord:
        return False

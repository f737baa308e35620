"""JSON lines: one object a line. Lines that are none are counted and left out, as the last of a killed crawl may be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seedbed.archives.damage import Damage, Damages
from seedbed.sources.options import ReadOptions
from seedbed.sources.sniff import first_lines

_NO_OBJECT = "lines that are not as expected left out"


def first_object(path: Path) -> dict[str, Any]:
    """The object on the first line; empty where there is none."""
    lines = first_lines(path) if path.is_file() else []
    return (_object(lines[0]) or {}) if lines and lines[0].startswith("{") else {}


def objects(path: Path, options: ReadOptions, damages: Damages) -> Iterator[tuple[str, dict[str, Any]]]:
    """The object of each line, with its place."""
    for piece in options.pieces([path]):
        for row, line in enumerate(bytes(piece.checked().text).decode().split("\n")):
            if not line.strip():
                continue
            place = f"{path.name}, line {piece.line + row}"
            found = _object(line)
            if found is None:
                left_out(damages, place)
            else:
                yield place, found


def left_out(damages: Damages, place: str) -> None:
    """Count a line that says nothing."""
    damages.add(Damage(_NO_OBJECT, place))


def _object(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None

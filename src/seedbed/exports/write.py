"""Seed lists written for a crawler, all of its files or none."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seedbed.errors import OptionError, unknown
from seedbed.exports import TARGETS
from seedbed.exports.entry import Options, entries
from seedbed.graph.files import moved_into


def export(
    rows: Iterable[Mapping[str, Any]], target: str, out: Path, *, options: Options | None = None, source: str = "seeds"
) -> list[Path]:
    """Write seeds, rows with at least a `url`, best first, for a crawler; gives the files written."""
    texts = texts_for(rows, target, options or Options(), source)
    if out.is_dir():
        raise OptionError(f"{out}: is a folder. Name a file in it, such as {out / 'seeds.txt'}.")
    names = {ending: out.name if ending == "" else out.stem + ending for ending in texts}
    if len(set(names.values())) < len(names):
        raise OptionError(f"{out}: {target} reads this beside the file asked for. Name that one {out.stem}.txt.")
    with moved_into(out.parent) as work:
        for ending, text in texts.items():
            (work / names[ending]).write_text(text, encoding="utf-8")
    return [out.with_name(name) for name in names.values()]


def texts_for(rows: Iterable[Mapping[str, Any]], target: str, options: Options, source: str) -> Mapping[str, str]:
    """What a crawler reads, by the ending of the file's name."""
    if target not in TARGETS:
        raise unknown("crawler", target, TARGETS)
    texts: Mapping[str, str] = importlib.import_module(TARGETS[target]).files(entries(rows, source), options)
    return texts

"""web.json, the description of a native store: what it holds, where that came from, and the checksum of every file.

`checksum` is made from the files alone, so the same web has the same one wherever it came from; `seal` is made from all
the rest of web.json, so a change to it shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seedbed.common.messages import Progress
from seedbed.errors import InputError
from seedbed.graph.web import Origin

MANIFEST = "web.json"
FORMAT = "seedbed web"
VERSION = 1
MOST_BYTES = 1 << 22


@dataclass(frozen=True)
class Manifest:
    """What web.json says. `files`: name → {bytes, sha256}."""

    pages: int
    links: int
    link_store: str
    origin: Origin
    files: Mapping[str, Mapping[str, Any]]
    checksum: str

    @classmethod
    def of(cls, folder: Path, *, pages: int, links: int, link_store: str, origin: Origin) -> Manifest:
        """The description of all files in a folder."""
        files = {file.name: {"bytes": file.stat().st_size, "sha256": sha256(file)} for file in sorted(folder.iterdir())}
        return cls(pages, links, link_store, origin, files, _digest(files))

    def write(self, folder: Path) -> None:
        """Write web.json."""
        content = {"format": FORMAT, "version": VERSION, **asdict(self)}
        content["seal"] = _digest(content)
        (folder / MANIFEST).write_text(json.dumps(content, indent=1) + "\n")

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read web.json; an error names it. Every file must be there with its recorded size."""
        path = folder / MANIFEST
        with path.open("rb") as file:
            content = file.read(MOST_BYTES)
        try:
            entries = json.loads(content)
            _check(path, entries)
            entries["origin"] = Origin(**entries["origin"])
            manifest = cls(**{name: entries[name] for name in cls.__dataclass_fields__})
            manifest._check_files(folder)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f"{path}: not the description of a store. Convert the web again.") from None
        return manifest

    def _check_files(self, folder: Path) -> None:
        for name, recorded in self.files.items():
            if Path(name).name != name:
                raise InputError(f"{folder / MANIFEST}: names a file outside the store. Do not use it.")
            size = (folder / name).stat().st_size if (folder / name).is_file() else None
            if size != recorded["bytes"]:
                found = "is missing" if size is None else f"has {size} bytes"
                raise InputError(
                    f"{folder / name}: {found}, {recorded['bytes']} were written. "
                    "The store is incomplete; copy it again."
                )

    def verify(self, folder: Path, progress: Progress) -> None:
        """Compare every file with its recorded checksum."""
        for k, (name, recorded) in enumerate(self.files.items()):
            progress("verify", k, len(self.files))
            if sha256(folder / name) != recorded["sha256"]:
                raise InputError(
                    f"{folder / name}: its checksum is not the recorded one. The file is damaged; copy it again."
                )


def _check(path: Path, entries: dict[str, Any]) -> None:
    if entries["format"] != FORMAT:
        raise InputError(f"{path}: format is {entries['format']!r:.60}, not '{FORMAT}'. Not a seedbed store.")
    if entries["version"] != VERSION:
        raise InputError(
            f"{path}: the store has version {entries['version']!r:.20}, this seedbed reads version {VERSION}. "
            "Use the seedbed that wrote it, or convert the web again."
        )
    seal = entries.pop("seal")
    if seal != _digest(entries):
        raise InputError(f"{path}: its checksum does not fit its content. It was changed or damaged; convert again.")


def sha256(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

"""The file next to an output that says how it was made, and lets seedbed recognise a file that it wrote.

    seeds.csv
    seeds.csv.meta.json    {"seedbed": "0.1.0", "kind": "list of seeds", "files": {"seeds.csv": {"bytes": …,
                           "sha256": …}}, "made": {"strategy": "cover", …}}

It holds the size and checksum of what it describes. So it is not trusted if a crash left it next to another version of
the file, or if the file has changed since. Where crawlers read whole folders it is hidden: .seeds.txt.meta.json.
Parquet files need none: their own metadata says the same. Other programs copy that metadata along with changed rows, so
it is trusted only under seedbed's seal (see parquet_files).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ENDING = ".meta.json"
KEY = "seedbed"
MOST_BYTES = 1 << 24
_PARQUET = b"PAR1"


def sidecars(path: Path) -> tuple[Path, Path]:
    """Where the sidecar of a file may be: next to it, visible or hidden."""
    return path.with_name(path.name + ENDING), path.with_name(f".{path.name}{ENDING}")


def write_sidecar(
    path: Path, kind: str, made: Mapping[str, Any], *, files: Sequence[Path] = (), hidden: bool = False
) -> None:
    """Describe a file, and others that belong to it, in a sidecar next to it."""
    content = {
        KEY: importlib.metadata.version("seedbed"),
        "kind": kind,
        "files": {file.name: fingerprint(file) for file in (path, *files)},
        "made": dict(made),
    }
    text = json.dumps(content, indent=2, sort_keys=True) + "\n"
    sidecars(path)[hidden].write_text(text, "utf-8")


def parquet_metadata(kind: str, made: Mapping[str, Any]) -> dict[str, str]:
    """The same description, for the metadata of a Parquet file."""
    return {KEY: json.dumps({"kind": kind, **made}, sort_keys=True)}


def how_made(path: Path | str) -> dict[str, Any] | None:
    """How a file that seedbed wrote was made; None if nothing says so or the file has changed since."""
    path = Path(path)
    described = described_by(path, path)
    return None if described is None else described["made"]


def is_ours(file: Path, main: Path, kind: str) -> bool:
    """Whether a file, `main` or one that belongs to it, is unchanged since seedbed wrote it as that kind of output."""
    described = described_by(file, main)
    return described is not None and described["kind"] == kind


def described_by(file: Path, main: Path) -> dict[str, Any] | None:
    """What the file itself, or the sidecar of `main`, says about it; None if that does not match the current file."""
    with file.open("rb") as data:
        if data.read(len(_PARQUET)) == _PARQUET:
            return _in_parquet(file)
    for place in sidecars(main):
        found = read_sidecar(place)
        if found is not None and file.name in found["files"] and found["files"][file.name] == fingerprint(file):
            return found
    return None


def read_sidecar(place: Path) -> dict[str, Any] | None:
    """What a sidecar says; None if there is none, or it is someone else's."""
    try:
        if not place.is_file() or place.stat().st_size > MOST_BYTES:
            return None
        found = json.loads(place.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    kinds = {KEY: str, "kind": str, "files": dict, "made": dict}
    sound = isinstance(found, dict) and all(isinstance(found.get(name), kind) for name, kind in kinds.items())
    return found if sound else None


def fingerprint(file: Path) -> dict[str, Any]:
    """The size of a file and the SHA-256 of its content."""
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return {"bytes": file.stat().st_size, "sha256": digest}


def _in_parquet(file: Path) -> dict[str, Any] | None:
    from pyarrow import ArrowException, parquet

    from seedbed.common.parquet_files import seal_fits

    try:
        if not seal_fits(file):
            return None
        made = json.loads((parquet.read_schema(file).metadata or {})[KEY.encode()])
        return {"kind": str(made.pop("kind")), "made": made}
    except (ArrowException, OSError, KeyError, AttributeError, TypeError, ValueError, RecursionError):
        return None

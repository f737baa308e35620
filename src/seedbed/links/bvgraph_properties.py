"""The .properties file of a BVGraph: how its bits are coded. Java's key=value lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from seedbed.errors import InputError, OptionError
from seedbed.links.bit_codes import CODE_NAMES, DELTA, GAMMA, GOLOMB, NIBBLE, UNARY, ZETA

# The codes each part of a record may use; the first is the default if compressionflags does not name one.
CODES = {
    "outdegrees": (GAMMA, DELTA),
    "blocks": (GAMMA, UNARY, DELTA),
    "residuals": (ZETA, GAMMA, DELTA, GOLOMB, NIBBLE),
    "references": (UNARY, GAMMA, DELTA),
    "block_count": (GAMMA, UNARY, DELTA),
    "offsets": (GAMMA, DELTA),
}
# The names of the numbers in the file, in its order.
KEYS = {
    "nodes": "nodes",
    "arcs": "arcs",
    "self_links": "selflinks",
    "window": "windowsize",
    "max_references": "maxrefcount",
    "min_interval": "minintervallength",
    "zeta_k": "zetak",
}
UNLIMITED = 2**31 - 1
MOST_BYTES = 1 << 20


class BvCoding(NamedTuple):
    """What kernels see of BvProperties."""

    window: int
    max_references: int
    min_interval: int
    zeta_k: int
    outdegrees: int
    blocks: int
    residuals: int
    references: int
    block_count: int


@dataclass(frozen=True)
class BvProperties:
    """Counts, window and codes of a BVGraph. `max_references` bounds the chain of references.

    `self_links`: the number of arcs from a page to itself, −1 if the file does not say; files we write do.
    """

    nodes: int
    arcs: int
    window: int = 7
    max_references: int = 3
    min_interval: int = 4
    zeta_k: int = 3
    outdegrees: int = GAMMA
    blocks: int = GAMMA
    residuals: int = ZETA
    references: int = UNARY
    block_count: int = GAMMA
    offsets: int = GAMMA
    self_links: int = -1

    def __post_init__(self) -> None:
        limits = {
            "nodes": (0, 2**40),
            "arcs": (0, 2**50),
            "window": (0, 2**20),
            "max_references": (-1, UNLIMITED),
            "min_interval": (0, UNLIMITED),
            "zeta_k": (1, 2**20 if self.residuals == GOLOMB else 30),
            "self_links": (-1, self.nodes),
        }
        for name, (least, most) in limits.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise OptionError(f"{name} is {value}; it must be from {least} to {most}")
        if self.arcs > self.nodes * self.nodes:
            raise OptionError(f"arcs is {self.arcs}, more than {self.nodes} nodes can have")
        for part, codes in CODES.items():
            if getattr(self, part) not in codes:
                known = ", ".join(_name(code) for code in codes)
                raise OptionError(f"{part} cannot be coded as {_name(getattr(self, part))}; known: {known}")

    @classmethod
    def read(cls, path: Path) -> BvProperties:
        """Read from a file; errors name it."""
        entries = _entries(path)
        if "BVGraph" not in entries.get("graphclass", "BVGraph"):
            raise InputError(
                f"{path}: graphclass is {entries['graphclass']}, not BVGraph. Convert it with WebGraph first."
            )
        if entries.get("endianness", "big") != "big":
            raise InputError(f"{path}: the graph is little-endian; only WebGraph's usual big-endian files are read.")
        numbers = {
            field: _number(path, entries, key)
            for field, key in KEYS.items()
            if key in entries or field in ("nodes", "arcs")
        }
        try:
            return cls(**numbers, **_flags(entries.get("compressionflags", "")))
        except OptionError as wrong:
            raise InputError(f"{path}: {wrong}. The file is damaged or not of a BVGraph; fetch it again.") from None

    def coding(self) -> BvCoding:
        """What kernels need."""
        coding = BvCoding(*(getattr(self, name) for name in BvCoding._fields))
        return coding if coding.max_references >= 0 else coding._replace(max_references=UNLIMITED)

    def flags(self) -> str:
        """The compressionflags line: every code that is not the default."""
        unusual = [
            f"{part.upper()}_{_name(getattr(self, part))}"
            for part, codes in CODES.items()
            if getattr(self, part) != codes[0]
        ]
        return "|".join(unusual)

    def text(self, bits: int) -> str:
        """The file's content, for a stream of `bits` bits."""
        numbers = "".join(f"{key}={getattr(self, field)}\n" for field, key in KEYS.items())
        return (
            "#BVGraph properties\n"
            "graphclass=it.unimi.dsi.webgraph.BVGraph\n"
            "version=0\n"
            f"{numbers}"
            f"compressionflags={self.flags()}\n"
            f"bitsperlink={bits / max(self.arcs, 1):.3f}\n"
            f"bitspernode={bits / max(self.nodes, 1):.3f}\n"
        )


def _name(code: int) -> str:
    return next((name for name, value in CODE_NAMES.items() if value == code), str(code))


def _entries(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        text = file.read(MOST_BYTES).decode("latin-1")
    lines = (line.strip() for line in text.splitlines())
    pairs = (line.partition("=") for line in lines if line and line[0] not in "#!")
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _number(path: Path, entries: dict[str, str], key: str) -> int:
    text = entries.get(key)
    if text is None:
        raise InputError(f"{path}: '{key}' is missing. A BVGraph needs it; was the file truncated? Fetch it again.")
    try:
        return int(text)
    except ValueError:
        raise InputError(f"{path}: {key}={text[:40]} is not a whole number. Fetch the file again.") from None


def _flags(text: str) -> dict[str, int]:
    flags: dict[str, int] = {}
    for flag in filter(None, (part.strip() for part in text.split("|"))):
        part, _, code = flag.rpartition("_")
        if part.lower() not in CODES or code not in CODE_NAMES:
            raise OptionError(f"compressionflags has {flag[:40]}, which is not known")
        flags[part.lower()] = CODE_NAMES[code]
    return flags

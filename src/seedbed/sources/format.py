"""The declaration of a format: how it is recognised, read and written. Each file in `formats/` has one.

    FORMAT = Format(
        name="mine",
        meaning="links of my crawler, one per line",
        detect=lambda head: head.data.startswith(b"MINE"),
        read=read,                    # read(path, options) -> Web
    )

Other packages register theirs in the entry point group `seedbed.formats`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from seedbed.common.declarations import Declaration
from seedbed.errors import OptionError
from seedbed.sources.input_paths import files_at

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.sources.head import Head
    from seedbed.sources.read_options import ReadOptions
    from seedbed.sources.writing import WriteJob

Content = Literal["urls", "nofollow", "columns"]
"""What a web may have besides links, which a format may or may not hold."""

EVERYTHING: tuple[Content, ...] = ("urls", "nofollow", "columns")


def _unread(path: Path, options: ReadOptions) -> Web:
    raise OptionError(f"{path}: its format says neither how to read a file nor how to read several.")


@dataclass(frozen=True, kw_only=True)
class Format(Declaration):
    """How a web is stored in files.

    `read_together` reads one web from any number of paths, because a crawl leaves many files; `read` is then optional.
    `write` writes to `job.files`; a name that ends with one of `endings` stands for the format. `compressed`: an ending
    such as .gz may follow. `holds`: which parts of a web are written; the others are named when a web is saved.
    `raw_urls`: URLs are read unchanged, so one page may have several. `files_read`: all files that the web at a path is
    read from. `files_written`: all files that it is written to, starting with the one that gives it its name; none if
    the format writes a folder of its own.

    >>> import seedbed as sb
    >>> arrows = sb.Format(name="arrows", meaning="a -> b", detect=lambda head: b" -> " in head.data, read=sb.open)
    >>> arrows.endings  # it cannot be written
    ()
    """

    detect: Callable[[Head], bool]
    read: Callable[[Path, ReadOptions], Web] = _unread
    read_together: Callable[[Sequence[Path], ReadOptions], Web] | None = None
    write: Callable[[WriteJob], None] | None = None
    endings: tuple[str, ...] = ()
    compressed: bool = True
    holds: tuple[Content, ...] = EVERYTHING
    raw_urls: bool = False
    files_read: Callable[[Path], Iterable[Path]] = files_at
    files_written: Callable[[Path], list[Path]] = lambda path: [path]

    def __post_init__(self) -> None:
        together = self.read_together
        if self.read is _unread and together is not None:
            object.__setattr__(self, "read", lambda path, options: together([path], options))


def checked_format(name: str, found: Any) -> Format:
    """The object that an entry point names, checked to be a format's declaration."""
    if not isinstance(found, Format):
        raise OptionError(f"format '{name}': its entry point names a {type(found).__name__}, expected a Format.")
    return found

"""The native store: a folder with web.json in it. See seedbed.graph.native_store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seedbed.errors import OptionError
from seedbed.graph.native_store import MANIFEST, is_store, open_store
from seedbed.graph.web import Web

if TYPE_CHECKING:
    from seedbed.sources import ReadOptions


def detect(path: Path) -> bool:
    """A folder with web.json, or that file itself."""
    return is_store(path) or (path.name == MANIFEST and path.is_file())


def read(path: Path, options: ReadOptions) -> Web:
    """The stored web, memory-mapped. What became of self-links was decided when it was written."""
    web = open_store(path.parent if path.name == MANIFEST else path)
    if options.keep_self_links and web.origin.removed and web.origin.self_links:
        raise OptionError(
            f"{path}: {web.origin.self_links:,} self-links were left out when this store was written, and are gone. "
            "Convert the web it came from again with --keep-self-links."
        )
    return web

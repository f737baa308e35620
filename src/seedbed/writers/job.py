"""What a writer is given, what it gives back, and what a format could not hold, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from seedbed.common.messages import Progress, no_progress
from seedbed.graph.native_store import LinkKind
from seedbed.graph.web import Web
from seedbed.links.link_store import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from seedbed.links.bvgraph_properties import BvProperties

_LINKS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Saved:
    """What was written, and what the format could not hold."""

    path: Path
    format: str
    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Job:
    """A web to be written at a path. `links` is for the store, `properties` for BVGraph."""

    web: Web
    path: Path
    links: LinkKind = "csr"
    properties: BvProperties | None = None
    threads: int = 1
    progress: Progress = no_progress

    def blocks(self) -> Iterator[Block]:
        """All links, in page order."""
        for block in self.web.links.blocks():
            self.progress("links", block.first, self.web.page_count)
            yield block

    def pairs(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """All links as sources and targets, some 100,000 at a time."""
        for block in self.blocks():
            degrees = np.diff(block.out_ptr)
            sources = np.repeat(np.arange(block.first, block.first + len(degrees)), degrees)
            for first in range(0, len(sources), _LINKS_AT_ONCE):
                part = slice(first, first + _LINKS_AT_ONCE)
                yield sources[part], block.out_idx[part].astype(np.int64)

    def lost(self, *missing: Literal["urls", "nofollow", "columns"], pages: str = "") -> tuple[str, ...]:
        """What a format lost that never holds what is `missing` from it, nor some `pages`, in words."""
        web = self.web
        lost = ["URLs"] if "urls" in missing and web.urls is not None else []
        lost += ["hosts"] if web.hosts is not None and web.urls is None else []
        lost += [pages] if pages else []
        lost += ["which links are nofollow"] if "nofollow" in missing and web.nofollow else []
        lost += [f"the column '{name}'" for name in web.columns if "columns" in missing]
        if not lost:
            return ()
        return (f"not in this format, and so left out: {', '.join(lost)}. A store holds everything.",)

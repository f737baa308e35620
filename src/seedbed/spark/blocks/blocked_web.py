"""A web cut into blocks of consecutive pages, as files that stay where they are.

    blocks.json              pages, links, bounds: block b has the pages bounds[b] … bounds[b + 1]; an id of the web
    in/00003/ptr.i64         the links into block 3 as compressed sparse rows: those into its k-th page are
    in/00003/idx.u32             idx[ptr[k] : ptr[k + 1]], ascending positions in needs
    in/00003/needs.i64       the pages that link into the block, ascending
    in/00003/cuts.i64        needs[cuts[a] : cuts[a + 1]] are pages of block a
    in/00003/block.json      the id of the web, pages, links
    out/00003/…              the same for the links out of block 3
    urls/00003.parquet       the URLs of its pages, if they are known
    host/00003.i64           the host of each of its pages, and domain/00003.i64 its registered domain, if known:
                             numbers over the whole web, in ascending order of name
    hosts.parquet            their names, in that order, and domains.parquet
    columns/NAME/00003.f64   what else is known of each page, such as crawled

In a round, block a sends block b the values of needs[cuts[a] : cuts[a + 1]] of b, and only those: on real webs, whose
links mostly stay inside a site, far fewer than there are links. Size: 4 bytes per link and direction, 8 per page, 8 per
page needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints
from seedbed.errors import InputError, NeedsHosts, unknown
from seedbed.graph.web import Origin
from seedbed.ranking.link_sums import PAGES_PER_PART
from seedbed.spark.blocks.storage import Folder

if TYPE_CHECKING:
    import pyarrow as pa

    from seedbed.urls.sites import SiteKind

Direction = Literal["in", "out"]
FACTS, FORMAT, VERSION = "blocks.json", "seedbed blocks", 1
_WORD = np.uint64(32)


class LinkBlock(NamedTuple):
    """The links into (or out of) a block; see above."""

    ptr: Ints
    idx: NDArray[np.uint32]
    needs: Ints
    cuts: Ints


@dataclass(frozen=True)
class BlockedWeb:
    """The blocks of a web in a folder."""

    folder: str
    id: str
    page_count: int
    link_count: int
    bounds: tuple[int, ...]
    named: bool = False
    """Whether URLs are known."""
    columns: tuple[str, ...] = ()
    origin: Origin = Origin()  # noqa: RUF009 - frozen

    @property
    def blocks(self) -> int:
        """How many there are."""
        return len(self.bounds) - 1

    def pages(self, block: int) -> int:
        """The number of pages in a block."""
        return self.bounds[block + 1] - self.bounds[block]

    def links(self, direction: Direction, block: int) -> LinkBlock:
        """The links of a block, read in place."""
        folder, name = Folder(self.folder), f"{direction}/{block:05d}"
        self._check(folder, name)
        return LinkBlock(*(folder.array(f"{name}/{part}") for part in ("ptr.i64", "idx.u32", "needs.i64", "cuts.i64")))

    def needed(self, direction: Direction, by: int, of: int) -> Ints:
        """The pages of block `of` that block `by` needs, as positions in `of`."""
        folder, name = Folder(self.folder), f"{direction}/{by:05d}"
        start, stop = folder.array(f"{name}/cuts.i64", of, of + 2).tolist()
        return folder.array(f"{name}/needs.i64", start, stop) - self.bounds[of]

    def degrees(self, direction: Direction, block: int) -> Ints:
        """The number of links into, or out of, each page of a block."""
        return np.diff(Folder(self.folder).array(f"{direction}/{block:05d}/ptr.i64"))

    def sites(self, kind: SiteKind, block: int) -> Ints:
        """The site of each page of a block, as numbers over the whole web."""
        folder, name = Folder(self.folder), f"{kind}/{block:05d}.i64"
        if not folder.has(name):
            raise NeedsHosts(f"{self.folder}: hosts are needed, and the web it was cut from has none.")
        return folder.array(name)

    def site_names(self, kind: SiteKind) -> pa.ChunkedArray:
        """The names of all sites, in the order of their numbers."""
        from pyarrow import parquet

        with Folder(self.folder).opened(f"{kind}s.parquet") as file:
            return parquet.read_table(file, columns=["name"]).column("name")

    def column(self, name: str, block: int) -> NDArray[np.float64]:
        """What a column says of each page of a block."""
        if name not in self.columns:
            raise unknown("column", name, self.columns)
        return Folder(self.folder).array(f"columns/{name}/{block:05d}.f64")

    def typed_column(self, name: str, block: int) -> NDArray[Any]:
        """The same in the type that the column has in a web on one machine."""
        dtype = Folder(self.folder).json(f"columns/{name}/type.json") or "float64"
        return self.column(name, block).astype(dtype)

    def urls(self, block: int) -> pa.ChunkedArray:
        """The URLs of a block."""
        from pyarrow import parquet

        with Folder(self.folder).opened(f"urls/{block:05d}.parquet") as file:
            return parquet.read_table(file, columns=["url"]).column("url")

    def facts(self) -> dict[str, Any]:
        """What blocks.json says."""
        kept = {name: getattr(self, name) for name in ("id", "bounds", "named", "columns")}
        counts = {"pages": self.page_count, "links": self.link_count}
        return {"format": FORMAT, "version": VERSION, **counts, **kept, "origin": asdict(self.origin)}

    def _check(self, folder: Folder, name: str) -> None:
        found = folder.json(f"{name}/block.json")
        if found is None:
            raise InputError(
                f"{self.folder}/{name}: is not there, though blocks.json has {self.blocks} blocks. Cut again."
            )
        if found["web"] != self.id:
            raise InputError(f"{self.folder}/{name}: is a block of another web. Cut the web again, into a new folder.")


def has_blocks(path: str) -> bool:
    """Whether there are blocks of a web in a folder."""
    return Folder(path).has(FACTS)


def open_blocks(path: str) -> BlockedWeb:
    """The blocks in a folder, checked: all there, all of one web."""
    folder = Folder(path)
    facts = folder.json(FACTS)
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise InputError(f"{path}: has no blocks of a web. Make them: seedbed convert WEB --engine spark {path}")
    if facts["version"] != VERSION:
        raise InputError(f"{path}: was written in version {facts['version']} of the format; this is {VERSION}.")
    kept = {"bounds": tuple(facts["bounds"]), "named": facts["named"], "columns": tuple(facts["columns"])}
    kept["origin"] = Origin(**facts.get("origin", {}))
    web = BlockedWeb(folder.uri, facts["id"], facts["pages"], facts["links"], **kept)
    for direction in ("in", "out"):
        for block in range(web.blocks):
            web._check(folder, f"{direction}/{block:05d}")
    return web


def urls_of(web: BlockedWeb, pages: Ints) -> list[str | None]:
    """The URLs of a few pages, None if URLs are not known."""
    if not web.named:
        return [None] * len(pages)
    found: dict[int, str] = {}
    block_of = np.searchsorted(web.bounds, pages, side="right") - 1
    for block in np.unique(block_of).tolist():
        own = pages[block_of == block]
        urls = web.urls(block).take(own - web.bounds[block]).to_pylist()
        found |= dict(zip(own.tolist(), urls, strict=True))
    return [found[page] for page in pages.tolist()]


def even_bounds(pages: int, blocks: int) -> tuple[int, ...]:
    """Where blocks of about the same number of pages begin and end.

    Large ones begin with a part of the local engine's sums, so that totals are rounded alike.
    """
    unit = PAGES_PER_PART if pages >= 2 * blocks * PAGES_PER_PART else 1
    return (*(pages * number // blocks // unit * unit for number in range(blocks)), pages)


def write_block(
    folder: Folder,
    direction: Direction,
    block: int,
    bounds: Sequence[int],
    web: str,
    rows: NDArray[Any],
    others: NDArray[Any],
) -> int:
    """Write a block from its links, in any order: the `rows[k]`-th page of the block and page `others[k]` of the web.

    Repeated links count once. Returns how many there are.
    """
    from seedbed.spark.blocks.link_kernels import rows_of_sorted

    needs, links = _needs_and_links(rows, others)
    ptr, idx = np.zeros(bounds[block + 1] - bounds[block] + 1, np.int64), np.empty(len(links), np.uint32)
    count = rows_of_sorted(links, ptr, idx)
    write_rows(folder, f"{direction}/{block:05d}", bounds, web, ptr, idx[:count], needs)
    return int(count)


def write_rows(
    folder: Folder, name: str, bounds: Sequence[int], web: str, ptr: Ints, idx: NDArray[np.uint32], needs: Ints
) -> None:
    """Write a block from its links as they are stored; block.json comes last."""
    parts: dict[str, NDArray[Any]] = {
        "ptr.i64": ptr,
        "idx.u32": idx,
        "needs.i64": needs,
        "cuts.i64": np.searchsorted(needs, bounds),
    }
    for part, array in parts.items():
        folder.write(f"{name}/{part}", array)
    folder.write_json(f"{name}/block.json", {"web": web, "pages": len(ptr) - 1, "links": len(idx)})


def _needs_and_links(rows: NDArray[Any], others: NDArray[Any]) -> tuple[Ints, NDArray[np.uint64]]:
    """The distinct others, ascending; and the links, ascending, as row · 2³² + position in those.

    Two sorts of single numbers, which NumPy does far faster than a sort with indices.
    """
    from seedbed.spark.blocks.link_kernels import number_others

    if others.max(initial=0) < 1 << 32:
        links = others.astype(np.uint64)
        links <<= _WORD
        links |= rows.astype(np.uint64)
        links.sort()
        needs = np.empty(len(links), np.int64)
        needs = needs[: number_others(links, needs)].copy()
    else:
        needs, position = np.unique(others.astype(np.int64), return_inverse=True)
        links = rows.astype(np.uint64) << _WORD | position.astype(np.uint64)
    links.sort()
    return needs, links

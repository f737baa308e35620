"""The blocks of a web as one web in the memory of the driver, where they fit: its own algorithms then run on it.

Size: 8 bytes per page and 4 per link, 4 per page for hosts, 8 for each column, and about 100 per URL while the URLs are
read. `memory` bounds it; by default that of this machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from seedbed.common.arrays import Ints, TextChunk, chunk_of, page_dtype
from seedbed.common.memory import machine_memory, require
from seedbed.graph.web import Origin, Web
from seedbed.links.csr import Csr
from seedbed.spark.blocks.blocked_web import BlockedWeb
from seedbed.spark.blocks.storage import Folder
from seedbed.urls.sites import SiteKind, Sites
from seedbed.urls.url_table import UrlTable

BYTES_A_URL = 100
NAMES_AT_ONCE = 1 << 16


def gathered_size(web: BlockedWeb, *, urls: bool = True) -> int:
    """Bytes that a gathered web takes."""
    a_page = 8 + 4 + 8 * len(web.columns) + (BYTES_A_URL if urls and web.named else 0)
    return a_page * web.page_count + np.dtype(page_dtype(web.page_count)).itemsize * web.link_count


def fits(web: BlockedWeb, memory: int | None, *, urls: bool = True) -> bool:
    """Whether a web can be gathered, with as much again left for what is done with it."""
    return 2 * gathered_size(web, urls=urls) <= (machine_memory() if memory is None else memory)


def gathered(web: BlockedWeb, memory: int | None = None, *, urls: bool = True) -> Web:
    """All pages and links of a web, and what else its blocks know; `urls`: whether URLs are wanted."""
    what = f"{web.page_count:,} pages and {web.link_count:,} links in one place"
    require(gathered_size(web, urls=urls), what, memory)
    table = UrlTable.build(_url_chunks(web)) if urls and web.named else None
    columns = {name: np.concatenate([web.column(name, block) for block in range(web.blocks)]) for name in web.columns}
    hosts = gathered_sites(web, "host") if has_sites(web, "host") else None
    return Web(_links(web), urls=table, hosts=hosts, columns=columns, origin=Origin(web.folder))


def has_sites(web: BlockedWeb, kind: SiteKind) -> bool:
    """Whether the blocks say on which site each page is."""
    return Folder(web.folder).has(f"{kind}s.parquet")


def gathered_sites(web: BlockedWeb, kind: SiteKind) -> Sites:
    """The site of each page."""
    of_page = [web.sites(kind, block).astype(np.int32) for block in range(web.blocks)]
    return Sites(kind, np.concatenate(of_page), site_names(web, kind))


def site_names(web: BlockedWeb, kind: SiteKind) -> UrlTable:
    """The names of all sites, in their order."""
    return UrlTable.build(chunk_of(chunk) for chunk in web.site_names(kind).chunks if len(chunk))


def number_of_sites(web: BlockedWeb, kind: SiteKind) -> int:
    """How many sites there are."""
    from pyarrow import parquet

    with Folder(web.folder).opened(f"{kind}s.parquet") as file:
        return int(parquet.read_metadata(file).num_rows)


def names_of_sites(web: BlockedWeb, kind: SiteKind, numbers: Ints) -> list[str]:
    """The names of some sites, given in ascending order; the others are passed over as they are read."""
    from pyarrow import parquet

    found: list[str] = []
    with Folder(web.folder).opened(f"{kind}s.parquet") as file:
        first = 0
        for batch in parquet.ParquetFile(file).iter_batches(NAMES_AT_ONCE):
            at = numbers[(numbers >= first) & (numbers < first + len(batch))] - first
            found += batch.column("name").take(at).to_pylist()
            first += len(batch)
    return found


def _url_chunks(web: BlockedWeb) -> Iterator[TextChunk]:
    for block in range(web.blocks):
        for chunk in web.urls(block).chunks:
            if len(chunk):
                yield chunk_of(chunk)


def _links(web: BlockedWeb) -> Csr:
    out_ptr = np.zeros(web.page_count + 1, np.int64)
    out_idx = np.empty(web.link_count, page_dtype(web.page_count))
    used = 0
    for block in range(web.blocks):
        links = web.links("out", block)
        out_ptr[web.bounds[block] : web.bounds[block + 1] + 1] = links.ptr + used
        out_idx[used : used + len(links.idx)] = links.needs[links.idx]
        used += len(links.idx)
    return Csr(out_ptr, out_idx, checked=True)

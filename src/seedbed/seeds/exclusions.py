"""Pages that must not become seeds: from a list of URLs, hosts and registered domains, one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seedbed.common.user_lists import numbered_lines
from seedbed.errors import InputError

if TYPE_CHECKING:
    from seedbed.graph.web import Web


class Excluded(NamedTuple):
    """A mask over the pages, and the entries of the list that name none of them."""

    mask: NDArray[np.bool_]
    unknown: list[str]


def excluded_pages(web: Web, path: Path) -> Excluded:
    """The pages a list names. A line with :// is a URL; any other is a host, or a domain and all its hosts."""
    names = list(dict.fromkeys(line.strip() for _, line in numbered_lines(path)))
    mask = np.zeros(web.page_count, np.bool_)
    urls = [name for name in names if "://" in name]
    if urls and web.urls is None:
        raise InputError(f"{path}: lists URLs, and the web has none.")
    found = web.urls.find_many(urls) if urls and web.urls is not None else np.empty(0, np.int64)
    mask[found[found >= 0]] = True
    unknown = [url for url, page in zip(urls, found, strict=True) if page < 0]
    sites = {name.lower(): name for name in names if "://" not in name}
    left = dict(sites)
    for kind in ("host", "domain") if sites else ():
        table = web.sites(kind)
        wanted = {place: str(name) for place, name in enumerate(table.names) if name in sites}
        mask |= np.isin(table.of_page, list(wanted))
        for name in wanted.values():
            left.pop(name, None)
    return Excluded(mask, unknown + list(left.values()))

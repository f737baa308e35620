"""Pages that must not become seeds: from a list of URLs, hosts and registered domains, one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError

if TYPE_CHECKING:
    from seedbed.graph.web import Web


def excluded_pages(web: Web, path: Path) -> NDArray[np.bool_]:
    """A mask over the pages. A line with :// is a URL; any other is a host, or a domain and all its hosts."""
    try:
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 at byte {error.start}. Save it as UTF-8.") from None
    names = [line for line in lines if line and not line.startswith("#")]
    mask = np.zeros(web.page_count, np.bool_)
    urls = [name for name in names if "://" in name]
    if urls:
        if web.urls is None:
            raise InputError(f"{path}: lists URLs, and the web has none.")
        found = web.urls.find_many(urls)
        mask[found[found >= 0]] = True
    sites = {name.lower() for name in names if "://" not in name}
    if sites:
        for kind in ("host", "domain"):
            table = web.sites(kind)
            wanted = [place for place, name in enumerate(table.names) if name in sites]
            mask |= np.isin(table.of_page, wanted)
    return mask

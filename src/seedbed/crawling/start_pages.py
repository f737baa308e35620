"""The pages a crawl starts from, however they are given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import OptionError
from seedbed.seeds.seeds import Seeds

if TYPE_CHECKING:
    from seedbed.graph.web import Web


def first_pages(web: Web, seeds: Seeds | Iterable[Any]) -> NDArray[np.int64]:
    """The ids of seeds that are Seeds, page ids or URLs: each once, in their order."""
    if isinstance(seeds, Seeds):
        pages = seeds.pages
    elif isinstance(seeds, str) or not isinstance(seeds, Iterable):
        raise OptionError(f"seeds are {seeds!r}; give a list of URLs or of page ids.")
    else:
        given = list(seeds)
        named = [one for one in given if isinstance(one, str)]
        if named and len(named) < len(given):
            raise OptionError("seeds are URLs and page ids mixed; give one or the other.")
        pages = _found(web, named) if named else _ids(given)
    if len(pages) == 0:
        raise OptionError("there are no seeds. A crawl needs at least one page to start from.")
    wrong = pages[(pages < 0) | (pages >= web.page_count)]
    if len(wrong):
        raise OptionError(f"seed {wrong[0]} is not in the web, whose pages are 0 to {web.page_count - 1}.")
    _, first = np.unique(pages, return_index=True)
    return pages[np.sort(first)]


def _ids(given: list[Any]) -> NDArray[np.int64]:
    ids = np.array(given) if given else np.empty(0, np.int64)
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise OptionError(f"seeds are {ids.dtype}; page ids are whole numbers.")
    return ids.astype(np.int64)


def _found(web: Web, urls: list[str]) -> NDArray[np.int64]:
    if web.urls is None:
        raise OptionError("seeds are URLs, and the web has none. Give page ids instead.")
    pages = web.urls.find_many(urls)
    missing = np.flatnonzero(pages < 0)
    if len(missing):
        raise OptionError(
            f"{len(missing)} of {len(urls)} seeds are not in the web, the first is {urls[missing[0]]}. Leave them out, "
            "or find their successors with seedbed refresh."
        )
    return pages

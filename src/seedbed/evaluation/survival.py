"""Which pages of an old snapshot are still there in a new one, under their URL.

Daneshpajouh et al. 2008 (§3.5.4) found 11 of 100 seeds of UK-2002 in UK-2005. Whether seeds last longer than pages do
in general, the share of pages drawn at random tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError
from seedbed.evaluation.intervals import Interval, mean_interval
from seedbed.graph.web import how_to_add_urls

if TYPE_CHECKING:
    from seedbed.graph.web import Web
    from seedbed.urls.url_table import UrlTable

DRAWN = 10_000


@dataclass(frozen=True, eq=False)
class Survival:
    """`pages`: for each old seed the page of the new web with its URL, −1 for none. Shares of seeds and of pages."""

    pages: NDArray[np.int64]
    seeds: Interval
    all_pages: Interval

    @property
    def survivors(self) -> NDArray[np.int64]:
        """The seeds that are still there, as pages of the new web, in their order and each once."""
        there = self.pages[self.pages >= 0]
        _, first = np.unique(there, return_index=True)
        return there[np.sort(first)]


def survival(old: Web, new: Web, seeds: NDArray[Any], *, seed: int = 1, drawn: int = DRAWN) -> Survival:
    """The share of seeds that survive, beside that of `drawn` pages drawn at random (all where there are no more)."""
    before, after = _urls(old), _urls(new)
    found = after.find_many(before.many(np.asarray(seeds, np.int64)))
    count = old.page_count
    sample = np.sort(np.random.default_rng(seed).choice(count, min(drawn, count), replace=False))
    base = after.find_many(before.many(sample))
    return Survival(found, mean_interval(found >= 0), mean_interval(base >= 0))


def _urls(web: Web) -> UrlTable:
    if web.urls is None:
        source = web.origin.source or "this web"
        raise InputError(
            f"{source}: has no URLs, by which pages of two snapshots are matched. {how_to_add_urls(web.origin.format)}"
        )
    return web.urls

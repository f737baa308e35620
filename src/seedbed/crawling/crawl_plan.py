"""What a crawl is asked to do, checked: where it starts, how far it goes, under which conditions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.conditions import Conditions, whole_number
from seedbed.errors import OptionError, UsageError
from seedbed.seeds.seeds import Seeds
from seedbed.urls.sites import SiteKind

if TYPE_CHECKING:
    from seedbed.graph.web import Web

MOST_PAGES = 2**31 - 2
STAGES = 256


@dataclass(frozen=True, eq=False)
class Plan:
    """`budget` pages are fetched at most; `until_mass`: the guaranteed mass at which to stop. `site`: what counts as a
    site to the order; politeness and limits go by host.
    """

    web: Web
    seeds: NDArray[np.int64]
    budget: int
    conditions: Conditions
    until_mass: float
    damping: float
    scores: NDArray[Any] | None = None
    last: NDArray[np.float32] | None = None
    site: SiteKind = "host"

    def __post_init__(self) -> None:
        if self.web.page_count > MOST_PAGES:
            raise OptionError(f"the web has {self.web.page_count:,} pages; crawls go up to {MOST_PAGES:,}.")
        if not 0 <= self.damping < 1:
            raise UsageError(f"damping is {self.damping:g}; a number from 0 up to, but not, 1 is needed.")
        if self.scores is not None and np.shape(self.scores) != (self.web.page_count,):
            raise OptionError(f"scores are of shape {np.shape(self.scores)}, the web has {self.web.page_count} pages.")

    @property
    def stage(self) -> int:
        """The pages between two samples of a run."""
        return -(-self.budget // STAGES)

    def options(self) -> dict[str, Any]:
        """For the record of a run."""
        stop = {} if math.isinf(self.until_mass) else {"until_mass": self.until_mass}
        return {
            "seeds": len(self.seeds),
            "budget": self.budget,
            "damping": self.damping,
            **({} if self.site == "host" else {"site": self.site}),
            **stop,
            **self.conditions.changed(),
        }


def checked_budget(web: Web, budget: int | None) -> int:
    """The pages to fetch: all of the web where it is not said, or where more are asked for."""
    if budget is None:
        return web.page_count
    if (whole := whole_number("budget", budget)) < 1:
        raise UsageError(f"budget is {whole:,}; it must be at least 1.")
    return min(whole, web.page_count)


def checked_mass(mass: float | None) -> float:
    """The mass at which to stop; without end where it is not said."""
    if mass is None:
        return math.inf
    if not 0 < mass < 1:
        raise UsageError(f"until_mass is {mass:g}; a share above 0 and below 1 is needed.")
    return mass


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

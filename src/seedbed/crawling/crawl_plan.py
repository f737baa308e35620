"""What a crawl is asked to do, checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.crawling.conditions import Conditions, whole_number
from seedbed.errors import OptionError, UsageError

if TYPE_CHECKING:
    from seedbed.graph.web import Web

MOST_PAGES = 2**31 - 2
STAGES = 256


@dataclass(frozen=True, eq=False)
class Plan:
    """`budget` pages are fetched at most; `until_mass`: the guaranteed mass at which to stop."""

    web: Web
    seeds: NDArray[np.int64]
    budget: int
    conditions: Conditions
    until_mass: float
    damping: float
    scores: NDArray[Any] | None = None

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
            **stop,
            **self.conditions.changed(),
        }


def checked_budget(web: Web, budget: int | None) -> int:
    """The pages to fetch: all of the web where it is not said, or where more are asked for."""
    if budget is None:
        return web.page_count
    if (whole := whole_number("budget", budget)) < 1:
        raise UsageError(f"budget is {whole:,}; give 1 or more.")
    return min(whole, web.page_count)


def checked_mass(mass: float | None) -> float:
    """The mass at which to stop; without end where it is not said."""
    if mass is None:
        return math.inf
    if not 0 < mass < 1:
        raise UsageError(f"until_mass is {mass:g}; a share above 0 and below 1 is needed.")
    return mass

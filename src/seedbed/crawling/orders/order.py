"""What an order says of itself, and what it is told when a crawl begins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import UsageError

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Parameter:
    """The number after the @ of an order's name, from `least` (with `above`: from above it) to `most`."""

    name: str
    default: float | None
    least: float
    most: float = 1e15
    meaning: str = ""
    above: bool = False

    def checked(self, order: str, text: str | None) -> float:
        """The number, or an error that says which would do."""
        span = f"above {self.least:g}, up to {self.most:g}" if self.above else f"{self.least:g} to {self.most:g}"
        remedy = f"{self.name} is {self.meaning}: {span}."
        if text is None:
            if self.default is None:
                raise UsageError(f"order '{order}' needs a number, such as {order}@5. {remedy}")
            return self.default
        if not NUMBER.fullmatch(text):
            raise UsageError(f"order '{order}@{text}': '{text}' is not a number. {remedy}")
        value = float(text)
        if not self.least <= value <= self.most or (self.above and value == self.least):
            raise UsageError(f"order '{order}@{text}': {self.name} is out of range. {remedy}")
        return value


@dataclass(frozen=True)
class Setting:
    """What an order is told: the size of the web and the options; hosts and scores of the whole web only on asking.

    `frontier` makes the queue that fits the crawl: one heap, or one a host where `polite`. `scores` is for orders that
    are oracles: the true PageRank of every page.
    """

    pages: int
    parameter: float
    damping: float
    salt: int
    polite: int
    hosts: Callable[[], NDArray[np.int32]]
    frontier: Callable[[], Any]
    scores: Callable[[], NDArray[np.float64]]


@dataclass(frozen=True)
class Kind:
    """An order that runs in kernels: `prepare` makes its state, for which its file registers the three steps.

    `oracle`: it uses scores of the whole web, which no crawler has. `scored`: pages are picked by a score, which the
    run records. `guarantees`: it knows a lower bound of the PageRank mass fetched. `polite`: it can fetch politely.
    """

    name: str
    prepare: Callable[[Setting], Any]
    parameter: Parameter | None = field(default=None)
    oracle: bool = False
    scored: bool = True
    guarantees: bool = False
    polite: bool = True

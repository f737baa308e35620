"""What an order declares about itself, and what it is given when a crawl begins."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Declaration, Option, first_line
from seedbed.errors import OptionError, UsageError
from seedbed.urls.sites import SiteKind

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|inf", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class CrawlContext:
    """What an order is given: the size of the web and the options; sites and scores of the whole web only on request.

    `number`: the one after the @ of the order's name. `frontier` makes the queue that fits the crawl: one heap, or one
    a host where `fetches_per_tick` is not 0. `sites`: the site of each page, by the kind of `site`. `scores`: the true
    PageRank of every page, for oracles. `last`: what the last crawl knew of each page (see ranking/last_crawl.py), None
    without one.
    """

    pages: int
    number: float
    damping: float
    seeds: NDArray[np.int64]
    seed: int
    fetches_per_tick: int
    site: SiteKind
    sites: Callable[[], NDArray[np.int32]]
    frontier: Callable[[], Any]
    scores: Callable[[], NDArray[np.float64]]
    last: NDArray[np.float32] | None = None


@dataclass(frozen=True, kw_only=True)
class Order(Declaration):
    """A policy that picks the next page to fetch.

    `prepare` makes the state of an order that runs in kernels, for which its file registers three functions (see
    crawl_loop.py); `python` makes an order that is written in Python (see python_orders.py). One of the two is there.
    `parameter`: the number after the @ of its name; `number`: that number, as find_order() sets it.

    `needs_hosts_with`: with which numbers it looks at sites, and so works on a web with hosts only. `oracle`: it uses
    scores of the whole web, which no crawler has. `chance`: its picks depend on the seed of random numbers. `scored`:
    it picks pages by a score, which the run records. `guarantees`: it knows a lower bound of the PageRank mass fetched.
    `polite`: it can fetch politely. `live`: it can run in the live scheduler. `remembers`: it can use what the last
    crawl knew.
    """

    prepare: Callable[[CrawlContext], Any] | None = None
    python: Callable[..., Any] | None = None
    parameter: Option | None = None
    number: float | str | None = None
    needs_hosts_with: Callable[[float], bool] = lambda number: False
    oracle: bool = False
    chance: bool = False
    scored: bool = True
    guarantees: bool = False
    polite: bool = True
    live: bool = False
    remembers: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """The number after the @, if it takes one."""
        return () if self.parameter is None else (self.parameter,)

    @property
    def needs_hosts(self) -> bool:
        """Whether it works on a web with hosts only, with the number that it has."""
        return self.python is None and self.needs_hosts_with(float(self.number or 0))

    def with_number(self, text: str | None) -> Order:
        """The same order with what stands after the @ of its name: None where there is no @."""
        name = self.name if text is None else f"{self.name}@{text}"
        if self.python is not None:
            return replace(self, name=name, number=text)
        if self.parameter is not None:
            return replace(self, name=name, number=_checked(self.parameter, self.name, text))
        if text is not None:
            raise OptionError(f"order '{name}': '{self.name}' takes no number. Leave out '@{text}'.")
        return self


def _checked(parameter: Option, name: str, text: str | None) -> float:
    """The number that a text stands for, or an error that says which numbers are allowed."""
    remedy = f"{parameter.name} is {parameter.help}: {parameter.span}."
    if text is None:
        if parameter.default is None:
            raise UsageError(f"order '{name}' needs a number, such as {name}@5. {remedy}")
        return float(parameter.default)
    if not NUMBER.fullmatch(text):
        raise UsageError(f"order '{name}@{text}': '{text}' is not a number. {remedy}")
    try:
        parameter.check(float(text))
    except UsageError:
        raise UsageError(f"order '{name}@{text}': {parameter.name} is out of range. {remedy}") from None
    return float(text)


def number_option(name: str, meaning: str, *, least: float, most: float = 1e15, **more: Any) -> Option:
    """The declaration of the number after the @."""
    return Option(meaning, name=name, kind=float, least=least, most=most, **more)


def declared(name: str, found: Any) -> Order:
    """What an entry point names, as an order: a declaration, or a class (or function) that makes one in Python."""
    if isinstance(found, Order):
        return found
    if not callable(found):
        raise OptionError(f"order '{name}' is {found!r}; it must be a class with discover() and next().")
    return Order(
        name=name,
        meaning=first_line(found),
        python=found,
        oracle=bool(getattr(found, "oracle", False)),
        chance=bool(getattr(found, "chance", False)),
        scored=False,
        polite=False,
    )

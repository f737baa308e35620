"""Orders that can run live, in plain Python: the same arithmetic in the same sequence as in the simulator.

    order       score of a page that waits
    bfs         the same for all, so that pages go in the order in which they were discovered
    dfs         its discovery number
    random      a lot, drawn when it is discovered (as the simulator draws in polite crawls)
    backlink    links to it on pages fetched
    opic        the cash that was passed on to it
    fpr@M       Fractional PageRank, with links to other hosts weighing M
    live-pagerank@M   PageRank in the part of the web seen, kept current by kernels (replayed_scores.py)

Scores never underflow (see crawling/wide_floats.py), so a live crawl that fetches one page at a time goes in the
simulator's order. O(1) for each link.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from seedbed.crawling import wide_floats
from seedbed.crawling.orders import ORDERS, find_order
from seedbed.errors import OptionError, unknown
from seedbed.urls.sites import SiteKind

DAMPING = 0.85


class Score(NamedTuple):
    """A wide number; greater ones come first."""

    mantissa: float
    block: int

    def plain(self) -> float:
        """As a float; 0 if it is too small for one."""
        return wide_floats.to_float(*self)


NOTHING = Score(0.0, -(2**31))
"""Behind every score that a link gives."""


def normalized(mantissa: float, block: int) -> Score:
    """The same value with its mantissa in range."""
    return Score(*wide_floats.normalized(mantissa, block))


def plus(one: Score, other: Score) -> Score:
    """The sum of two scores."""
    return Score(*wide_floats.plus(*one, *other))


class LiveOrder:
    """Breadth-first, and what all orders have in common.

    `settled`: the score is given when a page is discovered, by `first` from its number, and links do not change it.
    `shares_mass`: scores are parts of a mass that seeds share. `needs_hosts`: links to other hosts weigh more.
    """

    settled = True
    shares_mass = False
    needs_hosts = False

    def __init__(self, first: Callable[[int], float] = lambda number: 0.0) -> None:
        self._first = first

    def first(self, number: int) -> Score:
        """The score of the n-th page discovered; for orders that are settled."""
        return Score(self._first(number), 0)

    def seed(self, seeds: int) -> Score:
        """What each of so many seeds starts with."""
        return Score(0.0, 0)

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """What a page passes on through each link inside its host and to another host, of so many links."""
        return NOTHING, NOTHING


class Backlink(LiveOrder):
    """The page that most of the links seen lead to."""

    settled = False

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """Each link counts 1."""
        return Score(1.0, 0), Score(1.0, 0)


class Fpr(LiveOrder):
    """The page with the highest Fractional PageRank: links to other hosts weigh M, seeds start with `start` of a share.

    With a damping of 1 it is the page with most cash, OPIC.
    """

    settled = False
    shares_mass = True

    def __init__(self, weight: float = 1.0, damping: float = DAMPING, start: float = 1.0 - DAMPING) -> None:
        self.weight, self._damping, self._start = weight, damping, start
        self.needs_hosts = weight != 1

    def seed(self, seeds: int) -> Score:
        """A part of an equal share."""
        return Score(self._start * (1.0 / seeds), 0)

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """d · score / (inside + M · across), and M times that to other hosts."""
        unit = self._damping * score.mantissa / (inside + self.weight * across)
        return normalized(unit, score.block), normalized(unit * self.weight, score.block)


class LivePageRankOrder(LiveOrder):
    """The page with the highest PageRank in the part of the web seen; links to other hosts weigh M."""

    settled = False

    def __init__(self, weight: float = 1.0) -> None:
        self.weight = weight
        self.needs_hosts = weight != 1


def live_order(name: str, seed: int = 1) -> LiveOrder:
    """The order of a name such as fpr@100, or an error that says which can run live."""
    stem = name.partition("@")[0]
    if stem not in ORDERS:
        raise unknown("SEEDBED_ORDER", name, _live_names())
    order = find_order(name)
    if not order.live:
        can = ", ".join(_live_names())
        raise OptionError(f"SEEDBED_ORDER is '{name}', which cannot run live. Orders that can: {can}.")
    match stem:
        case "bfs":
            return LiveOrder()
        case "dfs":
            return LiveOrder(float)
        case "random":
            from seedbed.crawling.crawl_state import uniform
            from seedbed.crawling.orders.static_orders import key_of

            return LiveOrder(partial(uniform, key_of(seed)))
        case "backlink":
            return Backlink()
        case "opic":
            return Fpr(damping=1.0, start=1.0)
    weight = float(order.number or 1)
    return LivePageRankOrder(weight) if stem == "live-pagerank" else Fpr(weight)


def site_kind(order: LiveOrder, name: str, site: str) -> SiteKind:
    """What SEEDBED_SITE names, checked."""
    if site not in ("host", "domain"):
        raise unknown("SEEDBED_SITE", site, ("host", "domain"))
    if site == "domain" and not order.needs_hosts:
        raise OptionError(f"SEEDBED_SITE is 'domain', and the order '{name}' does not look at sites. Leave it out.")
    return "host" if site == "host" else "domain"


def order_with_site(name: str, site: SiteKind) -> str:
    """The order as a job notes it: scores by host mean nothing by domain."""
    return name if site == "host" else f"{name} by {site}"


def _live_names() -> list[str]:
    return [name for name in ORDERS if ORDERS[name].live]

"""Orders that can run live, in plain Python floats: the same arithmetic in the same sequence as in the simulator.

    order       score of a page that waits
    bfs         the same for all, so that pages go in the order in which they were discovered
    dfs         its discovery number
    random      a lot, drawn when it is discovered (as the simulator draws in polite crawls)
    backlink    links to it on pages fetched
    opic        the cash it was handed
    fpr@M       Fractional PageRank, with links to other hosts weighing M (see crawling/orders/fpr.py)

Scores are (mantissa, block) with the value mantissa · 2^(512 · block) (see crawling/wide_floats.py): they never
underflow, and scaling by powers of two rounds nothing, so a live crawl that fetches one page at a time goes in the
simulator's order. O(1) for each link.
"""

from __future__ import annotations

from typing import NamedTuple

from seedbed.crawling.orders import ORDERS, find_order
from seedbed.errors import OptionError, unknown

TOP, BOTTOM = 2.0**256, 2.0**-256
UP, DOWN = 2.0**512, 2.0**-512
WORD = 2**64
DAMPING = 0.85


class Score(NamedTuple):
    """A wide number; greater ones come first."""

    mantissa: float
    block: int

    def plain(self) -> float:
        """As a float; 0 where it is too small for one."""
        mantissa, block = self
        while block < 0 and mantissa != 0.0:
            mantissa, block = mantissa * DOWN, block + 1
        while block > 0:
            mantissa, block = mantissa * UP, block - 1
        return mantissa


NOTHING = Score(0.0, -(2**31))
"""Behind every score that a link gives."""


def normal(mantissa: float, block: int) -> Score:
    """The same value with its mantissa in range; for mantissas that are at most one block off, and for 0."""
    if mantissa >= TOP:
        return Score(mantissa * DOWN, block + 1)
    if 0.0 < mantissa < BOTTOM:
        return Score(mantissa * UP, block - 1)
    return Score(mantissa, block)


def plus(one: Score, other: Score) -> Score:
    """The sum of two values. What is two blocks smaller is less than half of the last digit."""
    if other.block == one.block:
        return normal(one.mantissa + other.mantissa, one.block)
    if other.block == one.block - 1:
        return normal(one.mantissa + other.mantissa * DOWN, one.block)
    if other.block == one.block + 1:
        return normal(other.mantissa + one.mantissa * DOWN, other.block)
    return other if other.block > one.block else one


class LiveOrder:
    """Breadth-first, and what the other orders have in common.

    `settled`: the score is given when a page is discovered, and links do not change it. `shares_mass`: scores are parts
    of a mass that seeds share.
    """

    settled = False
    shares_mass = False

    def first(self, number: int) -> Score:
        """The score of the n-th page discovered; for orders that are settled."""
        return Score(0.0, 0)

    def seed(self, seeds: int) -> Score:
        """What each of so many seeds starts with."""
        return Score(0.0, 0)

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """What a page passes on through each link inside its host and to another host, of so many links."""
        return NOTHING, NOTHING


class Bfs(LiveOrder):
    """Pages as they were discovered."""

    settled = True


class Dfs(LiveOrder):
    """The page discovered last."""

    settled = True

    def first(self, number: int) -> Score:
        """Its number."""
        return Score(float(number), 0)


class Random(LiveOrder):
    """Any page."""

    settled = True

    def __init__(self, salt: int) -> None:
        import numpy as np

        self._key = int(np.random.SeedSequence([salt % WORD, 2]).generate_state(1, np.uint64)[0])

    def first(self, number: int) -> Score:
        """A number from 0 to 1 that depends on the salt and the page's number: `chance` of crawling/crawl_state.py."""
        word = (number * 0x9E3779B97F4A7C15 + self._key * 0xC2B2AE3D27D4EB4F) % WORD
        for _ in range(2):
            word = (word ^ word >> 32) * 0xD6E8FEB86659FD93 % WORD
        return Score(((word ^ word >> 32) >> 11) * 2.0**-53, 0)


class Backlink(LiveOrder):
    """The page that most of the links seen lead to."""

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """Each link counts 1."""
        return Score(1.0, 0), Score(1.0, 0)


class Opic(LiveOrder):
    """The page with most cash."""

    shares_mass = True

    def seed(self, seeds: int) -> Score:
        """An equal share of 1."""
        return Score(1.0 / seeds, 0)

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """Its cash, shared equally."""
        share = normal(score.mantissa / (inside + across), score.block)
        return share, share


class Fpr(LiveOrder):
    """The page with the highest Fractional PageRank."""

    shares_mass = True

    def __init__(self, weight: float) -> None:
        self.weight = weight

    def seed(self, seeds: int) -> Score:
        """(1 − d) of an equal share."""
        return Score((1.0 - DAMPING) * (1.0 / seeds), 0)

    def shares(self, score: Score, inside: int, across: int) -> tuple[Score, Score]:
        """d · score / (inside + M · across), and M times that to other hosts."""
        unit = DAMPING * score.mantissa / (inside + self.weight * across)
        return normal(unit, score.block), normal(unit * self.weight, score.block)


_CLASSES: dict[str, type[LiveOrder]] = {"bfs": Bfs, "dfs": Dfs, "backlink": Backlink, "opic": Opic}


def live_order(name: str, salt: int = 1) -> LiveOrder:
    """The order of a name such as fpr@100, or an error that says which can run live."""
    stem = name.partition("@")[0]
    if stem not in ORDERS:
        raise unknown("SEEDBED_ORDER", name, _live_names())
    order = find_order(name)
    if not order.live:
        can = ", ".join(_live_names())
        raise OptionError(f"SEEDBED_ORDER is '{name}', which cannot run live. Orders that can: {can}.")
    if stem == "fpr":
        return Fpr(float(order.number or 1))
    return Random(salt) if stem == "random" else _CLASSES[stem]()


def _live_names() -> list[str]:
    return [name for name in ORDERS if ORDERS[name].live]

"""What the experiment of a paper returns, and how its claims are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from seedbed.common.declarations import Declaration, Option, options_of
from seedbed.evaluation.intervals import Interval
from seedbed.evaluation.tables_and_figures import Figure, Table, Verdict

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, kw_only=True)
class Paper(Declaration):
    """A paper whose experiment can be reproduced: on one web or, with `pair`, on an old and a newer one.

    `experiment(web, settings, progress)`, or `experiment(old, new or None, settings, progress)`. `settings` is a class;
    its fields with a help text are the options.
    """

    experiment: Callable[..., Experiment]
    settings: type[Any]
    pair: bool = False

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of the experiment."""
        return tuple(option for option in options_of(self.settings) if option.help)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of an experiment, each checked."""

    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        for option in options_of(type(self)):
            option.check(getattr(self, option.name))


@dataclass(frozen=True)
class Experiment:
    """All tables and figures of a paper, recomputed from the user's webs.

    >>> import seedbed as sb
    >>> found = sb.reproduce("alam", sb.make_web(pages=1000), k=5, draws=2, repeats=1)
    >>> found.figures[0].columns
    ('series', 'x', 'y', 'error', 'chosen_by_this', 'label')
    """

    paper: str
    reference: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> list[Table | Figure]:
        """Tables, then figures."""
        return [*self.tables, *self.figures]

    @property
    def verdicts(self) -> list[tuple[str, Verdict]]:
        """(name of a table or figure, verdict) for all of them."""
        return [(part.name, one) for part in self.parts for one in part.verdicts]

    def summary(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "paper": self.paper,
            "settings": dict(self.settings),
            "tables": [table.name for table in self.tables],
            "figures": [figure.name for figure in self.figures],
            "claims": [
                {"of": name, "claim": one.claim, "holds": one.holds, "found": one.found} for name, one in self.verdicts
            ],
            "notes": list(self.notes),
        }


def larger(claim: str, difference: Interval, what: str, unit: str = "") -> Verdict:
    """The claim that a difference is above zero: it holds if the whole interval is. One value cannot tell."""
    return _judged(claim, difference.above_zero, difference, what, unit)


def not_smaller(claim: str, difference: Interval, what: str, unit: str = "") -> Verdict:
    """The claim that a difference is not below zero: it holds unless the whole interval is. One value cannot tell."""
    return _judged(claim, not difference.below_zero, difference, what, unit)


def _judged(claim: str, holds: bool, difference: Interval, what: str, unit: str) -> Verdict:
    if difference.low is None or difference.high is None:
        return Verdict(claim, None, f"{what} is {difference.mean:+.3g}{unit}, but from one case only")
    if difference.low == difference.high == 0:
        return Verdict(claim, holds, f"{what} is 0{unit} in all cases")
    text = f"{what} is {difference.mean:+.3g}{unit} (95 % interval {difference.low:+.3g} to {difference.high:+.3g})"
    chance = "" if difference.above_zero or difference.below_zero else ", which may be chance"
    return Verdict(claim, holds, text + chance)

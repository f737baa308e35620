"""What an experiment gives: tables and figures as plain numbers, with what the paper claims and whether it holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from seedbed.errors import OptionError
from seedbed.evaluation.intervals import Interval

Cell = str | int | float | None


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on the webs at hand (None: they cannot tell), and the sentence that says so."""

    claim: str
    holds: bool | None
    found: str

    @property
    def sentence(self) -> str:
        """The claim, whether it holds, and what was found."""
        words = {True: "holds here", False: "does not hold here", None: "cannot be told here"}
        return f"“{self.claim}” {words[self.holds]}: {self.found}."


@dataclass(frozen=True)
class Series:
    """One line or one set of points. `error`: half the height of the error bar, None where there is none.

    `own`: it is measured by what it was chosen by.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float | None, ...] | None = None
    own: bool = False
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        lengths = {len(one) for one in (self.x, self.y, self.error, self.labels) if one is not None}
        if len(lengths) > 1:
            raise OptionError(f"the series '{self.name}' has parts of different lengths: {sorted(lengths)}.")


@dataclass(frozen=True)
class Figure:
    """A figure of a paper. `name` is that of its files; `about` says what the reader should know besides."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    verdicts: tuple[Verdict, ...]
    kind: Literal["lines", "map"] = "lines"
    log_y: bool = False
    about: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of its data."""
        return ("series", "x", "y", "error", "chosen_by_this", "label")

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """Its data, a row a point."""
        return [
            (
                one.name,
                one.x[k],
                one.y[k],
                None if one.error is None else one.error[k],
                int(one.own),
                None if one.labels is None else one.labels[k],
            )
            for one in self.series
            for k in range(len(one.x))
        ]


@dataclass(frozen=True)
class Table:
    """A table of a paper, or one that goes with its figures."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    verdicts: tuple[Verdict, ...] = ()
    about: str = ""


@dataclass(frozen=True)
class Experiment:
    """All of a paper's tables and figures, on the webs that were given.

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
        """(the name of the table or figure, a verdict) for all of them."""
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


def line(name: str, x: Sequence[float], intervals: Sequence[Interval | None], *, own: bool = False) -> Series:
    """A series of means; the error bars are their standard errors. Places without a mean are left out."""
    there = [(place, one) for place, one in zip(x, intervals, strict=True) if one is not None]
    return Series(
        name,
        tuple(float(place) for place, _ in there),
        tuple(one.mean for _, one in there),
        tuple(one.error for _, one in there),
        own,
    )


def curve(name: str, x: Iterable[float], y: Iterable[float], *, own: bool = False) -> Series:
    """A series without error bars; places where the height is not a number are left out."""
    there = [(float(place), float(height)) for place, height in zip(x, y, strict=True) if math.isfinite(height)]
    return Series(name, tuple(place for place, _ in there), tuple(height for _, height in there), None, own)


def larger(claim: str, difference: Interval, what: str, unit: str = "") -> Verdict:
    """The claim that a difference is above zero. It holds where the whole interval is; one value alone cannot tell."""
    return Verdict(claim, None if difference.low is None else difference.above_zero, told(difference, what, unit))


def not_smaller(claim: str, difference: Interval, what: str, unit: str = "") -> Verdict:
    """The claim that a difference is not below zero. It holds unless the whole interval is."""
    return Verdict(claim, None if difference.low is None else not difference.below_zero, told(difference, what, unit))


def told(difference: Interval, what: str, unit: str = "") -> str:
    """A difference and how sure it is, in words."""
    if difference.low is None or difference.high is None:
        return f"{what} is {difference.mean:+.3g}{unit}, but of one case only"
    if difference.low == difference.high == 0:
        return f"{what} is 0{unit} in all cases"
    text = f"{what} is {difference.mean:+.3g}{unit} ({difference.low:+.3g} to {difference.high:+.3g}, 95 %)"
    chance = not difference.above_zero and not difference.below_zero
    return f"{text}, no more than chance" if chance else text

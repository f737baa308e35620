"""Tables and figures as plain numbers, for reports and the pages of experiments."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from seedbed.errors import OptionError
from seedbed.evaluation.claims import Verdict
from seedbed.evaluation.intervals import Interval

Cell = str | int | float | None
MARK = "*"
MARK_MEANING = f"{MARK} chosen by this very measure"
"""A strategy that picks by a measure does well on it by design, which says little else about its seeds."""


@dataclass(frozen=True)
class Table:
    """Columns and rows. `name` is that of its file; `about` is what else the reader should know."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    verdicts: tuple[Verdict, ...] = ()
    about: str = ""


@dataclass(frozen=True)
class Series:
    """A line or a set of points. `error`: half the height of an error bar. `own`: chosen by what is measured here."""

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

    @property
    def legend(self) -> str:
        """Its name, marked if it was chosen by what is measured."""
        return f"{self.name}{MARK}" if self.own else self.name


@dataclass(frozen=True)
class Figure:
    """Series on two axes. `name` is that of its files; `about` is what else the reader should know."""

    name: str
    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    verdicts: tuple[Verdict, ...]
    kind: Literal["lines", "map"] = "lines"
    log_x: bool = False
    log_y: bool = False
    about: str = ""
    columns: ClassVar[tuple[str, ...]] = ("series", "x", "y", "error", "chosen_by_this", "label")

    @property
    def rows(self) -> list[tuple[Cell, ...]]:
        """Its data, one row per point."""
        rows: list[tuple[Cell, ...]] = []
        for one in self.series:
            errors, labels = one.error or [None] * len(one.x), one.labels or [None] * len(one.x)
            for x, y, error, label in zip(one.x, one.y, errors, labels, strict=True):
                rows.append((one.name, x, y, error, int(one.own), label))
        return rows


def line(name: str, x: Sequence[float], intervals: Sequence[Interval | None], *, own: bool = False) -> Series:
    """A series of means with their standard errors as error bars. Points without a mean are left out."""
    known = [(float(place), one) for place, one in zip(x, intervals, strict=True) if one is not None]
    places, means = tuple(place for place, _ in known), tuple(one.mean for _, one in known)
    return Series(name, places, means, tuple(one.error for _, one in known), own)


def curve(name: str, x: Iterable[float], y: Iterable[float], *, own: bool = False) -> Series:
    """A series without error bars. Points whose y is not a number are left out."""
    known = [(float(place), float(height)) for place, height in zip(x, y, strict=True) if math.isfinite(height)]
    return Series(name, tuple(place for place, _ in known), tuple(height for _, height in known), own=own)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a header line; None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()

"""How results appear to a data scientist: as tables for pandas and Arrow, as a picture, and as both in a notebook.

A result names its columns and, if it has a picture, its lines. Text in a notebook is escaped: URLs are untrusted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, ClassVar, NamedTuple

import numpy as np

from seedbed.common.messages import visible
from seedbed.errors import SeedbedError

SHOWN = 10
WIDTH, HEIGHT, EDGE = 420, 200, 44
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#000000")
_LONGEST = 80


class Line(NamedTuple):
    """A line of a picture: two arrays of the same length."""

    name: str
    x: Any
    y: Any


class Picture(NamedTuple):
    """Lines and the labels of their axes. `logarithmic`: both axes."""

    x_label: str
    y_label: str
    lines: Sequence[Line]
    logarithmic: bool = False


class Tabular(ABC):
    """A result that is a table: define `_columns`. `_in_notebooks`: the columns a notebook shows, if not all."""

    _in_notebooks: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        """The columns by name; only the first `rows` rows, if given."""

    def to_arrow(self) -> Any:
        """The result as a pyarrow.Table."""
        import pyarrow as pa

        return pa.table(dict(self._columns()))

    def to_pandas(self) -> Any:
        """The result as a pandas.DataFrame; pandas is not installed with seedbed."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingPackage("pandas") from None
        return pd.DataFrame(dict(self._columns()))

    def _repr_html_(self) -> str:
        """What a notebook shows: a line, the first rows and the picture."""
        columns = self._columns(SHOWN)
        columns = {name: columns[name] for name in self._in_notebooks or columns}
        rows = zip(*columns.values(), strict=True)
        head = "".join(f"<th>{_text(name)}</th>" for name in columns)
        body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows)
        return f"<p>{escape(visible(repr(self)))}</p><table><tr>{head}</tr>{body}</table>{self._picture_html()}"

    def _picture_html(self) -> str:
        return ""


class Plottable(Tabular):
    """A result that is also a picture: define `_picture` too."""

    @abstractmethod
    def _picture(self, *, quick: bool = False) -> Picture:
        """The picture; `quick`: one that takes almost no time."""

    def plot(self, ax: Any = None) -> Any:
        """Draw the result with Matplotlib, on `ax` if given, and return the Axes."""
        import matplotlib.pyplot as plt

        axes = plt.subplots()[1] if ax is None else ax
        picture = self._picture()
        for name, x, y in picture.lines:
            axes.plot(x, y, label=visible(name))
        axes.set(xlabel=picture.x_label, ylabel=picture.y_label)
        if picture.logarithmic:
            axes.set(xscale="log", yscale="log")
        if len(picture.lines) > 1:
            axes.legend(fontsize="small")
        return axes

    def _picture_html(self) -> str:
        return svg(self._picture(quick=True))


class MissingPackage(SeedbedError, ImportError):
    """A package that is not installed with seedbed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"this needs {package}, which is not installed. Install it: pip install {package}")


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float | np.floating):
        return f"{cell:.6g}"
    text = visible(str(cell))
    return escape(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def svg(picture: Picture) -> str:
    """A small picture as an SVG element."""
    lines = [(line.name, *_points(line, logarithmic=picture.logarithmic)) for line in picture.lines]
    lines = [line for line in lines if len(line[1])]
    if not lines:
        return ""
    x, y = (np.concatenate([line[k] for line in lines]) for k in (1, 2))
    left, bottom = (float(np.min(all_of)) if picture.logarithmic else 0.0 for all_of in (x, y))
    across, up = float(np.max(x)) - left or 1.0, float(np.max(y)) - bottom or 1.0
    drawn = []
    for number, (name, xs, ys) in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        h, v = EDGE + (WIDTH - EDGE) * (xs - left) / across, (HEIGHT - EDGE) * (1 - (ys - bottom) / up) + 4
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(h, v, strict=True))
        drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(lines) > 1:
            drawn.append(f'<text x="{WIDTH + 8}" y="{16 + 14 * number}" fill="{colour}">{_text(name)}</text>')
    ends = (10 ** (left + across), 10 ** (bottom + up)) if picture.logarithmic else (left + across, bottom + up)
    drawn.append(f'<text x="{WIDTH}" y="{HEIGHT - 8}" text-anchor="end" fill="gray">{ends[0]:.6g}</text>')
    drawn.append(f'<text x="{EDGE - 4}" y="12" text-anchor="end" fill="gray">{ends[1]:.2g}</text>')
    about = f"{_text(picture.y_label)} against {_text(picture.x_label)}" + (", logarithmic" * picture.logarithmic)
    drawn.append(f'<text x="{EDGE}" y="{HEIGHT - 8}" fill="gray">{about}</text>')
    wide = WIDTH + (180 if len(lines) > 1 else 8)
    return f'<svg width="{wide}" height="{HEIGHT}" font-size="11" font-family="sans-serif">{"".join(drawn)}</svg>'


def _points(line: Line, *, logarithmic: bool) -> tuple[Any, Any]:
    x, y = np.asarray(line.x, np.float64), np.asarray(line.y, np.float64)
    there = np.isfinite(x) & np.isfinite(y) & ((x > 0) & (y > 0) if logarithmic else True)
    x, y = x[there], y[there]
    return (np.log10(x), np.log10(y)) if logarithmic else (x, y)

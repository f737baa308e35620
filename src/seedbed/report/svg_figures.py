"""Figures of experiments as SVG, the same bytes for the same numbers: a fixed salt for ids, no date, text as text.

Colours are those of Okabe and Ito (2008), distinguishable with any colour vision; marks and dashes differ too. On a
logarithmic axis, an error bar that reaches zero or far below all points is cut at the lower end. On a map, labels are
moved aside until they cover neither each other nor the points.
"""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from seedbed.evaluation.claims import by_claim, sentence_of

if TYPE_CHECKING:
    from seedbed.evaluation.tables_and_figures import Figure, Series

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
MANY = 20
"""From this many points on, a line has no marks."""
SIZE, MAP_SIZE = (7.5, 4.2), (7.5, 6.0)
TITLE = 58
"""Characters in a line of a title: next to a legend there is no room for more."""
LABEL, WIDTH, MARK, RINGS, NEAR = 7.0, 4.4, 3.0, 8, 12.0
"""Of a map: the size of labels, the width of a digit, half that of a mark, circles of places, what needs no line."""
SIZES = {"markersize": 4, "linewidth": 1.3, "capsize": 2, "elinewidth": 0.8}
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "seedbed",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw(figure: Figure) -> str:
    """The figure as an SVG document."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Sheet

    with rc_context(SETTINGS):
        sheet = Sheet(figsize=MAP_SIZE if figure.kind == "map" else SIZE, layout="constrained")
        FigureCanvasSVG(sheet)
        axes = sheet.add_subplot()
        if figure.kind == "map":
            _map(axes, figure.series)
        else:
            _lines(axes, figure)
        axes.set_title(fill(figure.title, TITLE), loc="left", fontsize=10)
        axes.set_xlabel(figure.x_label)
        axes.set_ylabel(figure.y_label)
        if figure.kind == "map":
            _label_points(sheet, axes, figure.series)
        if figure.kind == "lines" and figure.series:
            sheet.legend(loc="outside right upper", frameon=False)
        content = io.StringIO()
        sheet.savefig(content, format="svg", metadata={"Date": None, "Creator": None, "Title": figure.title})
    return _labelled(content.getvalue(), figure)


def _lines(axes: Any, figure: Figure) -> None:
    """One line per series, with error bars if there are errors."""
    floor = _floor(figure.series) if figure.log_y else -math.inf
    for place, one in enumerate(figure.series):
        errors = None if one.error is None else _bars(one.y, one.error, floor)
        look = {
            "color": COLOURS[place % len(COLOURS)],
            "linestyle": DASHES[(place + place // len(COLOURS)) % len(DASHES)],
            "marker": MARKERS[place % len(MARKERS)] if len(one.x) <= MANY else "",
        }
        axes.errorbar(one.x, one.y, errors, label=one.legend, **look, **SIZES)
    if figure.log_y:
        axes.set_yscale("log", nonpositive="clip")
        if floor > 0:
            axes.set_ylim(bottom=floor)
        for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            axis(_plain_power)
    places = {x for one in figure.series for x in one.x}
    if figure.log_x:
        axes.set_xscale("log")
        axes.set_xticks(sorted(places), [f"{x:,g}" for x in sorted(places)])
        axes.set_xticks([], minor=True)
    elif places and all(float(x).is_integer() for x in places):
        if len(places) <= MANY:
            axes.set_xticks(sorted(places))
        else:
            axes.xaxis.get_major_locator().set_params(integer=True)


def _floor(series: Sequence[Series]) -> float:
    """The lower end of a logarithmic axis: somewhat below the lowest point; 0 if no point can be drawn."""
    return min((y for one in series for y in one.y if y > 0), default=0.0) / 1.5


def _bars(y: Sequence[float], error: Sequence[float | None], floor: float) -> tuple[list[float], list[float]]:
    """The lower and upper lengths of error bars, the lower ones cut at the floor."""
    upper = [one or 0.0 for one in error]
    return [max(min(one, height - floor), 0.0) for one, height in zip(upper, y, strict=True)], upper


def _plain_power(value: float, _place: int | None = None) -> str:
    """The number next to a tick of a logarithmic axis: 1, 2 and 5 times a power of ten."""
    text = f"{value:g}"
    return text if f"{value:e}"[0] in "125" and float(f"{value:.0e}") == float(text) else ""


def _map(axes: Any, series: tuple[Series, ...]) -> None:
    """Points, with the same scale in both directions; the earlier a point, the darker."""
    for one in series:
        axes.scatter(one.x, one.y, c=range(len(one.x)), cmap="cividis", s=22, edgecolors="black", linewidths=0.4)
    axes.set_aspect("equal", adjustable="datalim")


def _label_points(sheet: Any, axes: Any, series: Sequence[Series]) -> None:
    """The labels of all points, with a thin line to those that had to be moved."""
    sheet.draw_without_rendering()
    points: list[tuple[float, float]] = []
    texts: list[str] = []
    for one in series:
        points += list(zip(one.x, one.y, strict=True)) if one.labels else []
        texts += one.labels or ()
    if not points:
        return
    there = (axes.transData.transform(points) * 72 / sheet.dpi).tolist()
    for point, text, (right, up) in zip(points, texts, label_offsets(there, texts), strict=True):
        line = {"arrowstyle": "-", "linewidth": 0.4, "color": "#7F7F7F", "shrinkA": 0, "shrinkB": 2}
        moved = math.hypot(right, up) > NEAR
        said = axes.annotate(text, point, xytext=(right, up), textcoords="offset points", fontsize=LABEL,
                             ha="center", va="center", arrowprops=line if moved else None)  # fmt: skip
        said.set_in_layout(False)


def label_offsets(points: Sequence[Sequence[float]], texts: Sequence[str]) -> list[tuple[float, float]]:
    """Where the middle of each label goes, from its point: the nearest place free of points and of labels before it.

    If no place is free, the one that covers least. All in points of 1/72 inch. O(labels) for each place tried.
    """
    boxes = np.full((2 * len(points), 4), MARK)  # the middle of a box, and half its width and height
    boxes[: len(points), :2] = points
    offsets = []
    for number, ((x, y), text) in enumerate(zip(points, texts, strict=True), len(points)):
        wide, high = WIDTH * len(text) / 2, LABEL / 2
        places = _places(wide)
        middles = places + np.array([x, y])
        room = boxes[:number, 2:] + np.array([wide, high])
        shared = np.maximum(room - np.abs(middles[:, None] - boxes[:number, :2]), 0.0)
        best = int(np.argmin(np.round(shared.prod(axis=2).sum(axis=1), 6)))
        boxes[number] = *middles[best], wide, high
        offsets.append((float(places[best, 0]), float(places[best, 1])))
    return offsets


def _places(wide: float) -> NDArray[np.float64]:
    """Places around a point, the nearest first: up to the right, then clockwise, then farther out."""
    found = []
    for ring in range(RINGS):
        directions = 8 + 4 * ring
        angles = np.pi / 4 - 2 * np.pi * np.arange(directions) / directions
        far = MARK + LABEL / 2 + ring * LABEL
        found.append(np.column_stack([(far + wide / 2) * np.cos(angles), far * np.sin(angles)]))
    return np.asarray(np.round(np.concatenate(found), 3), np.float64)


def _labelled(svg: str, figure: Figure) -> str:
    """The SVG with a text for people who cannot see it."""
    names = ", ".join(one.name for one in figure.series)
    said = " ".join(map(sentence_of, by_claim(figure.verdicts).values()))
    label = quoteattr(f"{figure.title}. {figure.y_label} against {figure.x_label}: {names}. {said}".strip())
    return svg.replace("<svg ", f'<svg role="img" aria-label={label} ', 1)

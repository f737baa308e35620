"""Figures of experiments as SVG, the same bytes for the same numbers: a fixed salt for ids, no date, text as text.

Colours are those of Okabe and Ito (2008), distinguishable with any colour vision; marks and dashes differ too.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    from seedbed.evaluation.tables_and_figures import Figure, Series

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")
MANY = 20
"""From this many points on, a line has no marks."""
SIZE = (7.5, 4.2)
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
        sheet = Sheet(figsize=SIZE, layout="constrained")
        FigureCanvasSVG(sheet)
        axes = sheet.add_subplot()
        if figure.kind == "map":
            _map(axes, figure.series)
        else:
            _lines(axes, figure)
        axes.set_title(figure.title, loc="left", fontsize=10)
        axes.set_xlabel(figure.x_label)
        axes.set_ylabel(figure.y_label)
        if figure.kind == "lines" and figure.series:
            sheet.legend(loc="outside right upper", frameon=False)
        content = io.StringIO()
        sheet.savefig(content, format="svg", metadata={"Date": None, "Creator": None, "Title": figure.title})
    return _labelled(content.getvalue(), figure)


def _lines(axes: Any, figure: Figure) -> None:
    """One line per series, with error bars if there are errors."""
    for place, one in enumerate(figure.series):
        errors = None if one.error is None else [error or 0.0 for error in one.error]
        look = {
            "color": COLOURS[place % len(COLOURS)],
            "linestyle": DASHES[(place + place // len(COLOURS)) % len(DASHES)],
            "marker": MARKERS[place % len(MARKERS)] if len(one.x) <= MANY else "",
        }
        axes.errorbar(one.x, one.y, errors, label=one.legend, **look, **SIZES)
    if figure.log_y:
        axes.set_yscale("log", nonpositive="clip")
        for axis in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
            axis(_plain_power)
    places = {x for one in figure.series for x in one.x}
    if places and len(places) <= MANY and all(float(x).is_integer() for x in places):
        axes.set_xticks(sorted(places))


def _plain_power(value: float, _place: int | None = None) -> str:
    """The number next to a tick of a logarithmic axis: 1, 2 and 5 times a power of ten."""
    text = f"{value:g}"
    return text if f"{value:e}"[0] in "125" and float(f"{value:.0e}") == float(text) else ""


def _map(axes: Any, series: tuple[Series, ...]) -> None:
    """Points with their labels, with the same scale in both directions; the earlier a point, the darker."""
    for one in series:
        axes.scatter(one.x, one.y, c=range(len(one.x)), cmap="cividis", s=22, edgecolors="black", linewidths=0.4)
        for x, y, label in zip(one.x, one.y, one.labels or (), strict=False):
            axes.annotate(label, (x, y), xytext=(3, 3), textcoords="offset points", fontsize=7)
    axes.set_aspect("equal", adjustable="datalim")


def _labelled(svg: str, figure: Figure) -> str:
    """The SVG with a text for people who cannot see it."""
    names = ", ".join(one.name for one in figure.series)
    said = " ".join(one.sentence for one in figure.verdicts)
    label = quoteattr(f"{figure.title}. {figure.y_label} against {figure.x_label}: {names}. {said}".strip())
    return svg.replace("<svg ", f'<svg role="img" aria-label={label} ', 1)

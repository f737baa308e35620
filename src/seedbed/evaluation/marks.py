"""Which measures a strategy was made for. A measure that was also used to choose the seeds is marked where it is shown.

A strategy that picks by a measure is good at it by design; that says little about how good the seeds are otherwise.
"""

from __future__ import annotations

from typing import Literal

Measure = Literal["pages covered", "value covered", "pagerank"]

MARK = "*"
MEANING = f"{MARK} chosen by this very measure"

_BY_VALUE = ("cover", "greedy", "maxweight", "maxscc", "rootscc")
_CHOSEN_BY: dict[Measure, tuple[str, ...]] = {
    "pages covered": ("maxout",),
    "value covered": _BY_VALUE,
    "pagerank": ("pagerank",),
}


def own_measure(strategy: str, measure: Measure, *, values_are_even: bool = False) -> bool:
    """Whether a strategy chooses by the measure. Where all pages are worth the same, value covered is pages covered."""
    names = _CHOSEN_BY[measure]
    if values_are_even and measure != "pagerank":
        names = (*_CHOSEN_BY["pages covered"], *_BY_VALUE)
    return strategy in names


def marked(name: str, own: bool) -> str:
    """The name, with the mark where it is due."""
    return f"{name}{MARK}" if own else name

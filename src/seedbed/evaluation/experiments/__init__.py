"""The papers' experiments and ours, one per file: tables, figures, and whether the claims hold."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from seedbed.errors import unknown

if TYPE_CHECKING:
    from seedbed.evaluation.experiments.experiment import Paper

PAPERS = ("daneshpajouh", "zheng", "alam", "farms")
"""Each is the name of a module here. The last is an experiment of ours."""


def paper_of(name: str) -> Paper:
    """The paper with this name."""
    if name not in PAPERS:
        raise unknown("paper", name, PAPERS)
    paper: Paper = importlib.import_module(f"{__name__}.{name}").PAPER_EXPERIMENT
    return paper

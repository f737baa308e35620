"""The papers' experiments, one a file, each a function that gives an Experiment: tables, figures, verdicts."""

from __future__ import annotations

PAPERS = {
    "daneshpajouh": "seedbed.evaluation.experiments.daneshpajouh",
    "zheng": "seedbed.evaluation.experiments.zheng",
    "alam": "seedbed.evaluation.experiments.alam",
}
"""The module of each paper's experiment."""

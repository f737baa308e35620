"""What a ranking algorithm gives: a score a page, and how it was reached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import frozen


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and how sure they are. `error_bound` bounds what `name` says it does; None where there is no bound."""

    name: str
    scores: NDArray[np.float64]
    iterations: int = 1
    error_bound: float | None = 0.0
    converged: bool = True
    seconds: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", frozen(self.scores))

    def __repr__(self) -> str:
        bound = "" if self.error_bound is None else f", error_bound={self.error_bound:.1e}"
        return (
            f"Ranking({self.name}, {len(self.scores):,} pages, iterations={self.iterations}{bound}, "
            f"converged={self.converged})"
        )

    def order(self) -> NDArray[np.int64]:
        """All pages, the highest score first; ties go to the smaller page."""
        return np.argsort(-self.scores, kind="stable")

    def top(self, k: int) -> NDArray[np.int64]:
        """The first k pages of order(), without sorting the rest."""
        if k >= len(self.scores):
            return self.order()
        if k <= 0:
            return np.empty(0, np.int64)
        limit = -np.partition(-self.scores, k - 1)[k - 1]
        above = np.flatnonzero(self.scores > limit)
        level = np.flatnonzero(self.scores == limit)[: k - len(above)]
        best = np.concatenate([above, level])
        return best[np.lexsort((best, -self.scores[best]))]

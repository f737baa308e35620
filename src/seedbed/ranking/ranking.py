"""What a ranking algorithm returns: a score per page, and how it was computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints, frozen
from seedbed.common.results import Line, Picture, Plottable

if TYPE_CHECKING:
    from seedbed.graph.web import Web

DRAWN = 1000


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Plottable):
    """Scores and how accurate they are. What `error_bound` bounds depends on `name`; None if there is no bound.

    >>> import seedbed as sb
    >>> ranking = sb.rank(sb.make_web(pages=200), "pagerank")
    >>> ranking.converged, ranking.error_bound < 1e-9
    (True, True)
    >>> ranking.to_arrow().slice(0, 1).column("url")[0].as_py() == ranking.web.urls[ranking.top(1)[0]]
    True
    """

    name: str
    scores: NDArray[np.float64]
    iterations: int = 1
    error_bound: float | None = 0.0
    converged: bool = True
    seconds: float = 0.0
    web: Web | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "scores", frozen(self.scores))

    def __repr__(self) -> str:
        bound = "" if self.error_bound is None else f", error_bound={self.error_bound:.1e}"
        return (
            f"Ranking({self.name}, {len(self.scores):,} pages, iterations={self.iterations}{bound}, "
            f"converged={self.converged})"
        )

    def order(self) -> Ints:
        """All pages, highest score first; ties go to the smaller page id."""
        return np.argsort(-self.scores, kind="stable")

    def top(self, k: int) -> Ints:
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

    def __len__(self) -> int:
        return len(self.scores)

    def rows(self, k: int) -> list[tuple[int, str | None, float]]:
        """The first k pages of order(): id, URL if known, and score."""
        pages = self.top(k)
        urls = self.web.urls.many(pages) if self.web is not None and self.web.urls is not None else [None] * len(pages)
        return list(zip(pages.tolist(), urls, self.scores[pages].tolist(), strict=True))

    def save(self, path: Path | str, *, overwrite: bool = False) -> None:
        """Write the score of every page: .csv, .jsonl or .parquet, by file extension. `sb.load` reads it."""
        from seedbed.ranking.ranking_files import write_ranking

        write_ranking(self.web, self, Path(path), overwrite=overwrite)

    def _columns(self, rows: int | None = None) -> Mapping[str, Any]:
        pages = self.order() if rows is None else self.top(rows)
        urls = None if self.web is None or self.web.urls is None else self.web.urls.many(pages)
        return {"id": pages, **({} if urls is None else {"url": urls}), "score": self.scores[pages]}

    def _picture(self, *, quick: bool = False) -> Picture:
        scores = self.scores[self.top(DRAWN)]
        lines = [Line(self.name, np.arange(1, len(scores) + 1), scores)]
        return Picture("rank", f"score by {self.name}", lines, logarithmic=True)

"""Which pages may still be chosen, as a mask over all pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem


class Openings:
    """mask[p]: whether page p may be the next seed."""

    def __init__(self, problem: Problem) -> None:
        self._quota = problem.quota
        pages = problem.web.page_count
        self.mask = np.ones(pages, np.bool_) if problem.allowed is None else problem.allowed.astype(np.bool_)
        for page in problem.taken:
            self._close(page)

    def take(self, page: int) -> None:
        """Count a seed."""
        self._quota.take(page)
        self._close(page)

    def _close(self, page: int) -> None:
        self.mask[page] = False
        sites = self._quota.site_of_page
        if sites is not None and not self._quota.open(page):
            self.mask[sites == sites[page]] = False


def trial(problem: Problem) -> Problem:
    """The same problem, whose quota can be used up without touching the first one's."""
    return replace(problem, quota=problem.quota.copy())

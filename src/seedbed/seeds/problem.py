"""What every strategy is given: the web, the values of its pages, how far a seed reaches, and what may be chosen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.messages import Progress, no_progress
from seedbed.graph.web import Web


class Quota:
    """At most this many seeds per site; any number without sites or a limit."""

    def __init__(self, site_of_page: NDArray[Any] | None = None, max_per_site: int | None = None) -> None:
        self.site_of_page = None if max_per_site is None else site_of_page
        self._max_per_site = max_per_site
        self._taken: Counter[int] = Counter()

    def open(self, page: int) -> bool:
        """Whether the page's site may have another seed."""
        if self.site_of_page is None or self._max_per_site is None:
            return True
        return self._taken[int(self.site_of_page[page])] < self._max_per_site

    def take(self, page: int) -> None:
        """Count a seed."""
        if self.site_of_page is not None:
            self._taken[int(self.site_of_page[page])] += 1

    def copy(self) -> Quota:
        """A copy that can be used up without touching this one."""
        other = Quota(self.site_of_page, self._max_per_site)
        other._taken = Counter(self._taken)
        return other


@dataclass(eq=False)
class Problem:
    """Choose pages of `web` so that much value lies within `hops` links of them.

    `allowed`: the pages that may be chosen, None for all. `taken`: seeds that are already there; what they cover is
    covered, and they are not chosen again. More hops than pages change nothing.
    """

    web: Web
    values: NDArray[np.float64]
    hops: int = 5
    allowed: NDArray[np.bool_] | None = None
    taken: tuple[int, ...] = ()
    quota: Quota = field(default_factory=Quota)
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    threads: int = 1
    progress: Progress = no_progress
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.hops = min(self.hops, self.web.page_count)

    def note(self, text: str) -> None:
        """Add a note for the user about the seeds as a whole; repeated notes appear once."""
        if text not in self.notes:
            self.notes.append(text)

    def may_pick(self, page: int) -> bool:
        """Whether a page can still be chosen."""
        return (self.allowed is None or bool(self.allowed[page])) and self.quota.open(page) and page not in self.taken

    def trial(self) -> Problem:
        """The same problem, with a quota that can be used up without touching this one's."""
        return replace(self, quota=self.quota.copy())


class Eligible:
    """Which pages may be the next seed, as a mask over all pages; for strategies that look at many of them."""

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

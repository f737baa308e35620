"""How likely a newly crawled page is new, page by page and site by site."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Page(NamedTuple):
    """A page of a crawl; `form` is the normal form of its URL, `content` and `canonical` are 0 and "" if not known."""

    url: str
    form: str
    site: str
    fetched: bool = True
    status: int = 200
    content: int = 0
    canonical: str = ""

    @property
    def answered(self) -> bool:
        return self.fetched and 0 <= self.status < 400

    @property
    def redirects(self) -> bool:
        return 300 <= self.status < 400 and self.status != 304

    @property
    def known_as(self) -> str:
        return self.canonical or self.form


def newly_crawled(web: Sequence[Page], last: Sequence[Page] = ()) -> list[tuple[Page, float]]:
    """The pages newly crawled, each with how much of it is new."""
    had = {page.url for page in last if page.answered}
    fresh = [page for page in web if page.answered and page.url not in had]
    before = [page for page in last if page.answered and not page.redirects]
    found = []
    for page in fresh:
        others = [other for other in fresh if not other.redirects]
        same_content = [other for other in others if page.content and other.content == page.content]
        same_url = [other for other in others if other.known_as == page.known_as]
        old_content = any(page.content and page.content == other.content for other in before)
        old_url = any(page.known_as in (other.known_as, other.form) for other in before)
        if page.redirects or old_content or old_url:
            found.append((page, 0.0))
        else:
            found.append((page, 1 / max(len(same_content), len(same_url))))
    return found


def shrunk(counts: Sequence[tuple[int, float]]) -> tuple[list[float], float, float]:
    """(P_uniq of each site, the web's mean, how many URLs it counts for) from (URLs, new ones) of each site."""
    total = sum(n for n, _ in counts)
    if not total:
        return [1.0] * len(counts), 1.0, 1000.0
    mean = sum(x for _, x in counts) / total
    seen = [(n, x) for n, x in counts if n]
    others = len(seen) - 1
    by_chance = total - sum(n * n for n, _ in seen) / total - others
    kappa = 1000.0
    if 0 < mean < 1 and by_chance > 0:
        rho = (sum(n * (x / n - mean) ** 2 for n, x in seen) / (mean * (1 - mean)) - others) / by_chance
        if rho > 0:
            kappa = min(max(1 / rho - 1, 1.0), 1000.0)
    return [(x + kappa * mean) / (n + kappa) for n, x in counts], mean, kappa

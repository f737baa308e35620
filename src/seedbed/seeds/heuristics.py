"""Seeds by a ranking of pages, whatever they cover: what users have today, and the papers' baselines.

    random       crawled pages in random order, then the others; all alike if it is not known which were crawled
    outdegree    most links first
    indegree     most links to the page first
    pagerank     highest PageRank first
    harmonic     highest harmonic centrality first
    sampler      highest u · ln(1 + links to the page) first, u drawn uniformly from 0 to 1 for each page, and at most
                 n seeds per registered domain: how Common Crawl says it samples new URLs (a random factor together
                 with a ranking signal, limits per domain)

Each takes pages from the top of its order and skips ineligible ones. Ties go to the smaller page. Cost: that of the
ranking, and a sort of the pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.declarations import Option
from seedbed.errors import NeedsHosts
from seedbed.ranking.degree_rankings import indegree as rank_by_indegree
from seedbed.ranking.degree_rankings import outdegree as rank_by_outdegree
from seedbed.ranking.harmonic import harmonic as rank_by_harmonic
from seedbed.ranking.pagerank import pagerank as rank_by_pagerank
from seedbed.ranking.ranking import Ranking
from seedbed.seeds.problem import Eligible
from seedbed.seeds.seeds import Pick
from seedbed.seeds.strategy import strategy

if TYPE_CHECKING:
    from seedbed.seeds.problem import Problem

PLACES = 1 << 12
REASONS = {
    "outdegree": "{:,.0f} links on the page{place}",
    "indegree": "{:,.0f} links to the page{place}",
    "pagerank": "PageRank {:.3g}{place}",
    "harmonic": "harmonic centrality {:.6g}{place}",
    "random": "drawn at random",
}
"""Why a page was chosen: formats of its score, and of its place in the ranking."""


@strategy("pages drawn at random, the baseline", chance=True)
def random(problem: Problem, k: int) -> list[Pick]:
    """k pages drawn uniformly, without replacement, from those that were crawled, if it is known which were.

    The links of the others are unknown. They are drawn only once no crawled page is left.
    """
    web = problem.web
    draws, pool = problem.random.random(web.page_count), web.baseline_pages()
    if len(pool) == web.page_count:
        return _from_top(problem, k, Ranking("random", draws), REASONS["random"])
    last = draws - 1
    last[pool] = draws[pool]
    return drawn_from_crawled(_from_top(problem, k, Ranking("random", last), REASONS["random"]), problem.note)


def drawn_from_crawled(picks: list[Pick], note: Callable[[str], object]) -> list[Pick]:
    """Picks by draws, less 1 for pages that were never crawled, with what the user should know about those."""
    note("drawn from the pages that were crawled, because the links of others are unknown.")
    if any(pick.score < 0 for pick in picks):
        note("some of the seeds were never crawled, because there are too few crawled pages.")
    crawled, never = "drawn at random from crawled pages", "drawn at random, never crawled"
    return [
        replace(pick, reason=crawled) if pick.score >= 0 else replace(pick, score=pick.score + 1, reason=never)
        for pick in picks
    ]


@strategy("the pages with the most links")
def outdegree(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the most links."""
    return _from_top(problem, k, rank_by_outdegree(problem.web), REASONS["outdegree"])


@strategy("the pages with the most links to them")
def indegree(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the most links to them."""
    return _from_top(problem, k, rank_by_indegree(problem.web), REASONS["indegree"])


@strategy("the pages with the highest PageRank", measure="pagerank", paper="Page, Brin, Motwani, Winograd 1999")
def pagerank(
    problem: Problem,
    k: int,
    *,
    ranking: Annotated[Ranking | None, Option("PageRank of the web, if already known.")] = None,
) -> list[Pick]:
    """The k pages with the highest PageRank."""
    ranking = ranking or rank_by_pagerank(problem.web, threads=problem.threads, progress=problem.progress)
    return _from_top(problem, k, ranking, REASONS["pagerank"])


@strategy("the pages that are close to most others", paper="Boldi, Vigna 2014")
def harmonic(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the highest harmonic centrality."""
    ranking = rank_by_harmonic(problem.web, threads=problem.threads, progress=problem.progress)
    note_estimate(ranking.error_bound, problem.note)
    return _from_top(problem, k, ranking, REASONS["harmonic"])


def note_estimate(error: float | None, note: Callable[[str], object]) -> None:
    """Say how good an estimate of harmonic centrality is."""
    if error:
        note(f"harmonic centrality is estimated; its standard error is {100 * error:.2g} %.")


@strategy("pages drawn at random, favouring those with many links to them", chance=True)
def sampler(
    problem: Problem,
    k: int,
    *,
    max_per_domain: Annotated[int | None, Option("Maximum number of seeds per registered domain.", least=1)] = 10,
) -> list[Pick]:
    """Up to k pages drawn by links to them, at most `max_per_domain` per registered domain (None: any number).

    A web without hosts has no domains; then there is no limit, and a note says so.
    """
    counts = rank_by_indegree(problem.web).scores
    draws = problem.random.random(problem.web.page_count)
    domains = None if max_per_domain is None else _domains(problem)
    picks = _from_top(problem, k, Ranking("sampler", draws * np.log1p(counts)), "", domains, max_per_domain)
    reason = "drawn: {:.3f} × ln(1 + {:,.0f} links to the page)"
    return [replace(pick, reason=reason.format(draws[pick.page], counts[pick.page])) for pick in picks]


def _domains(problem: Problem) -> NDArray[Any] | None:
    try:
        return problem.web.sites("domain").of_page
    except NeedsHosts:
        problem.note("no limit of seeds per domain, because the web has no hosts.")
        return None


def _from_top(
    problem: Problem,
    k: int,
    ranking: Ranking,
    reason: str,
    sites: NDArray[Any] | None = None,
    most: int | None = None,
) -> list[Pick]:
    """The first k eligible pages of a ranking; `sites` and `most` limit them on top of the problem's quota.

    `reason` is a format of the page's score and its place.
    """
    eligible = Eligible(problem)
    seeds_of: Counter[int] = Counter()
    picks: list[Pick] = []
    order = ranking.order()
    for at in islice(_eligible_places(order, eligible), k):
        page = int(order[at])
        picks.append(ranked_pick(page, float(ranking.scores[page]), reason, at, len(order)))
        eligible.take(page)
        if sites is not None:
            seeds_of[int(sites[page])] += 1
            if seeds_of[int(sites[page])] == most:
                eligible.mask[sites == sites[page]] = False
    return picks


def ranked_pick(page: int, score: float, reason: str, at: int, pages: int) -> Pick:
    """A page with its score and its place in a ranking of so many pages; `reason` is a format of both."""
    return Pick(page, score, reason.format(score, place=f", place {at + 1:,} of {pages:,}"))


def _eligible_places(order: NDArray[np.int64], eligible: Eligible) -> Iterator[int]:
    """The places of pages that are eligible when their turn comes; runs of others are skipped at once."""
    for start in range(0, len(order), PLACES):
        part, at = order[start : start + PLACES], 0
        while len(ahead := np.flatnonzero(eligible.mask[part[at:]])):
            at += int(ahead[0]) + 1
            yield start + at - 1

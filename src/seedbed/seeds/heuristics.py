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
from collections.abc import Iterator
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


@strategy("pages drawn at random, the baseline", chance=True)
def random(problem: Problem, k: int) -> list[Pick]:
    """k pages drawn uniformly, without replacement, from those that were crawled, if it is known which were.

    The links of the others are unknown. They are drawn only once no crawled page is left.
    """
    web = problem.web
    draws, pool = problem.random.random(web.page_count), web.baseline_pages()
    if len(pool) == web.page_count:
        return _from_top(problem, k, Ranking("random", draws), "drawn at random")
    last = draws - 1
    last[pool] = draws[pool]
    problem.note("drawn from the pages that were crawled, because the links of others are unknown.")
    picks = _from_top(problem, k, Ranking("random", last), "drawn at random from crawled pages")
    if any(pick.score < 0 for pick in picks):
        problem.note("some of the seeds were never crawled, because there are too few crawled pages.")
    never = "drawn at random, never crawled"
    return [pick if pick.score >= 0 else replace(pick, score=pick.score + 1, reason=never) for pick in picks]


@strategy("the pages with the most links")
def outdegree(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the most links."""
    return _from_top(problem, k, rank_by_outdegree(problem.web), "{:,.0f} links on the page{place}")


@strategy("the pages with the most links to them")
def indegree(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the most links to them."""
    return _from_top(problem, k, rank_by_indegree(problem.web), "{:,.0f} links to the page{place}")


@strategy("the pages with the highest PageRank", measure="pagerank", paper="Page, Brin, Motwani, Winograd 1999")
def pagerank(
    problem: Problem,
    k: int,
    *,
    ranking: Annotated[Ranking | None, Option("PageRank of the web, if already known.")] = None,
) -> list[Pick]:
    """The k pages with the highest PageRank."""
    ranking = ranking or rank_by_pagerank(problem.web, threads=problem.threads, progress=problem.progress)
    return _from_top(problem, k, ranking, "PageRank {:.3g}{place}")


@strategy("the pages that are close to most others", paper="Boldi, Vigna 2014")
def harmonic(problem: Problem, k: int) -> list[Pick]:
    """The k pages with the highest harmonic centrality."""
    ranking = rank_by_harmonic(problem.web, threads=problem.threads, progress=problem.progress)
    if ranking.error_bound:
        problem.note(f"harmonic centrality is estimated; its standard error is {100 * ranking.error_bound:.2g} %.")
    return _from_top(problem, k, ranking, "harmonic centrality {:.6g}{place}")


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
        page, place = int(order[at]), f", place {at + 1:,} of {len(order):,}"
        score = float(ranking.scores[page])
        picks.append(Pick(page, score, reason.format(score, place=place)))
        eligible.take(page)
        if sites is not None:
            seeds_of[int(sites[page])] += 1
            if seeds_of[int(sites[page])] == most:
                eligible.mask[sites == sites[page]] = False
    return picks


def _eligible_places(order: NDArray[np.int64], eligible: Eligible) -> Iterator[int]:
    """The places of pages that are eligible when their turn comes; runs of others are skipped at once."""
    for start in range(0, len(order), PLACES):
        part, at = order[start : start + PLACES], 0
        while len(ahead := np.flatnonzero(eligible.mask[part[at:]])):
            at += int(ahead[0]) + 1
            yield start + at - 1

"""A comparison out of sample in plain Python: seeds of one web, crawled breadth-first on a later one."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.compare import held
from tests.reference.ranking import indegree, pagerank
from tests.reference.refresh import normal_form

Graph = Sequence[Sequence[int]]


def most_linked(graph: Graph, k: int) -> list[int]:
    """The k pages with the most links to them; ties go to the smaller page."""
    links = indegree(graph)
    return sorted(range(len(graph)), key=lambda page: (-links[page], page))[:k]


def carried(pages: Sequence[int], old_urls: Sequence[str], new_urls: Sequence[str]) -> list[int]:
    """Where pages are in the later web: under the same URL, else under the only one of the same normal form."""
    found: list[int] = []
    forms = [normal_form(url) for url in new_urls]
    for page in pages:
        url = old_urls[page]
        if url in new_urls:
            there = [new_urls.index(url)]
        else:
            there = [at for at, form in enumerate(forms) if form == normal_form(url)]
        if len(there) == 1 and there[0] not in found:
            found += there
    return found


def breadth_first(graph: Graph, seeds: Sequence[int], budget: int) -> list[int]:
    """The first pages in the order in which they become known."""
    known = list(seeds)
    for page in known:
        known += [target for target in dict.fromkeys(graph[page]) if target not in known]
    return known[:budget]


def judged(
    old: Graph, old_urls: Sequence[str], new: Graph, new_urls: Sequence[str], k: int, budget: int
) -> tuple[list[int], list[float]]:
    """Seeds that are left of those chosen on the old web, and the PageRank of the new web that a crawl from them holds
    after 1, 2, … pages.
    """
    seeds = carried(most_linked(old, k), old_urls, new_urls)
    scores = pagerank(new, 0.85, 300)
    return seeds, held(breadth_first(new, seeds, budget), scores, budget)

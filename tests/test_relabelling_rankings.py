"""Other names for the pages change no ranking but where it is an estimate, and that within its error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.ranking.degree_rankings import indegree
from seedbed.ranking.harmonic import harmonic
from seedbed.ranking.hits import hits
from tests.graphs import Lists, labels, page_lists, relabelled, web_of
from tests.reference.shape_webs import random_csr

quick = settings(deadline=None, max_examples=40)
renamed = page_lists().flatmap(lambda lists: st.tuples(st.just(lists), labels(lists)))


@quick
@given(renamed)
def test_in_degrees_are_permuted(web: tuple[Lists, list[int]]) -> None:
    lists, label = web
    assert indegree(web_of(relabelled(lists, label))).scores[label].tolist() == indegree(web_of(lists)).scores.tolist()


@quick
@given(renamed, st.sampled_from([1, 4, 60]))
def test_hubs_and_authorities_are_permuted(web: tuple[Lists, list[int]], iterations: int) -> None:
    """Sums are made in another order, so to the last digits only."""
    lists, label = web
    found = hits(web_of(lists), iterations=iterations)
    other = hits(web_of(relabelled(lists, label)), iterations=iterations)
    for one, moved in zip(found, other, strict=True):
        assert moved.scores[label].tolist() == pytest.approx(one.scores.tolist(), abs=1e-12)


@quick
@given(renamed)
def test_exact_harmonic_centrality_is_permuted(web: tuple[Lists, list[int]]) -> None:
    lists, label = web
    one, moved = (harmonic(web_of(each), exact=True).scores for each in (lists, relabelled(lists, label)))
    assert moved[label].tolist() == pytest.approx(one.tolist(), abs=1e-12)


@quick
@given(renamed)
def test_estimated_harmonic_centrality_keeps_its_iterations_and_exact_near_part(
    web: tuple[Lists, list[int]],
) -> None:
    """Counters are hashed by page id, so estimates change with it. What is not estimated does not: pages without a link
    to themselves that only pages at distance 1 reach have their in-degree.
    """
    lists, label = [[target for target in row if target != page] for page, row in enumerate(web[0])], web[1]
    one, moved = (harmonic(web_of(each), precision=6) for each in (lists, relabelled(lists, label)))
    exact = harmonic(web_of(lists), exact=True).scores
    near = indegree(web_of(lists)).scores
    alone = np.flatnonzero(exact == near)
    assert one.scores[alone].tolist() == moved.scores[label][alone].tolist() == near[alone].tolist()
    assert one.error_bound == moved.error_bound


def test_estimated_harmonic_centrality_moves_within_its_error() -> None:
    """Two estimates of one number, each with standard error e, differ by less than 2 · √2 · e in 95 % of cases; those
    of one web are not independent, so 90 % will do.
    """
    links = random_csr(3000, 3, seed=5)
    exact = harmonic(Web(links), exact=True).scores
    inside = []
    for seed in range(1, 6):
        label = np.random.default_rng(seed).permutation(links.page_count)
        one, moved = harmonic(Web(links), precision=7), harmonic(Web(permuted(links, label)), precision=7)
        assert one.error_bound is not None
        apart = np.abs(moved.scores[label] - one.scores)
        assert apart.max() > 0
        inside.append(apart <= 2 * 2**0.5 * one.error_bound * (exact + 1))
    assert np.mean(inside) > 0.9


def permuted(links: Csr, label: np.ndarray) -> Csr:
    lists = [links.successors(page).tolist() for page in range(links.page_count)]
    return web_of(relabelled(lists, label.tolist())).links.to_csr()

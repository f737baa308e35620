from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from seedbed.errors import OptionError
from seedbed.shape import distances as module
from seedbed.shape.distances import average_distance, default_samples, search_from
from tests.reference import shape as reference
from tests.reference.shape_webs import csr_of, graphs, random_csr


def test_distances_of_a_drawn_web() -> None:
    # 0 → 1 → 2 → 3, and 3 → 1: from 0 it is 1 + 2 + 3, from each of the others 1 + 2.
    found = average_distance(csr_of([{1}, {2}, {3}, {1}]), samples=4)
    assert found.average == (6 + 3 + 3 + 3) / 9
    assert (found.error, found.longest, found.samples) == (0.0, 3, 4)
    assert found.connected == 9 / 12


@settings(deadline=None, max_examples=120)
@given(graphs())
def test_with_all_pages_the_average_is_exact(graph: reference.Graph) -> None:
    found = average_distance(csr_of(graph), samples=50, threads=1)
    expected = reference.average_distance(graph)
    assert found.average == (None if expected is None else pytest.approx(expected, rel=1e-12))
    assert found.error == (None if expected is None else 0.0)
    assert found.samples == len(graph)


@settings(deadline=None, max_examples=60)
@given(graphs(), st.integers(1, 12), st.integers(0, 10**6))
def test_a_sample_is_summed_up_as_the_formulas_say(graph: reference.Graph, samples: int, seed: int) -> None:
    if samples >= len(graph):
        return
    sources = np.sort(np.random.default_rng(seed).choice(len(graph), samples, replace=False)).tolist()
    away = [reference.distances_from(graph, source).values() for source in sources]
    counts, sums = [len(one) - 1 for one in away], [sum(one) for one in away]
    found = average_distance(csr_of(graph), samples=samples, seed=seed, threads=1)
    assert found.longest == max(max(one) for one in away)
    assert found.connected == sum(counts) / (samples * (len(graph) - 1))
    if not sum(counts):
        assert (found.average, found.error) == (None, None)
        return
    assert found.average == sum(sums) / sum(counts)
    if samples == 1:
        assert found.error is None
    else:
        expected = reference.ratio_error(counts, sums, len(graph))
        assert found.error == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_scipy_finds_the_same_distances() -> None:
    links = random_csr(700, 2, seed=4)
    out_ptr, out_idx = links.arrays()
    matrix = csr_array((np.ones(len(out_idx)), out_idx, out_ptr), shape=(links.pages, links.pages))
    lengths = shortest_path(matrix, method="D", unweighted=True)
    np.fill_diagonal(lengths, 0)
    lengths[np.isinf(lengths)] = 0
    reached, total, longest = search_from(links, np.arange(links.pages))
    assert reached.tolist() == np.count_nonzero(lengths, axis=1).tolist()
    assert total.tolist() == lengths.sum(axis=1).tolist()
    assert longest.tolist() == lengths.max(axis=1).tolist()


def test_the_error_says_how_far_off_estimates_are() -> None:
    links = random_csr(400, 1.3, seed=9)
    exact = average_distance(links, samples=400).average
    assert exact is not None
    found = [average_distance(links, samples=40, seed=seed, threads=1) for seed in range(200)]
    off = np.sqrt(np.mean([(one.average - exact) ** 2 for one in found if one.average is not None]))
    said = np.sqrt(np.mean([one.error**2 for one in found if one.error is not None]))
    assert said == pytest.approx(off, rel=0.2)


@pytest.mark.parametrize("threads", [1, 2, 3, 50])
def test_the_number_of_threads_changes_nothing(threads: int) -> None:
    links = random_csr(3000, 2, seed=2)
    alone = average_distance(links, samples=37, seed=6, threads=1)
    assert average_distance(links, samples=37, seed=6, threads=threads) == alone


def test_another_seed_draws_other_pages() -> None:
    links = random_csr(3000, 1.2, seed=2)
    assert average_distance(links, samples=9, seed=1) != average_distance(links, samples=9, seed=2)


def test_a_search_in_small_steps_finds_the_same() -> None:
    links = random_csr(300, 2, seed=7)
    whole = average_distance(links, samples=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "PAGES_PER_CALL", 3)
        assert average_distance(links, samples=20) == whole


def test_when_progress_raises_the_searches_end_and_their_threads_too() -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        average_distance(random_csr(20_000, 3, seed=1), samples=5000, threads=2, progress=stop)
    assert threading.active_count() == before


def test_progress_reaches_its_total() -> None:
    seen: list[tuple[str, int, int]] = []
    average_distance(csr_of([{1}, {0}, {0}]), samples=2, progress=lambda *told: seen.append(told))
    assert seen[-1] == ("distances", 2, 2)


def test_webs_of_no_page_no_link_and_one_self_link() -> None:
    for graph in ([], [set()], [{0}], [set(), set(), set()]):
        found = average_distance(csr_of(graph))
        assert (found.average, found.error, found.longest, found.connected) == (None, None, 0, 0.0)


def test_fewer_than_one_sample_or_thread_is_refused() -> None:
    with pytest.raises(OptionError, match="0 samples"):
        average_distance(csr_of([{0}]), samples=0)
    with pytest.raises(OptionError, match="0 threads"):
        average_distance(csr_of([{0}]), threads=0)


def test_the_default_number_of_samples_follows_the_work() -> None:
    assert default_samples(0) == default_samples(3_216_152) == 256
    assert default_samples(20_000_000) == 100
    assert default_samples(3_000_000_000) == 8

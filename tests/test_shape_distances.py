from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from seedbed.errors import OptionError
from seedbed.links.csr import Csr
from seedbed.shape import distances as module
from seedbed.shape.components import strong_components
from seedbed.shape.distances import average_distance, distances_to_hub, reach_at_least, search_from
from seedbed.shape.stratified_sampling import Stratum, draws_for_error, estimate, next_draws
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


@settings(deadline=None, max_examples=120)
@given(graphs())
def test_what_a_page_reaches_at_least_is_the_longest_chain_of_components(graph: reference.Graph) -> None:
    links = csr_of(graph)
    at_least = reach_at_least(links, strong_components(links)).tolist()
    assert at_least == reference.reach_at_least(graph)
    for page, low in enumerate(at_least):
        reached = len(reference.distances_from(graph, page)) - 1
        assert low <= reached
        assert (low == 0) == (reached == 0)


drawn_strata = st.lists(
    st.tuples(
        st.lists(
            st.tuples(st.integers(0, 4), st.integers(1, 50), st.integers(1, 500)), min_size=2, max_size=12
        ),  # x, N and S of the pages drawn
        st.lists(st.integers(0, 9), max_size=9),  # x of the others
    ),
    min_size=1,
    max_size=4,
)
Drawn = list[tuple[list[tuple[int, int, int]], list[int]]]


def stratum_of(found: list[tuple[int, int, int]], left: list[int]) -> Stratum:
    known = np.array([x for x, _, _ in found] + left)
    stratum = Stratum(np.arange(len(known)), known)
    stratum.add(np.array([n for _, n, _ in found]), np.array([s for _, _, s in found]))
    return stratum


@given(drawn_strata)
def test_a_sample_is_summed_up_as_the_formulas_say(drawn: Drawn) -> None:
    said = estimate([stratum_of(*one) for one in drawn])
    known = [[x for x, _, _ in found] + left for found, left in drawn]
    expected = reference.stratified_ratio(
        [reference.Drawn(len(x), sum(x) / len(x), found) for x, (found, _) in zip(known, drawn, strict=True)]
    )
    assert (said.ratio, said.ratio_error, said.pairs, said.pairs_error) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_where_sums_follow_what_is_known_the_pages_not_drawn_are_foretold() -> None:
    # N = 10 and S = 100 + 10x. Drawn: x = 1 … 8, 4.5 on average; all: 1 … 10, 5.5 on average.
    said = estimate([stratum_of([(x, 10, 100 + 10 * x) for x in range(1, 9)], [9, 10])])
    assert said.ratio == pytest.approx((100 + 10 * 5.5) / 10)
    assert (said.ratio_error, said.pairs, said.pairs_error) == (pytest.approx(0, abs=1e-9), 100, 0)


def test_no_line_leads_to_a_mean_beyond_all_pages_drawn() -> None:
    # The line through the eight points falls below 0 at x = 0, where most pages are.
    found = [(x, 1 if x < 7 else 50, 100) for x in range(8)]
    assert estimate([stratum_of(found, [0] * 92)]).pairs == 100


@given(drawn_strata, st.integers(1, 40))
def test_no_more_pages_are_drawn_than_there_are_nor_many_more_than_wanted(drawn: Drawn, wanted: int) -> None:
    strata = [stratum_of(*one) for one in drawn]
    if not any(stratum.left for stratum in strata):
        return
    for more in (next_draws(strata, 2.0, wanted), draws_for_error(strata, 2.0, 1.0, wanted)):
        assert all(0 <= count <= stratum.left for count, stratum in zip(more, strata, strict=True))
        assert 0 < sum(more) <= wanted + len(strata)


def test_just_enough_pages_are_drawn_for_an_error() -> None:
    # S is 0 or 200 in turn, N = 1: s² = 100² · 32/31, so m draws of n = 1000 give n² s² (1/m − 1/n).
    strata = [stratum_of([(0, 1, 200 * (k % 2)) for k in range(32)], [0] * 968)]
    variance = {m: 1000**2 * 100**2 * 32 / 31 * (1 / m - 1 / 1000) for m in (99, 100)}
    error = ((variance[99] + variance[100]) / 2) ** 0.5
    assert draws_for_error(strata, 100.0, error, 1000) == [68]
    assert draws_for_error(strata, 100.0, error, 20) == [20]


def few_that_reach_most(pages: int, rng: np.random.Generator) -> Csr:
    """A web of which most pages were never crawled: nine in ten have no links, and of the rest few reach nearly all."""
    graph: list[set[int]] = [set() for _ in range(pages)]
    ring = pages // 400
    for page in range(ring):
        graph[page] = {(page + 1) % ring, *rng.integers(0, pages, 40).tolist()}
    for page in range(ring, pages // 10):
        graph[page] = set(rng.integers(pages // 10, pages, 5).tolist())
    return csr_of(graph)


def test_webs_of_which_few_pages_reach_most_are_not_estimated_too_short(monkeypatch: pytest.MonkeyPatch) -> None:
    links = few_that_reach_most(8000, np.random.default_rng(5))
    exact = average_distance(links, samples=8000)
    assert exact.average is not None and exact.error == exact.connected_error == 0.0
    monkeypatch.setattr(module, "WORK", 6_000)
    found = [average_distance(links, seed=seed, threads=1) for seed in range(40)]
    assert all(one.samples < 8000 and one.average and one.error for one in found)
    average = np.array([one.average for one in found])
    connected = np.array([one.connected for one in found])
    assert abs(average.mean() - exact.average) < 4 * average.std(ddof=1) / np.sqrt(40) + 0.01 * exact.average
    assert abs(connected.mean() - exact.connected) < 4 * connected.std(ddof=1) / np.sqrt(40) + 0.01 * exact.connected
    said = np.sqrt(np.mean([one.error**2 for one in found if one.error]))
    assert said > 0.6 * np.sqrt(np.mean((average - exact.average) ** 2))


def test_where_all_pages_can_be_searched_from_the_average_is_exact() -> None:
    links = few_that_reach_most(8000, np.random.default_rng(5))
    assert average_distance(links) == average_distance(links, samples=8000)


def test_more_pages_are_drawn_until_the_error_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    links = random_csr(4000, 1.5, seed=3)
    monkeypatch.setattr(module, "WORK", 4_000_000)
    found = average_distance(links)
    assert found.samples < 4000
    assert found.average is not None and found.error is not None and found.error <= 0.01 * found.average
    monkeypatch.setattr(module, "GOOD_ERROR", 0.05)
    assert average_distance(links).samples < found.samples


def test_distances_to_the_hub_save_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    # 30 chains of 60 pages lead to page 0, which links to 1,500 pages without links.
    chains = [{0 if k % 60 == 0 else k} for k in range(1800)]
    links = csr_of([set(range(1801, 3301)), *chains, *(set[int]() for _ in range(1500))])
    exact = average_distance(links, samples=3301)
    monkeypatch.setattr(module, "WORK", 1_000_000)
    found = average_distance(links)
    assert found.average and exact.average and found.error
    assert abs(found.average - exact.average) < 4 * found.error
    monkeypatch.setattr(module, "distances_to_hub", lambda links, memory: np.zeros(links.page_count, np.int32))
    assert average_distance(links).samples > 2 * found.samples


def test_the_work_allowed_bounds_the_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    links = random_csr(4000, 3, seed=3)
    monkeypatch.setattr(module, "WORK", 1)
    found = average_distance(links)
    assert found.samples <= 2 * 12
    assert found.average is not None


@pytest.mark.parametrize("samples", [1, 2, 3, 7, 40, 399])
def test_no_more_searches_are_made_than_asked_for(samples: int) -> None:
    found = average_distance(random_csr(500, 2, seed=3), samples=samples)
    assert samples <= found.samples <= samples + 12


@pytest.mark.parametrize("pages_for_wide_masks", [1 << 24, 0])
def test_searches_side_by_side_find_what_single_ones_do(
    pages_for_wide_masks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGES_FOR_WIDE_MASKS", pages_for_wide_masks)
    links = random_csr(300, 2, seed=8)
    sources = np.array([*range(200), 7, 7])
    together = search_from(links, sources, threads=2)
    for k, source in enumerate(sources):
        alone = search_from(links, np.array([source]))
        assert [int(row[k]) for row in together] == [int(row[0]) for row in alone]


def test_scipy_finds_the_same_distances() -> None:
    links = random_csr(700, 2, seed=4)
    out_ptr, out_idx = links.arrays()
    matrix = csr_array((np.ones(len(out_idx)), out_idx, out_ptr), shape=(links.page_count, links.page_count))
    lengths = shortest_path(matrix, method="D", unweighted=True)
    np.fill_diagonal(lengths, 0)
    lengths[np.isinf(lengths)] = 0
    reached, total, longest = search_from(links, np.arange(links.page_count))
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
    assert seen[-1] == ("distances", 1, 1)


def test_webs_of_no_page_no_link_and_one_self_link() -> None:
    for graph in ([], [set()], [{0}], [set(), set(), set()]):
        found = average_distance(csr_of(graph))
        assert (found.average, found.error, found.longest, found.connected) == (None, None, 0, 0.0)


@settings(deadline=None)
@given(graphs(), st.data())
def test_searches_that_start_at_different_steps_find_the_same(graph: reference.Graph, data: st.DataObject) -> None:
    links = csr_of(graph)
    pages = links.page_count
    if not pages:
        return
    sources = np.array(data.draw(st.lists(st.integers(0, pages - 1), min_size=1, max_size=150)))
    to_hub = np.array(data.draw(st.lists(st.integers(0, 9), min_size=pages, max_size=pages)), np.int32)
    expected = search_from(links, sources)
    for any_delays in (to_hub, distances_to_hub(links)):
        np.testing.assert_array_equal(search_from(links, sources, to_hub=any_delays, threads=2), expected)


@settings(deadline=None)
@given(graphs())
def test_the_distance_to_the_hub_is_that_of_a_search(graph: reference.Graph) -> None:
    found, links_in = distances_to_hub(csr_of(graph)), [len(sources) for sources in reference.turned(graph)]
    if any(links_in):
        back = reference.distances_from(reference.turned(graph), int(np.argmax(links_in)))
        assert found.tolist() == [back.get(page, 0) for page in range(len(graph))]


def test_fewer_than_one_sample_or_thread_is_refused() -> None:
    with pytest.raises(OptionError, match="0 samples"):
        average_distance(csr_of([{0}]), samples=0)
    with pytest.raises(OptionError, match="0 threads"):
        average_distance(csr_of([{0}]), threads=0)

"""Seeds from cores: the fast way finds what the figures find, page for page."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.seeds.cores.class_hits import PRIME, ClassGraph, times
from seedbed.seeds.cores.core_seeds import cores
from seedbed.seeds.problem import Problem
from seedbed.seeds.seeds import Pick
from seedbed.urls.sites import Sites
from tests.graphs import Lists, csr, page_lists
from tests.reference import cores as reference


def web_of_hosts(lists: Lists) -> Web:
    """Every page on a host of its own, so that every link lies between sites."""
    hosts = Sites("host", np.arange(len(lists)), [f"h{k}" for k in range(len(lists))])
    return Web(csr(lists), hosts=hosts)


def found(lists: Lists, k: int, *, threads: int = 1, **options: object) -> list[Pick]:
    web = web_of_hosts(lists)
    return cores(Problem(web, np.ones(len(lists)), threads=threads), k, **options)  # type: ignore[arg-type]


def plain(picks: list[Pick]) -> list[tuple[int, list[int], list[int]]]:
    return [
        (pick.page, pick.core.hubs.tolist(), pick.core.authorities.tolist()) for pick in picks if pick.core is not None
    ]


def without_self_links(lists: Lists) -> Lists:
    return [[target for target in row if target != page] for page, row in enumerate(lists)]


grown = st.one_of(
    st.fixed_dictionaries(
        {
            "density": st.sampled_from([100.0, 80.0, 66.6, 50.0, 0.0]),
            "reading": st.sampled_from(["paper", "maximal"]),
            "max_hubs": st.sampled_from([None, 1, 2, 5]),
        }
    ),
    st.fixed_dictionaries(
        {
            "size": st.integers(2, 9),
            "new_members": st.integers(1, 3),
            "max_hubs": st.sampled_from([None, 1, 2]),
        }
    ),
)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(page_lists(most_pages=14), st.integers(1, 5), st.sampled_from([1, 2, 5, 60]), grown, st.sampled_from([1, 2]))
def test_cores_and_seeds_are_those_of_the_figures(
    lists: Lists, k: int, iterations: int, options: dict[str, object], threads: int
) -> None:
    lists = without_self_links(lists)
    expected = reference.extract_seeds(lists, k, iterations=iterations, **options)  # type: ignore[arg-type]
    assert plain(found(lists, k, iterations=iterations, threads=threads, **options)) == expected


def test_two_cores_by_hand() -> None:
    """Pages 0, 1, 2 link to 3, 4, 5; pages 6 and 7 link to 8 and 9; 2 also links to 8."""
    lists = [[3, 4, 5], [3, 4, 5], [3, 4, 5, 8], [], [], [], [8, 9], [8, 9], [], []]
    picks = found(lists, 5)
    assert plain(picks) == [(2, [2, 0, 1], [3, 4, 5]), (6, [6, 7], [8, 9])]
    assert picks[0].reason == "core 1: 3 hubs, 3 authorities"
    assert [pick.core.density for pick in picks if pick.core] == [100.0, 100.0]


def test_links_inside_a_site_do_not_count() -> None:
    web = Web(csr([[1, 2], [], []]), hosts=Sites("host", np.array([0, 0, 1]), ["a", "b"]))
    picks = cores(Problem(web, np.ones(3)), 3)
    assert plain(picks) == [(0, [0], [2])]


@settings(deadline=None, max_examples=60)
@given(page_lists(most_pages=30), st.sampled_from([100.0, 70.0]), st.sampled_from(["paper", "maximal"]))
def test_cores_are_disjoint_and_meet_their_density(lists: Lists, density: float, reading: str) -> None:
    seen: set[int] = set()
    for pick in found(without_self_links(lists), 10, density=density, reading=reading):
        assert pick.core is not None
        pages = [*pick.core.hubs.tolist(), *pick.core.authorities.tolist()]
        assert len(set(pages)) == len(pages)
        assert not seen & set(pages)
        seen |= set(pages)
        links = sum(int(w) in lists[int(v)] for v in pick.core.hubs for w in pick.core.authorities)
        assert pick.core.density == 100 * links / (len(pick.core.hubs) * len(pick.core.authorities)) >= density - 1e-6


def test_a_near_tie_is_settled_by_whole_numbers() -> None:
    """Two stars of 400 and 401 hubs, far apart: after one round they differ by a part in 400, which counts."""
    lists: Lists = [[], [], *[[target] for target in [1] * 400 + [0] * 401]]
    picks = found(lists, 2, iterations=1)
    assert [pick.core.authorities.tolist() for pick in picks if pick.core] == [[0], [1]]
    classes = ClassGraph(csr(lists))
    whole, remainders = classes.whole_numbers(30), classes.remainders(30)
    for side in (0, 1):
        assert [number % PRIME for number in whole[side]] == remainders[side].tolist()


@settings(deadline=None, max_examples=60)
@given(page_lists(), st.integers(1, 6))
def test_classes_have_the_scores_of_their_pages(lists: Lists, iterations: int) -> None:
    links = {(page, target) for page, row in enumerate(lists) for target in row}
    hub, authority = reference.hits(set(range(len(lists))), links, iterations)
    classes = ClassGraph(csr(lists), threads=2)
    whole = classes.whole_numbers(iterations)
    floats = classes.hits(iterations)
    for side, scores, numbers, values in (
        (classes.hubs, hub, whole[0], floats[0]),
        (classes.authorities, authority, whole[1], floats[1]),
    ):
        for page, one in enumerate(side.of_page.tolist()):
            if one >= 0:
                assert numbers[one] == scores[page]
        largest = max(numbers, default=0)
        if largest:
            shares = np.array([number / largest for number in numbers])
            np.testing.assert_allclose(values / values.max(), shares, rtol=1e-11)


@given(st.lists(st.tuples(st.integers(0, PRIME - 1), st.integers(0, 2**30 - 1)), min_size=1))
@settings(deadline=None)
def test_products_modulo_the_prime_are_exact(pairs: list[tuple[int, int]]) -> None:
    scores, counts = (np.array(column) for column in zip(*pairs, strict=True))
    expected = [score * count % PRIME for score, count in pairs]
    assert times(scores.astype(np.uint64), counts.astype(np.int64)).tolist() == expected


def test_pages_that_may_not_be_picked_give_way_to_the_next_hub() -> None:
    lists = [[2, 3], [2, 3], [], []]
    problem = Problem(web_of_hosts(lists), np.ones(4), allowed=np.array([False, True, True, True]))
    assert [pick.page for pick in cores(problem, 2)] == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"density": 101}, "density is 101"),
        ({"density": -1}, "density is -1"),
        ({"size": 1}, "size is 1"),
        ({"iterations": 0}, "iterations is 0"),
        ({"reading": "papers"}, "Did you mean 'paper'"),
        ({"pick": "worst"}, "unknown pick 'worst'"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        found([[1], []], 1, **options)

"""What is asked for besides a strategy: seeds held and required, how many are enough, values and hops of any size."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.seeds.limits import Limits
from seedbed.seeds.select import select
from tests.graphs import csr, web_of

URLS = [f"http://{host}.org/{page}" for host in "ab" for page in range(3)]
PAIRS = web_of([[1], [0], [], [4], [3], []], URLS)
FAR = [9_223_372_036_854_775_807, 10**20]
SEARCHING = ["cover", "greedy", "maxweight", "maxscc", "rootscc", "maxout"]


def test_a_page_named_twice_is_one_seed_and_required_goes_before_held() -> None:
    limits = Limits(required=(3, 3, 0), held=(0, 5, 5))
    assert (limits.required, limits.held) == ((3, 0), (5,))
    assert select(PAIRS, "outdegree", 3, limits=limits).pages.tolist() == [3, 0, 1]


@pytest.mark.parametrize("choose", [select, partial(select, per_site="host")])
def test_more_required_seeds_than_seeds_are_refused(choose) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(OptionError, match="3 seeds are required, and k is 2"):
        choose(PAIRS, "cover", 2, limits=Limits(required=(0, 1, 2)))


@pytest.mark.parametrize("choose", [select, partial(select, per_site="host")])
def test_required_seeds_at_odds_with_other_limits_are_told(choose) -> None:  # type: ignore[no-untyped-def]
    limits = Limits(required=(0, 1), excluded=np.arange(6) == 1, max_per_site=1)
    seeds = choose(PAIRS, "outdegree", 3, limits=limits)
    assert seeds.pages.tolist() == [0, 1, 3]
    assert seeds.notes == (
        "1 of the required seeds is among the excluded pages, and is kept all the same.",
        "2 required seeds are on one host, which may have 1; all are kept.",
    )


@pytest.mark.parametrize("choose", [select, partial(select, per_site="host")])
def test_no_seed_is_chosen_where_held_ones_cover_enough(choose) -> None:  # type: ignore[no-untyped-def]
    seeds = choose(PAIRS, "greedy", 3, until=0.5, limits=Limits(held=(0, 2)))
    assert seeds.pages.tolist() == []
    assert (seeds.gain.covered_pages, seeds.gain.covered_value) == (3, 3.0)
    assert seeds.notes == ()


def test_a_share_that_k_seeds_do_not_cover_is_told() -> None:
    assert select(PAIRS, "greedy", 1, until=0.9).notes == ("the seeds cover 33.3 % of the value; 90 % was asked for.",)


@pytest.mark.parametrize("hops", FAR)
@pytest.mark.parametrize("strategy", SEARCHING)
def test_any_number_of_hops_is_as_good_as_there_are_pages(strategy: str, hops: int) -> None:
    assert select(PAIRS, strategy, 4, hops=hops).pages.tolist() == select(PAIRS, strategy, 4, hops=6).pages.tolist()


@pytest.mark.parametrize("strategy", ["cover", "maxweight", "maxscc", "rootscc"])
def test_any_depth_is_as_good_as_there_are_pages(strategy: str) -> None:
    far, near = (select(PAIRS, strategy, 4, depth=depth).pages.tolist() for depth in (10**20, 6))
    assert far == near


def test_bounds_of_weights_that_look_far_ahead_hold_on_a_cycle() -> None:
    """Two pages link to each other, and a chain of 300 follows: summed link by link, their bound grows for long."""
    lists = [[1], [0], *([page + 1] for page in range(2, 301)), []]
    seeds = select(Web(csr(lists)), "greedy", 2, hops=10**9)
    assert seeds.pages.tolist() == [2, 0]
    assert [seed.score for seed in seeds] == [300, 2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full(6, 1e308), "the sum of the values overflows"),
        (np.ones((6, 1)), "2-dimensional values were given for 6 pages"),
    ],
)
def test_values_that_cannot_be_added_up_are_refused(values: np.ndarray, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        select(PAIRS, "cover", 1, values=values)

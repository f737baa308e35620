"""Link farms: what is added to a web, what a crawl of it is measured to fetch, and the verdicts on made-up numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import UsageError
from seedbed.evaluation.claims import Claim, Verdict, by_claim
from seedbed.evaluation.experiments import farms
from seedbed.evaluation.experiments import farms_claims as claims
from seedbed.evaluation.experiments.experiment import Experiment
from seedbed.evaluation.experiments.farms import Farm, Options, effects, experiment, measured, with_farm
from seedbed.evaluation.experiments.farms_claims import CRAWLERS, SHAPES
from seedbed.graph.web import Web
from seedbed.report.experiment_files import page, write_experiment
from tests.graphs import Lists, lists_of, page_lists, web_of

SMALL = Options(k=5, entrances=5, draws=3)


def with_hosts(lists: Lists) -> Web:
    return web_of(lists, [f"http://h{page % 3}.org/{page}" for page in range(len(lists))])


@pytest.fixture(scope="module")
def web() -> Web:
    return sb.make_web(pages=1500, threads=1)


@pytest.fixture(scope="module")
def found(web: Web) -> Experiment:
    return experiment(web, SMALL)


@pytest.mark.parametrize(
    ("farm", "lists"),
    [
        (Farm("hub", 1), [[1, 2], [0], []]),
        (Farm("hub", 3), [[1, 2], [0], [3, 4], [2], [2]]),
        (Farm("ring", 1), [[1, 2], [0], []]),
        (Farm("ring", 3), [[1, 2], [0], [3, 4], [2, 4], [2, 3]]),
        (
            Farm("ring", 8),
            [[1, 2], [0], [3, 4, 5, 6, 7], [2, 4, 5, 6, 7, 8], [2, 5, 6, 7, 8, 9], [2, 6, 7, 8, 9],
             [2, 3, 7, 8, 9], [2, 3, 4, 8, 9], [2, 3, 4, 5, 9], [2, 3, 4, 5, 6]],
        ),
    ],
)  # fmt: skip
def test_a_farm_has_these_links(farm: Farm, lists: Lists) -> None:
    assert lists_of(with_farm(with_hosts([[1], [0]]), farm, np.array([0])).links) == lists


@pytest.mark.parametrize(
    ("entrance", "share", "lost"),
    [
        (1, 20.0, 1 - 1.10 / 1.25),  # fetched: 0, 1, 2, target, 3
        (0, 40.0, 1 - 0.95 / 1.25),  # fetched: 0, 1, target, 2, another page of the farm
        (9, 0.0, 0.0),  # fetched: 0, 1, 2, 3, 4
    ],
)
def test_breadth_first_on_a_circle_of_ten_pages_as_counted_by_hand(entrance: int, share: float, lost: float) -> None:
    circle, value, seeds = with_hosts([[(at + 1) % 10] for at in range(10)]), np.full(10, 0.1), np.array([0])
    early, half, area = measured(with_farm(circle, Farm("hub", 3), np.array([entrance])), "bfs", seeds, value)
    assert (early, half) == (0.0, share)
    assert 1 - area / measured(circle, "bfs", seeds, value)[2] == pytest.approx(lost)


def test_the_first_tenth_is_that_of_the_web_without_the_farm() -> None:
    star, value = with_hosts([list(range(1, 20)), *([] for _ in range(19))]), np.full(20, 0.05)
    farmed = with_farm(star, Farm("hub", 20), np.array([0]))
    assert measured(farmed, "bfs", np.array([20, 0]), value)[:2] == (
        50.0,
        90.0,
    )  # fetched: target, 0, eight of the farm
    assert measured(farmed, "oracle", np.array([0]), value)[:2] == (0.0, 0.0)


@given(page_lists(20).filter(len), st.sampled_from(list(SHAPES)), st.integers(0, 15), st.data())
def test_a_farm_leaves_the_web_as_it_is(lists: Lists, shape: claims.Shape, size: int, data: st.DataObject) -> None:
    web, pages = with_hosts(lists), len(lists)
    entrances = np.array(sorted(data.draw(st.sets(st.integers(0, pages - 1), min_size=1))))
    farmed = with_farm(web, Farm(shape, size), entrances)
    links, hosts, own = lists_of(farmed.links), farmed.sites("host"), web.sites("host")
    target = [pages] if size else []
    assert links[:pages] == [row + (target if at in entrances else []) for at, row in enumerate(lists_of(web.links))]
    assert all(min(row) >= pages for row in links[pages:] if row)
    assert all(pages in row for row in links[pages + 1 :])
    assert hosts.of_page[:pages].tolist() == own.of_page.tolist()
    assert not set(hosts.of_page[pages:]) & set(own.of_page)
    assert list(hosts.names)[: len(own)] == list(own.names)
    assert np.bincount(hosts.of_page[pages:], minlength=1).max() <= farms.PAGES_PER_HOST
    hosts.check()


def test_a_farm_without_pages_changes_nothing(web: Web) -> None:
    for effect in effects(web, [Farm("hub", 0), Farm("ring", 0)], SMALL).values():
        assert all(not values.any() for of in effect for values in of.values())


def test_a_farm_that_can_be_reached_is_noticed(web: Web) -> None:
    everywhere = Options(k=5, entrances=web.page_count, draws=2)
    effect = effects(web, [Farm("hub", 100)], everywhere)[Farm("hub", 100)]
    assert all((effect.half[order] > 0).all() for order in CRAWLERS)
    assert effect.half["bfs"] == pytest.approx(100 * 100 / 750)
    assert (effect.lost["bfs"] > 0).all()


def test_no_farm_deceives_the_oracle(found: Experiment) -> None:
    for table in found.tables:
        assert {cell for row in table.rows if row[0] == "oracle" for cell in row[2:]} == {0.0}


def test_sizes_go_up_to_a_tenth_of_the_web(web: Web, found: Experiment) -> None:
    assert farms.farm_sizes(web) == (10, 100, 150)
    assert farms.farm_sizes(with_hosts([[1], [0]])) == (1,)
    assert found.figures[0].series[0].x == (10.0, 100.0, 150.0)


def test_the_same_seed_gives_the_same_bytes_whatever_the_threads(web: Web, found: Experiment, tmp_path: Path) -> None:
    files = write_experiment(found, tmp_path / "one")
    write_experiment(experiment(web, Options(k=5, entrances=5, draws=3, threads=2)), tmp_path / "other")
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name
    assert experiment(web, Options(k=5, entrances=5, draws=3, seed=2)).tables != found.tables


def test_the_page_has_a_title_of_its_own_and_shows_sizes_on_a_logarithmic_axis(
    found: Experiment, tmp_path: Path
) -> None:
    assert page(found).startswith("# How far link farms pull a crawl away\n")
    write_experiment(found, tmp_path / "out")
    drawn = (tmp_path / "out" / "ring-share.svg").read_text()
    assert all(f">{size}</text>" in drawn for size in (10, 100, 150))


@pytest.mark.parametrize("draws", [1, 2])
def test_every_claim_has_a_verdict_in_every_run(draws: int) -> None:
    tiny = experiment(with_hosts([[1], [2], [0]]), Options(draws=draws))
    assert set(tiny.judged) == set(farms.PAPER_EXPERIMENT.claims)
    assert draws > 1 or {one.holds for _, one in tiny.verdicts} == {None}


@pytest.mark.parametrize("how", [{"k": 0}, {"entrances": 0}, {"draws": 0}])
def test_sizes_below_one_are_refused(how: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be at least 1"):
        Options(**how)


def drawn(levels: dict[str, float], noise: float = 0.05) -> dict[str, np.ndarray]:
    draws = np.random.default_rng(3).normal(0, noise, (len(levels), 10))
    return {name: level + row for (name, level), row in zip(levels.items(), draws, strict=True)}


def holds(verdicts: tuple[Verdict, ...]) -> dict[Claim, dict[str, bool | None]]:
    return {claim: {one.of: one.holds for one in own} for claim, own in by_claim(verdicts).items()}


SHARES = {"bfs": 8.0, "opic": 4.0, "fpr": 4.0, "fpr@100": 6.0, "windowed-rankmass@5": 4.0, "live-pagerank": 5.0,
          "live-pagerank@20": 7.0}  # fmt: skip
LOSSES = dict.fromkeys(CRAWLERS, 2.0) | {"bfs": 4.0}


def test_claims_hold_on_numbers_that_speak_for_them() -> None:
    found = holds(claims.judge_shares(drawn(SHARES), drawn(SHARES), 9.09, "hub"))
    found |= holds(claims.judge_losses(drawn(LOSSES), "hub"))
    assert set(found) == set(claims.CLAIMS)
    assert {one for own in found.values() for one in own.values()} == {True}
    assert list(found[claims.LIVE_IS_SAFE]) == ["the first tenth (hub)", "the first half (hub)"]


@pytest.mark.parametrize(
    ("claim", "change", "fallen"),
    [
        (claims.FAIR_SHARE, {"opic": 12.0}, {"opic (ring)"}),
        (claims.LIVE_IS_SAFE, {"live-pagerank": 7.5}, {"the first half (ring)"}),
        (claims.HOSTS_INVITE, {"fpr@100": 3.0}, {"fpr@100 (ring)"}),
        (claims.HOSTS_INVITE, {"live-pagerank@20": 4.0}, {"live-pagerank@20 (ring)"}),
    ],
)
def test_each_claim_on_shares_fails_for_what_fails_it(claim: Claim, change: dict[str, float], fallen: set[str]) -> None:
    found = holds(claims.judge_shares(drawn(SHARES), drawn(SHARES | change), 9.09, "ring"))[claim]
    assert {of for of, one in found.items() if one is False} == fallen


def test_one_per_cent_more_than_fpr_does_not_count_as_more() -> None:
    found = holds(claims.judge_shares(drawn(SHARES), drawn(SHARES | {"live-pagerank": 6.8}), 9.09, "hub"))
    assert set(found[claims.LIVE_IS_SAFE].values()) == {True}


@pytest.mark.parametrize(
    ("claim", "change", "fallen"),
    [
        (claims.COSTS_LITTLE, {"bfs": 6.0}, {"bfs (hub)"}),
        (claims.COSTS_LITTLE, {"fpr": 9.0}, {"fpr (hub)"}),
        (claims.BREADTH_LOSES_MORE, {"fpr": 9.0, "opic": 4.5}, {"fpr (hub)", "opic (hub)"}),
    ],
)
def test_each_claim_on_losses_fails_for_what_fails_it(claim: Claim, change: dict[str, float], fallen: set[str]) -> None:
    found = holds(claims.judge_losses(drawn(LOSSES | change), "hub"))[claim]
    assert {of for of, one in found.items() if one is False} == fallen


def test_a_farm_that_no_crawl_met_decides_nothing() -> None:
    none = {order: np.zeros(5) for order in CRAWLERS}
    for verdicts in (claims.judge_shares(none, none, 9.09, "hub"), claims.judge_losses(none, "hub")):
        assert {(one.holds, one.found) for one in verdicts} == {(None, "no crawl met the farm")}


def test_draws_that_differ_much_decide_nothing() -> None:
    wide = drawn(SHARES, noise=40.0)
    assert {one.holds for one in claims.judge_shares(wide, wide, 9.09, "hub")} == {None}
    assert {one.holds for one in claims.judge_losses(drawn(LOSSES, noise=40.0), "hub")} == {None}

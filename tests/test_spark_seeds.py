"""Seeds on Spark: the same pages for the same reasons as on one machine, whatever the blocks."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from tests.commands import refused, seedbed_here
from tests.graphs import Lists, page_lists, web_of
from tests.spark_in_process import InProcess

BLOCKS = [1, 3, 16]
SCORED = ["pagerank", "indegree", "outdegree", "random", "harmonic"]
ALL = [
    *SCORED,
    "cores",
    "trawling",
    "cover",
    "maxweight",
    "greedy",
    "maxout",
    "maxscc",
    "rootscc",
    "harmonic",
    "sampler",
]


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=1500, seed=3)


@pytest.fixture(scope="module")
def opened(web: sb.Web, tmp_path_factory: pytest.TempPathFactory) -> dict[int, SparkWeb]:
    return {blocks: on_blocks(web, tmp_path_factory.mktemp("blocks"), blocks) for blocks in BLOCKS}


def on_blocks(web: sb.Web, folder: Path, blocks: int, session: Any = None) -> SparkWeb:
    cut_web(web, str(folder / "blocks"), blocks)
    return SparkWeb(session or InProcess(), str(folder / "blocks"))


def assert_same(found: sb.Seeds, expected: sb.Seeds) -> None:
    assert [(seed.rank, seed.page, seed.reason, seed.strategy) for seed in found] == [
        (seed.rank, seed.page, seed.reason, seed.strategy) for seed in expected
    ]
    np.testing.assert_allclose([one.score for one in found], [one.score for one in expected], rtol=1e-12)
    assert found.gain is not None and expected.gain is not None
    for name in ("pages", "value"):
        assert getattr(found.gain, name).tolist() == getattr(expected.gain, name).tolist()
    assert found.gain.total_value == expected.gain.total_value
    assert found.notes == expected.notes
    assert found.options == expected.options
    assert found.urls == expected.urls


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("strategy", ALL)
def test_seeds_are_those_of_one_machine(web: sb.Web, opened: dict[int, SparkWeb], strategy: str, blocks: int) -> None:
    for limits in ({}, {"max_per_site": 1, "site": "domain"}):
        assert_same(
            opened[blocks].select(strategy, 12, hops=3, **limits), sb.select(web, strategy, 12, hops=3, **limits)
        )


@pytest.mark.parametrize("strategy", ["indegree", "random", "cover"])
def test_pages_excluded_by_url_host_and_domain(
    web: sb.Web, opened: dict[int, SparkWeb], strategy: str, tmp_path: Path
) -> None:
    assert web.urls is not None
    first = sb.select(web, strategy, 8)
    listed = [first.urls[0], web.sites("host").names[int(web.sites("host").of_page[first.pages[1]])],
              web.sites("domain").names[int(web.sites("domain").of_page[first.pages[2]])], "http://nowhere.example/",
              "nowhere.example"]  # fmt: skip
    (tmp_path / "list.txt").write_text("\n".join(map(str, listed)))
    for blocks in BLOCKS:
        found = opened[blocks].select(strategy, 8, exclude=tmp_path / "list.txt")
        assert_same(found, sb.select(web, strategy, 8, exclude=tmp_path / "list.txt"))
        assert not set(found.pages.tolist()) & set(first.pages[:3].tolist())


@pytest.mark.parametrize("strategy", SCORED)
def test_values_by_array_and_by_column(web: sb.Web, tmp_path: Path, strategy: str) -> None:
    worth = np.random.default_rng(5).normal(0.3, 1.0, web.page_count)
    valued = replace(web, columns={"worth": worth})
    spark_web = on_blocks(valued, tmp_path, 3)
    for values in (worth, "worth"):
        found = spark_web.select(strategy, 6, hops=2, values=values)
        assert_same(found, sb.select(valued, strategy, 6, hops=2, values=values))


@pytest.mark.parametrize(("name", "share"), [("crawled", 0.3), ("crawled", 0.004), ("uncrawled", 0.7), ("crawled", 0)])
def test_random_seeds_are_drawn_from_crawled_pages(web: sb.Web, tmp_path: Path, name: str, share: float) -> None:
    marked = (np.random.default_rng(2).random(web.page_count) < share).astype(np.int8)
    part = replace(web, columns={name: marked})
    spark_web = on_blocks(part, tmp_path, 3)
    assert_same(spark_web.select("random", 10, seed=7), sb.select(part, "random", 10, seed=7))


OPTIONS: list[dict[str, Any]] = [
    {"density": 60.0},
    {"size": 7, "new_members": 2},
    {"pick": "random", "max_hubs": 2},
    {"reading": "maximal", "density": 80.0, "site": "domain", "max_per_site": 1},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_cores_with_options(web: sb.Web, opened: dict[int, SparkWeb], options: dict[str, Any]) -> None:
    for blocks in BLOCKS:
        found, expected = opened[blocks].select("cores", 9, **options), sb.select(web, "cores", 9, **options)
        assert_same(found, expected)
        for one, other in zip(found, expected, strict=True):
            assert one.core is not None and other.core is not None
            assert one.core.hubs.tolist() == other.core.hubs.tolist()
            assert one.core.authorities.tolist() == other.core.authorities.tolist()


PER_SITE: list[dict[str, Any]] = [
    {"per_site": "host"},
    {"per_site": "domain", "importance": "value", "max_per_site": 1},
    {"per_site": "domain", "importance": "pagerank", "max_per_site": 2, "site": "domain"},
    {"per_site": "host", "max_per_site": 1},
]


@pytest.mark.parametrize("how", PER_SITE)
@pytest.mark.parametrize("strategy", ["maxweight", "cover", "random", "sampler", "pagerank"])
def test_seeds_inside_sites(web: sb.Web, tmp_path: Path, strategy: str, how: dict[str, Any]) -> None:
    crawled = (np.arange(web.page_count) % 3 > 0).astype(np.int8)
    worth = np.random.default_rng(5).integers(-1, 4, web.page_count).astype(np.float64)
    valued = replace(web, columns={"crawled": crawled, "worth": worth})
    expected = sb.select(valued, strategy, 40, hops=2, values="worth", **how)
    for blocks in (1, 5):
        spark_web = on_blocks(valued, tmp_path / str(blocks), blocks)
        assert_same(spark_web.select(strategy, 40, hops=2, values="worth", **how), expected)


def test_seeds_inside_sites_by_a_function_and_with_exclusions(web: sb.Web, tmp_path: Path) -> None:
    def last_pages(problem: Any, k: int) -> list[int]:
        """The last pages."""
        return list(range(problem.web.page_count))[::-1]

    (tmp_path / "list.txt").write_text(str(web.sites("host").names[0]))
    spark_web = on_blocks(web, tmp_path, 3)
    how: dict[str, Any] = {"per_site": "host", "exclude": tmp_path / "list.txt"}
    assert_same(spark_web.select(last_pages, 30, **how), sb.select(web, last_pages, 30, **how))


def test_cores_inside_sites_are_refused(opened: dict[int, SparkWeb]) -> None:
    with pytest.raises(sb.OptionError, match="looks at links between sites"):
        opened[3].select("cores", 5, per_site="host")


@pytest.mark.parametrize(("strategy", "blocks"), [("cover", 3), ("maxweight", 16), ("greedy", 3)])
def test_coverage_by_searches_on_blocks(strategy: str, blocks: int, tmp_path: Path) -> None:
    web = sb.make_web(pages=300, seed=8)
    worth = np.random.default_rng(5).normal(0.5, 1.0, web.page_count)
    spark_web = on_blocks(web, tmp_path, blocks)
    requests: list[dict[str, Any]] = [{}, {"values": worth, "max_per_site": 1}]
    for how in requests:
        with patch("seedbed.spark.seeds.spark_seeds.fits", return_value=False):
            found = spark_web.select(strategy, 3, hops=2, **how)
        assert_same(found, sb.select(web, strategy, 3, hops=2, **how))
    assert not list((tmp_path / "blocks/runs").iterdir())


@settings(max_examples=8, deadline=None)
@given(page_lists(12), st.sampled_from([1, 3]), st.integers(1, 4), st.sampled_from([0, 1, 3, 70]), st.data())
def test_coverage_of_any_web_by_searches_on_blocks(
    lists: Lists, blocks: int, k: int, hops: int, data: st.DataObject
) -> None:
    if not lists:
        return
    web, numbers = web_of(lists), st.integers(-3, 5).map(float)
    values = data.draw(st.none() | st.lists(numbers, min_size=len(lists), max_size=len(lists)).map(np.array))
    with tempfile.TemporaryDirectory() as scratch, patch("seedbed.spark.seeds.spark_seeds.fits", return_value=False):
        spark_web = on_blocks(web, Path(scratch), blocks)
        for strategy, options in (("cover", {"candidates": 2}), ("maxweight", {"depth": min(hops, 3)}), ("greedy", {})):
            how: dict[str, Any] = {"hops": hops, "values": values, **options}
            assert_same(spark_web.select(strategy, k, **how), sb.select(web, strategy, k, **how))


def test_coverage_is_refused_where_the_driver_cannot_hold_the_pages(opened: dict[int, SparkWeb]) -> None:
    with pytest.raises(sb.NotEnoughMemory, match=r"'maxweight' on Spark needs about .*; it has 1000 B. Choose inside"):
        opened[3].select("maxweight", 5, memory=1000)
    with pytest.raises(sb.NotEnoughMemory, match=r"links between sites need about .* in the driver, which has 1000 B"):
        opened[3].select("cores", 5, memory=1000)


def test_pagerank_on_blocks(web: sb.Web, opened: dict[int, SparkWeb]) -> None:
    with patch("seedbed.spark.seeds.spark_seeds.fits", return_value=False):
        found = opened[3].select("pagerank", 12, hops=3, max_per_site=2)
    assert_same(found, sb.select(web, "pagerank", 12, hops=3, max_per_site=2))


def test_until_a_share_is_covered(web: sb.Web, opened: dict[int, SparkWeb]) -> None:
    for until in (0.3, 1.0):
        found = opened[3].select("indegree", 30, hops=1, until=until)
        assert_same(found, sb.select(web, "indegree", 30, hops=1, until=until))


@settings(max_examples=10, deadline=None)
@given(page_lists(), st.sampled_from(BLOCKS), st.integers(1, 8), st.integers(0, 4), st.integers(1, 3), st.data())
def test_seeds_of_any_web(lists: Lists, blocks: int, k: int, hops: int, most: int, data: st.DataObject) -> None:
    if not lists:
        return
    hosts = data.draw(st.lists(st.integers(0, 4), min_size=len(lists), max_size=len(lists)))
    web = web_of(lists, [f"http://h{host}.example/{page}" for page, host in enumerate(hosts)])
    with tempfile.TemporaryDirectory() as scratch:
        spark_web = on_blocks(web, Path(scratch), blocks)
        for strategy in ("indegree", "outdegree", "random", "cores", "trawling"):
            how: dict[str, Any] = {"hops": hops, "max_per_site": most}
            assert_same(spark_web.select(strategy, k, **how), sb.select(web, strategy, k, **how))
        for strategy in ("maxweight", "random"):
            how |= {"per_site": "host"}
            assert_same(spark_web.select(strategy, k, **how), sb.select(web, strategy, k, **how))


def test_what_the_driver_cannot_hold_is_refused_with_an_alternative(opened: dict[int, SparkWeb]) -> None:
    with pytest.raises(
        sb.NotEnoughMemory, match=r"'maxout' on Spark .* links; it has 1000 B. Take a strategy that runs"
    ):
        opened[3].select("maxout", 5, memory=1000)
    with pytest.raises(sb.NotEnoughMemory, match="values by paper"):
        opened[3].select("indegree", 5, values="paper", memory=1000)


def test_impossible_requests_are_refused(opened: dict[int, SparkWeb]) -> None:
    requests: Sequence[tuple[dict[str, Any], str]] = [
        ({"k": 0}, "k is 0"),
        ({"hops": -1}, "hops is -1"),
        ({"max_per_site": 0}, "leave none"),
        ({"importance": "pages"}, "add per_site"),
        ({"speed": 3}, "speed"),
    ]
    for request, message in requests:
        with pytest.raises(sb.SeedbedError, match=message):
            opened[1].select("indegree", **{"k": 3, **request})


def test_seeds_on_real_spark(spark: Any, web: sb.Web, tmp_path: Path) -> None:
    spark_web = on_blocks(web, tmp_path, 3, spark)
    for strategy, how in (("indegree", {"max_per_site": 2}), ("maxweight", {"per_site": "host"})):
        found = spark_web.select(strategy, 5, hops=1, **how)
        assert_same(found, sb.select(web, strategy, 5, hops=1, **how))
    found.save(tmp_path / "seeds.jsonl")
    assert sb.load(tmp_path / "seeds.jsonl").urls == found.urls


def test_the_command_on_spark(spark: Any, web: sb.Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_blocks(web, tmp_path, 2)
    monkeypatch.setattr(spark, "stop", lambda: None)
    how = ("--engine", "spark", "--strategy", "outdegree", "-k", 3, "--hops", 1)
    told = seedbed_here("seeds", "blocks", *how, "--json", cwd=tmp_path)
    assert [row["url"] for row in json.loads(told.stdout)["rows"]] == sb.select(web, "outdegree", 3, hops=1).urls


def test_the_command_refuses_what_spark_does_not_do(tmp_path: Path) -> None:
    (tmp_path / "held.txt").write_text("http://a.example/")
    told = seedbed_here("seeds", "blocks", "--engine", "spark", "--held", "held.txt", cwd=tmp_path)
    refused(told, "--held is not for --engine spark")

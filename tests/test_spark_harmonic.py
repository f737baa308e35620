"""Harmonic centrality on Spark: the scores of the local engine to the last bit, whatever the blocks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.spark import rounds
from seedbed.spark.blocks.blocked_web import open_blocks
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.scores.harmonic_rounds import BallFiles, HarmonicStep
from seedbed.spark.scores.spark_ranking import SparkRanking
from seedbed.spark.spark_web import SparkWeb
from tests.graphs import Lists, page_lists, web_of
from tests.spark_in_process import InProcess


def assert_same(found: SparkRanking, expected: sb.Ranking) -> None:
    assert found.to_ranking().scores.tolist() == expected.scores.tolist()
    for fact in ("name", "iterations", "error_bound", "converged"):
        assert getattr(found, fact) == getattr(expected, fact)


def in_process(path: str) -> SparkWeb:
    return SparkWeb(InProcess(), path)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=2000, seed=3)


@pytest.mark.parametrize("blocks", [1, 3, 16])
def test_harmonic_scores_are_those_of_the_local_engine(web: sb.Web, tmp_path: Path, blocks: int) -> None:
    cut_web(web, str(tmp_path / "blocks"), blocks)
    assert_same(in_process(str(tmp_path / "blocks")).rank("harmonic"), sb.rank(web, "harmonic"))


def test_harmonic_scores_on_spark(spark: Any, web: sb.Web, tmp_path: Path) -> None:
    cut_web(web, str(tmp_path / "blocks"), 3)
    found = SparkWeb(spark, str(tmp_path / "blocks")).rank("harmonic", precision=5, seed=7, max_iterations=4)
    assert_same(found, sb.rank(web, "harmonic", precision=5, seed=7, max_iterations=4))
    assert not found.converged


@settings(max_examples=60, deadline=None)
@given(page_lists(), st.sampled_from([1, 2, 3, 16]), st.integers(4, 8), st.integers(0, 9), st.sampled_from([1, 3, 99]))
def test_harmonic_scores_of_any_web(lists: Lists, blocks: int, precision: int, seed: int, most: int) -> None:
    web, options = web_of(lists), {"precision": precision, "seed": seed, "max_iterations": most}
    with tempfile.TemporaryDirectory() as scratch:
        cut_web(web, f"{scratch}/blocks", blocks)
        assert_same(in_process(f"{scratch}/blocks").rank("harmonic", **options), sb.rank(web, "harmonic", **options))


def test_counters_that_did_not_change_are_not_moved(tmp_path: Path) -> None:
    step = HarmonicStep(4, BallFiles(str(tmp_path), 0), BallFiles(str(tmp_path), 1))
    cut_web(web_of([[1], [2], [0]] * 4), str(tmp_path / "blocks"), 1)
    counters = np.arange(1, 12 * 16 + 1, dtype=np.uint8)
    step.before.write(0, changed=np.arange(12, dtype=np.uint8) % 5 == 0)
    rows = step.passed(open_blocks(str(tmp_path / "blocks")), 0, counters)
    moved = step.packed(rows)
    assert len(moved) == 2 + 3 * 16
    unpacked = np.full_like(rows, 255)
    step.unpack(moved, unpacked)
    np.testing.assert_array_equal(unpacked, rows)


def test_what_a_block_sends_may_take_many_messages(
    web: sb.Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MESSAGE_BYTES", 1000)
    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = in_process(str(tmp_path / "blocks"))
    assert_same(opened.rank("harmonic", max_iterations=3), sb.rank(web, "harmonic", max_iterations=3))
    found, expected = opened.rank("pagerank", tolerance=1e-3), sb.rank(web, "pagerank", tolerance=1e-3)
    np.testing.assert_allclose(found.to_ranking().scores, expected.scores, rtol=1e-12, atol=0)


def test_a_harmonic_run_goes_on_after_its_last_round(web: sb.Web, tmp_path: Path) -> None:
    numbers: list[int] = []

    def dies(stage: str, done: int, total: int) -> None:
        numbers.append(done)
        if len(numbers) == 3:
            raise KeyboardInterrupt

    cut_web(web, str(tmp_path / "blocks"), 3)
    opened = in_process(str(tmp_path / "blocks"))
    with pytest.raises(KeyboardInterrupt):
        opened.rank("harmonic", progress=dies)
    assert_same(opened.rank("harmonic", progress=dies), sb.rank(web, "harmonic"))
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(("option", "value"), [("precision", 3), ("precision", 15), ("max_iterations", 0)])
def test_harmonic_options_are_checked(tmp_path: Path, option: str, value: int) -> None:
    cut_web(web_of([[1], [0]]), str(tmp_path / "blocks"), 1)
    with pytest.raises(sb.SeedbedError, match=f"{option} is {value}"):
        in_process(str(tmp_path / "blocks")).rank("harmonic", **{option: value})


def test_exact_harmonic_scores_are_refused(tmp_path: Path) -> None:
    cut_web(web_of([[1], [0]]), str(tmp_path / "blocks"), 1)
    with pytest.raises(sb.SeedbedError, match="too many for Spark"):
        in_process(str(tmp_path / "blocks")).rank("harmonic", exact=True)

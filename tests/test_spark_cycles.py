"""Crawl cycles on Spark: by hand, against the naive twin, whatever the blocks."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import seedbed as sb
from seedbed.spark import next_batch
from seedbed.spark.crawl_cycles import Batch
from tests.reference.crawl_cycles import Cycles
from tests.spark_in_process import InProcess, Table

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
ORDERS = ["live-pagerank", "windowed-rankmass"]


def links_of(pairs: Sequence[tuple[str, str]]) -> Any:
    """Links as a table of two partitions."""
    halves = [pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]]
    ends = [[pa.array([pair[end] for pair in half], pa.string()) for end in (0, 1)] for half in halves]
    return Table([[pa.record_batch(columns, ["source", "target"])] for columns in ends])


def told(batch: Batch) -> list[tuple[str, float]]:
    return list(zip(batch.urls, batch.scores.tolist(), strict=True))


def test_live_pagerank_by_hand(tmp_path: Path) -> None:
    how: dict[str, Any] = {"n": 1, "damping": 0.5}
    state, session = str(tmp_path), InProcess()
    first = next_batch(session, state, seeds=[A], **how)  # type: ignore[arg-type]
    assert (told(first), first.known, first.fetched) == ([(A, 1.1)], 1, 0)
    second = next_batch(session, state, links=links_of([(A, B), (A, C)]), **how)  # type: ignore[arg-type]
    assert second.urls == [B]
    assert second.scores == pytest.approx([1 + 0.5 * 1.3 / 2])
    third = next_batch(session, state, links=links_of([(B, C)]), **how)  # type: ignore[arg-type]
    assert third.urls == [C]
    assert third.scores == pytest.approx([1.325 + 0.5 * 1.325])
    assert repr(third) == "Batch(cycle 3, 1 URL, 2 pages of 3 fetched)"
    last = next_batch(session, state, fetched=[C], **how)  # type: ignore[arg-type]
    assert (last.urls, last.fetched, last.guaranteed) == ([], 3, None)


def test_windowed_rankmass_by_hand(tmp_path: Path) -> None:
    how: dict[str, Any] = {"n": 1, "damping": 0.5, "order": "windowed-rankmass"}
    state, session = str(tmp_path), InProcess()
    cycles: list[tuple[dict[str, Any], list[tuple[str, float]], float]] = [
        ({"seeds": [A]}, [(A, 0.5)], 0.0),
        ({"links": links_of([(A, B), (A, C)])}, [(B, 0.125)], 0.5),
        ({"links": links_of([(B, A), (B, D)])}, [(C, 0.125)], 0.625),
        ({"fetched": [C]}, [(D, 0.03125)], 0.75),  # A holds as much, is in the window, and was fetched before
        ({"fetched": [D]}, [], 0.8125),
    ]
    for given_, expected, guaranteed in cycles:
        batch = next_batch(session, state, **given_, **how)  # type: ignore[arg-type]
        assert told(batch) == expected
        assert batch.guaranteed == guaranteed


@st.composite
def crawls(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Seeds, and the links of each page of a small web."""
    pages = draw(st.integers(2, 10))
    urls = [f"http://h{draw(st.integers(0, 3))}.example/{page}" for page in range(pages)]
    links = draw(st.lists(st.lists(st.sampled_from(urls), max_size=5), min_size=pages, max_size=pages))
    return urls, links


@settings(max_examples=12, deadline=None)
@given(crawls(), st.sampled_from(ORDERS), st.integers(1, 4), st.none() | st.integers(1, 2), st.data())
def test_cycles_are_those_of_the_naive_twin(
    web: tuple[list[str], list[list[str]]], order: str, n: int, per_host: int | None, data: st.DataObject
) -> None:
    urls, links_on = web[0], dict(zip(*web, strict=True))
    seeds = data.draw(st.lists(st.sampled_from(urls), min_size=1, max_size=3))
    naive = Cycles(order, seeds)
    how: dict[str, Any] = {"n": n, "per_host": per_host, "order": order}
    with tempfile.TemporaryDirectory() as scratch:
        got: list[str] = []
        for cycle in range(4):
            pairs = [(url, target) for url in got for target in links_on[url]]
            request = {**how, "fetched": got, "links": links_of(pairs) if pairs else None}
            if cycle == 0:
                request |= {"seeds": seeds}
            expected = naive.next(got, pairs, n, per_host)
            for blocks in (1, 3):
                session = InProcess(blocks)
                batch = next_batch(session, f"{scratch}/{blocks}", blocks=blocks, **request)  # type: ignore[arg-type]
                assert batch.urls == [url for url, _ in expected]
                assert batch.scores.tolist() == pytest.approx([score for _, score in expected], rel=1e-12)
                assert (batch.known, batch.fetched) == (len(naive.known), len(naive.fetched))
                if order == "windowed-rankmass":
                    assert batch.guaranteed == pytest.approx(naive.guaranteed, abs=1e-12)
            got = data.draw(st.lists(st.sampled_from(batch.urls), unique=True)) if batch.urls else []


def test_scores_are_pagerank_of_the_part_seen(tmp_path: Path) -> None:
    web = sb.make_web(pages=300, seed=4)
    urls = list(web.urls or ())
    found = [(urls[a], urls[b]) for a, b in web._pairs() if a % 3 == 0]
    batch = next_batch(InProcess(), str(tmp_path), seeds=urls[:2], links=links_of(found), n=400, tolerance=1e-13)  # type: ignore[arg-type]
    known = sorted({*urls[:2], *(url for pair in found for url in pair)})
    number = {url: k for k, url in enumerate(known)}
    matrix = np.zeros((len(known), len(known)))
    for source, target in found:
        matrix[number[source], number[target]] = 1
    matrix /= np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    teleport = np.ones(len(known))
    teleport[[number[url] for url in urls[:2]]] += 0.1 * len(known) / 2
    scores = np.linalg.solve(np.eye(len(known)) - 0.85 * matrix.T, teleport)
    assert batch.scores == pytest.approx([scores[number[url]] for url in batch.urls], rel=1e-9)
    assert set(batch.urls) == set(known) - {source for source, _ in found}


def test_pages_far_from_all_seeds_start_with_less(tmp_path: Path) -> None:
    chain = [f"http://a.example/{page:03d}" for page in range(60)]
    state, session, how = str(tmp_path), InProcess(), {"n": 1, "tolerance": 1e-12, "damping": 0.5}
    next_batch(session, state, seeds=chain[:1], **how)  # type: ignore[arg-type]
    for end in (45, 60):
        batch = next_batch(session, state, links=links_of(list(pairwise(chain[:end]))), **how)  # type: ignore[arg-type]
        expected = 1 + 0.1 * end
        for depth in range(1, end):
            expected = 0.5 * expected + (1 if depth <= 40 else (40 / depth) ** 2)
        assert batch.urls == [chain[end - 1]]
        assert batch.scores == pytest.approx([expected], rel=1e-9)


def test_a_cycle_that_dies_is_done_again(tmp_path: Path) -> None:
    def dies(stage: str, done: int, total: int) -> None:
        if stage == "links":
            raise KeyboardInterrupt

    state, session = str(tmp_path), InProcess()
    next_batch(session, state, seeds=[A], n=2)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        next_batch(session, state, links=links_of([(A, B), (A, D)]), n=2, progress=dies)  # type: ignore[arg-type]
    batch = next_batch(session, state, links=links_of([(A, B), (A, C)]), n=2)  # type: ignore[arg-type]
    assert (batch.cycle, batch.urls, batch.known) == (2, [B, C], 3)
    assert [one.name for one in (tmp_path / "cycles").iterdir()] == ["00002"]
    written = parquet.read_table(tmp_path / "cycles/00002/batch.parquet")
    assert written.column("url").to_pylist() == batch.urls


def test_impossible_cycles_are_refused(tmp_path: Path) -> None:
    state, session = str(tmp_path), InProcess()
    requests: list[tuple[dict[str, Any], str]] = [
        ({}, "needs the seeds"),
        ({"seeds": [A], "order": "fpr"}, "unknown order by batches 'fpr'"),
        ({"seeds": [A], "n": 0}, "at least 1"),
        ({"seeds": [A], "damping": 1.0}, "below 1"),
    ]
    for request, message in requests:
        with pytest.raises(sb.SeedbedError, match=message):
            next_batch(session, state, **request)  # type: ignore[arg-type]
    next_batch(session, state, seeds=[A])  # type: ignore[arg-type]
    for request, message in (
        ({"seeds": [B]}, "has its seeds"),
        ({"order": "windowed-rankmass"}, "goes by live-pagerank"),
    ):
        with pytest.raises(sb.OptionError, match=message):
            next_batch(session, state, **request)  # type: ignore[arg-type]


def test_cycles_on_real_spark_from_files(spark: Any, tmp_path: Path) -> None:
    state, links = str(tmp_path / "state"), tmp_path / "links.tsv"
    how: dict[str, Any] = {"n": 2, "damping": 0.5, "order": "windowed-rankmass"}
    next_batch(spark, state, seeds=[A], **how)
    links.write_text(f"{A}\t{B}\n{A}\t{C}\n")
    batch = next_batch(spark, state, links=str(links), **how)
    assert told(batch) == [(B, 0.125), (C, 0.125)]

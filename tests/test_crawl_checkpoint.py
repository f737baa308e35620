"""Crawls that are stopped go on and end the same; runs come back from their files as they were."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from seedbed.crawling.checkpoint import ABOUT, Checkpoint
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.orders import ORDERS
from seedbed.crawling.run import Run
from seedbed.crawling.run_files import load_run, save_run
from seedbed.crawling.simulator import crawl
from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.synth import make_web
from seedbed.urls.sites import Sites

PAGES = 3000
NAMES = [{"windowed-rankmass": "windowed-rankmass@5", "fpr": "fpr@100"}.get(name, name) for name in ORDERS]
GUARD = """
import sys, time
from pathlib import Path
from seedbed.crawling.checkpoint import Checkpoint
from seedbed.crawling.run_files import save_run
from seedbed.crawling.simulator import crawl
from seedbed.graph.native_store import open_store

def slowly(stage, done, total):
    print(done, flush=True)
    time.sleep(0.01)

web, out = open_store(Path(sys.argv[1])), Path(sys.argv[2])
save_run(crawl(web, [0, 7], "fpr@100", checkpoint=Checkpoint(out.with_suffix(".kept"), every=0), progress=slowly), out)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("webs") / "web"
    make_web(folder, pages=PAGES)
    return folder


@pytest.fixture(scope="module")
def web(store: Path) -> Web:
    return open_store(store)


class StoppedAt:
    """Ctrl-C after so many stages."""

    def __init__(self, stages: int) -> None:
        self.left = stages

    def __call__(self, stage: str, done: int, total: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def same(run: Run, other: Run) -> None:
    for name in ("pages", "parent", "depth", "score", "tick"):
        np.testing.assert_array_equal(getattr(run, name), getattr(other, name))
    np.testing.assert_array_equal(run.samples.fetched, other.samples.fetched)
    np.testing.assert_array_equal(run.samples.mass, other.samples.mass)
    for name in ("order", "known", "failed", "refused", "guaranteed_mass", "oracle", "exhausted", "options"):
        assert getattr(run, name) == getattr(other, name), name


@pytest.mark.parametrize("order", NAMES)
def test_a_crawl_that_was_stopped_goes_on_and_ends_the_same(order: str, web: Web, tmp_path: Path) -> None:
    conditions = Conditions(per_host=50, max_depth=20, failure=0.1, seed=3)
    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0, 7], order, 1500, conditions=conditions, checkpoint=Checkpoint(kept), progress=StoppedAt(40))
    assert (kept / ABOUT).exists()
    resumed = crawl(web, [0, 7], order, 1500, conditions=conditions, checkpoint=Checkpoint(kept))
    assert not kept.exists()
    same(resumed, crawl(web, [0, 7], order, 1500, conditions=conditions))


def test_a_polite_crawl_goes_on_and_ends_the_same(web: Web, tmp_path: Path) -> None:
    conditions = Conditions(fetches_per_tick=5)
    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0, 7], "fpr", conditions=conditions, checkpoint=Checkpoint(kept), progress=StoppedAt(9))
    same(
        crawl(web, [0, 7], "fpr", conditions=conditions, checkpoint=Checkpoint(kept)),
        crawl(web, [0, 7], "fpr", conditions=conditions),
    )


def test_a_kill_at_any_moment_loses_little_and_changes_nothing(store: Path, web: Web, tmp_path: Path) -> None:
    out = tmp_path / "run.parquet"
    command = [sys.executable, "-c", GUARD, str(store), str(out)]
    for lines in (2, 30):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(lines):
                process.stdout.readline()
            time.sleep(0.015)
            process.kill()
    assert not out.exists()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > PAGES // 20
        process.stdout.read()
    same(load_run(out), crawl(web, [0, 7], "fpr@100"))


def test_a_checkpoint_of_another_crawl_is_not_taken(web: Web, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0], "fpr@2", checkpoint=Checkpoint(kept), progress=StoppedAt(2))
    for seeds, order, says in (([1], "fpr@2", "seed_pages"), ([0], "fpr@3", "order was fpr@2 and is now fpr@3")):
        with pytest.raises(OptionError, match=says):
            crawl(web, seeds, order, checkpoint=Checkpoint(kept))
    assert (kept / ABOUT).exists()


@pytest.mark.parametrize("damage", ["about", "array", "missing"])
def test_a_damaged_checkpoint_is_named(damage: str, web: Web, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0], "bfs", checkpoint=Checkpoint(kept), progress=StoppedAt(2))
    if damage == "about":
        (kept / ABOUT).write_text('{"trace": 1}')
    elif damage == "array":
        np.save(kept / "state.number.npy", np.zeros(3, np.int32))
    else:
        (kept / "order.pages.npy").unlink()
    with pytest.raises(InputError, match="damaged"):
        crawl(web, [0], "bfs", checkpoint=Checkpoint(kept))


def test_a_run_comes_back_from_its_file(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    run = crawl(web, [0, 7], "fpr@100", 700, conditions=Conditions(fetches_per_tick=3, failure=0.2))
    save_run(run, path)
    again = load_run(path, web)
    same(again, run)
    assert again.pagerank_mass == run.pagerank_mass
    assert web.urls is not None
    assert pq.read_table(path)["url"].to_pylist() == web.urls.many(run.pages.astype(np.int64))


def test_a_run_without_pages_is_a_file_too(tmp_path: Path, web: Web) -> None:
    run = crawl(web, [0], "bfs", conditions=Conditions(failure=1.0))
    assert len(run) == 0
    assert run.failed == 1
    save_run(run, tmp_path / "run.parquet")
    assert len(load_run(tmp_path / "run.parquet")) == 0


def test_what_is_not_a_run_is_refused(tmp_path: Path, web: Web) -> None:
    path = tmp_path / "run.parquet"
    path.write_bytes(b"PAR1 and more")
    with pytest.raises(InputError, match="is not a run"):
        load_run(path)
    save_run(crawl(web, [2999], "bfs", 1), path, overwrite=True)
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"seedbed": json.dumps({"order": "bfs"})}), path)
    with pytest.raises(InputError, match="is not a run"):
        load_run(path)
    with pytest.raises(OptionError, match="unknown file ending"):
        save_run(crawl(web, [0], "bfs", 1), tmp_path / "run.csv")


def test_a_run_on_another_web_is_refused(tmp_path: Path, web: Web) -> None:
    path = tmp_path / "run.parquet"
    save_run(crawl(web, [2999], "bfs", 1), path)
    with pytest.raises(InputError, match="another web"):
        load_run(path, web.subgraph(np.arange(10)))


def kept_crawl(web: Web, kept: Path, order: str = "bfs") -> None:
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0], order, checkpoint=Checkpoint(kept), progress=StoppedAt(2))


@pytest.mark.parametrize("holds", ["folder", "file"])
def test_what_is_no_checkpoint_is_neither_replaced_nor_removed(holds: str, web: Web, tmp_path: Path) -> None:
    place = tmp_path / "mine"
    mine = place / "precious.txt" if holds == "folder" else place
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("precious")
    with pytest.raises(OptionError, match="mine: is not a checkpoint"):
        crawl(web, [0], "bfs", checkpoint=Checkpoint(place))
    assert mine.read_text() == "precious"


def test_an_empty_folder_may_become_a_checkpoint(web: Web, tmp_path: Path) -> None:
    kept_crawl(web, tmp_path)
    assert (tmp_path / ABOUT).exists()


def test_a_checkpoint_that_lasts_stays_until_it_is_removed_and_gives_the_same_run(web: Web, tmp_path: Path) -> None:
    kept = Checkpoint(tmp_path / "kept", every=0, lasting=True)
    run = crawl(web, [0, 7], "windowed-rankmass@5", checkpoint=kept)
    assert kept.folder.exists()
    same(crawl(web, [0, 7], "windowed-rankmass@5", checkpoint=kept), run)
    kept.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_kill_between_two_renames_loses_nothing_and_leaves_nothing(web: Web, tmp_path: Path) -> None:
    kept, half = tmp_path / "kept[1]", tmp_path / ".kept[1].abc.part"
    kept_crawl(web, kept)
    kept.rename(tmp_path / ".kept[1].old")
    half.mkdir()
    assert Checkpoint(kept).stands()
    same(crawl(web, [0], "bfs", checkpoint=Checkpoint(kept)), crawl(web, [0], "bfs"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["state.number", "order.heap.slots", "order.waiting"])
def test_a_bit_that_turned_in_a_checkpoint_is_seen(name: str, web: Web, tmp_path: Path) -> None:
    kept_crawl(web, tmp_path / "kept", "rankmass")
    path = tmp_path / "kept" / f"{name}.npy"
    bits = bytearray(path.read_bytes())
    bits[-3] ^= 1
    path.write_bytes(bits)
    with pytest.raises(InputError, match=f"{name}.npy: is damaged"):
        crawl(web, [0], "rankmass", checkpoint=Checkpoint(tmp_path / "kept"))


def test_other_hosts_scores_or_crawled_pages_are_another_crawl(web: Web, tmp_path: Path) -> None:
    def hosts(count: int) -> Web:
        of_page = (np.arange(PAGES) % count).astype(np.int32)
        crawled = np.arange(PAGES) % count > 0
        names = [f"h{host}" for host in range(count)]
        return replace(web, urls=None, hosts=Sites("host", of_page, names), columns={"crawled": crawled})

    scores = np.linspace(0, 1, PAGES)
    excluded = Conditions(crawled_only=True)
    cases: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
        ("fpr@3", {}, {}, "order.host"),
        ("oracle", {"scores": scores}, {"scores": scores**2}, "order.given"),
        ("bfs", {"conditions": excluded}, {"conditions": excluded}, "limits.excluded"),
    ]
    for order, before, after, says in cases:
        kept = tmp_path / order
        with pytest.raises(KeyboardInterrupt):
            crawl(hosts(10), range(1, 9), order, checkpoint=Checkpoint(kept), progress=StoppedAt(2), **before)
        with pytest.raises(OptionError, match=f"another crawl.*{says} was"):
            crawl(hosts(11), range(1, 9), order, checkpoint=Checkpoint(kept), **after)


@pytest.mark.parametrize("order", ["pagerank", "rankmass", "windowed-rankmass@0.1", "opic"])
def test_work_stops_often_even_where_no_page_is_fetched(
    order: str, web: Web, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ctrl-C is heard at the end of each stretch; the run is the same wherever that is."""
    whole = crawl(web, [0, 7], order)
    monkeypatch.setattr("seedbed.crawling.simulator.STRETCH", 100)
    told: list[int] = []
    same(crawl(web, [0, 7], order, progress=lambda stage, done, total: told.append(done)), whole)
    assert len(told) > 1.5 * len(set(told)) or order == "opic"
    with pytest.raises(KeyboardInterrupt):
        crawl(web, [0, 7], order, checkpoint=Checkpoint(tmp_path / "kept"), progress=StoppedAt(len(told) // 2))
    same(crawl(web, [0, 7], order, checkpoint=Checkpoint(tmp_path / "kept")), whole)


def test_a_run_is_saved_and_loaded_by_a_name_in_text(web: Web, tmp_path: Path) -> None:
    run = crawl(web, [0], "bfs", np.int64(10), conditions=Conditions(per_host=np.int64(3), failure=np.float32(0)))  # type: ignore[arg-type]
    run.save(f"{tmp_path}/run.parquet")
    same(sb.load(f"{tmp_path}/run.parquet"), run)


def test_a_bit_that_turned_in_a_run_is_seen(web: Web, tmp_path: Path) -> None:
    """Wherever it is: the run is refused, or as it was."""
    path = tmp_path / "run.parquet"
    run = crawl(web, [0, 7], "fpr", 200)
    save_run(run, path)
    whole = path.read_bytes()
    refusals = 0
    for at in range(0, len(whole), 61):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        try:
            found = load_run(path, web)
        except InputError:
            refusals += 1
            continue
        for name in ("pages", "parent", "depth", "score"):
            np.testing.assert_array_equal(getattr(found, name), getattr(run, name))
    assert refusals > 10
    with pytest.raises(FileNotFoundError):
        load_run(tmp_path / "none.parquet")

"""seedbed crawl as a person uses it."""

from __future__ import annotations

import errno
import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from seedbed.cli.crawl import read_failures
from seedbed.cli.main import app
from seedbed.crawling.checkpoint import Checkpoint
from seedbed.crawling.run_files import load_run
from seedbed.graph.native_store import open_store
from tests.commands import SEEDBED, misused, refused, seedbed

KEYS = {"order", "fetched", "pagerank_mass", "hosts", "seconds", "pages_per_second"}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "small.web"
    made = seedbed("synth", path, "--pages", 2000)
    assert made.returncode == 0, made.stderr
    return path


@pytest.fixture(scope="module")
def seeds(web: Path) -> Path:
    path = web.with_name("seeds.jsonl")
    chosen = seedbed("seeds", web, "-k", 5, "--strategy", "pagerank", "--out", path)
    assert chosen.returncode == 0, chosen.stderr
    return path


def test_the_summary_has_the_keys_it_promises(web: Path, seeds: Path) -> None:
    run = seedbed("crawl", web, "--seeds", seeds, "--budget", 500, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found.keys() >= KEYS
    assert found["order"] == "live-pagerank"
    assert found["fetched"] == 500
    assert 0 < found["pagerank_mass"] < 1


def test_a_table_says_what_was_fetched_first(web: Path, seeds: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.parquet"
    run = seedbed("crawl", web, "--seeds", seeds, "--order", "bfs", "--budget", 1000, "--out", out)
    assert run.returncode == 0, run.stderr
    assert "bfs: what was fetched first" in run.stdout
    assert f"{out}: 1,000 pages" in run.stdout
    assert pq.read_table(out).num_rows == 1000
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]


@pytest.mark.parametrize("ending", [".txt", ".jsonl", ".csv", ".parquet"])
def test_every_seed_file_and_a_plain_list_of_urls_start_the_same_crawl(ending: str, web: Path, tmp_path: Path) -> None:
    path = tmp_path / f"seeds{ending}"
    assert seedbed("seeds", web, "-k", 3, "--strategy", "indegree", "--out", path).returncode == 0
    found = json.loads(seedbed("crawl", web, "--seeds", path, "--order", "bfs", "--json", "--no-mass").stdout)
    urls = seedbed("seeds", web, "-k", 3, "--strategy", "indegree").stdout.splitlines()
    plain = tmp_path / "plain.list"
    plain.write_text("".join(line.split("\t")[1] + "\n" for line in urls))
    again = json.loads(seedbed("crawl", web, "--seeds", plain, "--order", "bfs", "--json", "--no-mass").stdout)
    for name in ("fetched", "known", "hosts", "deepest"):
        assert found[name] == again[name]
    assert found["pagerank_mass"] is None


def test_conditions_are_told(web: Path, seeds: Path, tmp_path: Path) -> None:
    failures = tmp_path / "failures.csv"
    run = seedbed("crawl", web, "--seeds", seeds, "--per-host", 3, "--failure", 0.3, "--fetches-per-tick", 4)
    assert run.returncode == 0, run.stderr
    for part in ("fetches failed", "because their host had reached its limit", "ticks"):
        assert part in run.stderr
    failures.write_text("host,probability\nno.such.host,0.5\n")
    refused(seedbed("crawl", web, "--seeds", seeds, "--failures", failures), "no.such.host")
    failures.write_text("host,chance\na,0.5\n")
    refused(seedbed("crawl", web, "--seeds", seeds, "--failures", failures), "probability")


def test_bad_input_ends_with_one_line(web: Path, seeds: Path, tmp_path: Path) -> None:
    empty, other = tmp_path / "empty.txt", tmp_path / "other.txt"
    empty.write_text("# nothing\n")
    other.write_text("http://not.in.this.web/\n")
    misused(seedbed("crawl", web, "--seeds", seeds, "--order", "frp@100"), "unknown order 'frp'", "'fpr'")
    misused(seedbed("crawl", web, "--seeds", seeds, "--order", "fpr@0"), "M is", "at least 1 and at most 1e+15")
    misused(seedbed("crawl", web, "--seeds", seeds, "--order", "windowed-rankmass@101"), "W is", "100")
    assert seedbed("crawl", web, "--seeds", seeds, "--budget", 0).returncode == 2
    refused(seedbed("crawl", web, "--seeds", empty), "none of its seeds")
    refused(seedbed("crawl", web, "--seeds", other), "http://not.in.this.web/", "--skip-missing")
    refused(seedbed("crawl", web, "--seeds", seeds, "--until-mass", 0.5), "guarantees no mass")
    links, start = tmp_path / "links.tsv", tmp_path / "start.txt"
    links.write_text("http://a.example/\thttp://b.example/\n")
    start.write_text("http://a.example/\n")
    refused(seedbed("crawl", links, "--seeds", start, "--crawled-only"), "no column 'crawled'")
    misused(seedbed("crawl", web, "--seeds", seeds, "--out", tmp_path / "run.csv"), ".parquet")
    refused(seedbed("crawl", web, "--seeds", tmp_path / "none.txt"), "none.txt")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_leave_a_checkpoint_from_which_the_same_command_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    web, seeds, out = tmp_path / "web", tmp_path / "seeds.txt", tmp_path / "run.parquet"
    assert seedbed("synth", web, "--pages", 100_000).returncode == 0
    assert seedbed("seeds", web, "-k", 3, "--strategy", "indegree", "--out", seeds).returncode == 0
    words = ["crawl", str(web), "--seeds", str(seeds), "--order", "windowed-rankmass@1", "--no-mass", "--out", str(out)]
    said = stopped_when_it_shows("windowed-rankmass", words, number)
    assert "resumes from" in said
    assert out.with_name("run.parquet.checkpoint").is_dir()
    again = seedbed(*words, "--json")
    assert "resuming from" in again.stderr
    whole = seedbed(*words[:-2], "--json")
    for name in ("fetched", "known", "hosts", "deepest", "guaranteed_mass"):
        assert json.loads(again.stdout)[name] == json.loads(whole.stdout)[name]
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["run.parquet", "seeds.txt", "web"]


def stopped_when_it_shows(word: str, words: list[str], number: signal.Signals) -> str:
    """Run a command in a terminal, stop it when its progress shows a word; gives all that it said."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [SEEDBED, *words],
        stderr=theirs,
        # A background shell ignores SIGINT, and its children inherit that.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509
    )
    os.close(theirs)
    said = b""
    sent = False
    while True:
        try:
            said += os.read(ours, 4096)
        except OSError:  # the other end was closed
            break
        if not sent and word.encode() in said:
            process.send_signal(number)
            sent = True
    os.close(ours)
    assert process.wait(timeout=60) == -number, said
    return " ".join(said.decode().split())


def test_a_crawl_that_fetches_nothing_has_a_summary(web: Path, seeds: Path) -> None:
    run = seedbed("crawl", web, "--seeds", seeds, "--failure", 1, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["fetched"], found["pagerank_mass"], found["hosts"], found["failed"]) == (0, 0, 0, 5)


def test_the_oracle_goes_by_the_damping_that_is_asked_for(web: Path, seeds: Path, tmp_path: Path) -> None:
    """The same pages whether or not the summary has the PageRank, and the same PageRank as in Python."""
    words = ("crawl", web, "--seeds", seeds, "--order", "oracle", "--damping", 0.3, "--budget", 300, "--json")
    with_mass, without = tmp_path / "one.parquet", tmp_path / "two.parquet"
    told = json.loads(seedbed(*words, "--out", with_mass).stdout)
    assert seedbed(*words, "--no-mass", "--out", without).returncode == 0
    assert pq.read_table(with_mass).equals(pq.read_table(without))
    assert told["pagerank_mass"] == pytest.approx(load_run(with_mass, open_store(web)).pagerank_mass, abs=1e-9)


def test_faults_are_told_before_the_work(seeds: Path, tmp_path: Path) -> None:
    """The web is not even looked for."""
    none, place = tmp_path / "none.web", tmp_path / "run.parquet"
    misused(seedbed("crawl", none, "--seeds", seeds, "--order", "FPR@100"), "unknown order 'FPR'", "'fpr'")
    misused(
        seedbed("crawl", none, "--seeds", seeds, "--order", "fpr@1e300"),
        "M is out of range",
        "at least 1 and at most 1e+15",
    )
    for text in ("1_0", " 5", "٣", "0x10", ""):
        misused(seedbed("crawl", none, "--seeds", seeds, "--order", f"fpr@{text}"), "is not a number")
    place.mkdir()
    refused(seedbed("crawl", none, "--seeds", seeds, "--out", place), "run.parquet: is a folder")


def test_what_is_no_checkpoint_is_left_alone(web: Path, seeds: Path, tmp_path: Path) -> None:
    mine = tmp_path / "run.parquet.checkpoint" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("precious")
    refused(seedbed("crawl", web, "--seeds", seeds, "--out", tmp_path / "run.parquet"), "is not a checkpoint")
    assert mine.read_text() == "precious"


def test_a_run_that_cannot_be_written_is_not_lost(
    web: Path, seeds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(run: object, out: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(out))

    out = tmp_path / "run.parquet"
    monkeypatch.setattr(Checkpoint.__init__, "__kwdefaults__", {"every": 0.0, "lasting": False})
    words = ["crawl", str(web), "--seeds", str(seeds), "--no-mass", "--json", "--out", str(out)]
    with monkeypatch.context() as patch:
        patch.setattr("seedbed.crawling.run_files.save_run", full)
        first = CliRunner().invoke(app, words)
    assert first.exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet.checkpoint"]
    again = CliRunner().invoke(app, words)
    assert again.exit_code == 0, again.output
    assert "resuming from" in again.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.parquet"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("host,probability\na,x\n", "line 2: 'x' is not a probability"),
        ("host,probability\n" + "a" * 200_000 + ",1\n", "line 2: is not CSV"),
        ("a" * 200_000, "is not CSV"),
    ],
)
def test_failures_that_cannot_be_read_are_named(text: str, part: str, seeds: Path, tmp_path: Path) -> None:
    failures = tmp_path / "failures.csv"
    failures.write_text(text)
    refused(seedbed("crawl", tmp_path / "none.web", "--seeds", seeds, "--failures", failures), part)


def test_failures_may_come_from_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "failures.csv"
    path.write_text("host,probability\na.example,0.5\n", encoding="utf-8-sig")
    assert read_failures(path, 0.1) == {"": 0.1, "a.example": 0.5}

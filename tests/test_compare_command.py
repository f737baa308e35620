"""seedbed compare and the end of seedbed demo, as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import misused, refused, seedbed
from tests.reports import random_lists


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.tsv"
    rows = (
        f"http://h{page % 12}.example/{page}\thttp://h{target % 12}.example/{target}\n"
        for page, targets in enumerate(random_lists(120))
        for target in targets
        if target != page
    )
    path.write_text("".join(rows))
    return path


def test_compare_writes_a_report_and_says_what_to_use(links: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("http://h1.example/1\nhttp://h2.example/2\nhttp://nowhere.example/\n")
    words = ("--strategy", "indegree", "--seeds", mine, "--order", "bfs", "--order", "oracle,random", "-k", 4)
    run = seedbed("compare", links, *words, "--budget", 40, "--repeats", 3, "--out", tmp_path / "out", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert run.stderr == ""
    assert {(pair["strategy"], pair["order"]) for pair in found["pairs"]} == {
        (strategy, order) for strategy in ("indegree", "mine.txt") for order in ("bfs", "oracle", "random")
    }
    assert found["recommended"]["order"] != "oracle"
    assert all(pair["crawls"] == 3 for pair in found["pairs"])
    assert "mine.txt: 1 of its entries is not in the web." in found["notes"]
    assert Path(found["report"]).stat().st_size < 8_000_000
    assert "report.html" in found["files"]
    run = seedbed("compare", links, "--strategy", "indegree", "--order", "bfs", "-k", 2, "--out", "r", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Use the 2 seeds of indegree and the order bfs" in run.stdout
    assert "the report is r/report.html" in run.stdout


def test_compare_refuses_in_one_line_what_cannot_be(links: Path, tmp_path: Path) -> None:
    misused(seedbed("compare", links, "--strategy", "core"), "Did you mean 'cores'?")
    refused(seedbed("compare", links, "--order", "oracle"), "no crawler can use")
    refused(seedbed("compare", links, "--out", links), "is a file")
    (tmp_path / "other.txt").write_text("http://nowhere.example/\n")
    refused(seedbed("compare", links, "--seeds", tmp_path / "other.txt"), "none of its seeds is in the web")
    assert not (tmp_path / "r").exists()


def test_the_table_is_whole_on_narrow_terminals_whatever_names_and_encodings_are(links: Path, tmp_path: Path) -> None:
    (tmp_path / "[red]mine.txt").write_text("http://h1.example/1\n")
    named = ("--strategy", "random", "--seeds", "[red]mine.txt", "--order", "bfs,windowed-rankmass@5")
    run = seedbed(
        "compare", links, *named, "-k", 2, "--repeats", 2, cwd=tmp_path, COLUMNS="30", PYTHONIOENCODING="ascii"
    )
    assert run.returncode == 0, run.stderr
    assert "[red]mine.txt  windowed-rankmass@5" in run.stdout
    assert r"\u2026" not in run.stdout
    assert r" % \xb1 " in run.stdout


def test_a_demo_of_few_pages_leaves_out_what_finds_no_seed(tmp_path: Path) -> None:
    run = seedbed("demo", "--pages", 10, "--out", "my web.report", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "continue with: seedbed seeds 'my web.report/new' -k 10" in run.stderr
    assert "Use the 10 seeds of " in run.stdout
    page = (tmp_path / "my web.report.report" / "report.html").read_text("utf-8")
    assert "seedbed compare --old &#39;my web.report/old&#39; --new &#39;my web.report/new&#39; -k 10" in page
    assert "cores: finds no seed in this web" in page


def test_a_demo_asks_for_the_place_of_its_report_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "demo.report").write_text("mine")
    refused(seedbed("demo", "--pages", 50, cwd=tmp_path), "demo.report: is a file")
    assert not (tmp_path / "demo.web").exists()


def test_the_demo_ends_with_a_report(tmp_path: Path) -> None:
    run = seedbed("demo", "--pages", 2000, "-k", 5, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "the report is in demo.report/report.html" in run.stdout
    page = (tmp_path / "demo.report" / "report.html").read_text("utf-8")
    assert "seedbed compare --old demo.web/old --new demo.web/new -k 5" in page
    assert "Judged on a later crawl" in page

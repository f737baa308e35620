"""seedbed compare and the end of seedbed demo, as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import refused, seedbed
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
    words = ("--seeds", f"indegree,{mine}", "--order", "bfs", "--order", "oracle,random", "-k", 4, "--budget", 40)
    run = seedbed("compare", links, *words, "--repeats", 3, "--out", tmp_path / "out", "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert run.stderr == ""
    assert {(pair["strategy"], pair["order"]) for pair in found["pairs"]} == {
        (strategy, order) for strategy in ("indegree", "mine.txt") for order in ("bfs", "oracle", "random")
    }
    assert found["recommended"]["order"] != "oracle"
    assert all(pair["crawls"] == 3 for pair in found["pairs"])
    assert "mine.txt: 1 of its entries are not in the web." in found["notes"]
    assert Path(found["report"]).stat().st_size < 8_000_000
    assert "report.html" in found["files"]
    run = seedbed("compare", links, "--seeds", "indegree", "--order", "bfs", "-k", 2, "--out", "r", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "use the seeds of indegree and the order bfs" in run.stdout
    assert "the report is r/report.html" in run.stdout


def test_compare_refuses_in_one_line_what_cannot_be(links: Path, tmp_path: Path) -> None:
    refused(seedbed("compare", links, "--seeds", "core"), "Did you mean 'cores'?")
    refused(seedbed("compare", links, "--order", "oracle"), "no crawler can use")
    refused(seedbed("compare", links, "--budget", 10**6, "--out", tmp_path / "r"), "budget is 1,000,000")
    refused(seedbed("compare", links, "--out", links), "is a file")
    (tmp_path / "other.txt").write_text("http://nowhere.example/\n")
    refused(seedbed("compare", links, "--seeds", tmp_path / "other.txt"), "has no seed that is in the web")
    assert not (tmp_path / "r").exists()


def test_the_demo_ends_with_a_report(tmp_path: Path) -> None:
    run = seedbed("demo", "--pages", 2000, "-k", 5, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "the report is in demo.report/report.html" in run.stdout
    page = (tmp_path / "demo.report" / "report.html").read_text("utf-8")
    assert "seedbed compare demo.web -k 5" in page

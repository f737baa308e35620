from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import LINKS, misused, refused, seedbed


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.tsv"
    path.write_text(LINKS)
    return path


def test_a_paper_is_remade_on_a_synthetic_web(tmp_path: Path) -> None:
    words = ("reproduce", "zheng", "--pages", 1500, "-o", "sites=4", "-o", "draws=2", "--json")
    run = seedbed(*words, "--out", tmp_path / "z")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["paper"] == "zheng"
    assert found["settings"] == {"web": "synthetic web", "sites": 4, "draws": 2, "seed": 1} | {
        "values": "paper",
        "uniqueness": "estimate",
        "crawled_only": True,
    }
    assert {"of", "holds", "found"} == set(found["claims"][0]["verdicts"][0])
    assert sorted(path.name for path in (tmp_path / "z").iterdir()) == sorted(found["files"])
    assert "figure-5.svg" in found["files"]
    assert [path.name for path in tmp_path.iterdir()] == ["z"]


def test_a_paper_is_remade_on_a_web_of_the_users(links: Path, tmp_path: Path) -> None:
    run = seedbed("reproduce", "daneshpajouh", "--old", links, "--new", links, "-o", "draws=2", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "figure-12: “Old seeds still serve: a crawl of a newer web from them" in run.stdout
    assert (tmp_path / "daneshpajouh-remade" / "figure-12.svg").is_file()
    assert "old web (paper reading): 1 seed instead of 3" in run.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["daneshpajouh", "LINKS"], "write --old"),
        (["daneshpajouh", "--new", "LINKS"], "--new alone is not enough"),
        (["zheng", "--old", "LINKS"], "zheng takes one web"),
        (["alam", "LINKS", "--pages", "2000"], "--pages is the size of a synthetic web"),
        (["zheng", "--hosts", "LINKS"], "--hosts names the hosts of one web"),
        (["alam", "missing.tsv"], "no such file"),
        (["alam", "LINKS", "--out", "."], "something other than an experiment"),
        (["alam", "--out", "LINKS/remade"], "is a file"),
    ],
)
def test_bad_input_is_one_line(links: Path, tmp_path: Path, words: list[str], part: str) -> None:
    asked = [word.replace("LINKS", str(links)) for word in words]
    refused(seedbed("reproduce", *asked, cwd=tmp_path), part)
    assert [path.name for path in tmp_path.iterdir()] == ["links.tsv"]


def test_a_paper_that_is_not_known_is_wrong_usage() -> None:
    misused(seedbed("reproduce", "alan"), "unknown paper 'alan'. Did you mean 'alam'?")


def test_options_of_another_paper_are_wrong_usage(links: Path) -> None:
    misused(seedbed("reproduce", "alam", links, "-o", "sites=3"), "alam has no option 'sites'; it has k, budget")
    misused(seedbed("reproduce", "zheng", links, "-o", "k=3"), "zheng has no option 'k'")


def test_hosts_are_needed_and_the_remedy_is_said(tmp_path: Path) -> None:
    (tmp_path / "numbers.tsv").write_text("0\t1\n1\t2\n2\t0\n")
    refused(seedbed("reproduce", "alam", tmp_path / "numbers.tsv", cwd=tmp_path), "hosts are needed", "--hosts")
    (tmp_path / "hosts.txt").write_text("a.org\nb.org\nc.org\n")
    run = seedbed("reproduce", "alam", tmp_path / "numbers.tsv", "--hosts", tmp_path / "hosts.txt", cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_one_site_has_no_cores_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("http://a.org/1\thttp://a.org/2\n")
    refused(seedbed("reproduce", "daneshpajouh", "--old", tmp_path / "one.tsv", cwd=tmp_path), "no link between sites")


def test_the_help_says_yes_of_what_is_on_by_default() -> None:
    words = " ".join(seedbed("reproduce", "--help").stdout.split())
    assert "if it is known which were. Default: yes." in words

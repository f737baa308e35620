"""The command as a person uses it: in a process of its own, reading what it prints."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import LINKS, misused, refused, seedbed


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.tsv"
    path.write_text(LINKS)
    return path


def test_help_teaches_every_command() -> None:
    names = ("info", "convert", "synth", "demo", "rank", "seeds", "refresh", "crawl", "compare", "export", "reproduce")
    for words in ([], *([name] for name in names)):
        run = seedbed(*words, "--help")
        assert run.returncode == 0
        assert "Usage: seedbed" in run.stdout
    assert seedbed("--version").stdout.startswith("seedbed 0.")
    assert seedbed("-V").stdout == seedbed("--version").stdout


def test_importing_seedbed_and_asking_for_help_load_no_heavy_library() -> None:
    code = (
        "import sys, seedbed, seedbed.cli.main; "
        "print([name for name in ('numpy', 'numba', 'scipy', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"


def test_wrong_usage_is_exit_code_2(links: Path) -> None:
    assert seedbed("inof", links).returncode == 2
    assert seedbed("info").returncode == 2
    assert seedbed("info", links, "--samples", "0").returncode == 2


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("rank", "LINKS", "--by", "foo"), ""),
        (("rank", "LINKS", "--damping", "1"), "damping is 1"),
        (("rank", "LINKS", "--by", "hits", "--damping", "0.5"), "--damping is for --by pagerank"),
        (("rank", "LINKS", "--by", "pagerank", "--precision", "5"), "--precision is for --by harmonic"),
        (("rank", "LINKS", "--between", "planet"), "'planet' is not one of 'host', 'domain'"),
        (("seeds", "LINKS", "--strategy", "foo"), "unknown strategy"),
        (("seeds", "LINKS", "-k", "0"), ""),
        (("seeds", "LINKS", "--seed", "-1"), ""),
        (("crawl", "LINKS", "--seeds", "LINKS", "--order", "foo"), "unknown order"),
        (("crawl", "LINKS", "--seeds", "LINKS", "--seed", "-1"), ""),
        (("crawl", "LINKS", "--seeds", "LINKS", "--budget", "0"), ""),
        (("crawl", "LINKS", "--seeds", "LINKS", "--failure", "2"), ""),
        (("crawl", "LINKS", "--seeds", "LINKS", "--per-host", "0"), ""),
        (("compare", "LINKS", "--order", "foo"), "unknown order"),
        (("compare", "LINKS", "--budget", "0"), ""),
        (("reproduce", "foo"), "unknown paper"),
        (("info", "LINKS", "--format", "foo"), "unknown format"),
        (("info", "LINKS", "--encoding", "foo"), "unknown encoding"),
        (("info", "LINKS", "--memory", "foo"), "not an amount of memory"),
    ],
)
def test_a_value_that_an_option_can_never_have_is_exit_code_2(words: tuple[str, ...], part: str, links: Path) -> None:
    run = seedbed(*(links if word == "LINKS" else word for word in words))
    assert (run.returncode, run.stdout) == (2, ""), run.stderr
    assert part in run.stderr


def test_rank_says_in_words_how_its_scores_were_found(links: Path) -> None:
    run = seedbed("rank", links, "--by", "outdegree", "--top", 1)
    assert run.stdout == "2\thttp://a.example/\n"
    assert run.stderr == "3 pages by outdegree\n"
    even = seedbed("rank", links, "--damping", "0", "--json")
    top = json.loads(even.stdout)["top"]
    assert [row["score"] for row in top] == pytest.approx([1 / 3] * 3)
    assert [row["url"] for row in top] == ["http://a.example/", "http://a.example/x", "http://b.example/"]
    harmonic = seedbed("rank", links, "--by", "harmonic", "--precision", 4, "--top", 1)
    assert "standard error 26 %" in harmonic.stderr
    assert "Ranking(" not in harmonic.stderr + run.stderr


def test_a_budget_beyond_the_web_means_all_of_it_and_is_told(links: Path, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.example/\n")
    run = seedbed("crawl", links, "--seeds", seeds, "--budget", 100_000)
    assert run.returncode == 0, run.stderr
    assert "--budget 100,000 exceeds the web's 3 pages, so it means all of them" in run.stderr


def test_until_mass_says_whose_mass_it_is(links: Path, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("http://a.example/\n")
    run = seedbed("crawl", links, "--seeds", seeds, "--order", "rankmass", "--until-mass", 0.1)
    assert "% of the mass of a surfer who starts at the seeds was fetched" in run.stderr


def test_info_as_json_has_the_promised_keys_and_nothing_else_on_standard_output(links: Path) -> None:
    run = seedbed("info", links, "--json")
    assert run.returncode == 0, run.stderr
    shape = json.loads(run.stdout)
    assert run.stderr == ""
    expected = {
        "pages": 3,
        "links": 2,
        "hosts": 2,
        "inter_host_links": 1,
        "self_links": 0,
        "duplicate_links": 0,
        "dangling": 2,
        "unreachable": 1,
        "scc_count": 3,
        "largest_scc": 1,
        "largest_wcc": 3,
        "average_distance": 1.0,
    }
    assert {key: shape[key] for key in expected} == expected


def test_info_for_people_fits_80_columns(links: Path) -> None:
    run = seedbed("info", links, COLUMNS="80")
    assert run.returncode == 0, run.stderr
    assert "Links between hosts" in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 80


def test_a_web_goes_through_every_format_and_stays_the_same(links: Path, tmp_path: Path) -> None:
    steps = [
        "web",
        "packed --links bvgraph",
        "graph.graph --window 3 --zeta 2",
        "ids.tsv.gz",
        "ids.parquet",
        "ids.csv.zst",
    ]
    before: object = links
    for step in steps:
        name, *options = step.split()
        run = seedbed("convert", before, tmp_path / name, *options, "--json")
        assert run.returncode == 0, run.stderr
        out = json.loads(run.stdout)
        assert (out["pages"], out["links"]) == (3, 2)
        before = out["out"]
    assert json.loads(seedbed("info", before, "--json").stdout)["links"] == 2
    urls = gzip.decompress((tmp_path / "graph.urls.gz").read_bytes()).decode().splitlines()
    assert urls == ["http://a.example/", "http://a.example/x", "http://b.example/"]


def test_convert_says_what_a_format_cannot_hold(links: Path, tmp_path: Path) -> None:
    run = seedbed("convert", links, tmp_path / "ids.tsv", "--to", "edges")
    assert run.returncode == 0
    assert "left out: URLs" in run.stderr
    assert (tmp_path / "ids.tsv").read_text() == "0\t1\n0\t2\n"


def test_convert_turns_links_round_and_keeps_those_between_sites(links: Path, tmp_path: Path) -> None:
    assert seedbed("convert", links, tmp_path / "t.tsv", "--transpose", "--to", "edges").returncode == 0
    assert (tmp_path / "t.tsv").read_text() == "1\t0\n2\t0\n"
    assert seedbed("convert", links, tmp_path / "b.tsv", "--between", "host", "--to", "edges").returncode == 0
    assert (tmp_path / "b.tsv").read_text() == "0\t2\n"
    misused(
        seedbed("convert", links, tmp_path / "c.tsv", "--between", "hosts"), "'hosts' is not one of 'host', 'domain'"
    )


def test_converting_to_nowhere_says_what_is_missing(links: Path) -> None:
    misused(seedbed("convert", links), "OUT is missing")


def test_hosts_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "ids.tsv").write_text("0\t1\n1\t2\n")
    (tmp_path / "hosts.txt").write_text("a.example\na.example\nB.example\n")
    assert json.loads(seedbed("info", tmp_path / "ids.tsv", "--json").stdout)["hosts"] is None
    run = seedbed("info", tmp_path / "ids.tsv", "--hosts", tmp_path / "hosts.txt", "--json")
    shape = json.loads(run.stdout)
    assert (shape["hosts"], shape["inter_host_links"]) == (2, 1)
    (tmp_path / "hosts.txt").write_text("a.example\n")
    refused(seedbed("info", tmp_path / "ids.tsv", "--hosts", tmp_path / "hosts.txt"), "has 1 entries", "3 pages")


def test_synth_is_the_same_for_the_same_seed_only(tmp_path: Path) -> None:
    checksums = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run = seedbed("synth", tmp_path / name, "--pages", 300, "--seed", seed, "--json")
        assert run.returncode == 0, run.stderr
        checksums.append(json.loads(run.stdout)["webs"][0]["checksum"])
    assert checksums[0] == checksums[1] != checksums[2]


def test_synth_makes_two_snapshots(tmp_path: Path) -> None:
    run = seedbed("synth", tmp_path / "pair", "--pages", 500, "--snapshots", 2)
    assert run.returncode == 0, run.stderr
    for name in ("old", "new"):
        assert json.loads(seedbed("info", tmp_path / "pair" / name, "--json").stdout)["pages"] > 0


def test_demo_makes_stores_and_describes_a_web(tmp_path: Path) -> None:
    run = seedbed("demo", "--pages", 2000, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Bow-tie" in run.stdout
    assert all((tmp_path / "demo.web" / name / "web.json").exists() for name in ("old", "new"))


def test_public_names_stay_what_they_are_when_all_modules_are_imported() -> None:
    program = (
        "import importlib, pkgutil, seedbed\n"
        "first = {name: getattr(seedbed, name) for name in seedbed.__all__}\n"
        "for module in pkgutil.walk_packages(seedbed.__path__, 'seedbed.'):\n"
        "    if '.integrations' not in module.name and '.worker' not in module.name:\n"
        "        importlib.import_module(module.name)\n"
        "assert all(getattr(seedbed, name) is first[name] for name in seedbed.__all__)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr

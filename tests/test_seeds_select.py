"""Seeds by any strategy: limits, values, files, the command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from seedbed.common.sidecar import how_made
from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import write_store
from seedbed.graph.web import Web
from seedbed.seeds import STRATEGIES
from seedbed.seeds.limits import Limits, excluded_pages
from seedbed.seeds.seed_files import ENDINGS, read_pages, rows_of, write_seeds
from seedbed.seeds.select import select
from seedbed.seeds.values import file_values, paper_values, values_of
from tests.graphs import csr, web_of

URLS = [
    "http://a.example.com/",
    "http://a.example.com/x",
    "http://b.example.com/",
    "http://other.org/",
    "http://other.org/y",
]
LISTS = [[1, 2, 3], [2], [3, 4], [4], []]
WEB = web_of(LISTS, URLS)
SMALL: dict[str, dict[str, int]] = {"trawling": {"hubs": 1, "authorities": 1}}
SEEDBED = str(Path(sys.executable).parent / "seedbed")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_gives_seeds_with_reasons(strategy: str) -> None:
    seeds = select(WEB, strategy, 2, threads=1, **SMALL.get(strategy, {}))
    assert 1 <= len(seeds) <= 2
    assert [seed.rank for seed in seeds] == list(range(1, len(seeds) + 1))
    assert all(seed.reason and seed.strategy == strategy for seed in seeds)
    assert len(set(seeds.pages.tolist())) == len(seeds)
    assert seeds.gain is not None
    assert len(seeds.gain.pages) == len(seeds)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_respects_what_may_be_chosen(strategy: str) -> None:
    excluded = np.array([True, False, True, False, False])
    seeds = select(
        WEB,
        strategy,
        3,
        threads=1,
        limits=Limits(excluded=excluded, max_per_site=1, held=(4,)),
        **SMALL.get(strategy, {}),
    )
    hosts = [URLS[page].split("/")[2] for page in seeds.pages]
    assert not {0, 2, 4} & set(seeds.pages.tolist())
    assert len(set(hosts)) == len(hosts)
    assert "other.org" not in hosts


def test_required_seeds_come_first_and_count() -> None:
    seeds = select(WEB, "cover", 2, hops=1, limits=Limits(required=(4,)))
    assert [(seed.page, seed.strategy) for seed in seeds] == [(4, "required"), (0, "cover")]


def test_until_keeps_as_many_seeds_as_it_takes() -> None:
    assert len(select(WEB, "greedy", 5, hops=1, until=0.8)) == 1
    assert len(select(WEB, "greedy", 5, hops=1, until=1.0)) == 2


def test_fewer_seeds_than_asked_for_are_said() -> None:
    seeds = select(WEB, "greedy", 5)
    assert seeds.notes == ("1 seed instead of 5: there is nothing left to choose.",)


def test_what_a_strategy_has_to_tell_is_in_the_notes_once() -> None:
    seeds = select(web_of(LISTS), "sampler", 2)
    assert seeds.notes == ("no limit of seeds per domain, because the web has no hosts.",)
    assert not any("domain" in seed.reason for seed in seeds)
    by_site = select(WEB, "harmonic", 3, per_site="host")
    assert by_site.notes == tuple(select(WEB, "harmonic", 3).notes)
    assert len(by_site.notes) == 1


def test_a_k_beyond_the_web_means_all_of_it() -> None:
    seeds = select(WEB, "indegree", 6)
    assert seeds.pages.tolist() == select(WEB, "indegree", 5).pages.tolist()
    assert seeds.notes == ("k is 6, more than the web's 5 pages: all of them may be seeds.",)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: select(WEB, "core", 2), "Did you mean 'cores'"),
        (lambda: select(WEB, "cover", 0), "k is 0"),
        (lambda: select(WEB, "cover", 1, hops=-1), "hops is -1"),
        (lambda: select(WEB, "random", 1, depth=3), "random has no option 'depth'"),
        (lambda: select(WEB, "cover", 1, values=np.array([1.0, np.nan, 1, 1, 1])), "value of page 1 is nan"),
        (lambda: select(WEB, "cover", 1, values=np.ones(3)), "3 values were given for 5 pages"),
        (lambda: select(WEB, "cover", 1, limits=Limits(held=(9,))), "held seed 9 is not a page"),
        (lambda: Limits(max_per_site=0), "it must be at least 1"),
        (lambda: select(web_of(LISTS), "cores", 1), "--hosts FILE"),
    ],
)
def test_what_cannot_be_is_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    from seedbed.errors import SeedbedError

    with pytest.raises(SeedbedError, match=message):
        call()


def test_values_by_the_rule_of_the_paper_worked_out_by_hand() -> None:
    """Page 0: 1 + 2 links to uncrawled pages; page 1 is spam; page 2 clicked + 1; pages 3 and 4 are uncrawled."""
    columns = {
        "spam": np.array([False, True, False, False, False]),
        "clicked": np.array([False, False, True, False, False]),
        "uncrawled": np.array([False, False, False, True, True]),
    }
    web = Web(csr([[1, 3, 4], [2], [4], [4], []]), columns=columns)
    assert paper_values(web, 1.0).tolist() == [3, -10, 11, 0, 0]
    assert paper_values(web, 0.5).tolist() == [2, -10, 10.5, 0, 0]
    assert values_of(web, "spam", print).tolist() == [0, 1, 0, 0, 0]
    with pytest.raises(OptionError, match=r"--values sham: .* the web has no column of that name"):
        values_of(web, "sham", print)


def test_values_from_files_by_url_and_by_id(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text(f"url,worth,other\n{URLS[1]},2.5,1\nhttp://nowhere/,7,1\n")
    found = file_values(WEB, tmp_path / "v.csv")
    assert (found.values.tolist(), found.unknown) == ([0, 2.5, 0, 0, 0], 1)
    pq.write_table(pa.table({"id": [4, 0, 99], "a": [1, 2, 3], "b": [5, 6, 7]}), tmp_path / "v.parquet")
    found = file_values(WEB, tmp_path / "v.parquet", "b")
    assert (found.values.tolist(), found.unknown) == ([6, 0, 0, 0, 5], 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n", "one must be 'url' or 'id'"),
        ("url,b\nhttp://a.example.com/,x\n", "no column of numbers"),
        ("id,b\n1,2.5\n2,nan\n", "row 2: b is missing or nan"),
        ("", "cannot be read as a table"),
    ],
)
def test_bad_files_of_values_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "v.csv").write_text(content)
    with pytest.raises(InputError, match=message):
        file_values(WEB, tmp_path / "v.csv")


def test_urls_hosts_and_domains_can_be_excluded(tmp_path: Path) -> None:
    (tmp_path / "no").write_text("# not these\nhttp://other.org/y\nA.example.com\n")
    assert excluded_pages(WEB, tmp_path / "no")[0].tolist() == [True, True, False, False, True]
    (tmp_path / "no").write_text("example.com\n")
    assert excluded_pages(WEB, tmp_path / "no")[0].tolist() == [True, True, True, False, False]


def test_what_a_list_of_pages_to_exclude_names_in_vain_is_told(tmp_path: Path) -> None:
    """A byte order mark, as some editors put first, is no part of the first name."""
    (tmp_path / "no").write_text("\ufeffother.org\nhttp://nowhere.org/\nnobody.org\n")
    assert excluded_pages(WEB, tmp_path / "no")[0].tolist() == [False, False, False, True, True]
    assert excluded_pages(WEB, tmp_path / "no")[1] == ["http://nowhere.org/", "nobody.org"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_seeds_come_back_from_every_file(tmp_path: Path, ending: str) -> None:
    seeds = select(WEB, "outdegree", 3)
    path = tmp_path / f"seeds{ending}"
    write_seeds(path, rows_of(WEB, seeds), {"strategy": "outdegree"})
    assert read_pages(WEB, path) == (seeds.pages.tolist(), 0)
    assert how_made(path) == {"strategy": "outdegree"}
    assert [file.name for file in tmp_path.iterdir() if not file.name.endswith(".meta.json")] == [path.name]


def test_plain_lists_of_urls_and_ids_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{URLS[3]}\n\nhttp://nowhere/\n{URLS[3]}\n")
    assert read_pages(WEB, tmp_path / "a.txt") == ([3], 1)
    (tmp_path / "b.txt").write_text("4\n1\n77\n")
    assert read_pages(web_of(LISTS), tmp_path / "b.txt") == ([4, 1], 1)
    with pytest.raises(InputError, match="lists URLs, and the web has none"):
        read_pages(web_of(LISTS), tmp_path / "a.txt")


def test_a_seed_file_with_an_unknown_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"unknown file ending '\.xls'"):
        write_seeds(tmp_path / "seeds.xls", [], {})


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    write_store(WEB, tmp_path / "web")
    return tmp_path / "web"


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SEEDBED, *map(str, words)], check=False, capture_output=True, text=True, timeout=300)


def test_the_command_writes_seeds_that_say_how_they_were_made(stored: Path, tmp_path: Path) -> None:
    done = run("seeds", stored, "-k", 2, "--strategy", "greedy", "--hops", 1, "--out", tmp_path / "s.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert {key: summary[key] for key in ("strategy", "k", "seeds", "covered_pages", "covered_value")} == {
        "strategy": "greedy",
        "k": 2,
        "seeds": 2,
        "covered_pages": 5,
        "covered_value": 5.0,
    }
    made = json.loads((tmp_path / "s.jsonl.meta.json").read_text())["made"]
    assert made["options"]["hops"] == 1
    assert len(made["web"]["checksum"]) == 64
    rows = list(map(json.loads, (tmp_path / "s.jsonl").read_text().splitlines()))
    assert rows[0]["url"] == URLS[0]
    assert set(rows[0]) == {"rank", "url", "id", "host", "score", "strategy", "reason"}


def test_the_command_prints_seeds_for_people(stored: Path) -> None:
    done = run("seeds", stored, "-k", 1, "--strategy", "outdegree")
    assert done.stdout == f"1\t{URLS[0]}\t3 links on the page, place 1 of 5\n"
    assert "100.0 % of the value" in done.stderr


def test_the_command_carries_notes(stored: Path) -> None:
    done = run("seeds", stored, "-k", 5, "--strategy", "greedy", "--json")
    note = "1 seed instead of 5: there is nothing left to choose."
    assert json.loads(done.stdout)["notes"] == [note]
    assert note in done.stderr


def test_the_command_refuses_in_one_line(stored: Path) -> None:
    for code, words, message in (
        (2, ["-k", 1, "--strategy", "gredy"], "Did you mean 'greedy'?"),
        (2, ["-k", 1, "--strategy", "cores", "-o", "density=120"], "density is 120"),
        (1, ["-k", 1, "--values", "nothing"], "--values nothing: there is no such file, and the web has no column"),
        (2, ["-k", 1, "--site", "hosts"], "'hosts' is not one of 'host', 'domain'"),
        (1, ["-k", 1, "--importance", "value"], "add --per-site host"),
        (2, ["-k", 1, "--out", "seeds.xls"], "unknown file ending"),
        (1, ["-k", 1, "--strategy", "cores", "-o", "new_members=2"], "give size too"),
        (1, ["-k", 1, "--strategy", "cores", "-o", "size=4", "-o", "density=50"], "leave out size"),
    ):
        done = run("seeds", stored, *words)
        assert (done.returncode, done.stdout) == (code, "")
        assert len(done.stderr.splitlines()) == 1
        assert message in done.stderr


@pytest.mark.parametrize("by", ["pagerank", "hits", "hubs", "authorities", "harmonic", "indegree", "outdegree"])
def test_the_command_ranks_pages(stored: Path, tmp_path: Path, by: str) -> None:
    done = run("rank", stored, "--by", by, "--top", 2, "--out", tmp_path / "r.parquet", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["top"]) == 2
    table = pq.read_table(tmp_path / "r.parquet")
    assert table.column("url").to_pylist() == URLS
    scores = table.column("score").to_pylist()
    assert found["top"][0]["score"] == max(scores)

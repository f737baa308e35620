"""Seed files and files of values as people, spreadsheets and other programs write them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from seedbed.common.sidecar import how_made
from seedbed.errors import InputError
from seedbed.ranking.pagerank import pagerank
from seedbed.ranking.ranking_files import write_ranking
from seedbed.seeds.seed_files import COLUMNS, ENDINGS, read_pages, write_seeds
from seedbed.seeds.values import file_values
from tests.commands import misused, refused, seedbed
from tests.graphs import web_of

URLS = ["http://a.org/", "http://a.org/ü", "http://b.org/"]
LISTS = [[1, 2], [2], []]
WEB, BARE = web_of(LISTS, URLS), web_of(LISTS)


@pytest.mark.parametrize(
    ("name", "content", "pages"),
    [
        ("s.txt", "\ufeffhttp://a.org/\r\nhttp://b.org/\r\n", [0, 2]),
        ("s.txt", "  # mine\nhttp://b.org/\n", [2]),
        ("s.csv", "\ufeffurl\nhttp://b.org/\n", [2]),
        ("s.jsonl", '{"id": "2"}\n{"id": 1.0}\n', [2, 1]),
    ],
)
def test_lists_are_read_as_editors_and_spreadsheets_save_them(
    tmp_path: Path, name: str, content: str, pages: list[int]
) -> None:
    (tmp_path / name).write_text(content, "utf-8", newline="")
    assert read_pages(WEB, tmp_path / name) == (pages, 0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.txt", "²\n", "lists URLs, and the web has none"),
        ("s.txt", "1" * 5000, "lists URLs, and the web has none"),
        ("s.csv", f"id\n{'1' * 200_000}\n", "cannot be read as CSV"),
        ("s.csv", "id\n1\nx\n", "row 2: has neither a 'url' nor a numeric 'id'"),
        ("s.jsonl", "# how\n\n[1]\n", "line 3: expected a JSON object"),
        ("s.jsonl", "[" * 100_000, "line 1: expected a JSON object"),
        ("s.jsonl", '{"id": Infinity}\n', "line 1: has neither"),
        ("s.jsonl", '{"id": 1.5}\n', "line 1: has neither"),
        ("s.jsonl", '{"url": ["a"]}\n', "line 1: has neither"),
    ],
)
def test_a_damaged_list_is_refused_with_its_place(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        read_pages(BARE, tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_seeds_are_written_in_utf_8_whatever_the_locale(tmp_path: Path, ending: str) -> None:
    row = {"rank": 1, "url": URLS[1], "id": 1, "host": "a.org", "score": 1.0, "strategy": "random", "reason": "µ"}
    code = "import sys, json; from pathlib import Path; from seedbed.seeds.seed_files import write_seeds; "
    code += "write_seeds(Path(sys.argv[1]), [json.loads(sys.argv[2])], {})"
    path = tmp_path / f"s{ending}"
    plain = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    subprocess.run([sys.executable, "-c", code, path, json.dumps(row)], check=True, env=plain, timeout=60)
    assert read_pages(WEB, path) == ([1], 0)


ROWS = [
    {"rank": k + 1, "url": url, "id": k, "host": "a.org", "score": 1.0, "strategy": "random", "reason": "why, then"}
    for k, url in enumerate(URLS)
]


def test_a_csv_of_seeds_is_a_table_a_text_a_list_of_urls_and_json_lines_are_seeds(tmp_path: Path) -> None:
    for ending in ENDINGS:
        write_seeds(tmp_path / f"s{ending}", ROWS, {"strategy": "random"})
        assert how_made(tmp_path / f"s{ending}") == {"strategy": "random"}
    table = pa_csv.read_csv(tmp_path / "s.csv")
    assert table.column_names == list(COLUMNS)
    assert table.column("url").to_pylist() == URLS
    assert (tmp_path / "s.txt").read_text("utf-8").splitlines() == URLS
    assert [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()] == ROWS


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("s.txt", '# seedbed {"strategy": "cover"}\nhttp://b.org/\n'),
        ("s.csv", '# seedbed {"strategy": "cover"}\nrank,url,id\n1,http://b.org/,2\n'),
        ("s.jsonl", '{"seedbed": {"strategy": "cover"}}\n{"rank": 1, "url": "http://b.org/"}\n'),
    ],
)
def test_files_that_say_how_they_were_made_in_their_first_line_are_read(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content)
    assert read_pages(WEB, tmp_path / name) == ([2], 0)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_a_ranking_says_in_its_sidecar_how_it_was_computed(tmp_path: Path, ending: str) -> None:
    write_ranking(WEB, pagerank(WEB), tmp_path / f"r{ending}")
    made = how_made(tmp_path / f"r{ending}")
    assert made is not None
    assert (made["by"], made["converged"]) == ("pagerank", True)
    assert len((tmp_path / f"r{ending}").read_text().splitlines()) == 3 + (ending == ".csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("url,w\n5,1\n", "the column 'url' holds int64, expected text"),
        ("id,w\nx,1\n", "the column 'id' holds string, expected whole numbers"),
        ("id,w\n1.5,1\n", "the column 'id' holds double, expected whole numbers"),
        ("id,w,w\n1,1,2\n", "two columns named 'w'"),
        ("id,w\n0,1\n1,\n", "row 2: w is missing or nan"),
        ("id,w\n0,3\n1,2\n1,7\n", "row 2: w is 2, and a later row says 7 of the same page"),
        (b"url,w\nhttp://\xff/,1\n", "the column 'url' holds binary, expected text in UTF-8"),
    ],
)
def test_odd_files_of_values_are_refused_in_one_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    (tmp_path / "v.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        file_values(WEB, tmp_path / "v.csv")


def test_rows_of_values_without_a_name_are_counted_and_equal_rows_are_one(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("url,w\nhttp://a.org/,2\n,5\nhttp://a.org/,2\n")
    found = file_values(WEB, tmp_path / "v.csv")
    assert (found.values.tolist(), found.unknown) == ([2, 0, 0], 1)
    pq.write_table(pa.table({"id": [1, None, 2**40], "w": [3, 4, 5]}), tmp_path / "v.parquet")
    found = file_values(BARE, tmp_path / "v.parquet")
    assert (found.values.tolist(), found.unknown) == ([0, 3, 0], 2)


@pytest.fixture
def links(tmp_path: Path) -> Path:
    (tmp_path / "links.tsv").write_text("http://a.org/\thttp://b.org/\nhttp://a.org/\thttp://c.org/\n")
    return tmp_path / "links.tsv"


def test_the_command_says_what_it_was_given_in_vain(links: Path, tmp_path: Path) -> None:
    (tmp_path / "no.txt").write_text("spam.org\n")
    done = seedbed("seeds", links, "-k", 1, "--exclude", tmp_path / "no.txt", "--values", "paper")
    assert done.returncode == 0, done.stderr
    assert "1 of its entries are not in the web, such as 'spam.org'" in done.stderr
    assert (
        "values by the paper: the web has no column spam, clicked, uncrawled, crawled, so every page is worth 1"
        in done.stderr
    )


def test_seeds_that_are_written_nowhere_else_are_in_the_json(links: Path, tmp_path: Path) -> None:
    done = seedbed("seeds", links, "-k", 1, "--strategy", "outdegree", "--json")
    assert [row["url"] for row in json.loads(done.stdout)["rows"]] == ["http://a.org/"]
    done = seedbed("seeds", links, "-k", 1, "--strategy", "outdegree", "--json", "--out", tmp_path / "s.csv")
    assert "rows" not in json.loads(done.stdout)


def test_an_output_of_the_wrong_kind_is_refused_before_the_web_is_read(tmp_path: Path) -> None:
    for command in ("rank", "seeds"):
        misused(seedbed(command, tmp_path / "no-web", "--out", "found.xls"), "unknown file ending", "'.xls'")


def test_a_list_of_urls_is_refused_for_a_web_without_them(tmp_path: Path) -> None:
    (tmp_path / "ids.tsv").write_text("0\t1\n")
    refused(seedbed("seeds", tmp_path / "ids.tsv", "-k", 1, "--out", tmp_path / "s.txt"), "the web has none")
    assert not (tmp_path / "s.txt").exists()

"""Characters that end lines or command terminals: none of them acts, in lists, on standard output or in messages."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.common.messages import UNSAFE, json_text, raw_url, safe_url, safe_urls, visible
from seedbed.ranking.pagerank import pagerank
from seedbed.ranking.ranking_files import write_ranking
from seedbed.seeds.seed_files import ENDINGS, read_pages, write_seeds
from tests.commands import refused
from tests.commands import seedbed_here as seedbed
from tests.graphs import web_of

HOSTILE = [
    "http://a.example/\nhttp://forged.example/",
    "http://a.example/\r\nhttp://forged.example/",
    "http://b.example/\x1b[31mred\x1b]0;title\x07",
    "http://c.example/\u2028next\u2029\u0085\x0b\x0c",
    "http://d.example/\u202egpj.exe\u2066\u200f",
    "http://e.example/\ttab\x00nul\x7f\x9b2J",
]
WEB = web_of([[1, 2, 3, 4, 5], [0], [0], [0], [0], [0]], sorted(HOSTILE))


def is_unsafe(letter: str) -> bool:
    """Said another way than the regular expression says it: by what Unicode knows of a character."""
    bidi = unicodedata.bidirectional(letter) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    marks = letter in "\u200e\u200f\u061c"
    return bidi or marks or unicodedata.category(letter) in ("Cc", "Zl", "Zp", "Cs")


def test_the_unsafe_characters_are_those_that_unicode_says() -> None:
    found = {chr(code) for code in range(0x110000) if UNSAFE.match(chr(code))}
    assert found == {chr(code) for code in range(0x110000) if is_unsafe(chr(code))}


@given(st.text())
def test_escaped_text_is_one_line_and_safe(text: str) -> None:
    for shown in (visible(text), safe_url(text)):
        assert not any(map(is_unsafe, shown))
        assert len(shown.splitlines()) <= 1


@given(st.text(st.characters(exclude_characters="%")))
def test_a_percent_encoded_url_can_be_found_again(url: str) -> None:
    assert raw_url(safe_url(url)) == url


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_arrow_columns_are_encoded_as_single_urls_are(urls: list[str]) -> None:
    assert safe_urls(pa.array(urls, pa.large_string())).to_pylist() == [safe_url(url) for url in urls]


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_stays_the_same_json(content: object) -> None:
    text = json_text(json.dumps(content, ensure_ascii=False, indent=2))
    assert json.loads(text) == content
    assert not any(is_unsafe(letter) for letter in text.replace("\n", ""))


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_seed_list_has_no_more_lines_than_seeds_and_is_read_back(tmp_path: Path, ending: str) -> None:
    assert WEB.urls is not None
    rows = [
        {"rank": k + 1, "url": url, "id": k, "host": "h\n", "score": 1.0, "strategy": "mine", "reason": f"as {url}"}
        for k, url in enumerate(WEB.urls)
    ]
    path = tmp_path / f"s{ending}"
    write_seeds(path, rows, {})
    assert read_pages(WEB, path) == (list(range(6)), 0)
    if ending != ".parquet":
        text = path.read_text("utf-8")
        assert len(text.splitlines()) == 6 + (ending == ".csv")
        assert not any(map(is_unsafe, text.replace("\n", "")))


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_a_ranking_has_a_line_a_page(tmp_path: Path, ending: str) -> None:
    write_ranking(WEB, pagerank(WEB), tmp_path / f"r{ending}")
    text = (tmp_path / f"r{ending}").read_text("utf-8")
    assert len(text.splitlines()) == 6 + (ending == ".csv")
    assert not any(map(is_unsafe, text.replace("\n", "")))


@pytest.fixture
def links(tmp_path: Path) -> Path:
    first, *others = HOSTILE
    table = pa.table({"from": [first] * 5 + others, "to": others + [first] * 5})
    pq.write_table(table, tmp_path / "links.parquet")
    return tmp_path


def test_standard_output_has_a_line_a_row_and_no_control_characters(links: Path) -> None:
    (links / "old.txt").write_text("http://gone.example/\n")
    refresh = ["refresh", "--seeds", "old.txt", "--old", "links.parquet", "--new", "links.parquet", "-k", "6"]
    for words, lines in (
        (["rank", "links.parquet"], 6),
        (["seeds", "links.parquet", "-k", "6", "--strategy", "pagerank"], 6),
        (refresh, 6),
        (["rank", "links.parquet", "--json"], None),
        (["info", "links.parquet"], None),
    ):
        done = seedbed(*words, cwd=links)
        assert done.returncode == 0, done.stderr
        assert lines is None or len(done.stdout.splitlines()) == lines
        shown = (done.stdout + done.stderr).replace("\n", "").replace("\t", "")
        assert not any(map(is_unsafe, shown))
        assert "forged.example\n" not in done.stdout
    assert "http://a.example/%0Ahttp://forged.example/" in seedbed("rank", "links.parquet", cwd=links).stdout


def test_messages_show_what_files_hold_as_escapes(links: Path) -> None:
    (links / "bad.jsonl").write_text('{"url": "http://x\\u001b[2J\\u202e.example/"}\n')
    told = refused(seedbed("crawl", "links.parquet", "--seeds", "bad.jsonl", cwd=links), r"http://x\x1b[2J\u202e.exa")
    assert "\x1b" not in told
    (links / "no.txt").write_text("spam\x1b[31m.org\n")
    done = seedbed("seeds", "links.parquet", "-k", "1", "--exclude", "no.txt", cwd=links)
    assert r"\x1b[31m" in done.stderr
    assert "\x1b" not in done.stderr


def test_names_of_files_cannot_command_the_terminal(links: Path) -> None:
    name = "r\x1b[31m.csv"
    done = seedbed("seeds", "links.parquet", "-k", "1", "--out", name, cwd=links)
    assert done.returncode == 0
    assert r"r\x1b[31m.csv: 1 seed;" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr
    refused(seedbed("info", "no\x1b\nsuch", cwd=links), r"no\x1b such: no such file")


def test_commands_print_through_the_one_place_that_escapes() -> None:
    from seedbed import cli

    for file in Path(cli.__file__).parent.glob("*.py"):
        assert "typer.echo" not in file.read_text("utf-8")

"""What each crawler is given, read back by a parser made from its docs; test_exports_readers.py has the real ones."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
import yaml
from ada_url import URL
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, OptionError
from seedbed.exports import EXPORTS
from seedbed.exports.export import export, list_seeds
from seedbed.exports.seed_entries import NotFetchable, fetchable
from tests.commands import misused, refused, seedbed
from tests.exported import CLEAN, ROWS, texts_for


def main_text(target: str, **options: object) -> str:
    return texts_for(ROWS, target, **options)[""]


def by_score(pairs: list[tuple[str, float]]) -> list[str]:
    return [url for url, _ in sorted(pairs, key=lambda pair: -pair[1])]


def test_urls_keep_their_meaning_and_lose_what_breaks_lines() -> None:
    assert CLEAN[2] == "https://www.c.example/with%20space%09and%20tab%0Aand%20line"
    assert CLEAN[3] == "http://d.example/quote%22%27%5C"
    assert CLEAN[4] == "http://xn--9ca.example/%C3%BC%E2%80%A8"
    assert fetchable("HTTP://A.example:80/x/../y") == "http://a.example/y"


def test_plain_text_is_a_url_a_line() -> None:
    assert main_text("text").splitlines() == CLEAN


def test_nutch_reads_scores_that_are_one_on_average() -> None:
    """As Injector reads: fields by tabs, the first is the URL, the others key=value."""
    found = []
    for line in main_text("nutch", fetch_interval=3600).splitlines():
        url, *fields = line.split("\t")
        values = dict(field.split("=", 1) for field in fields)
        assert values["nutch.fetchInterval"] == "3600"
        found.append((url, float(values["nutch.score"])))
    assert by_score(found) == CLEAN
    assert sum(score for _, score in found) / len(found) == pytest.approx(1)


def test_stormcrawler_sorts_ranks_as_text() -> None:
    """As StringTabScheme reads: the URL, then key=value by tabs."""
    rows = [{"url": f"http://h/{k}"} for k in range(12)]
    text = texts_for(rows, "stormcrawler")[""]
    found = [(fields[0], dict(one.split("=") for one in fields[1:])) for fields in map(tab_fields, text.splitlines())]
    assert [url for url, _ in sorted(found, key=lambda pair: pair[1]["rank"])] == [row["url"] for row in rows]


def tab_fields(line: str) -> list[str]:
    return line.split("\t")


def test_heritrix_has_seeds_scope_schedule_and_precedence() -> None:
    """As TextSeedModule, the action directory and PrecedenceLoader read them."""
    texts = texts_for(ROWS, "heritrix", without=("bad.example",))
    lines = texts[""].splitlines()
    assert [line for line in lines if line[0] not in "+-"] == CLEAN
    assert "+http://(example,b,)/" in lines
    assert "+http://(example,a,:8080)/" in lines
    assert lines[-1] == "-http://(example,bad,)/"
    assert [line.split(" ")[1] for line in texts[".schedule"].splitlines() if line.startswith("F+ ")] == CLEAN
    ranks = [(url, int(rank)) for url, rank in (line.split() for line in texts[".precedence"].splitlines())]
    assert ranks == list(zip(CLEAN, range(1, 6), strict=True))


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("https://b.example/x/y", "http://c.b.example/"),
        ("http://b.example:8080/", "http://b.example/"),
        ("http://127.0.0.1/", "http://127.0.0.11/"),
        ("https://127.0.0.1:8443/", "https://127.0.0.1/"),
        ("http://[::1]/", "http://[::2]/"),
        ("http://É.example/", "http://e.example/"),
        ("http://b.example./", "http://b.example.org/"),
    ],
)
def test_heritrix_finds_a_seed_in_the_scope_of_its_own_line(url: str, other: str) -> None:
    text = texts_for([{"url": url}], "heritrix")[""]
    [prefix] = [line[1:] for line in text.splitlines() if line[0] == "+"]
    assert heritrix_surt(fetchable(url)).startswith(prefix)
    assert not heritrix_surt(fetchable(other)).startswith(prefix)


def heritrix_surt(url: str) -> str:
    """What Heritrix compares with prefixes: the URL's SURT, https taken for http, addresses in digits as they are."""
    pattern = r"https?://(?:((?:\d+\.){3}\d+)|([^:/\[]+|\[.*\]))(:\d+)?(/.*)"
    address, name, port, rest = re.fullmatch(pattern, url).groups(default="")  # type: ignore[union-attr]
    turned = "".join(f"{label}," for label in reversed(name.rstrip(".").split("."))) if name else address
    return f"http://({turned}{port}){rest}"


@pytest.mark.parametrize("count", [1, 127, 128, 1000])
def test_heritrix_precedence_is_from_1_to_127_and_never_falls(count: int) -> None:
    rows = [{"url": f"http://h/{k}"} for k in range(count)]
    text = texts_for(rows, "heritrix")[".precedence"]
    found = [int(line.split()[1]) for line in text.splitlines()]
    assert found[0] == 1
    assert found[-1] == min(count, 127)
    assert found == sorted(found)


def test_browsertrix_reads_yaml_with_depth_and_scope() -> None:
    found = yaml.safe_load(main_text("browsertrix", depth=2, scope="domain"))
    assert found == {"seeds": [{"url": url, "scopeType": "domain", "depth": 2} for url in CLEAN]}
    with pytest.raises(OptionError, match="unknown scope 'hosts'"):
        main_text("browsertrix", scope="hosts")


def test_scrapy_redis_refuses_a_key_that_is_a_command() -> None:
    with pytest.raises(OptionError, match="key"):
        main_text("scrapy-redis", key="a\nFLUSHALL")


def test_frontera_scores_are_from_0_to_1() -> None:
    found = [json.loads(line) for line in main_text("frontera").splitlines()]
    assert all(0 < seed["score"] <= 1 for seed in found)
    assert by_score([(seed["url"], seed["score"]) for seed in found]) == CLEAN


def test_crawl4ai_weighs_hosts_by_their_best_seed() -> None:
    found = json.loads(main_text("crawl4ai"))
    assert found["urls"] == CLEAN
    hosts = [URL(url).hostname for url in CLEAN]
    assert sorted(found["domain_weights"], key=lambda host: -found["domain_weights"][host]) == hosts
    assert 0 < found["default_weight"] < min(found["domain_weights"].values())


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.sampled_from(sorted(EXPORTS)))
def test_no_url_breaks_out_of_its_line(paths: list[str], target: str) -> None:
    rows = [{"url": "http://h.example/" + path.replace("#", "")} for path in paths]
    count = len(list_seeds(rows, "test").entries)
    for ending, text in texts_for(rows, target).items():
        assert not any(unicodedata.category(letter)[0] == "C" and letter not in "\n\t" for letter in text)
        if target in ("browsertrix", "crawl4ai"):
            continue
        lines = [line for line in text.split("\n") if line]
        assert len(lines) == len(text.splitlines())
        assert len([line for line in lines if not line.startswith(("+", "-"))]) == count, (ending, text)


@pytest.mark.parametrize("url", [None, "", "javascript:alert(1)", "ftp://h/x", "http://", "//h/x", "x" * 70000])
def test_what_no_crawler_fetches_is_refused(url: str | None) -> None:
    with pytest.raises(NotFetchable):
        fetchable(url)
    with pytest.raises(InputError, match=r"^test: .*omit --strict"):
        list_seeds([*ROWS, {"url": url}], "test", strict=True)


def test_all_files_of_a_crawler_appear_together(tmp_path: Path) -> None:
    written = export(ROWS, "heritrix", tmp_path / "new" / "seeds.txt")
    assert [path.name for path in written.files] == ["seeds.txt", "seeds.schedule", "seeds.precedence"]
    seen = [path.name for path in (tmp_path / "new").iterdir() if not path.name.startswith(".")]
    assert sorted(seen) == sorted(path.name for path in written.files)


def test_what_a_terminal_shows_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("http://a.example/\n")
    shown = seedbed("export", tmp_path / "seeds.txt", "--to", "heritrix")
    assert shown.stdout == "http://a.example/\n+http://(example,a,)/\n"
    assert ".schedule and .precedence" in shown.stderr


def test_the_command_exports_what_seeds_wrote(tmp_path: Path) -> None:
    links, seeds, out = tmp_path / "links.tsv", tmp_path / "seeds.jsonl", tmp_path / "for-nutch.txt"
    links.write_text("http://a.example/\thttp://b.example/\nhttp://a.example/\thttp://c.example/\n")
    assert seedbed("seeds", links, "-k", 1, "--strategy", "outdegree", "--out", seeds).returncode == 0
    shown = seedbed("export", seeds, "--to", "nutch")
    assert shown.stdout == "http://a.example/\tnutch.score=1\n"
    assert seedbed("export", seeds, "--to", "nutch", "--out", out).returncode == 0
    assert out.read_text() == shown.stdout
    straight = tmp_path / "straight.txt"
    chosen = seedbed("seeds", links, "-k", 1, "--strategy", "outdegree", "--to", "nutch", "--out", straight)
    assert chosen.returncode == 0, chosen.stderr
    assert straight.read_text() == shown.stdout
    again = ("seeds", links, "-k", 1, "--strategy", "outdegree", "--out", straight)
    assert seedbed(*again, "--to", "stormcrawler").returncode == 0
    assert straight.read_text() == "http://a.example/\trank=1\tscore=1\n"
    assert seedbed(*again, "--to", "urlfrontier", "--format", "url-edges").returncode == 0
    assert json.loads(straight.read_text())["known"]["info"]["url"] == "http://a.example/"
    assert seedbed(*again, "--format", "url-edges").returncode == 0
    assert straight.read_text() == "http://a.example/\n"
    misused(seedbed(*again, "--format", "nutch"), "unknown format 'nutch'")


def test_bad_input_ends_with_one_line(tmp_path: Path) -> None:
    ids, hosts = tmp_path / "ids.txt", tmp_path / "hosts.txt"
    hosts.write_text("# left out\nbad.example:8080\n\nno host\n")
    ids.write_text("17\n")
    broken, good = tmp_path / "broken.parquet", tmp_path / "good.txt"
    broken.write_bytes(b"PAR1 cut off")
    good.write_text("http://a.example/\n")
    refused(seedbed("export", broken, "--to", "nutch"), "broken.parquet: not read as Parquet", "cut short?")
    refused(seedbed("export", good, "--to", "nutch", "--out", tmp_path), "is a folder")
    without = f"without={hosts}"
    refused(seedbed("export", good, "--to", "heritrix", "-o", without), "'no host' is not a host", "one host per line")
    refused(seedbed("export", good, "--to", "heritrix", "-o", f"without={tmp_path / 'none'}"), "none", "No such file")
    refused(seedbed("export", ids, "--to", "nutch"), "has no URL")
    misused(seedbed("export", ids, "--to", "nuch"), "unknown crawler 'nuch'", "nutch")
    misused(seedbed("seeds", ids, "--to", "nuch"), "unknown crawler")
    refused(seedbed("seeds", ids, "--to", "nutch"), "--out FILE")


def test_what_follows_a_hash_is_not_sent_to_a_server() -> None:
    rows = [{"url": "http://a.example/x#one"}, {"url": "http://a.example/x#two"}]
    assert texts_for(rows, "text")[""] == "http://a.example/x\n"


@pytest.mark.parametrize("target", EXPORTS)
def test_without_seeds_nothing_is_written(target: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no seeds"):
        export([], target, tmp_path / "seeds.txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("host", [".", "..."])
def test_a_host_of_dots_is_no_host(host: str) -> None:
    with pytest.raises(NotFetchable, match="not an http or https URL"):
        fetchable(f"http://{host}/")
    with pytest.raises(OptionError, match="is not a host"):
        texts_for(ROWS, "heritrix", without=(host,))


@pytest.mark.parametrize("host", ["a.example#x", ":secret@a.example", "a.example?x", "me@a.example", "a.example/x"])
def test_what_is_more_than_a_host_cannot_be_left_out(host: str) -> None:
    with pytest.raises(OptionError, match="is not a host"):
        texts_for(ROWS, "heritrix", without=(host,))


@pytest.mark.parametrize(
    ("host", "surt"),
    [
        ("intranet2", "intranet2,"),
        ("www.srv1", "srv1,www,"),
        ("10.0.0.7", "10.0.0.7"),
        ("a.example:8080", "example,a,:8080"),
    ],
)
def test_heritrix_turns_names_round_and_addresses_not(host: str, surt: str) -> None:
    text = texts_for([{"url": f"http://{host}/x"}], "heritrix", without=(host,))[""]
    assert text.splitlines() == [f"http://{host}/x", f"+http://({surt})/", f"-http://({surt})/"]


@pytest.mark.parametrize("name", ["seeds.schedule", "seeds.precedence"])
def test_no_file_of_a_crawler_takes_the_place_of_another(name: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"Name that one seeds\.txt"):
        export(ROWS, "heritrix", tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_seeds_that_are_one_url_are_counted_once(tmp_path: Path) -> None:
    (tmp_path / "urls.list").write_text("http://a.example\nhttp://a.example/\n")
    done = seedbed("export", tmp_path / "urls.list", "--to", "nutch", "--out", tmp_path / "seeds.txt")
    assert "seeds.txt: 1 seed for nutch" in done.stderr


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("s.txt", "²\n", "'²' is not a URL"),
        ("s.txt", "9" * 5000 + "\n", "is not a URL"),
        ("s.jsonl", '{"id": 1e400}\n', "neither a 'url' nor a numeric 'id'"),
        ("s.jsonl", '{"id": 1.7}\n', "neither a 'url' nor a numeric 'id'"),
        ("s.jsonl", '{"id": true}\n', "neither a 'url' nor a numeric 'id'"),
        ("s.jsonl", "[" * 100_000 + "\n", "expected a JSON object"),
        ("s.csv", "url\n" + "a" * 200_000 + "\n", "cannot be read as CSV"),
    ],
)
def test_seed_files_that_cannot_be_read_end_in_a_line(name: str, text: str, part: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    refused(seedbed("export", tmp_path / name, "--to", "text"), part)


def test_seed_files_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    for name, text in (("s.txt", "http://a.example/\n"), ("s.csv", "url\nhttp://a.example/\n")):
        (tmp_path / name).write_text(text, encoding="utf-8-sig")
        assert seedbed("export", tmp_path / name, "--to", "text").stdout == "http://a.example/\n"

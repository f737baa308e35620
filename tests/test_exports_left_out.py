"""What becomes of seeds that cannot be written as they stand: completed, merged, or left out, and always told."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
import yaml
from ada_url import URL
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, UsageError
from seedbed.exports import EXPORTS
from seedbed.exports.export import export, list_seeds
from seedbed.exports.seed_entries import NotFetchable, fetchable
from tests.commands import misused, refused, seedbed
from tests.exported import ROWS, texts_for

MIXED = ["http://a.example", "ftp://b.example/x", "http://a.example/#top", "c.example", "http://", "17", "d.example/x"]


def rows(*urls: str | None) -> list[dict[str, str | None]]:
    return [{"url": url} for url in urls]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("foo.org", "http://foo.org/"),
        ("WWW.Foo.org", "http://www.foo.org/"),
        ("foo.org:8080", "http://foo.org:8080/"),
        ("foo.org.", "http://foo.org./"),
        ("10.0.0.7", "http://10.0.0.7/"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
        ("www.epa.gov/", "http://www.epa.gov/"),
        ("www.epa.gov/a?b=c:d", "http://www.epa.gov/a?b=c:d"),
        ("under_score.foo.org", "http://under_score.foo.org/"),
    ],
)
def test_a_host_stands_for_its_first_page(host: str, url: str) -> None:
    assert fetchable(host) == url
    assert fetchable(host, "https") == url.replace("http:", "https:")


@pytest.mark.parametrize(
    "name",
    [
        "foo",
        "localhost:80",
        "/x.html",
        "a b.example",
        "mailto:me@foo.org",
        "me@foo.org",
        "..",
        "[::1]",
        "a..b\\c.d",
        "²",
    ],
)
def test_what_is_neither_url_nor_host_is_left_out(name: str) -> None:
    with pytest.raises(NotFetchable):
        fetchable(name)


def test_the_rest_is_exported_and_what_is_not_is_counted_and_named(tmp_path: Path) -> None:
    written = export(rows(*MIXED), "text", tmp_path / "seeds.txt")
    assert (tmp_path / "seeds.txt").read_text() == "http://a.example/\nhttp://c.example/\nhttp://d.example/x\n"
    assert written.notes == [
        "seeds left out that no crawler can fetch: 3 ('ftp://b.example/x' is not an http or https URL; "
        "'http://' is not a URL; '17' is not a URL)",
        "seeds merged that are the same URL as one before: 1 (http://a.example/)",
        "hosts without a scheme written as http://: 2 ('c.example'; 'd.example/x')",
    ]
    with pytest.raises(InputError, match=r"^list: 'ftp://b\.example/x' is not an http or https URL\. Fix or remove it"):
        export(rows(*MIXED), "text", tmp_path / "strict.txt", source="list", strict=True)
    assert not (tmp_path / "strict.txt").exists()


def test_only_the_first_few_are_named() -> None:
    found = list_seeds(rows("http://a.example/", *(f"ftp://h{k}/" for k in range(1000))), "test")
    assert found.sieve.left_out.count == 1000
    assert len(found.notes()[0]) < 400
    assert found.notes()[0].endswith("; …)")


def test_nothing_is_written_where_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no seed that a crawler can fetch\. Left out: 1 \('ftp://x/'"):
        export(rows("ftp://x/"), "nutch", tmp_path / "seeds.txt")
    assert list(tmp_path.iterdir()) == []


def test_both_commands_tell_what_was_left_out(tmp_path: Path) -> None:
    seeds, out, links = tmp_path / "list", tmp_path / "nutch.txt", tmp_path / "links.tsv"
    seeds.write_text("\n".join(MIXED) + "\n")
    done = seedbed("export", seeds, "--to", "text", "--out", out)
    assert "nutch.txt: 3 seeds for text" in done.stderr
    assert "seeds left out that no crawler can fetch: 3 (" in done.stderr
    assert seedbed("export", seeds, "--to", "text", "--scheme", "https").stdout.endswith("https://d.example/x\n")
    as_json = json.loads(seedbed("export", seeds, "--to", "text", "--out", out, "--json").stdout)
    assert (as_json["seeds"], as_json["left_out"], as_json["merged"], as_json["hosts_completed"]) == (3, 3, 1, 2)
    assert (as_json["files"], len(as_json["notes"]), len(as_json["left_out_first"])) == ([str(out)], 3, 3)
    refused(seedbed("export", seeds, "--to", "text", "--strict"), "'ftp://b.example/x'", "omit --strict")
    refused(seedbed("export", seeds, "--to", "text", "--json"), "--out FILE")
    links.write_text("http://a.example/\tftp://b.example/\nhttp://a.example/\thttp://c.example/\n")
    chosen = ("seeds", links, "-k", 3, "--strategy", "outdegree", "--to", "nutch", "--out", out)
    done = seedbed(*chosen)
    assert done.stdout.startswith(f"{out}: 2 seeds;")
    assert "seeds left out that no crawler can fetch: 1 ('ftp://b.example/' is not an http" in done.stderr
    as_json = json.loads(seedbed(*chosen, "--json").stdout)
    assert as_json["export"]["left_out"] == 1
    assert any("left out" in note for note in as_json["notes"])
    refused(seedbed(*chosen, "--strict"), "ftp://b.example/")


def test_a_host_graph_goes_from_the_archive_to_the_crawler(tmp_path: Path) -> None:
    graph, out = tmp_path / "hosts.tsv", tmp_path / "seeds.txt"
    graph.write_text("1996|a.example.uk|b.example.uk\t2\n1996|a.example.uk|c.example.uk\t1\n")
    words = ("seeds", graph, "-k", 1, "--strategy", "outdegree", "--to", "nutch", "--out", out)
    done = seedbed(*words, "--scheme", "https")
    assert done.returncode == 0, done.stderr
    assert out.read_text() == "https://a.example.uk/\tnutch.score=1\n"
    assert "hosts without a scheme written as https://: 1" in done.stderr
    misused(seedbed(*words, "--scheme", "gopher"), "'gopher' is not one of 'http', 'https'")
    refused(seedbed(*words[:6], "--strict"), "--to CRAWLER")


@pytest.mark.parametrize("target", EXPORTS)
def test_options_of_another_crawler_are_refused(target: str) -> None:
    own = {option.name: option for option in EXPORTS[target].options}
    every = {option.name: option for export in EXPORTS.values() for option in export.options}
    for name, option in every.items():
        value = option.default or 1
        if name in own:
            assert EXPORTS[target].checked({name: value}) == {name: value}
        else:
            with pytest.raises(UsageError, match=f"^{target} has no option '{name}'; it has "):
                EXPORTS[target].checked({name: value})


def test_the_command_refuses_options_of_another_crawler(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("http://a.example/\n")
    message = misused(seedbed("export", tmp_path / "list", "--to", "nutch", "-o", "depth=2"), "depth", "nutch")
    assert message.endswith("nutch has no option 'depth'; it has fetch_interval.")
    misused(seedbed("export", tmp_path / "list", "--to", "text", "-o", "scope=host"), "it has no options")


ODD = st.text("ab.:/?#@[]\\%\t\n\r\v\f\x00\x1c\x85\u2028\u2029 \"'`<>=+-;,|&é\ud800", max_size=12)


READERS = {
    "text": lambda line: line,
    "nutch": lambda line: in_fields(line, "\t", 2)[0],
    "stormcrawler": lambda line: in_fields(line, "\t", 3)[0],
    "heritrix": lambda line: in_fields(line, " ", 1)[0],
    "heritrix.schedule": lambda line: in_fields(line, " ", 2)[1],
    "heritrix.precedence": lambda line: in_fields(line, " ", 2)[0],
    "scrapy-redis": lambda line: json.loads(line.split(" ", 3)[3][1:-1].replace('\\"', '"'))["url"],
    "urlfrontier": lambda line: json.loads(line)["known"]["info"]["url"],
    "scrapy": lambda line: json.loads(line)["url"],
    "frontera": lambda line: json.loads(line)["url"],
}


def in_fields(line: str, separator: str, count: int) -> list[str]:
    fields = line.split(separator)
    assert len(fields) == count, line
    return fields


def urls_read(target: str, ending: str, text: str) -> list[str]:
    """The URLs that a strict reader of a crawler's format finds, which takes any line end for one."""
    assert not any(unicodedata.category(letter)[0] in "CZ" and letter not in "\n\t " for letter in text)
    if target == "browsertrix":
        return [seed["url"] for seed in yaml.safe_load(text)["seeds"]]
    if target == "crawl4ai":
        return list(json.loads(text)["urls"])
    return [READERS[target + ending](line) for line in text.splitlines() if not line.startswith("+")]


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from(["http://", "https://", "", "h.example"]), ODD, ODD)),
    st.sampled_from(sorted(EXPORTS)),
)
def test_no_url_forges_a_line_or_a_field(parts: list[tuple[str, str, str]], target: str) -> None:
    found = [*({"url": scheme + host + "/" + path} for scheme, host, path in parts), *ROWS]
    expected = [entry.url for entry in list_seeds(found, "test").entries]
    assert all(URL(url).href == url for url in expected)
    for ending, text in texts_for(found, target).items():
        assert urls_read(target, ending, text) == expected

"""All pages of a ranking for a crawler: the same lines as for seeds, streamed, in the order of the ranking."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import seedbed as sb
from seedbed.common.parquet_files import batches, opened_parquet
from seedbed.common.sidecar import described_by
from seedbed.errors import InputError, OptionError
from seedbed.exports import EXPORTS
from seedbed.exports.ranking_entries import Repeats, ranking_list
from seedbed.exports.seed_entries import _WHOLE, NotFetchable, Sieve, breaks, fetchable
from seedbed.urls.url_table import text_chunk
from tests.commands import refused, seedbed
from tests.exported import CLEAN, OF_ALL_PAGES, ROWS, URLS, ranked, ranking_text, texts_for
from tests.graphs import web_of

ODD = st.text("abA0.:/?#@[]\\%-\t\n\x7f\u2028 \"'`<>=é_~", max_size=12)
NAMED = ["http://a.example/", "http://b.example/", "http://c.example/"]
WEB = web_of([[1, 2], [2], []], NAMED)
READERS = {
    "nutch": lambda line: (line.split("\t")[0], float(line.split("nutch.score=")[1])),
    "stormcrawler": lambda line: (line.split("\t")[0], -int(line.split("\t")[1].removeprefix("rank="))),
    "heritrix": lambda line: (line.split(" ")[0], -int(line.split(" ")[1])),
    "urlfrontier": lambda line: (json.loads(line)["known"]["info"]["url"], -json.loads(line)["known"][DATE]),
    "scrapy": lambda line: (json.loads(line)["url"], json.loads(line)["priority"]),
    "scrapy-redis": lambda line: (json.loads(json.loads(line.split(" ", 3)[3]))["url"], float(line.split(" ")[2])),
    "frontera": lambda line: (json.loads(line)["url"], json.loads(line)["score"]),
}
DATE = "refetchable_from_date"


@pytest.mark.parametrize("target", OF_ALL_PAGES)
def test_every_crawler_that_takes_scores_reads_all_pages_in_the_order_of_their_scores(target: str) -> None:
    """In the file they are in the order of the ranking."""
    scores = [20.0, 0.5, 300, 0, 7]
    found = [READERS[target](line) for line in ranking_text(URLS, scores, target).splitlines()]
    assert [url for url, _ in found] == CLEAN
    best_first = [CLEAN[k] for k in (2, 0, 4, 1, 3)]
    assert [url for url, _ in sorted(found, key=lambda pair: -pair[1])] == best_first


@settings(deadline=None, max_examples=200)
@given(st.lists(ODD, min_size=1, max_size=200), st.sampled_from(OF_ALL_PAGES), st.randoms())
def test_a_ranking_gives_the_lines_of_the_seeds_it_ranks(paths: list[str], target: str, random: Any) -> None:
    """Scores of k, k − 1, …, 1 are those that seeds get; the lines are in the order of the ranking."""
    urls = list(dict.fromkeys(fetchable(f"http://h.example/{path}") for path in paths))
    pairs = list(zip(urls, range(len(urls), 0, -1), strict=True))
    lines = texts_for(({"url": url} for url in urls), target)[EXPORTS[target].ranking or ""].splitlines()
    expected = dict(zip(urls, lines, strict=False))
    random.shuffle(pairs)
    found = ranking_text([url for url, _ in pairs], [score for _, score in pairs], target).splitlines()
    assert found == [expected[url] for url, _ in pairs]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=60).filter(any))
def test_a_rank_is_one_more_than_the_pages_with_higher_scores(scores: list[int]) -> None:
    """And a score is in units of the mean, whatever unit it came in."""
    urls, count = [f"http://h.example/{k}" for k in range(len(scores))], len(scores)
    for unit in (1.0, 1e-300, 1e200):
        entries = list(ranked(urls, [unit * one for one in scores]).entries)
        assert [entry.rank for entry in entries] == [1 + sum(other > one for other in scores) for one in scores]
        assert [entry.score for entry in entries] == pytest.approx([one / np.mean(scores) for one in scores])
        assert [entry.weight for entry in entries] == [(count - entry.rank + 1) / count for entry in entries]


def test_scores_that_agree_in_eleven_digits_share_a_rank() -> None:
    entries = ranked(NAMED, [1, 1 + 1 / 2049, 1 + 1 / 2048]).entries
    assert [entry.rank for entry in entries] == [2, 2, 1]


def test_minus_zero_is_zero() -> None:
    assert ranking_text(NAMED, [1, -0.0, 0], "nutch").splitlines()[1] == "http://b.example/\tnutch.score=0"


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(st.sampled_from(["http://a.", "https://", "", "HTTP://b.example/"]), ODD, ODD), max_size=8))
def test_urls_are_written_as_those_of_seeds_and_left_out_like_them(parts: list[tuple[str, str, str]]) -> None:
    """Plain URLs are not looked at one by one, and must not differ from those that are."""
    urls = ["http://plain.example/x", *(scheme + host + "/" + path for scheme, host, path in parts)]
    expected, left = dict[str, None](), 0
    for url in urls:
        try:
            expected[fetchable(url)] = None
        except NotFetchable:
            left += 1
    listed = ranked(urls, [1.0] * len(urls))
    assert [entry.url for entry in listed.entries] == list(expected)
    assert (len(listed.entries), listed.summary()["left_out"]) == (len(expected), left)


def test_what_need_not_be_encoded_is_what_breaks_nothing() -> None:
    for code in range(128):
        assert (_WHOLE.fullmatch(chr(code)) is None) == breaks(chr(code))
    assert not any(_WHOLE.fullmatch(letter) for letter in "\x85é\u2028\ud800")


def test_a_ranking_is_never_held_as_a_whole() -> None:
    """A batch is read when its first line is asked for, in the first pass as in the second."""
    read = 0

    def scored() -> Iterator[Any]:
        nonlocal read
        for k in range(100):
            read += 1
            yield text_chunk([f"http://h.example/{k}"]), np.array([float(k)])

    for target in OF_ALL_PAGES:
        lines = iter(EXPORTS[target].lines(ranking_list(scored, Sieve("test")), {})[""])
        read = 0
        next(lines)
        assert read == 1, target


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 9)), min_size=1, max_size=30))
def test_a_url_that_repeats_is_written_once_with_its_first_score(rows: list[tuple[int, int]]) -> None:
    """Whatever lies between, and in whatever spelling it repeats; the mean and the ranks are those of what is left."""
    spellings = ["http://h.example/{}", "HTTP://H.example/{}", "http://h.example/{}#x"]
    urls = [spellings[place % 3].format(number) for place, (number, _) in enumerate(rows)]
    scores = [1.0 + score for _, score in rows]
    first = dict(reversed([(fetchable(url), score) for url, score in zip(urls, scores, strict=True)]))
    kept = {url: first[url] for url in dict.fromkeys(map(fetchable, urls))}
    found, alone = ranked(urls, scores), ranked(list(kept), list(kept.values()))
    assert list(found.entries) == list(alone.entries)
    assert (len(found.entries), found.summary()["merged"]) == (len(kept), len(urls) - len(kept))


def test_repeats_are_said_and_what_is_left_out_is_counted_once() -> None:
    found = ranked([*NAMED, "ftp://x/", NAMED[1], NAMED[1]], [1, 2, 3, 4, 5, 6])
    assert found.notes() == [
        "pages left out that no crawler can fetch: 1 ('ftp://x/' is not an http or https URL)",
        "pages merged that are the same URL as one before: 2 (http://b.example/; http://b.example/)",
    ]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 5, 2**58, 2**64 - 1]), max_size=20)))
def test_hashes_that_repeat_are_found_in_memory_and_on_disk(batches: list[list[int]]) -> None:
    counted = Counter(number for batch in batches for number in batch)
    expected = sorted(number for number, times in counted.items() if times > 1)
    for room in (1 << 19, 16):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("seedbed.exports.ranking_entries._BYTES_IN_MEMORY", room)
            with closing(Repeats()) as repeats:
                for batch in batches:
                    repeats.add(np.array(batch, np.uint64))
                assert repeats.found().tolist() == expected


def test_row_groups_that_were_read_are_let_go(tmp_path: Path) -> None:
    path, rows = tmp_path / "many.parquet", 20_000
    with parquet.ParquetWriter(path, pa.schema({"url": pa.string()})) as writer:
        for group in range(30):
            writer.write_table(pa.table({"url": [f"http://h.example/{group}/{k}" for k in range(rows)]}))
    held = []
    with opened_parquet(path) as file:
        for batch in batches(path, file, ["url"]):
            held.append(pa.total_allocated_bytes())
            size = batch.nbytes
    assert held[-1] - held[3] < 2 * size


@pytest.mark.parametrize("target", sorted(set(EXPORTS) - set(OF_ALL_PAGES)))
def test_crawlers_without_scores_refuse_a_ranking_in_one_line(target: str, tmp_path: Path) -> None:
    ranking = sb.rank(WEB, "pagerank")
    ranking.save(tmp_path / "ranking.csv")
    for one in (ranking, tmp_path / "ranking.csv"):
        with pytest.raises(OptionError, match=rf"^{target} takes seeds.*: nutch, stormcrawler, heritrix.*\.$"):
            sb.export(one, target, tmp_path / "out.txt")
    refused(seedbed("export", tmp_path / "ranking.csv", "--to", target, "--out", tmp_path / "out.txt"), "takes seeds")
    assert not (tmp_path / "out.txt").exists()


def test_a_function_of_the_users_own_takes_a_ranking_if_it_says_so(tmp_path: Path) -> None:
    def mine(entries: Any) -> Iterator[str]:
        return (f"{entry.rank} {entry.url} {entry.host} of {len(entries)}\n" for entry in entries)

    with pytest.raises(OptionError, match="mine takes seeds"):
        sb.export(sb.rank(WEB, "indegree"), mine, tmp_path / "out.txt")
    from seedbed.exports.export import export_for

    done = sb.export(sb.rank(WEB, "indegree"), export_for("mine", ranking="")(mine), tmp_path / "out.txt")
    assert done.files[0].read_text().splitlines()[2] == "1 http://c.example/ c.example of 3"


@pytest.mark.parametrize("target", OF_ALL_PAGES)
def test_a_ranking_in_memory_and_in_any_file_give_the_same(target: str, tmp_path: Path) -> None:
    ranking = sb.rank(WEB, "pagerank")
    sb.export(ranking, target, tmp_path / "0")
    for ending in ("csv", "jsonl", "parquet"):
        ranking.save(tmp_path / f"ranking.{ending}")
        done = sb.export(str(tmp_path / f"ranking.{ending}"), target, tmp_path / ending)
        assert done.files == [tmp_path / ending]
        assert (tmp_path / ending).read_text() == (tmp_path / "0").read_text()
        assert done.summary()["pages"] == 3


def test_the_command_exports_what_rank_wrote(tmp_path: Path) -> None:
    links, ranking, out = tmp_path / "links.tsv", tmp_path / "ranking.parquet", tmp_path / "urls" / "all.txt"
    links.write_text(
        "http://a.example/\thttp://b.example/\nc.example\thttp://b.example/\nftp://d/\thttp://a.example/\n"
    )
    assert seedbed("rank", links, "--by", "indegree", "--out", ranking).returncode == 0
    words = ("export", ranking, "--to", "nutch", "--scheme", "https")
    done = seedbed(*words, "--out", out)
    assert "all.txt: 3 pages for nutch" in done.stderr
    assert "pages left out that no crawler can fetch: 1 ('ftp://d/'" in done.stderr
    assert "hosts without a scheme written as https://: 1 ('c.example')" in done.stderr
    scores = dict(READERS["nutch"](line) for line in out.read_text().splitlines())
    assert scores == {"http://a.example/": 1, "http://b.example/": 2, "https://c.example/": 0}
    assert seedbed(*words).stdout == out.read_text()
    made = described_by(out, out)
    assert made is not None and (made["kind"], made["made"]["ranking"]) == ("list of scored URLs", str(ranking))
    assert seedbed(*words, "--out", out).returncode == 0
    as_json = json.loads(seedbed(*words, "--out", out, "--json").stdout)
    assert (as_json["pages"], as_json["left_out"], as_json["hosts_completed"]) == (3, 1, 1)
    refused(seedbed(*words, "--strict"), "'ftp://d/'", "omit --strict")
    refused(seedbed(*words, "--out", ranking), "is read by this very command")
    out.write_text("mine")
    refused(seedbed(*words, "--out", out), "--overwrite")
    assert out.read_text() == "mine"


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_seeds_have_scores_too_but_stay_seeds(ending: str, tmp_path: Path) -> None:
    seeds = tmp_path / f"seeds.{ending}"
    sb.select(WEB, "outdegree", 2).save(seeds)
    done = sb.export(seeds, "text", tmp_path / "out.txt")
    assert (done.summary()["seeds"], done.files[0].read_text().splitlines()) == (2, NAMED[:2])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("r.csv", "url,score\n", r"has no pages, so there is nothing"),
        ("r.csv", "url,score\nhttp://a.example/,nan\n", r"row 1: score is no finite number\. Fix"),
        ("r.csv", "url,score\nhttp://a.example/,1\nhttp://b.example/,\n", r"row 2: score is no finite number"),
        ("r.csv", "url,score\nhttp://a.example/,-1\n", r"row 1: score is negative"),
        ("r.csv", "url,score\nhttp://a.example/,high\n", r"the column score holds string, expected numbers"),
        ("r.csv", "url,score\nhttp://a.example/,0\n", r"the mean of its scores is 0"),
        ("r.csv", "url,score\nhttp://a.example/,1e308\nhttp://b.example/,1e308\n", r"exceeds the largest number"),
        ("r.csv", "url,score\nftp://a/,1\n", r"has no page that a crawler can fetch\. Left out: 1"),
        ("r.csv", "id,score\n1,2\n", r"an entry has no URL"),
        ("r.jsonl", '{"url": "http://a.example/", "score": NaN}\n', r"row 1: score is no finite number"),
        ("r.jsonl", '{"url": "http://a.example/", "score": "x"}\n', r"the column score holds string, expected numbers"),
        ("r.jsonl", '{"url": "http://a.example/", "score": 1}\n{"score": 1}\n', r"row 2: url is missing"),
        ("r.jsonl", b'{"url": "http://a.example/\xff", "score": 1}\n', r"not read as JSON lines \(.*UTF8"),
    ],
)
def test_bad_rankings_end_with_one_line_and_write_nothing(
    name: str, content: str | bytes, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=rf"^\S*{name}[:,] .*{says}") as error:
        sb.export(tmp_path / name, "nutch", tmp_path / "out.txt")
    assert "\n" not in str(error.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_ranking_of_a_web_without_urls_cannot_be_exported(tmp_path: Path) -> None:
    ranking = sb.rank(web_of([[1, 2], [2], []]), "pagerank")
    with pytest.raises(OptionError, match="the ranking has no URLs"):
        sb.export(ranking, "nutch", tmp_path / "out.txt")
    ranking.save(tmp_path / "ranking.csv")
    refused(seedbed("export", tmp_path / "ranking.csv", "--to", "nutch"), "has no column url; it has id, score")


def test_scores_may_turn_into_fractions_after_a_million_bytes(tmp_path: Path) -> None:
    """Arrow would take their type from the first block of the file."""
    rows = [f"http://h.example/{k},{k if k < 50_000 else k + 0.5}\n" for k in range(60_000)]
    (tmp_path / "r.csv").write_text("url,score\n" + "".join(rows))
    assert len(sb.export(tmp_path / "r.csv", "nutch", tmp_path / "out.txt").listed.entries) == 60_000


def test_scrapy_gets_a_thousand_priorities_at_most() -> None:
    """It has a queue for each, and goes through all of them whenever one is empty."""
    rows = [{"url": f"http://h.example/{k}"} for k in range(5000)]
    found = [json.loads(line)["priority"] for line in texts_for(rows, "scrapy")[""].splitlines()]
    assert found == sorted(found, reverse=True)
    assert Counter(found) == dict.fromkeys(range(1, 1001), 5)
    assert [json.loads(line)["priority"] for line in texts_for(ROWS, "scrapy")[""].splitlines()] == [5, 4, 3, 2, 1]

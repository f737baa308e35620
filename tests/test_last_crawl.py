"""What the last crawl knew: where it comes from, how pages are matched, and what is said of bad input."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import InputError, OptionError, UsageError
from seedbed.graph.native_store import write_store
from seedbed.graph.web import Web
from seedbed.last_crawl import DUPLICATE, GONE, LastCrawl, duplicates, open_last
from seedbed.ranking.pagerank import pagerank
from seedbed.urls.url_matching import as_keys, keys_of, normal_form, normal_forms
from seedbed.urls.url_table import UrlTable, text_chunk
from tests.archives import http, page, warc_record
from tests.commands import refused, seedbed_here
from tests.graphs import web_of
from tests.snapshots import NEW, OLD, A, B, linked


def scored(urls: list[str], scores: list[float]) -> LastCrawl:
    return LastCrawl("last", lambda: iter([text_chunk(urls)]), np.array(scores, np.float32))


def test_scores_of_a_web_are_its_pagerank_in_units_of_the_mean_page() -> None:
    last = open_last(OLD)
    expected = pagerank(OLD).scores * OLD.page_count
    assert last.scores == pytest.approx(expected, rel=1e-6)
    assert last.scores.mean() == pytest.approx(1, rel=1e-6)


def test_pages_are_matched_by_url_then_spelling_then_name() -> None:
    known = open_last(OLD).about(NEW)
    assert OLD.urls is not None
    assert NEW.urls is not None
    of = dict(zip(OLD.urls, open_last(OLD).scores.tolist(), strict=True))
    now = dict(zip(NEW.urls, known.scores.tolist(), strict=True))
    assert now[f"{A}kept"] == of[f"{A}kept"]
    assert now["https://b.org/x/"] == of["http://www.b.org/X/index.html?sid=1"]
    assert math.isnan(now["http://g.org/"])
    assert known.known == sum(not math.isnan(score) for score in now.values())
    assert known.same == len(set(OLD.urls) & set(NEW.urls))


def test_a_page_that_kept_its_name_is_matched() -> None:
    old = linked({"http://a.org/": "http://a.org/news/ball.html"})
    new = linked({"http://a.org/": "http://a.org/news/ball.php"})
    assert open_last(old).about(new).notes() == [
        "the last crawl, web, knew 2 of the 2 pages, 1 of them under another URL"
    ]


def naive(urls: list[str], scores: list[float], web: Web) -> list[float]:
    """URL for URL: the first score of the same URL, else the highest of those whose only page with their form it is."""
    assert web.urls is not None
    news = list(web.urls)
    found = dict.fromkeys(news, math.nan)
    for url, score in zip(urls, scores, strict=True):
        alike = [new for new in news if normal_form(new) == normal_form(url)]
        if url not in news and len(alike) == 1:
            found[alike[0]] = max(score, found[alike[0]]) if found[alike[0]] > 0 else score
    for url, score in reversed(list(zip(urls, scores, strict=True))):
        if url in news:
            found[url] = score
    return [found[url] for url in news]


spellings = st.builds(
    "{}://{}{}.org/{}{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["", "www."]),
    st.sampled_from(["a.b", "c.d"]),
    st.sampled_from(["", "x", "X", "x/y"]),
    st.sampled_from(["", "/", "/index.html", "?sid=1"]),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(spellings, min_size=1, max_size=12), st.lists(spellings, min_size=1, max_size=12, unique=True))
def test_scores_reach_the_pages_that_a_naive_match_gives_them(olds: list[str], news: list[str]) -> None:
    web = web_of([[]] * len(news), news)
    scores = [float(k + 1) for k in range(len(olds))]
    known = scored(olds, scores).about(web)
    expected = naive(olds, scores, web)
    named = known.scores[[not math.isnan(score) for score in expected]]
    assert named.tolist() == [score for score in expected if not math.isnan(score)]


@settings(max_examples=50, deadline=None)
@given(st.lists(spellings, min_size=1, max_size=12), spellings)
def test_a_lookup_finds_a_url_or_the_best_of_its_spellings(olds: list[str], url: str) -> None:
    scores = [float(k + 1) for k in range(len(olds))]
    found = scored(olds, scores).lookup()(url)
    first = dict(reversed(list(zip(olds, scores, strict=True))))
    alike = [score for one, score in first.items() if normal_form(one) == normal_form(url)]
    best = first.get(url, max(alike, default=math.nan))
    assert found == best or (math.isnan(found) and math.isnan(best))


def test_pages_that_were_gone_or_spam_are_marked_and_come_last() -> None:
    lists, urls = [[1, 2, 3], [2], [], []], [f"http://a.org/{page}" for page in range(4)]
    columns = {"status": np.array([200, 200, 404, 0]), "spam": np.array([0, 1, 0, 0])}
    old = replace(web_of(lists, urls), columns=columns)
    known = open_last(old).about(web_of(lists, urls))
    assert (known.scores < 0).tolist() == [False, True, True, False]
    assert known.values()[1:3].tolist() == [0, 0]
    run = sb.crawl(web_of(lists, urls), [0], last=old)
    assert run.pages.tolist() == [0, 3, 1, 2]
    assert run.notes[-2:] == (
        "2 gone or spam among them come last",
        "of 2 pages that were gone, spam or duplicates then, 2 were fetched",
    )
    assert open_last(sb.rank(old)).scores.tolist() == open_last(old).scores.tolist()


def test_of_pages_with_the_same_content_all_but_the_best_come_last() -> None:
    """Pages 1, 3, 4 have the same digest, 2 and 5 the same canonical URL; 6 failed with the body that 0 has."""
    lists = [[1, 2, 3, 4, 5, 6], [], [0], [], [0], [3], []]
    urls = [f"http://a.org/{page}" for page in range(7)]
    columns = {
        "status": np.array([200, 200, 200, 200, 200, 200, 404]),
        "digest": np.array([9, 7, 0, 7, 7, 0, 9]),
        "canonical": np.array([0, 0, 5, 0, 0, 5, 0]),
    }
    old = replace(web_of(lists, urls), columns=columns)
    new = web_of(lists, urls)
    scores = open_last(old).about(new).scores
    assert np.flatnonzero(scores == DUPLICATE).tolist() == [1, 4, 5]  # page 3 has one link more, 2 is the smaller
    assert np.flatnonzero(scores == GONE).tolist() == [6]
    assert open_last(old).lookup().scores(urls).tolist() == scores.tolist()
    run = sb.crawl(new, [0], last=old, budget=4)
    assert set(run.pages[:3].tolist()) == {0, 2, 3}
    assert "1 gone or spam and 3 duplicates among them come last" in run.notes


@pytest.mark.parametrize("kind", ["archive", "crawl-log"])
def test_archives_and_crawl_logs_tell_duplicates_and_pages_gone(kind: str, tmp_path: Path) -> None:
    """The home page links to two copies and a page that is gone; a third page names the first copy as canonical."""
    home, one, two, gone, third = (f"http://a.example/{name}" for name in ("", "1", "2", "gone", "third"))
    if kind == "archive":
        links = "".join(f"<a href={url}>" for url in (one, two, gone, third))
        pages = [page(home, links), page(one, f"<p>copy<a href={home}>"), page(two, f"<p>copy<a href={home}>")]
        pages += [page(third, f"<link rel=canonical href={one}>"), warc_record(gone, http("", "404 Not Found"))]
        (tmp_path / "last.warc").write_bytes(b"".join(pages))
    else:
        line = "2026-03-31T14:35:37.711Z {} 24360 {} {} {} text/html #661 20260331143536323+981 sha1:{:A<32} - - {{}}\n"
        rows = [(200, home, "-", "-", "H"), (200, one, "L", home, "C"), (200, two, "L", home, "C")]
        rows += [(200, third, "L", home, "C"), (404, gone, "L", home, "G")]
        (tmp_path / "last.log").write_text("".join(line.format(*row) for row in rows))
    last = sb.open(next(tmp_path.iterdir()))
    assert last.urls is not None
    scores = dict(zip(last.urls, open_last(last).about(last).scores.tolist(), strict=True))
    assert scores[gone] == GONE
    assert scores[home] > 0
    assert sorted(scores[url] == DUPLICATE for url in (one, two, third)) == [False, True, True]


def test_a_page_is_a_duplicate_of_the_one_that_it_names_as_canonical() -> None:
    urls = ["http://a.org/", "http://a.org/?print=1", "http://a.org/x"]
    named = int(as_keys(keys_of(UrlTable.from_strings(["http://a.org/"]), normal_forms)[0])[0])
    old = replace(web_of([[1, 2], [0], [0]], urls), columns={"canonical": np.array([0, named, 0])})
    scores = open_last(old).about(web_of([[]] * 3, urls)).scores
    assert (scores == DUPLICATE).tolist() == [False, True, False]


def test_a_duplicate_whose_better_copy_has_gone_since_is_none() -> None:
    urls = [f"http://a.org/{page}" for page in range(4)]
    old = replace(web_of([[1, 2, 3], [2], [], []], urls), columns={"digest": np.array([0, 7, 7, 7])})
    whole = open_last(old).about(web_of([[]] * 4, urls)).scores
    assert (whole == DUPLICATE).tolist() == [False, True, False, True]
    left = open_last(old).about(web_of([[]] * 3, [urls[0], urls[1], urls[3]])).scores
    assert (left == DUPLICATE).tolist() == [False, False, True]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=20))
def test_duplicates_are_all_but_the_first_best_of_each_content(rows: list[tuple[int, int]]) -> None:
    contents, scores = (np.array([row[at] for row in rows], np.int64) for at in (0, 1))
    best_first = sorted(range(len(rows)), key=lambda at: (-rows[at][1], at))
    kept = {rows[at][0]: at for at in reversed(best_first)}.values()
    expected = [at for at in range(len(rows)) if at not in kept]
    found = duplicates(np.arange(len(rows)), contents, scores.astype(np.float32))
    assert sorted(found.tolist()) == expected


def test_redirects_with_the_same_body_are_no_duplicates() -> None:
    old = replace(
        web_of([[1, 2], [], []], [A, B, "http://c.org/"]),
        columns={"status": np.array([200, 301, 301]), "digest": np.array([1, 7, 7])},
    )
    assert (open_last(old).scores > 0).all()


def table(path: Path, columns: dict[str, Any]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(pa.table(columns), path)
    else:
        import json

        names = list(columns)
        rows = zip(*columns.values(), strict=True)
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_ranking_file_says_the_same_as_its_web(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores{ending}"
    sb.rank(OLD).save(path)
    assert open_last(path).about(NEW).scores == pytest.approx(open_last(OLD).about(NEW).scores, nan_ok=True)
    foreign = table(tmp_path / f"mine{ending}", {"score": [3, 1], "url": [A, B], "other": ["x", "y"]})
    assert open_last(foreign).scores.tolist() == [1.5, 0.5]


def test_a_ranking_in_memory_says_the_same_too() -> None:
    assert open_last(sb.rank(OLD)).scores.tolist() == open_last(OLD).scores.tolist()
    with pytest.raises(OptionError, match="has no URLs"):
        open_last(replace(sb.rank(OLD), web=None))


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"url": [A, B], "score": [1.0, float("nan")]}, "row 2: score is no finite number"),
        ({"url": [A, B], "score": [1.0, float("inf")]}, "row 2: score is no finite number"),
        ({"url": [A, B], "score": [-1.0, 2.0]}, "row 1: score is negative"),
        ({"url": [A, B], "score": [0.0, 0.0]}, "has no score above 0"),
        ({"url": [A, B], "score": ["much", "little"]}, "expected numbers"),
    ],
)
def test_scores_that_are_none_are_refused(columns: dict[str, Any], fault: str, ending: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=fault):
        open_last(table(tmp_path / f"scores{ending}", columns))


def test_a_url_that_stands_twice_counts_once_and_is_told() -> None:
    web = web_of([[1], []], [A, B])
    known = scored([A, B, A], [1, 2, 9]).about(web)
    assert known.scores.tolist() == [1, 2]
    assert known.notes()[-1] == "last: 1 URL repeats one before; the first score counts"
    lookup = scored([A, B, A], [1, 2, 9]).lookup()
    assert (lookup(A), lookup.twice) == (1, 1)


def test_webs_without_urls_are_refused() -> None:
    with pytest.raises(OptionError, match="by URL, and the web has none"):
        open_last(OLD).about(web_of([[1], []]))
    with pytest.raises(OptionError, match="by URL, and web has none"):
        open_last(web_of([[1], []]))


def test_a_last_web_that_needs_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seedbed.last_crawl.BYTES_A_URL", 10**15)
    with pytest.raises(sb.SeedbedError, match="matching 12 URLs with"):
        open_last(OLD).about(NEW)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_store(OLD, tmp_path / "old")
    write_store(NEW, tmp_path / "new")
    (tmp_path / "seeds.txt").write_text(f"{A}kept\n")
    (tmp_path / "strange.tsv").write_text("http://x.example/\thttp://y.example/\n")
    return tmp_path


def test_commands_take_the_last_crawl(folder: Path) -> None:
    crawl = seedbed_here("crawl", "new", "--seeds", "seeds.txt", "--last", "old", "--json", cwd=folder)
    assert '"last": "old"' in crawl.stdout
    assert "knew 7 of the 16" in crawl.stdout
    chosen = seedbed_here("seeds", "new", "-k", 2, "--hops", 1, "--last", "old", cwd=folder)
    assert "knew 7 of the 16" in chosen.stderr
    again = seedbed_here("seeds", "new", "-k", 2, "--hops", 1, "--last", "old", "--values", "last", cwd=folder)
    assert again.stdout == chosen.stdout
    words = ("refresh", "--seeds", "seeds.txt", "--old", "old", "--new", "new", "-k", 3)
    by_old = seedbed_here(*words, "--values", "last", cwd=folder)
    assert "knew 7 of the 16" in by_old.stderr
    assert seedbed_here(*words, "--last", "old", cwd=folder).stdout == by_old.stdout
    sb.rank(NEW, "indegree").save(folder / "mine.csv")
    by_mine = seedbed_here(*words, "--last", "mine.csv", "--values", "last", cwd=folder)
    assert "mine.csv, knew 16 of the 16" in by_mine.stderr
    compared = seedbed_here(
        *("compare", "new", "--last", "mine.csv", "--values", "last", "--strategy", "cover", "--order", "bfs"),
        *("-k", 2, "--hops", 1, "--repeats", 1, "--out", "report", "--json"),
        cwd=folder,
    )
    assert '"with_values": true' in compared.stdout


def test_refresh_weighs_replacements_by_the_last_crawl() -> None:
    """With 0 hops the replacement is the page that is worth most."""
    mine = replace(pagerank(NEW), scores=np.arange(1.0, NEW.page_count + 1), web=NEW)
    found = sb.refresh([], OLD, NEW, k=2, hops=0, last=mine)
    assert found.pages.tolist() == [NEW.page_count - 1, NEW.page_count - 2]
    again = sb.refresh([], OLD, NEW, k=2, hops=0, last=mine, values="last")
    assert again.pages.tolist() == found.pages.tolist()
    with pytest.raises(OptionError, match="leave out values or last"):
        sb.refresh([], OLD, NEW, k=2, last=mine, values="worth.csv")


def test_a_last_crawl_of_another_web_is_of_no_use_and_changes_nothing(folder: Path) -> None:
    words = ("crawl", "new", "--seeds", "seeds.txt", "--json")
    plain, told = (seedbed_here(*words, *more, cwd=folder) for more in ((), ("--last", "strange.tsv")))
    assert "shares no URL with this web and is of no use here" in told.stdout
    assert plain.stdout.split('"seconds"')[0] == told.stdout.split('"seconds"')[0]


def test_what_cannot_be_used_is_refused_in_one_line(folder: Path) -> None:
    at = ("crawl", "new", "--seeds", "seeds.txt")
    refused(seedbed_here(*at, "--last", "nowhere", cwd=folder), "nowhere")
    said = refused(seedbed_here(*at, "--last", "seeds.txt", cwd=folder), "seeds.txt: is neither a web nor a table")
    assert "--format" not in said
    refused(seedbed_here("compare", "new", "--values", "last", cwd=folder), "--last WEB")
    refused(
        seedbed_here(*at, "--last", "old", "--order", "fpr", cwd=folder), "cannot use the last crawl", "live-pagerank"
    )
    refused(seedbed_here("seeds", "new", "--values", "last", cwd=folder), "--last WEB")
    refused(seedbed_here("seeds", "new", "--values", "worth.csv", "--last", "old", cwd=folder), "leave out")


def test_own_orders_do_not_remember() -> None:
    class Mine:
        """Whatever comes."""

        def discover(self, page: int, source: int) -> None: ...

        def next(self) -> None: ...

    with pytest.raises((OptionError, UsageError), match="cannot use the last crawl"):
        sb.crawl(NEW, [0], order=Mine, last=OLD)

"""How likely a newly crawled page is new: the estimate, what users give, and what pages are worth by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.errors import SeedbedError
from seedbed.graph.web import Web
from seedbed.seeds.given_uniqueness import probabilities
from seedbed.seeds.uniqueness import newly_crawled, shrunk, uniqueness
from seedbed.seeds.values import paper_values, values_of
from seedbed.urls.url_matching import normal_form, normal_form_keys
from seedbed.urls.url_table import text_chunk
from tests.commands import refused, seedbed_here
from tests.graphs import web_of
from tests.reference import uniqueness as plain

A, B = "http://a.example/", "http://b.example/"


def pages_web(pages: Sequence[plain.Page]) -> Web:
    """The pages as a web without links."""
    web = web_of([[] for _ in pages], [page.url for page in pages])
    columns = {
        "crawled": np.array([page.fetched for page in pages], bool),
        "status": np.array([page.status for page in pages], np.int16),
        "digest": np.array([page.content for page in pages], np.int64),
        "canonical": normal_form_keys(text_chunk([page.canonical for page in pages])),
    }
    return replace(web, columns=columns)


def test_what_is_new_worked_out_by_hand() -> None:
    """Of eight URLs fetched, one was fetched before. x is new; y and z are one new page; v is an old page under another
    spelling, w has an old content, r redirects, c says that it is the old page v.
    """
    old = web_of([[]] * 3, [A, A + "v", A + "u"])
    old = replace(old, columns={"crawled": np.array([1, 1, 0]), "digest": np.array([7, 8, 0])})
    names = ["", "x", "y", "z", "v/index.html", "w", "r", "c", "u"]
    new = web_of([[]] * 9, [A + name for name in names])
    columns = {
        "crawled": np.array([1, 1, 1, 1, 1, 1, 1, 1, 0]),
        "status": np.array([200, 200, 200, 200, 200, 200, 301, 200, 0]),
        "digest": np.array([9, 1, 2, 2, 3, 7, 4, 5, 0]),
        "canonical": normal_form_keys(text_chunk([""] * 7 + ["https://www.A.example/v", ""])),
    }
    found = uniqueness(replace(new, columns=columns), old)
    assert (found.urls.tolist(), found.new.tolist(), found.mean) == ([7], [2.0], 2 / 7)
    assert found.by_site.tolist() == pytest.approx([2 / 7])
    assert newly_crawled(replace(new, columns=columns))[1].tolist() == [1, 1, 0.5, 0.5, 0.5, 1, 0, 0.5]


def test_sites_are_drawn_to_the_mean_as_worked_out_by_hand() -> None:
    """μ = 1/2. Σ n(x/n − μ)² / (μ(1 − μ)) = 6.4, so ρ = (6.4 − 1) / (40 − 20 − 1) = 5.4 / 19 and κ = 19/5.4 − 1."""
    by_site, mean, prior = shrunk(np.array([20, 20, 0]), np.array([14.0, 6.0, 0.0]))
    kappa = 19 / 5.4 - 1
    assert (mean, prior) == pytest.approx((0.5, kappa))
    assert by_site == pytest.approx([(14 + kappa / 2) / (20 + kappa), (6 + kappa / 2) / (20 + kappa), 0.5])


def test_sites_that_differ_no_more_than_by_chance_have_about_the_mean() -> None:
    by_site, _, prior = shrunk(np.array([10, 10]), np.array([6.0, 4.0]))
    assert prior == 1000
    assert by_site == pytest.approx([506 / 1010, 504 / 1010])


COUNTS = st.lists(
    st.integers(0, 50).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2 * n).map(lambda x: x / 2))), min_size=1
)


@given(COUNTS, st.randoms(use_true_random=False))
@example([(0, 0.0)], None)
@example([(1, 1.0), (1, 0.0)], None)
@settings(deadline=None)
def test_shrinking_agrees_with_its_twin_and_keeps_what_it_promises(
    counts: list[tuple[int, float]], random: Any
) -> None:
    urls, new = np.array([n for n, _ in counts]), np.array([x for _, x in counts])
    by_site, mean, prior = shrunk(urls, new)
    twin, twin_mean, twin_prior = plain.shrunk(counts)
    assert by_site == pytest.approx(twin)
    assert (mean, prior) == pytest.approx((twin_mean, twin_prior))
    assert (by_site >= 0).all() and (by_site <= 1).all()
    assert by_site[urls == 0] == pytest.approx(mean)
    shares = np.divide(new, urls, out=np.full(len(urls), mean), where=urls > 0)
    assert (np.minimum(shares, mean) - 1e-9 <= by_site).all() and (by_site <= np.maximum(shares, mean) + 1e-9).all()
    if random is not None:
        order = np.array(random.sample(range(len(urls)), len(urls)))
        assert shrunk(urls[order], new[order])[0] == pytest.approx(by_site[order])
    plenty = shrunk(urls * 10**9, new * 1e9)[0]
    assert plenty[urls > 0] == pytest.approx(shares[urls > 0], abs=1e-5)


SPELLINGS = ["http://a.example/x", "https://www.a.example/x/", "http://a.example/x/index.html", "http://a.example/y"]
PAGES = st.lists(
    st.builds(
        lambda url, fetched, status, content, canonical: plain.Page(
            url, normal_form(url), url.split("/")[2], fetched, status, content, canonical and normal_form(canonical)
        ),
        st.sampled_from([*SPELLINGS, *(B + str(k) for k in range(6))]),
        st.booleans(),
        st.sampled_from([200, 200, 200, 301, 304, 404, 0]),
        st.integers(0, 4),
        st.sampled_from(["", "", *SPELLINGS]),
    ),
    max_size=12,
    unique_by=lambda page: page.url,
)


@given(PAGES, st.none() | PAGES)
@settings(deadline=None)
def test_the_estimate_agrees_with_its_twin(web: list[plain.Page], last: list[plain.Page] | None) -> None:
    found = uniqueness(pages_web(web), None if last is None else pages_web(last))
    fresh = plain.newly_crawled(web, last or ())
    of_site: dict[str, tuple[int, float]] = {page.site: (0, 0.0) for page in web}
    for page, share in fresh:
        count, new = of_site[page.site]
        of_site[page.site] = (count + 1, new + share)
    names = sorted(of_site)
    by_site, mean, prior = plain.shrunk([of_site[name] for name in names])
    assert list(found.sites.names) == names
    assert found.by_site == pytest.approx(by_site)
    assert (found.mean, found.prior) == pytest.approx((mean, prior))
    assert found.of_page == pytest.approx([by_site[names.index(page.site)] for page in web])


def test_a_note_says_what_the_number_rests_on() -> None:
    web = web_of([[]] * 8, [*(A + "x" + "/" * k for k in range(4)), *(B + str(k) for k in range(4))])
    alone = uniqueness(web)
    assert alone.notes == (
        "P_uniq, how likely a newly crawled page is new, is 0.625 on average, 0.325 to 0.925 by site, judged by URL on "
        "8 pages crawled; without digests, copies under another name count as new",
    )
    web = web_of([[]] * 3, [A + "x", A + "x/", B])
    (note,) = uniqueness(replace(web, columns={"digest": np.array([1, 2, 3])}), web_of([[]], [B])).notes
    assert note.endswith("judged by content and URL on 2 pages that web had not fetched")
    (note,) = uniqueness(web, web).notes
    assert "is taken to be 1, since no URL is newly crawled; say what it is with uniqueness" in note
    bare = uniqueness(web_of([[1], []]))
    assert (bare.of_page.tolist(), "no URLs and no digests" in bare.notes[0]) == ([1, 1], True)


def test_the_last_crawl_may_be_a_path_or_a_file_of_scores(tmp_path: Path) -> None:
    web = web_of([[1], [0], []], [A, A + "x", B])
    (tmp_path / "last.tsv").write_text(f"{A}\thttps://b.example\n")
    (tmp_path / "last.csv").write_text(f"url,score\n{A},2\nhttps://b.example,1\n")
    for name in ("last.tsv", "last.csv"):
        found = uniqueness(web, tmp_path / name)
        assert (found.urls.tolist(), found.new.tolist()) == ([1, 1], [1, 0])
    with pytest.raises(SeedbedError, match="matched with those of the last crawl by URL, and web has none"):
        uniqueness(web, web_of([[]]))
    with pytest.raises(SeedbedError, match="matched with the web by URL, and the web has none"):
        uniqueness(web_of([[]]), web)


def test_the_result_is_a_table_and_a_column() -> None:
    web = web_of([[]] * 3, [A + "x", A + "x/", B])
    found = uniqueness(web)
    assert found.to_arrow().column_names == ["site", "p_uniq", "urls", "new"]
    assert found.to_arrow()["site"].to_pylist() == ["a.example", "b.example"]
    assert "<td>b.example</td>" in found._repr_html_()
    assert np.array_equal(found.add_to(web).columns["p_uniq"], found.of_page)


# What users give.

WEB = web_of([[1, 2, 3, 4], [3], [0], [], []], [A, A + "x", "http://www.b.example/", A + "y", "http://c.example/"])
WEB = replace(
    WEB,
    columns={
        "crawled": np.array([1, 1, 1, 0, 0], bool),
        "clicked": np.array([0, 1, 0, 1, 0], bool),
        "chance": np.array([0.5, 0.5, 0.25, 0, 0]),
        "depth": np.array([0, 1, 2, 3, 4]),
    },
)


def test_values_by_the_paper_worked_out_by_hand() -> None:
    """Page 0 links to two uncrawled pages, page 1 to one and was clicked; pages 3 and 4 are not crawled."""
    assert paper_values(WEB, 1.0).tolist() == [3, 11, 1, 0, 0]
    assert paper_values(WEB, np.array([0.5, 0.5, 0.25, 1, 1])).tolist() == [2, 10.5, 1, 0, 0]
    assert values_of(WEB, "paper", print, uniqueness="chance").tolist() == [2, 10.5, 1, 0, 0]
    assert values_of(WEB, "paper", print, uniqueness=0.25).tolist() == [1.5, 10.25, 1, 0, 0]


def said(web: Web, given: Any, **more: Any) -> tuple[list[float], list[str]]:
    notes: list[str] = []
    return probabilities(web, given, notes.append, **more).tolist(), notes


def test_a_number_a_column_an_array_and_an_estimate(tmp_path: Path) -> None:
    assert said(WEB, 0.25) == said(WEB, "0.25") == ([0.25] * 5, [])
    assert said(WEB, "chance")[0] == said(WEB, WEB.columns["chance"])[0] == [0.5, 0.5, 0.25, 0, 0]
    assert said(WEB, uniqueness(WEB))[0] == said(WEB, "estimate")[0] == said(WEB, None)[0] == [1] * 5
    assert "1.000 on average" in said(WEB, None)[1][0]
    with_column = replace(WEB, columns={**WEB.columns, "p_uniq": WEB.columns["chance"]})
    assert said(with_column, None) == ([0.5, 0.5, 0.25, 0, 0], ["P_uniq is the web's column p_uniq"])
    assert said(with_column, "estimate")[0] == [1] * 5


def test_a_file_of_sites(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("site,other,p_uniq\nA.example,9,0.5\nwww.b.example,9,0.25\nz.example,9,1\n")
    numbers, notes = said(WEB, tmp_path / "p.csv")
    assert numbers == [0.5, 0.5, 0.25, 0.5, 0.375]
    assert notes[0].endswith("1 of its 3 sites are not in the web")
    assert notes[1].endswith("1 of 3 sites are not in it; they have the mean of those that are, 0.375")
    pq.write_table(pa.table({"domain": ["b.example"], "share": [0.75]}), tmp_path / "p.parquet")
    assert said(WEB, str(tmp_path / "p.parquet"))[0] == [0.75] * 5
    assert len(said(replace(WEB, columns={}), tmp_path / "p.csv", site="domain")[1]) == 2
    (tmp_path / "p.tsv").write_text("site\tp_uniq\na.example\t0.5\n")
    assert said(WEB, tmp_path / "p.tsv")[0] == [0.5] * 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("site,p_uniq\na.example,1.5\n", "row 1: p_uniq is 1.5; a probability is a number from 0 to 1"),
        ("site,p_uniq\na.example,\nb.example,1\n", "row 1: p_uniq is missing or nan"),
        ("site,p_uniq\na.example,nan\nb.example,1\n", "row 1: p_uniq is missing or nan"),
        ("site,p_uniq\na.example,0.5\nA.example,0.5\n", "row 2: the site 'a.example' is already in row 1"),
        ("site,p_uniq\nz.example,0.5\n", "none of its 1 sites is a host of this web"),
        ("site,p_uniq\na.example,much\n", "no column of numbers named 'p_uniq' besides 'site'"),
        ("url,p_uniq\nhttp://a.example/,1\n", "has the columns url, p_uniq; one must be 'site', 'host' or 'domain'"),
        ("site,p_uniq\n1,1\n", "the column 'site' holds int64, expected text"),
        ("", "cannot be read as a table"),
    ],
)
def test_a_bad_file_is_refused_in_a_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(SeedbedError, match=message) as error:
        probabilities(WEB, tmp_path / "p.csv", print)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (1.5, "uniqueness is 1.5; a probability is a number from 0 to 1"),
        ("-1", "uniqueness is -1; a prob"),
        ("nan", "uniqueness is nan; a prob"),
        (float("nan"), "uniqueness is nan; a prob"),
        ([0.5, 0.5], "uniqueness has 2 numbers and the web 5 pages"),
        ([0.5, 0.5, 2, 0.5, 0.5], "uniqueness is 2 for page 2; a prob"),
        ("depth", "the column 'depth' is 2 for page 2; a prob"),
        ({"a.example": 1}, "uniqueness is {'a.example': 1}; give a number"),
        (
            "sham",
            "--uniqueness sham: not a number, 'estimate', a file, or a column of the web; it has crawled, clicked",
        ),
    ],
)
def test_what_is_no_probability_is_refused_in_a_line(given: Any, message: str) -> None:
    with pytest.raises(SeedbedError) as error:
        probabilities(WEB, given, print)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_it_is_refused_where_it_says_nothing() -> None:
    for values in (None, "clicked", np.ones(5)):
        with pytest.raises(SeedbedError, match="uniqueness is for values by the paper: add --values paper"):
            sb.select(WEB, "outdegree", k=1, values=values, uniqueness=0.5)
    with pytest.raises(SeedbedError, match="uniqueness is for values by the paper: add --values paper"):
        sb.select(WEB, "outdegree", k=1, values="last", last=WEB, uniqueness=0.5)
    with pytest.raises(SeedbedError, match="uniqueness is given or estimated from last; leave out one"):
        sb.select(WEB, "outdegree", k=1, values="paper", last=WEB, uniqueness=0.5)
    all_crawled = replace(WEB, columns={"crawled": np.ones(5, bool)})
    notes = sb.select(all_crawled, "outdegree", k=1, values="paper", uniqueness=0.5).notes
    in_vain = "the web has no uncrawled page, so how likely a newly crawled page is new changes nothing"
    assert in_vain in notes
    assert in_vain in sb.select(all_crawled, "outdegree", k=1, values="paper", last=WEB).notes
    assert not sb.select(all_crawled, "outdegree", k=1, values="paper").notes


def test_every_function_that_takes_values_takes_it() -> None:
    last = web_of([[1], []], [A, "https://a.example/x/index.html"])
    seeds = sb.select(WEB, "greedy", k=1, values="paper", uniqueness="chance", hops=0)
    assert (seeds.pages.tolist(), seeds.gain.value.tolist()) == ([1], [10.5])  # type: ignore[union-attr]
    seeds = sb.select(WEB, "greedy", k=1, values="paper", last=last, hops=0)
    assert "is 0.500 on average, 0.500 to 0.500 by site, judged by URL on 2 pages that web had" in seeds.notes[-1]
    found = sb.refresh([0], last, WEB, k=2, strategy="greedy", values="paper")
    assert any("0.500 on average" in note for note in found.notes)
    notes = sb.refresh([0], last, WEB, k=2, strategy="greedy", values="paper", uniqueness=0.5).notes
    assert not any("P_uniq" in note for note in notes)
    notes = sb.compare(WEB, ["greedy"], ["bfs"], k=1, repeats=1, values="paper", last=last).notes
    assert any("0.500 on average" in note for note in notes)
    notes = sb.compare(WEB, ["greedy"], ["bfs"], k=1, repeats=1, values="paper", old=WEB).notes
    assert [note for note in notes if "P_uniq" in note][1].startswith(
        "P_uniq, how likely a newly crawled page is new, is taken"
    )


def test_the_command_takes_it_and_writes_it_as_a_column(tmp_path: Path) -> None:
    old, new, out = tmp_path / "old.tsv", tmp_path / "new.web", tmp_path / "out.web"
    old.write_text(f"{A}\thttps://a.example/x/\n")
    sb.save(WEB, new)
    done = seedbed_here("convert", new, out, "--uniqueness", "estimate", "--last", old, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "is 0.500 on average" in done.stderr
    assert sb.open(out).columns["p_uniq"] == pytest.approx([500 / 1001] * 2 + [501 / 1001, 500 / 1001, 0.5])
    asked = ("-k", 1, "--strategy", "greedy", "--hops", 0, "--values", "paper")
    done = seedbed_here("seeds", out, *asked, cwd=tmp_path)
    assert "P_uniq is the web's column p_uniq" in done.stderr
    (tmp_path / "p.csv").write_text("site,p_uniq\na.example,0.5\n")
    done = seedbed_here("seeds", out, *asked, "--uniqueness", "p.csv", "--json", cwd=tmp_path)
    assert '"score": 10.5' in done.stdout
    refused(seedbed_here("seeds", out, *asked, "--uniqueness", "2", cwd=tmp_path), "uniqueness is 2; a probability")
    done = seedbed_here("convert", new, tmp_path / "x.web", "--last", old, cwd=tmp_path)
    assert done.returncode == 2 and "add --uniqueness estimate" in done.stderr
    done = seedbed_here("seeds", out, *asked, "--uniqueness", "p.csv", "--out", "p.csv", "--overwrite", cwd=tmp_path)
    assert done.returncode == 1 and (tmp_path / "p.csv").read_text().startswith("site")


def test_the_experiment_records_it() -> None:
    web = sb.make_web(pages=1000)
    found = sb.reproduce("zheng", web, sites=2, draws=1)
    assert found.settings["uniqueness"] == "estimate"
    assert any("P_uniq" in note for note in found.notes)
    found = sb.reproduce("zheng", web, sites=2, draws=1, uniqueness=0.5)
    assert found.settings["uniqueness"] == "0.5"

"""What refresh goes by: spellings and names of URLs, and the likeness of links, each as its naive twin has it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.seeds.refresh.link_similarity import LinkSimilarity, in_degrees, in_links
from seedbed.urls.url_matching import difference, matched_pages, names_of, normal_form, same_names
from seedbed.urls.url_table import UrlTable, text_chunk
from tests.graphs import Lists, csr, page_lists, web_of
from tests.reference import refresh as naive


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("HTTPS://www.A.org/Dir/Index.HTML", "a.org/dir"),
        ("http://a.org", "a.org"),
        ("http://www.org/a/", "www.org/a"),
        ("ftp://www.a.org/b", "ftp://a.org/b"),
        ("http://a.org/b;jsessionid=0F.x/c?PHPSESSID=1&b=2&utm_source=Z&A=1", "a.org/b/c?b=2&A=1"),
        ("http://a.org/?sid=4", "a.org"),
        ("http://a.org/side?side=4#top", "a.org/side?side=4"),
        ("http://a.org/index.pdf", "a.org/index.pdf"),
        ("http://a.org/myindex.html", "a.org/myindex.html"),
        ("a.org/default.aspx", "a.org"),
        ("", ""),
    ],
)
def test_normal_forms_by_hand(url: str, form: str) -> None:
    assert normal_form(url) == form == naive.normal_form(url)


SCHEMES = ["http://", "HTTPS://", "ftp://", "www.", "WWW.", "a.org", "B.c"]
PATHS = ["/", "//", "/x", "/Y", "index.html", "Default.ASP", ".php", ";", ";jsessionid=1", "#", "é"]
QUERIES = ["?", "&", "=", "sid", "SID=2", "utm_a=1", "phpsessid=", "sessionid", "b=1"]
PIECES = [*SCHEMES, *PATHS, *QUERIES]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_normal_forms_are_those_of_the_naive_twin(url: str) -> None:
    assert normal_form(url) == naive.normal_form(url)
    assert difference(url, url) == ("", 1)


def page_name(url: str, *, folders: bool = True) -> str:
    return names_of(*text_chunk([url]), folders)[0].tobytes().decode("utf-8", "surrogatepass")


@pytest.mark.parametrize(
    ("url", "name", "file"),
    [
        ("http://www.a.org/News/ball.html", "a.org/news/ball", "a.org/ball"),
        ("http://a.org/news/ball.tar.gz", "a.org/news/ball.tar", "a.org/ball.tar"),
        ("http://a.org/view.php?id=7&lang=en&x=1", "a.org/view?id=7", "a.org/view?id=7"),
        ("http://a.org/news/", "a.org/news", "a.org/news"),
        ("http://a.org/d/.profile", "a.org/d/.profile", "a.org/.profile"),
        ("ftp://a.org/pub/x.pdf", "ftp://a.org/pub/x", "ftp://a.org/x"),
        ("http://a.org/", "a.org", "a.org"),
    ],
)
def test_names_by_hand(url: str, name: str, file: str) -> None:
    assert page_name(url) == name == naive.page_name(url, True)
    assert page_name(url, folders=False) == file == naive.page_name(url, False)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join), st.booleans())
def test_names_are_those_of_the_naive_twin(url: str, folders: bool) -> None:
    assert page_name(url, folders=folders) == naive.page_name(url, folders)


def test_pages_are_matched_by_name_and_then_by_file_where_no_other_has_it() -> None:
    old = ["/a/x.html", "/a/y.html", "/b/z.html", "/a/two.html", "/b/two.html", "/there.html", "/c/gone.html"]
    new = ["/a/x.php", "/b/x.php", "/new/y.php", "/c/z.php", "/d/z.php", "/new/two.php", "/there.html", "/there.php"]
    tables = [UrlTable.from_strings([f"http://a.org{path}" for path in paths]) for paths in (old, new)]
    found = same_names(*tables, matched_pages(*tables)[1])
    assert found.tolist() == [0, 2, -1, -1, -1, -1, -1]


@settings(deadline=None, max_examples=100)
@given(*[st.lists(st.sampled_from(["/a/x.htm", "/a/x.php", "/b/x.js", "/y?b=1", "/y?b=1&c=2"]), unique=True)] * 2)
def test_matched_names_are_one_to_one_and_between_pages_without_a_match(before: list[str], after: list[str]) -> None:
    old, new = (UrlTable.from_strings([f"http://a.org{path}" for path in paths]) for paths in (before, after))
    _, near = matched_pages(old, new)
    found = same_names(old, new, near)
    pages = found[found >= 0].tolist()
    assert len(set(pages)) == len(pages)
    assert not set(pages) & set(near.tolist())
    assert (near[found >= 0] < 0).all()
    for page in np.flatnonzero(found >= 0).tolist():
        assert page_name(old[page], folders=False) == page_name(new[int(found[page])], folders=False)


@pytest.mark.parametrize(
    ("other", "what", "sure"),
    [
        ("https://a.org/x", "the scheme", 0.99),
        ("http://www.a.org/x", "the host's www. or case", 0.99),
        ("http://a.org/X", "the case of the path", 0.9),
        ("https://a.org/x/", "the scheme and the index file, last slash or session number", 0.94),
        ("http://a.org/y", "more than spelling", 0),
    ],
)
def test_the_difference_of_two_urls_is_named(other: str, what: str, sure: float) -> None:
    named, found = difference("http://a.org/x", other)
    assert named == what
    assert found == pytest.approx(sure)


@st.composite
def snapshots(draw: st.DrawFn) -> tuple[Lists, Lists, list[int]]:
    """Two graphs, and the new page of each old one, −1 for none; two old pages may have the same."""
    old, new = draw(page_lists(12)), draw(page_lists(12))
    matches = [draw(st.integers(-1, len(new) - 1)) for _ in old]
    return old, new, matches


@settings(deadline=None, max_examples=80)
@given(snapshots(), st.sampled_from([2, 10_000]))
def test_likeness_is_that_of_the_naive_twin(pair: tuple[Lists, Lists, list[int]], most_links: int) -> None:
    old, new, matches = pair
    pages = np.arange(len(old))
    found = LinkSimilarity(web_of(old), web_of(new), np.array(matches, np.int64), pages, max_links=most_links)
    known = {page: match for page, match in enumerate(matches) if match >= 0}
    for page in range(len(old)):
        alike = found.similar_to(page)
        got = dict(zip(alike.pages.tolist(), alike.similarity.tolist(), strict=True))
        own = dict(zip(alike.pages.tolist(), alike.own.tolist(), strict=True))
        for other in range(len(new)):
            expected = naive.likeness(old, new, known, most_links, page, other)
            assert got.get(other, 0.0) == pytest.approx(expected)
            expected = naive.likeness(old, new, known, most_links, page, other, ("target",))
            assert own.get(other, 0.0) == pytest.approx(expected)
        for other, count in zip(alike.pages.tolist(), alike.own_shared.tolist(), strict=True):
            shared = {known[at] for at in old[page] if at in known} & set(new[other])
            assert count == sum(sum(at in row for row in new) <= most_links for at in shared)


def test_bounded_work_only_understates_likeness() -> None:
    web = web_of([[2, 3], [2, 3], [], []])
    matches = np.array([-1, -1, 2, 3])
    whole = LinkSimilarity(web, web, matches, np.array([0])).similar_to(0)
    part = LinkSimilarity(web, web, matches, np.array([0]), max_work=2).similar_to(0)
    assert (whole.pages.tolist(), whole.similarity.tolist(), whole.shared.tolist()) == ([0, 1], [1, 1], [2, 2])
    assert (part.pages.tolist(), part.similarity.tolist(), part.shared.tolist()) == ([0, 1], [1 / 3, 1 / 3], [1, 1])


@settings(deadline=None, max_examples=40)
@given(page_lists(), st.data())
def test_in_links_are_the_links_turned_round(lists: Lists, data: st.DataObject) -> None:
    asked = data.draw(st.sets(st.integers(0, len(lists) - 1))) if lists else set()
    found = in_links(csr(lists), np.array(sorted(asked), np.int64), in_degrees(csr(lists)))
    assert set(found) == asked
    for page in range(len(lists)):
        if page in asked:
            assert found[page].tolist() == [source for source, row in enumerate(lists) if page in row]
    assert in_degrees(csr(lists)).tolist() == [sum(page in row for row in lists) for page in range(len(lists))]


def test_matches_do_not_depend_on_the_order_of_pages() -> None:
    old, new = ["http://b.org/", "http://a.org/x"], ["http://c.org/", "https://a.org/X/", "http://b.org/"]
    found = matched_pages(UrlTable.from_strings(old), UrlTable.from_strings(new))
    assert [pages.tolist() for pages in found] == [[2, -1], [2, 1]]

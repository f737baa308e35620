"""Links of HTML pages: what counts as one, URLs as a browser reads them, bounds of time and memory."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.archives.capture_rows import Part
from seedbed.archives.html_limits import DEEPEST, MOST_ATTRIBUTES, MOST_REPEATED, parsable
from seedbed.archives.page_links import PageLinks, refresh_target
from seedbed.urls.browser_urls import PLAIN, BrowserUrls, without_sessions
from tests.archives import page_links
from tests.reference import archives as plain

URL = "http://a.example/d/page"
PLACES = st.sampled_from(
    ["x", "/y?q=1", "../z", "http://b.example/p", "//c.example/", "?r", "#f", "", "mailto:m@b.example"]
)
TAGS = st.sampled_from(
    [
        '<a href="{}">words</a>',
        "<A HREF='{}' rel='me NoFollow'>words</A>",
        "<area href={}x>",
        '<iframe src="{}"></iframe>',
        '<link rel="canonical" href="{}">',
        '<link rel="stylesheet" href="{}">',
        '<link href="{}" rel="x next">',
        '<meta http-equiv="Refresh" content="5; url={}">',
        '<base href="{}">',
        '<img src="{}">',
        '<!-- <a href="{}"> -->',
        '<script>"<a href={}>"</script>',
        '<p title="<a href={}>">',
        '<meta name="robots" content="index, nofollow">',
    ]
)


def found(html: str | bytes, charset: str | None = None, url: str = URL) -> set[str]:
    page = html.encode() if isinstance(html, str) else html
    links = page_links(page, url, charset, BrowserUrls())
    return links.followed | links.nofollow


@given(st.lists(st.tuples(TAGS, PLACES), max_size=8))
@settings(deadline=None, max_examples=300)
def test_links_are_those_of_the_plain_twin(tags: list[tuple[str, str]]) -> None:
    html = "<!doctype html><html><body>" + "\n".join(tag.replace("{}", place) for tag, place in tags)
    links = page_links(html.encode(), URL, None, BrowserUrls())
    assert (links.followed, links.nofollow) == plain.page_links(html, URL)


def test_frames_have_links_too() -> None:
    assert found("<html><frameset><frame src=/menu><frame src='main'></frameset></html>") == {
        "http://a.example/menu",
        "http://a.example/d/main",
    }


def test_a_target_that_is_also_linked_without_nofollow_counts_as_followed() -> None:
    links = page_links(
        b"<a rel=nofollow href=/x></a><a href=/x></a><a rel=nofollow href=/y></a>", URL, None, BrowserUrls()
    )
    assert links.followed == {"http://a.example/x"}
    assert links.nofollow == {"http://a.example/y"}


def test_a_base_that_is_no_place_is_ignored_and_only_the_first_counts() -> None:
    assert found('<base href="data:x"><a href=y>') == {"http://a.example/d/y"}
    assert found('<a href=y><base href="/e/"><base href="/f/">') == {"http://a.example/e/y"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("HTTP://B.Example:80/a/../b?q#f", "http://b.example/b?q"),
        ("https:\\\\b.example\\x", "https://b.example/x"),
        ("  http://b.example/a b\n", "http://b.example/a%20b"),
        ("http://b.example", "http://b.example/"),
        ("http://bücher.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://b.example/%7e/%2e%2E/x", "http://b.example/x"),
        ("http://b.example:99999/", None),
        ("javascript:void(0)", None),
        ("ftp://b.example/", None),
        ("http://b.example/" + "x" * 9000, None),
        ("/a #f", "http://a.example/a%20"),
        (" \x01/a?b \n", "http://a.example/a?b"),
    ],
)
def test_urls_are_read_as_a_browser_reads_them(written: str, read: str | None) -> None:
    urls = BrowserUrls()
    expected = set() if read is None else {read}
    assert urls.pages([written], URL) == expected
    assert urls.pages([written], URL) == expected  # and the second time, from what is remembered


@given(st.from_regex(PLAIN, fullmatch=True))
@settings(deadline=None, max_examples=300)
def test_urls_taken_as_they_are_would_not_change(url: str) -> None:
    from ada_url import normalize_url

    try:
        expected = normalize_url(url)
    except ValueError:
        expected = None
    if expected is None or len(expected) <= 1 << 13:
        assert BrowserUrls().page(url) == expected


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://b.example/x?sid=1&a=2&PHPSESSID=q&b", "http://b.example/x?a=2&b"),
        ("http://b.example/x;jsessionid=ABC/y?utm_source=m&utm_id=2", "http://b.example/x/y"),
        ("http://b.example/x?inside=1&sidney=2", "http://b.example/x?inside=1&sidney=2"),
        ("http://b.example/x?a=1&sessionid", "http://b.example/x?a=1"),
        ("http://b.example/x?SID=5;b=3", "http://b.example/x?b=3"),
        ("http://b.example/x?a=1;sid=5;b=3&utm_id=1;c", "http://b.example/x?a=1;b=3;c"),
        ("http://b.example/x?a=1;&", "http://b.example/x?a=1;&"),
    ],
)
def test_session_parameters_go_where_asked(url: str, kept: str) -> None:
    assert without_sessions(url) == kept
    assert BrowserUrls(drop_sessions=True).page(url) == kept
    assert BrowserUrls().page(url) == url


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/x", "/x"),
        ("5;URL = '/x' more", "/x"),
        ("3, /x", "/x"),
        ("1.5 url=x", "x"),
        ("5", None),
        ("5;", None),
        ("url=/x", None),
        ("5x; url=/x", None),
        ("٣; url=/x", None),
        ("1" * 1_000_000 + "x", None),
        ("1" + "." * 1_000_000 + ";" + " " * 1_000_000 + "url" + " " * 1_000_000 + "=/x", "/x"),
    ],
)
def test_a_refresh_is_read_by_the_standard(content: str, target: str | None) -> None:
    assert refresh_target(content) == target


def test_elements_of_svg_and_mathml_are_not_those_of_html() -> None:
    assert found("<svg><base href=/svg/></svg><a href=x></a>") == {"http://a.example/d/x"}
    assert found("<svg><foreignObject><base href=/e/></foreignObject></svg><a href=x></a>") == {"http://a.example/e/x"}
    assert found("<svg><a href=/drawn></a></svg>") == {"http://a.example/drawn"}
    assert found("<a href=/1></a><math><a href=/2></a><mtext><a href=/3></a></mtext></math>") == {
        "http://a.example/1",
        "http://a.example/3",
    }


def test_links_without_scripts_count() -> None:
    assert found("<noscript><a href=/x></a><iframe src=/y></iframe></noscript>") == {
        "http://a.example/x",
        "http://a.example/y",
    }


def test_a_page_whose_links_are_long_together_is_read_in_part() -> None:
    references = b"".join(b"<a href=%d></a>" % k for k in range(30_000))
    based = b"<base href='/%s/'>" % (b"p" * 8000) + references
    for page, url in ((based, URL), (references, URL + "p" * 8000 + "/")):
        links = page_links(page, url, None, BrowserUrls())
        assert links.cut
        assert 1000 < len(links.followed) < 5000
        assert links == page_links(page, url, None, BrowserUrls())


def test_links_beyond_the_longest_url_are_told() -> None:
    long = "x" * 9000
    for href in ("http://b.example/" + long, "/" + long, "?é" + "é" * 3000, "//b.example/" + "é" * 3000):
        links = page_links(f"<a href='{href}'></a><a href=/y></a>".encode(), URL, None, BrowserUrls())
        assert (links.followed, links.too_long) == ({"http://a.example/y"}, True)
    for href in ("data:text/html," + long, "javascript:" + long, "mailto:" + long, "/y#" + long):
        assert not page_links(f"<a href='{href}'></a>".encode(), URL, None, BrowserUrls()).too_long


def test_urls_are_remembered_in_bounded_memory() -> None:
    urls = BrowserUrls()
    for k in range(30_000):
        urls.page(f"http://b.example/{k}/" + "x" * 3000)
    urls.page("http://b.example/" + "x" * 1_000_000)
    assert sum(len(url) for url in urls._known) < 1 << 25


def test_a_part_ends_where_its_links_are_long() -> None:
    part = Part()
    part.add(URL, 200, PageLinks({f"{URL}/{k}/{'x' * 8000}" for k in range(3000)}, set()))
    assert not part.full
    part.add(URL, 200, PageLinks({f"{URL}/{k}/{'x' * 8000}" for k in range(3000)}, set()))
    assert part.full


def test_pages_that_nest_without_end_are_cut() -> None:
    deep = b"<a href=/x></a>" + b"<div>" * 100_000 + b"<a href=/y></a>"
    assert len(parsable(deep)) < 15 + 5 * (DEEPEST + 2)
    links = page_links(deep, URL, None, BrowserUrls())
    assert (links.followed, links.cut) == ({"http://a.example/x"}, True)


def test_pages_whose_open_tags_would_be_repeated_without_end_are_cut() -> None:
    styles = b"".join(b"<b x=%d>" % k for k in range(1000))
    assert len(parsable(b"<p>" + styles + b"</p>" + b"<p>x</p>" * 100_000)) < len(styles) + MOST_REPEATED // 100


def test_pages_with_a_tag_without_end_are_cut() -> None:
    start = b"<a href=/x></a>"
    names = b"".join(b"a%d='>' " % k for k in range(MOST_ATTRIBUTES + 9))
    assert parsable(start + b"<a " + names + b"href=/y>") == start
    assert parsable(start + b"<img src='" + names.replace(b"'", b"") + b"'>") != start


@given(st.lists(st.sampled_from(["<ul>", "</ul>", "<li>x", "<b>", "</b>", "<i x=1>", "<br>", "<p>"]), max_size=50))
@settings(deadline=None, max_examples=50)
def test_pages_as_people_write_them_are_never_cut(tags: list[str]) -> None:
    page = ("".join(tags) + "</ul></b></i>" * 50).encode() * 20
    assert parsable(page) == page

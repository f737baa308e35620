"""Encodings of pages: which one a browser takes, and what the bytes and the queries of links mean in it.

The expected values are what Chromium says of the same pages (document.characterSet, document.links).
"""

from __future__ import annotations

import codecs
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.archives.http_messages import media_type
from seedbed.archives.page_encoding import PRESCANNED, decoded, encoding_of, known
from seedbed.urls.browser_urls import BrowserUrls
from tests.archives import page_links
from tests.reference import archives as plain

SITE = "http://a.example"
KOI = b"<meta charset=koi8-r>"
METAS = st.sampled_from(
    [
        "<meta charset=koi8-r>",
        "<META x CHARSET = 'iso-8859-2'/>",
        "<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>",
        "<meta name=x content=y>",
    ]
)
AROUND = st.sampled_from(
    [
        "{}",
        "<!-- {} -->",
        "<script>{}</script>",
        '<p title="{}">',
        "<a href=x>{}</a>",
        "</p>",
        "a < b",
        "<style>{}</style >",
    ]
)


def found(page: bytes, charset: str) -> set[str]:
    links = page_links(page, SITE + "/", charset, BrowserUrls())
    return {target.removeprefix(SITE) for target in links.followed}


@pytest.mark.parametrize(
    ("page", "header", "encoding"),
    [
        (b"\xef\xbb\xbfx", "latin-1", "utf-8"),
        (b"\xfe\xff\0x", None, "utf-16-be"),
        (b"<meta charset=shift_jis>", "ISO-8859-1", "cp1252"),
        (b"<meta charset='euc-kr'>", None, "euc-kr"),
        (b"<meta charset='euc-kr'>", "no-such-charset", "euc-kr"),
        (KOI, "'windows-1251'", "koi8-r"),
        (b'<meta content="text/html; charset=windows-1251" http-equiv=content-type>', None, "cp1251"),
        (b"<meta content='text/html; charset=\"koi8-r\"' http-equiv=content-type>", None, "koi8-r"),
        (b'<meta content="text/html; charset=windows-1251">', None, "utf-8"),
        (b"<meta/charset=koi8-r>", None, "koi8-r"),
        (b"<metax charset=koi8-r>", None, "utf-8"),
        (b"< meta charset=koi8-r>", None, "utf-8"),
        (b"<meta charset=bogus>" + KOI, None, "koi8-r"),
        (b"<!-- " + KOI + b" --><meta charset=iso-8859-2>", None, "iso8859-2"),
        (b"<!-->" + KOI + b"-->", None, "koi8-r"),
        (b"<!x " + KOI + b">", None, "utf-8"),
        (b"<?x " + KOI + b"?>", None, "utf-8"),
        (b"</p " + KOI + b">", None, "utf-8"),
        (b'<p title="' + KOI + b'">', None, "utf-8"),
        (b'<p title="' + KOI, None, "utf-8"),
        (b"<script>'" + KOI + b"'</script>", None, "utf-8"),
        (b"<title>" + KOI + b"</title><meta charset=iso-8859-2>", None, "iso8859-2"),
        (b'<?xml version="1.0" encoding="koi8-r"?>', None, "koi8-r"),
        (b"<?xml encoding='koi8-r'?><meta charset=iso-8859-2>", None, "iso8859-2"),
        (b'\n<?xml version="1.0" encoding="koi8-r"?>', None, "utf-8"),
        (b"<?xml encoding=koi8-r?>", None, "utf-8"),
        (b"<meta charset=utf-16le>", None, "utf-8"),
        (b" " * 1024 + KOI, None, "utf-8"),
        ("ü".encode(), None, "utf-8"),
        ("ü".encode("latin-1"), None, "cp1252"),
    ],
)
def test_the_encoding_is_the_one_a_browser_takes(page: bytes, header: str | None, encoding: str) -> None:
    assert codecs.lookup(encoding_of(page, header)).name == codecs.lookup(encoding).name


@given(st.lists(st.tuples(AROUND, METAS), max_size=6))
def test_the_first_meta_that_is_one_counts(pieces: list[tuple[str, str]]) -> None:
    html = "".join(around.replace("{}", meta) for around, meta in pieces)
    declared = plain.declared(html[:PRESCANNED]) or "utf-8"
    assert codecs.lookup(encoding_of(html.encode(), None)).name == codecs.lookup(declared).name


@pytest.mark.parametrize(
    ("header", "read"),
    [
        ("text/html", ("text/html", None)),
        ("Text/HTML ;x=y; Charset=koi8-r;charset=utf-8", ("text/html", "koi8-r")),
        ('text/html;;charset="koi8-r', ("text/html", "koi8-r")),
        ("text/html; charset='koi8-r'", ("text/html", "'koi8-r'")),
        ("text/html; xcharset=koi8-r", ("text/html", None)),
        ("text/html; charset = koi8-r", ("text/html", None)),
        ("text/html, text/html", ("text/html", None)),
        ("text/html;charset=koi8-r, text/html", ("text/html", "koi8-r")),
        ("text/html;charset=koi8-r\ntext/plain", ("text/plain", None)),
        ("html", ("", None)),
    ],
)
def test_content_types_are_read_as_a_browser_reads_them(header: str, read: tuple[str, str | None]) -> None:
    assert media_type(header) == read


def test_queries_are_in_the_encoding_of_the_page_and_paths_are_not() -> None:
    html = "<a href='/ж?ж&☃'>".encode("cp1251", "xmlcharrefreplace")
    letter = quote("ж".encode())
    # ☃ is not in the encoding: in the page it is a reference, in the query it is one again, percent-encoded.
    assert found(html, "windows-1251") == {f"/{letter}?%E6&%26%239731%3B"}
    assert found("<a href='/ж?ж'>".encode(), "utf-8") == {f"/{letter}?{letter}"}


@pytest.mark.parametrize(
    ("charset", "href", "link"),
    [
        ("iso-8859-1", b"/p?q=\xe9&a=\n1 ", "/p?q=%E9&a=1"),
        ("iso-8859-1", b"/p?q=\x81 #f", "/p?q=%81%20"),
        ("iso-8859-1", b"/\x81", "/%C2%81"),
        ("windows-1253", b"/\xaa?\xaa\x81", "/%EF%BF%BD?%26%2365533%3B%81"),
        ("windows-1255", b"/\xca?\xca", "/%D6%BA?%CA"),
        ("windows-874", b"/\x80?\x80", "/%E2%82%AC?%80"),
        ("iso-8859-11", b"/\x80?\x80", "/%E2%82%AC?%80"),
        ("koi8-u", b"/\xae?\xae", "/%D1%9E?%AE"),
        ("x-mac-cyrillic", b"/\xe9?\xe9", "/%D0%B9?%E9"),
        ("shift_jis", b"/\x87\x40?\x87\x40", "/%E2%91%A0?%87@"),
        ("euc-kr", b"/\x8cc?\x8cc", "/%EB%98%A0?%8Cc"),
        ("gb2312", b"/\x81\x30\x81\x30?&#9731;", "/%C2%80?%26%239731%3B"),
        ("big5", b"/\x87\x40?\x87\x40", "/%E4%8F%B0?%26%2317392%3B"),
    ],
)
def test_encodings_are_as_wide_as_a_browser_knows_them(charset: str, href: bytes, link: str) -> None:
    assert found(b'<a href="' + href + b'">', charset) == {link}


@given(
    st.sampled_from(["windows-1252", "windows-1250", "windows-1255", "windows-874", "koi8-u"]), st.binary(max_size=9)
)
def test_what_is_read_in_an_encoding_is_written_back_the_same(label: str, page: bytes) -> None:
    encoding = known(label)
    assert encoding is not None
    text = decoded(page, encoding)
    assert text.encode(encoding, "replace") == bytes(
        byte if character != "\ufffd" else ord("?") for byte, character in zip(page, text, strict=True)
    )

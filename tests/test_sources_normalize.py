"""URLs that name one page are merged on request, and noted otherwise."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.sources.opening import ReadOptions, open_web
from seedbed.sources.url_hash_kernels import page_hashes
from seedbed.urls.browser_urls import BrowserUrls
from seedbed.urls.url_table import text_chunk
from tests.commands import seedbed
from tests.sources import url_links_of

LINKS = (
    "http://www.epa.gov http://x.example/a\n"
    "HTTP://WWW.EPA.GOV:80/ http://x.example/b\n"
    "www.epa.gov/ http://x.example/a\n"
    "http://x.example/a http://www.epa.gov/#top\n"
    "http://www.epa.gov http://www.epa.gov/\n"
)


def test_spellings_of_a_page_are_merged(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(LINKS)
    web = open_web(tmp_path / "web", normalize=True)
    assert url_links_of(web) == [
        ("http://www.epa.gov/", "http://x.example/a"),
        ("http://www.epa.gov/", "http://x.example/b"),
        ("http://x.example/a", "http://www.epa.gov/"),
    ]
    assert (web.origin.self_links, web.origin.duplicate_links) == (1, 1)
    assert web.origin.notes == ("4 URLs were normalised, and 4 of them merged with others.",)


def test_self_links_that_merging_makes_are_kept_where_asked_for(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(LINKS + "http://x.example/b http://x.example/b\n")
    web = open_web(tmp_path / "web", options=ReadOptions(keep_self_links=True, normalize=True))
    loops = [source for source, target in url_links_of(web) if source == target]
    assert loops == ["http://www.epa.gov/", "http://x.example/b"]
    assert web.origin.self_links == 2


def test_duplicates_are_noted_without(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(LINKS)
    (note,) = open_web(tmp_path / "web").origin.notes
    assert note.startswith("7 URLs name 3 pages once normalised")
    assert note.endswith("--normalize merges them.")
    (tmp_path / "web").write_text("http://a.example/ http://b.example/\n")
    assert open_web(tmp_path / "web").origin.notes == ()


def test_what_is_no_url_of_a_page_is_kept_and_noted(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("ftp://a.example/x http://b.example\nmailto:me@c.example http://b.example/\n")
    web = open_web(tmp_path / "web", normalize=True)
    assert web.urls is not None
    assert set(web.urls) == {"ftp://a.example/x", "http://b.example/", "mailto:me@c.example"}
    assert "2 names, such as 'ftp://a.example/x'" in web.origin.notes[-1]


def test_columns_of_merged_pages_take_the_largest(tmp_path: Path) -> None:
    (tmp_path / "web.nodes.tsv").write_text(
        "id\tcrawled\turl\n0\t0\thttp://a.example\n1\t1\thttp://a.example/\n2\t0\thttp://b.example/\n"
    )
    (tmp_path / "web.edges.tsv").write_text("0\t2\n1\t2\n2\t1\n")
    web = open_web(tmp_path / "web", normalize=True)
    assert web.urls is not None
    assert list(web.urls) == ["http://a.example/", "http://b.example/"]
    assert web.columns["crawled"].tolist() == [True, False]
    assert url_links_of(web) == [
        ("http://a.example/", "http://b.example/"),
        ("http://b.example/", "http://a.example/"),
    ]


def test_a_web_without_urls_says_so(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("0 1\n")
    assert open_web(tmp_path / "web", normalize=True).origin.notes == ("there are no URLs to normalise.",)


def test_the_command_merges_and_notes(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(LINKS)
    plain = seedbed("convert", tmp_path / "web", tmp_path / "out.web")
    assert "--normalize merges them" in plain.stderr
    merged = seedbed("convert", tmp_path / "web", tmp_path / "out.web", "--normalize")
    assert "3 pages, 3 links" in merged.stdout
    assert "4 of them merged" in merged.stderr


PARTS = st.tuples(
    st.sampled_from(["http://", "https://", "HTTP://", ""]),
    st.sampled_from(["a.example", "A.Example", "b.example", "a.example:80", "a.example:443", "a.example:8080"]),
    st.sampled_from(["", "/", "/x", "/X", "?q", "/?q"]),
    st.sampled_from(["", "#", "#f", "#f/x"]),
)


@given(st.lists(PARTS.map("".join), min_size=2, max_size=8, unique=True))
@settings(deadline=None, max_examples=150)
def test_hashes_agree_where_normal_forms_do(urls: list[str]) -> None:
    """On spellings that people use the quick pass finds just what normalising finds."""
    hashes = np.empty(len(urls), np.uint64)
    page_hashes(*text_chunk(urls), hashes)
    known = BrowserUrls()
    normal = [known.page(url if "://" in url else "http://" + url) for url in urls]
    for i in range(len(urls)):
        for k in range(i):
            assert (hashes[i] == hashes[k]) == (normal[i] == normal[k]), (urls[i], urls[k])


@given(st.lists(st.tuples(PARTS.map("".join), PARTS.map("".join)), min_size=1, max_size=10))
@settings(deadline=None, max_examples=40)
def test_normalising_is_renaming_and_merging(links: list[tuple[str, str]]) -> None:
    known = BrowserUrls()

    def normal(url: str) -> str:
        return known.page(url if "://" in url else "http://" + url) or url

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web").write_text("from\tto\n" + "".join(f"{a}\t{b}\n" for a, b in links))
        web = open_web(Path(folder) / "web", format="url-edges", normalize=True)
    assert web.urls is not None
    assert set(web.urls) == {normal(url) for link in links for url in link}
    assert len(set(web.urls)) == web.page_count
    assert url_links_of(web) == sorted({(normal(a), normal(b)) for a, b in links if normal(a) != normal(b)})


@pytest.mark.parametrize("memory", [1 << 14, None])
def test_through_disk_the_same_pages_are_merged(tmp_path: Path, memory: int | None) -> None:
    lines = (f"http://h{k % 7}.example http://H{k % 11}.example/{k % 13}\n" for k in range(500))
    (tmp_path / "web").write_text("".join(lines))
    web = open_web(tmp_path / "web", options=ReadOptions(memory=memory, normalize=True))
    expected = {(f"http://h{k % 7}.example/", f"http://h{k % 11}.example/{k % 13 or 0}") for k in range(500)}
    assert url_links_of(web) == sorted(expected)

"""Each format: a web written in it is read back, and by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from seedbed.errors import InputError, NotEnoughMemory
from seedbed.sources.opening import ReadOptions, open_web
from tests.reference import sources as plain
from tests.reference.build import build
from tests.sources import BY_ID, BY_NAME, WHOLE, Link, links_of, url, url_links_of

WEBS = st.integers(2, 12).flatmap(
    lambda pages: st.tuples(
        st.just(pages),
        st.lists(st.tuples(st.integers(0, pages - 1), st.integers(0, pages - 1)), min_size=1, max_size=30),
    )
)
EXAMPLE: list[Link] = [(0, 1), (2, 0), (0, 1), (1, 1), (3, 2), (0, 3)]


@pytest.mark.parametrize("written_as", BY_ID | WHOLE)
@given(WEBS, st.booleans())
@settings(deadline=None, max_examples=15)
def test_numbered_pages_come_back(written_as: str, web: tuple[int, list[Link]], keep: bool) -> None:
    pages, links = web
    kind, write = (BY_ID | WHOLE)[written_as]
    with tempfile.TemporaryDirectory() as folder:
        read = open_web(write(Path(folder), pages, links), options=ReadOptions(keep_self_links=keep))
    pages = pages if read.urls is not None or kind in ("matrix-market", "matlab") else 1 + max(map(max, links))
    rows, self_links, duplicates = build(links, pages, keep_self_links=keep)
    assert [read.links.successors(page).tolist() for page in range(read.page_count)] == rows
    assert (read.origin.format, read.origin.self_links, read.origin.duplicate_links, read.origin.removed) == (
        kind,
        self_links,
        duplicates,
        not keep,
    )
    if read.urls is not None and kind != "common-crawl":
        assert list(read.urls) == [url(page) for page in range(pages)]


@pytest.mark.parametrize("written_as", BY_NAME)
@given(WEBS)
@settings(deadline=None, max_examples=15)
def test_named_pages_come_back_in_the_order_of_their_names(written_as: str, web: tuple[int, list[Link]]) -> None:
    _, links = web
    kind, write = BY_NAME[written_as]
    with tempfile.TemporaryDirectory() as folder:
        read = open_web(write(Path(folder), 0, links))
    assert read.urls is not None
    assert list(read.urls) == sorted({url(page) for link in links for page in link})
    assert url_links_of(read) == sorted({(url(a), url(b)) for a, b in links if a != b})
    assert read.origin.format == kind
    assert read.origin.self_links == sum(a == b for a, b in links)


@pytest.mark.parametrize("written_as", BY_NAME | BY_ID)
def test_through_disk_every_format_gives_the_same_web(written_as: str, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    links = [(int(a), int(b)) for a, b in random.integers(0, 150, (3000, 2))]
    path = (BY_NAME | BY_ID)[written_as][1](tmp_path, 150, links)
    small = open_web(path, options=ReadOptions(memory=1 << 14))
    large = open_web(path)
    assert links_of(small) == links_of(large)
    assert small.origin == large.origin
    assert (small.urls is None) == (large.urls is None)
    if small.urls is not None and large.urls is not None:
        assert list(small.urls) == list(large.urls)


@pytest.mark.parametrize("header", ["", "source target\n", "# FromNodeId\tToNodeId\n"])
@pytest.mark.parametrize("separator", [" ", "\t", ",", ";", "|", ", ", "  \t"])
def test_edge_lists_with_any_separator(tmp_path: Path, separator: str, header: str) -> None:
    lines = "".join(f"{a}{separator}{b}{separator}0.25\r\n" for a, b in EXAMPLE)
    header = header.replace(" ", separator) if not header.startswith("#") else header
    (tmp_path / "web").write_text("% one\n// two\n" + header + "\n" + lines, newline="")
    web = open_web(tmp_path / "web")
    assert web.origin.format == "edges"
    assert links_of(web) == [(0, 1), (0, 3), (2, 0), (3, 2)]
    assert (web.origin.self_links, web.origin.duplicate_links) == (1, 1)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=20))
@settings(deadline=None, max_examples=20)
def test_edges_are_those_of_the_plain_twin(links: list[Link]) -> None:
    text = "# head\n" + "".join(f"{a} {b} 1\n" for a, b in links)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web").write_text(text)
        web = open_web(Path(folder) / "web")
    expected = plain.edges(text)
    assert (web.page_count, links_of(web)) == (expected.pages, sorted({(a, b) for a, b in expected.links if a != b}))


def test_an_edge_list_with_an_absurd_id_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(f"1 2\n3 {10**12}\n")
    with pytest.raises(NotEnoughMemory, match="1,000,000,000,001 pages"):
        open_web(tmp_path / "web")


@pytest.mark.parametrize("line", ["-1 2", "5 x", "5", f"1 {10**15}"])
def test_a_bad_line_in_an_edge_list_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "web").write_text("".join(f"{k} {k + 1}\n" for k in range(600)) + f"# so far\n{line}\n3 4\n")
    with pytest.raises(InputError, match=r"web, line 602: "):
        open_web(tmp_path / "web")


def test_a_first_line_that_is_half_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("a 2\n3 4\n5 6\n")
    with pytest.raises(InputError, match="web, line 1: found 'a'"):
        open_web(tmp_path / "web", format="edges")


def test_a_line_with_fewer_columns_than_the_header_is_named(tmp_path: Path) -> None:
    (tmp_path / "web.csv").write_text("weight,target,source\n1,2,3\n4,5\n")
    with pytest.raises(InputError, match=r"web\.csv, line 3: found nothing in column 3"):
        open_web(tmp_path / "web.csv")


def test_matrix_market_by_hand(tmp_path: Path) -> None:
    (tmp_path / "web.mtx").write_text(
        "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n3 3 3\n2 1\n3 3\n3 2\n"
    )
    web = open_web(tmp_path / "web.mtx")
    assert (web.page_count, links_of(web)) == (3, [(0, 1), (1, 0), (1, 2), (2, 1)])
    assert web.origin.self_links == 1


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@given(WEBS)
@settings(deadline=None, max_examples=10)
def test_what_scipy_writes_as_matrix_market_is_read_back(symmetry: str, web: tuple[int, list[Link]]) -> None:
    pages, links = web
    distinct = sorted({(a, b) for a, b in links if a != b})
    if symmetry != "general":
        distinct = sorted({(max(link), min(link)) for link in distinct})
    matrix = sparse.coo_array((np.ones(len(distinct)), tuple(np.array(distinct).reshape(-1, 2).T)), (pages, pages))
    if symmetry != "general":
        matrix = sparse.coo_array(matrix + (1 if symmetry == "symmetric" else -1) * matrix.T)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "web.mtx"
        scipy.io.mmwrite(file, matrix, symmetry=symmetry)
        assert links_of(open_web(file)) == sorted(zip(*(ends.tolist() for ends in matrix.nonzero()), strict=True))
        expected = plain.matrix_market(file.read_text())
    assert sorted(expected.links) == sorted(zip(*(ends.tolist() for ends in matrix.nonzero()), strict=True))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", "line 1: found .*expected"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 0\n", "line 2: a matrix of 2 × 3 is not a web"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n", "has 1 entries, .*says 2"),
        ("%%MatrixMarket matrix coordinate real general\n% only\n", "has no size line"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", "line 3: the link 1 → 3 .* 1 … 2"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", "line 3: the link 0 → 1 .* 1 … 2"),
    ],
)
def test_matrix_market_refuses(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "web.mtx").write_text(text)
    with pytest.raises(InputError, match=what):
        open_web(tmp_path / "web.mtx")


ANY_NAME = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\t\0"), min_size=1)


@given(st.lists(st.tuples(ANY_NAME, ANY_NAME), min_size=1))
@settings(deadline=None, max_examples=60)
def test_any_names_come_back_through_tabs_in_byte_order(pairs: list[tuple[str, str]]) -> None:
    pairs = [(f"http://{a}x", f"http://{b}x") for a, b in pairs]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), newline="")
        web = open_web(Path(folder) / "web.tsv", format="url-edges")
    expected = plain.named_edges(pairs)
    assert web.urls is not None
    assert list(web.urls) == expected.names
    assert links_of(web) == sorted({(a, b) for a, b in expected.links if a != b})


def test_urls_in_another_encoding_are_refused_and_then_read(tmp_path: Path) -> None:
    (tmp_path / "web.tsv").write_bytes("http://a.example/\thttp://münchen.example/\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"web\.tsv, line 1: .*--encoding latin-1"):
        open_web(tmp_path / "web.tsv")
    web = open_web(tmp_path / "web.tsv", options=ReadOptions(encoding="latin-1"))
    assert web.urls is not None
    assert web.urls[1] == "http://münchen.example/"

"""Adjacency lists are read whole, and what could be one is never read as links with the rest dropped."""

from __future__ import annotations

import tempfile
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError
from seedbed.sources.formats import adjacency
from seedbed.sources.opening import ReadOptions, open_web
from tests.commands import seedbed
from tests.reference import sources as plain
from tests.sources import Link, links_of, url_links_of

SEVEN = "0 1 2 3\n1 2 3\n2 0\n3 1\n"
ALL_SEVEN = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 0), (3, 1)]


def opened(folder: Path, text: str, **how: object) -> list[Link]:
    (folder / "web").write_text(text, newline="")
    web = open_web(folder / "web", **how)  # type: ignore[arg-type]
    assert web.origin.format == "adjacency"
    return links_of(web)


@pytest.mark.parametrize(
    "text",
    [
        SEVEN,
        SEVEN.replace(" ", "\t"),
        SEVEN.replace(" ", ","),
        SEVEN.replace(" ", "; "),
        "0\t1,2,3\n1\t2,3\n2\t0\n3\t1\n",
        "0: 1 2 3\n1: 2 3\n2: 0\n3: 1\n",
        "0: 1 2 3 -1\n1: 2 3 -1\n2: 0 -1\n3: 1 -1\n",
        "0: 1, 2, 3\n1: 2, 3\n2: 0\n3: 1\n",
        "0,1,2,3\n1,2,3,\n2,0,,\n3,1,,\n",
        "# comment\n% comment\n\n0 1 2 3  \n1 2 3\n2 0\n\n3 1",
        "page neighbours\n" + SEVEN,
        SEVEN.replace("\n", "\r\n"),
        SEVEN.replace("\n", "\r"),
    ],
)
def test_every_form_gives_all_links(tmp_path: Path, text: str) -> None:
    assert opened(tmp_path, text) == ALL_SEVEN


def test_the_command_counts_all_links(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text(SEVEN)
    assert "4 pages, 7 links" in seedbed("convert", tmp_path / "web.txt", tmp_path / "out.web").stdout


@pytest.mark.parametrize("delimiter", [" ", "\t", ","])
def test_what_networkx_writes_is_read_back(tmp_path: Path, delimiter: str) -> None:
    graph = nx.gnm_random_graph(200, 2099, seed=1, directed=True)
    nx.write_adjlist(graph, tmp_path / "web.adj", delimiter=delimiter)
    web = open_web(tmp_path / "web.adj")
    assert (web.page_count, links_of(web)) == (200, sorted(graph.edges()))


def test_pages_alone_on_their_lines_are_pages(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("0 1 2\n1\n7\n")
    assert open_web(tmp_path / "web").page_count == 8


ROWS = st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=20), min_size=1, max_size=15)


@given(ROWS, st.sampled_from(["", ":"]), st.sampled_from(["", " -1"]), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(deadline=None, max_examples=60)
def test_lists_are_those_of_the_plain_twin(rows: list[list[int]], colon: str, last: str, end: str) -> None:
    text = "# head" + end + "".join(f"{a}{colon} {' '.join(map(str, b))}{last if b else ''}{end}" for a, *b in rows)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web").write_text(text, newline="")
        try:
            web = open_web(Path(folder) / "web", format="adjacency")
        except InputError as error:
            assert "METIS" in str(error)
            return
    expected = plain.adjacency(text)
    assert (web.page_count, links_of(web)) == (expected.pages, sorted({(a, b) for a, b in expected.links if a != b}))
    assert web.origin.self_links == sum(a == b for a, b in expected.links)


def test_urls_and_hosts(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(
        "http://a.example/ http://b.example/ http://c.example/\nhttp://b.example/\nhttp://d.example/ http://a.example/\n"
    )
    web = open_web(tmp_path / "web")
    assert (web.origin.format, web.page_count) == ("adjacency", 4)
    assert [source[7] + target[7] for source, target in url_links_of(web)] == ["ab", "ac", "da"]
    (tmp_path / "hosts").write_text("a.com,b.com,c.com\nb.com,c.com\n")
    assert url_links_of(open_web(tmp_path / "hosts")) == [("a.com", "b.com"), ("a.com", "c.com"), ("b.com", "c.com")]


def test_names_of_any_kind_where_the_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("ann bob cleo\nbob\ncleo ann\n")
    web = open_web(tmp_path / "web", format="adjacency")
    assert url_links_of(web) == [("ann", "bob"), ("ann", "cleo"), ("cleo", "ann")]


def test_links_with_words_behind_them_are_links(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("http://a.com/ http://b.com/ some words\nhttp://b.com/ http://a.com/ x\n")
    assert open_web(tmp_path / "web").origin.format == "url-edges"


@pytest.mark.parametrize(
    "text", ["0 1 5\n1 2 6\n", "0 1\n1 2 0.5\n", "source,target,weight\n0,1,5\n1,2\n", "0 1\n1 2\n"]
)
def test_links_with_other_columns_are_links(tmp_path: Path, text: str) -> None:
    (tmp_path / "web").write_text(text)
    web = open_web(tmp_path / "web")
    assert (web.origin.format, links_of(web)) == ("edges", [(0, 1), (1, 2)])


@pytest.mark.parametrize("late", ["5 6 7 8 9", "5 6 7"])
@pytest.mark.parametrize("columns", [2, 4])
def test_a_longer_or_shorter_line_far_down_is_refused(tmp_path: Path, late: str, columns: int) -> None:
    even = "".join(" ".join(map(str, range(k, k + columns))) + "\n" for k in range(20_000))
    (tmp_path / "web").write_text(even + late + "\n")
    with pytest.raises(InputError, match=r"web, line 20001: found \d columns, .*adjacency; .*--columns from,to"):
        open_web(tmp_path / "web")
    web = open_web(tmp_path / "web", columns="from,to")
    assert 6 in web.links.successors(5)
    assert open_web(tmp_path / "web", format="adjacency").links.successors(5).tolist()[:2] == [6, 7]


def test_a_longer_line_of_urls_far_down_is_refused(tmp_path: Path) -> None:
    even = "".join(f"http://a.example/{k}\thttp://b.example/{k}\n" for k in range(5_000))
    (tmp_path / "web").write_text(even + "http://a.example/\thttp://b.example/\thttp://c.example/\n")
    with pytest.raises(InputError, match=r"web, line 5001: found 3 columns"):
        open_web(tmp_path / "web")


def test_an_optional_weight_far_down_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("".join(f"{k} {k + 1}\n" for k in range(20_000)) + "5 7 0.25\n")
    assert open_web(tmp_path / "web").link_count == 20_001


def test_lists_named_edges_are_refused(tmp_path: Path) -> None:
    (tmp_path / "web").write_text(SEVEN)
    with pytest.raises(InputError, match="line 2: found 3 columns"):
        open_web(tmp_path / "web", format="edges")


def test_lists_of_equal_length_are_links_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("0 1 2 3\n1 2 3 0\n")
    web = open_web(tmp_path / "web")
    assert (web.origin.format, web.link_count) == ("edges", 2)
    assert "--format adjacency" in web.origin.notes[0]
    assert opened(tmp_path, "0 1 2 3\n1 2 3 0\n", format="adjacency") == [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 0),
        (1, 2),
        (1, 3),
    ]


def test_metis_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("4 4\n2 3\n1 3 4\n1 2\n2\n")
    with pytest.raises(InputError, match="METIS"):
        open_web(tmp_path / "web")


@pytest.mark.parametrize("line", ["5 x 6", "5 -2 6", "5 -1 6", f"5 {10**15} 6", "-7"])
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "web").write_text(SEVEN + f"# so far\n{line}\n")
    with pytest.raises(InputError, match=r"web, line 6: "):
        open_web(tmp_path / "web", format="adjacency")


def test_lists_are_not_told_from_a_number_of_pages_ahead_of_links(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("3\n0 1\n1 2\n")
    with pytest.raises(InputError, match="not recognised"):
        open_web(tmp_path / "web")


def test_a_hubs_line_may_be_far_longer_than_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    targets = range(1, 2_400_000)
    (tmp_path / "web").write_text("0 1 2\n0 " + " ".join(map(str, targets)) + "\n")
    assert (tmp_path / "web").stat().st_size > 1 << 24
    assert open_web(tmp_path / "web").link_count == len(targets)
    monkeypatch.setattr(adjacency, "LONGEST_LIST", 1 << 20)
    with pytest.raises(InputError, match="line 2: longer than 1 MiB"):
        open_web(tmp_path / "web")


def test_a_table_of_pages_beside_lists_gives_them_urls(tmp_path: Path) -> None:
    (tmp_path / "web.nodes.tsv").write_text("".join(f"{k}\thttp://h{k}.example/\n" for k in (5, 6, 7)))
    (tmp_path / "web.links.txt").write_text("5 6 7\n6\n7 5\n")
    web = open_web(tmp_path / "web")
    assert web.origin.format == "tables"
    assert links_of(web) == [(0, 1), (0, 2), (2, 0)]
    (tmp_path / "web.links.txt").write_text("5 6 7\n6\n9\n")
    with pytest.raises(InputError, match=r"links\.txt, line 3: the id 9 is not among|line 3: the id 9 is not in 5 … 7"):
        open_web(tmp_path / "web")


def test_through_disk_lists_give_the_same_web(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("".join(f"{k} {k + 1} {k + 2}{' 3' * (k % 2)}\n" for k in range(3_000)))
    small = open_web(tmp_path / "web", options=ReadOptions(memory=1 << 16))
    assert links_of(small) == links_of(open_web(tmp_path / "web"))


def test_a_longer_line_is_not_made_up_for_by_blank_lines_and_comments(tmp_path: Path) -> None:
    even = "".join(f"{k}\t{k + 1}\n" for k in range(20_000))
    (tmp_path / "web").write_text(even + "\n# words\n5\t6\t7\n")
    with pytest.raises(InputError, match="web, line 20003: found 3 columns"):
        open_web(tmp_path / "web")


@pytest.mark.parametrize(
    "text",
    [
        "0,1,\n1,2,7\n2,0,\n",
        "http://a.example/\thttp://b.example/\thttp://x.example/\nhttp://b.example/\thttp://c.example/\t\n",
        "3 3\n0 1 5\n1 2 6\n2 0 7\n",
        "9" * 5000 + " 3\n0 1 5\n1 2 6\n",
    ],
)
def test_what_could_as_well_be_links_with_further_columns_is_not_guessed_at(tmp_path: Path, text: str) -> None:
    """Columns that are empty on some lines, and numbers of pages and links ahead of links that have weights."""
    path = tmp_path / "links.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=r"give --format adjacency; if it is one link, --columns from,to|expected"):
        open_web(path)
    if "999" not in text:
        assert open_web(path, format="adjacency").link_count > 0
        assert open_web(path, columns="from,to").link_count > 0

"""The real graphs open with the counts their README gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedbed.sources.opening import ReadOptions, open_web
from tests.sources import url_links_of

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(
    ("path", "kind", "pages", "links", "self_links"),
    [
        ("california/gr0.California.gz", "kleinberg", 9_664, 16_150, 0),
        ("california/California.net.gz", "pajek", 9_664, 16_150, 0),
        ("najdisi-si", "pajek", 115_148, 248_799, 419),
        ("hollins", "tables", 6_012, 23_875, 0),
        ("hollins/hollins.dat.gz", "tables", 6_012, 23_875, 0),
        ("hollins/links.dat.gz", "tables", 6_012, 23_875, 0),
        ("ukwa-1996-hosts", "ukwa", 58_842, 174_122, 10_311),
        ("openbsd-www/2013-06-01", "tables", 23_866, 95_359, 855),
        ("openbsd-www/2016-06-01.edges.tsv.gz", "tables", 17_914, 47_594, 108),
        ("cnr-2000/cnr-2000", "bvgraph", 325_557, 3_128_710, 87_442),
    ],
)
def test_a_real_graph_opens_with_its_counts(
    shared_data: Path, path: str, kind: str, pages: int, links: int, self_links: int | None
) -> None:
    web = open_web(shared_data / path)
    assert (web.origin.format, web.page_count, web.link_count) == (kind, pages, links)
    assert (web.origin.self_links, web.origin.duplicate_links) == (self_links, 0)


@pytest.mark.parametrize(
    ("path", "links", "without_self_links"),
    [
        ("ukwa-1996-hosts", 184_433, 174_122),
        ("openbsd-www/2013-06-01", 96_214, 95_359),
        ("najdisi-si", 249_218, 248_799),
    ],
)
def test_the_counts_of_listed_links_include_links_of_a_page_to_itself(
    shared_data: Path, path: str, links: int, without_self_links: int
) -> None:
    kept = open_web(shared_data / path, options=ReadOptions(keep_self_links=True))
    assert kept.link_count == links
    assert kept.origin.self_links == links - without_self_links


def test_a_bvgraph_has_the_links_it_was_published_with_where_self_links_are_kept(shared_data: Path) -> None:
    kept = open_web(shared_data / "cnr-2000" / "cnr-2000", options=ReadOptions(keep_self_links=True))
    assert kept.link_count == 3_216_152


def test_the_crawled_pages_of_a_node_table_are_a_column(shared_data: Path) -> None:
    web = open_web(shared_data / "openbsd-www" / "2013-06-01")
    assert web.columns["crawled"].sum() == 3_941


def test_both_files_of_california_hold_the_same_web(shared_data: Path) -> None:
    webs = [open_web(shared_data / "california" / name) for name in ("gr0.California.gz", "California.net.gz")]
    links, of_pajek = (url_links_of(web) for web in webs)
    # The two differ in quotes within URLs only, which the first file has lost.
    assert links == sorted((a.replace('"', ""), b.replace('"', "")) for a, b in of_pajek)


def test_real_graphs_through_disk_are_the_same(shared_data: Path) -> None:
    for path in ("ukwa-1996-hosts", "openbsd-www/2013-06-01"):
        small = open_web(shared_data / path, options=ReadOptions(memory=1 << 20))
        large = open_web(shared_data / path)
        assert small.origin == large.origin
        assert (small.links.arrays().out_idx == large.links.arrays().out_idx).all()

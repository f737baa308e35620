"""Webs and the webs made from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError, NeedsHosts, OptionError
from seedbed.graph.native_store import open_store, write_store
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_writer import write_bvgraph
from tests.graphs import Lists, csr, lists_of, page_lists, web_of
from tests.reference import web as reference

URLS = [
    "http://a.example.com/1",
    "http://a.example.com/2",
    "http://b.example.com/",
    "http://other.org/",
]
LISTS = [[1, 2], [0, 3], [0, 3], [2]]


def test_links_inside_a_host_or_a_domain_are_left_out() -> None:
    web = web_of(LISTS, URLS)
    assert lists_of(web.without_links_inside().links) == [[2], [3], [0, 3], [2]]
    assert lists_of(web.without_links_inside("domain").links) == [[], [3], [3], [2]]
    assert list(web.without_links_inside().urls or []) == URLS


def test_an_unknown_kind_of_site_names_the_known_ones() -> None:
    with pytest.raises(OptionError, match=r"unknown kind of site 'hosts'\. Did you mean 'host'"):
        web_of(LISTS, URLS).sites("hosts")  # type: ignore[arg-type]


def test_a_web_without_urls_says_where_hosts_are_needed() -> None:
    web = web_of(LISTS)
    assert lists_of(web.transpose().links) == [[1, 2], [0], [0, 3], [1, 2]]
    with pytest.raises(NeedsHosts, match="--hosts FILE"):
        web.without_links_inside()


@settings(deadline=None, max_examples=80)
@given(page_lists())
def test_transposing_agrees_with_its_twin_and_with_scipy_and_undoes_itself(lists: Lists) -> None:
    web = web_of(lists)
    turned = web.transpose()
    assert lists_of(turned.links) == reference.transpose(lists)
    assert lists_of(turned.transpose().links) == lists
    if lists:
        arrays = csr(lists).arrays()
        matrix = scipy.sparse.csr_array(
            (np.ones(len(arrays.out_idx)), arrays.out_idx, arrays.out_ptr), shape=(len(lists),) * 2
        )
        scipy_turned = matrix.T.tocsr().sorted_indices()
        assert turned.links.to_csr().arrays().out_idx.tolist() == scipy_turned.indices.tolist()


@settings(deadline=None, max_examples=80)
@given(page_lists(), st.data())
def test_a_subgraph_agrees_with_its_twin(lists: Lists, data: st.DataObject) -> None:
    pages = sorted(data.draw(st.sets(st.sampled_from(range(len(lists)))))) if lists else []
    web = Web(csr(lists), columns={"id": np.arange(len(lists))})
    mask = np.isin(np.arange(len(lists)), pages)
    for chosen in (np.array(pages, np.int64), mask):
        part = web.subgraph(chosen)
        assert lists_of(part.links) == reference.subgraph(lists, pages)
        assert part.columns["id"].tolist() == pages


def test_a_subgraph_keeps_urls_and_hosts() -> None:
    part = web_of(LISTS, URLS).subgraph(np.array([3, 1]))
    assert list(part.urls or []) == [URLS[1], URLS[3]]
    assert lists_of(part.links) == [[1], []]
    assert [part.sites().names[host] for host in part.sites().of_page] == ["a.example.com", "other.org"]


def test_a_subgraph_has_no_hosts_without_a_page(tmp_path: Path) -> None:
    write_store(web_of(LISTS, URLS), tmp_path / "web")
    sites = open_store(tmp_path / "web").subgraph(np.array([0, 3])).sites()
    assert (list(sites.names), sites.of_page.tolist()) == (["a.example.com", "other.org"], [0, 1])


def test_pages_that_are_not_there_are_refused() -> None:
    web = web_of(LISTS)
    for pages in ([7], [-1]):
        with pytest.raises(OptionError, match=r"is not in the web, whose pages are 0 … 3"):
            web.subgraph(np.array(pages))
    with pytest.raises(OptionError, match="the mask has 2 entries"):
        web.subgraph(np.array([True, False]))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_union_agrees_with_its_twin(data: st.DataObject) -> None:
    snapshots = []
    for _ in range(data.draw(st.integers(1, 3))):
        urls = data.draw(st.lists(st.sampled_from([f"http://h{k}/" for k in range(12)]), unique=True, max_size=8))
        lists = [sorted(data.draw(st.sets(st.integers(0, len(urls) - 1), max_size=4))) for _ in urls]
        snapshots.append((urls, lists))
    webs = [web_of(lists, urls) for urls, lists in snapshots]
    union = webs[0].union(*webs[1:])
    urls, lists = reference.union(snapshots)
    assert list(union.urls or []) == urls
    assert lists_of(union.links) == lists


def test_the_last_snapshot_is_believed_where_columns_differ() -> None:
    def snapshot(urls: list[str], spam: list[bool]) -> Web:
        return Web(csr([[]] * len(urls)), urls=web_of([[]] * len(urls), urls).urls, columns={"spam": np.array(spam)})

    union = snapshot(["u:a", "u:b"], [True, True]).union(snapshot(["u:b", "u:c"], [False, True]))
    assert union.columns["spam"].tolist() == [True, False, True]


def test_snapshots_without_urls_cannot_be_joined() -> None:
    with pytest.raises(InputError, match="has no URLs, and snapshots are joined by URL"):
        web_of(LISTS, URLS).union(web_of(LISTS))


def test_a_url_list_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(InputError, match="the URL list has 4 entries, but the web has 1 pages"):
        web_of([[]], URLS)


def test_a_web_cannot_be_changed() -> None:
    web = Web(csr(LISTS), columns={"id": np.arange(4)})
    with pytest.raises(AttributeError):
        web.links = csr([])  # type: ignore[misc]
    with pytest.raises(TypeError):
        web.columns["id"] = np.arange(4)  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        web.columns["id"][0] = 1


def test_both_stores_give_the_same_webs(tmp_path: Path) -> None:
    links = csr(LISTS)
    write_bvgraph(links.blocks(), tmp_path / "g", pages=4)
    plain, packed = web_of(LISTS, URLS), Web(BvGraph.open(tmp_path / "g"), urls=web_of(LISTS, URLS).urls)
    for change in (
        lambda web: web.transpose(),
        lambda web: web.without_links_inside(),
        lambda web: web.subgraph(np.array([0, 2])),
        lambda web: web.union(plain),
    ):
        assert lists_of(change(plain).links) == lists_of(change(packed).links)


@pytest.mark.parametrize(
    ("older", "newer", "joined"),
    [("int32", "int64", "int64"), ("int64", "int32", "int64"), ("bool", "float64", "float64"), ("u8", "u8", "u8")],
)
def test_columns_of_a_union_have_the_type_that_holds_both(older: str, newer: str, joined: str) -> None:
    first = replace(web_of([[], []], URLS[:2]), columns={"v": np.array([1, 0], older)})
    second = replace(web_of([[], []], URLS[1:3]), columns={"v": np.array([1, 1], newer)})
    column = first.union(second).columns["v"]
    assert column.dtype == joined
    assert column.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("older", "newer"), [("int64", "uint64"), ("U3", "int32")])
def test_columns_that_no_type_holds_are_refused_by_a_union(older: str, newer: str) -> None:
    first = replace(web_of([[]], URLS[:1]), columns={"v": np.zeros(1, older)})
    second = replace(web_of([[]], URLS[:1]), columns={"v": np.zeros(1, newer)})
    with pytest.raises(OptionError, match="the column 'v' is"):
        first.union(second)


@pytest.mark.parametrize("chosen", [[0.7], ["0"]])
def test_pages_are_chosen_by_ids_or_a_mask_only(chosen: list[object]) -> None:
    with pytest.raises(OptionError, match="chosen by ids or by a mask"):
        web_of(LISTS, URLS).subgraph(np.array(chosen))


@pytest.mark.parametrize("page", [-1, 4])
def test_the_links_of_a_page_that_is_not_there_are_an_error(page: int) -> None:
    with pytest.raises(IndexError, match=f"page {page} is not in 0 … 3"):
        web_of(LISTS).links.successors(page)

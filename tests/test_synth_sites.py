"""Sites of synthetic webs: menus, trees, archives and heaps, each linked as it should be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import breadth_first_order

from seedbed.evaluation.experiments.zheng import choose_sites, covered_at_random
from seedbed.graph.web import Web
from seedbed.seeds.per_site import links_by_site
from seedbed.shape.describe import describe
from seedbed.synth.link_making import LONGEST_STEP
from seedbed.synth.site_kinds import ARCHIVE, HEAP, MENUS, TREE, folder_above, folders_below, kinds_of
from tests.synthetic import home_pages, matrix, pairs, site_kinds, urls

KINDS = (MENUS, TREE, ARCHIVE, HEAP)


@pytest.fixture(scope="module")
def web(snapshots: tuple[Web, Web]) -> Web:
    return snapshots[0]


@pytest.fixture(scope="module")
def kinds(web: Web) -> np.ndarray:
    return site_kinds(web)


@pytest.fixture(scope="module")
def folders(web: Web) -> np.ndarray:
    """The first page of each page's folder."""
    names = [url.rsplit("/", 1)[0] for url in urls(web)]
    _, first, folder = np.unique(names, return_index=True, return_inverse=True)
    return first[folder]


@pytest.fixture(scope="module")
def inside(web: Web) -> tuple[np.ndarray, np.ndarray]:
    """Links inside hosts."""
    source, target = pairs(web)
    host = web.sites("host").of_page
    same = host[source] == host[target]
    return source[same], target[same]


def in_folders(web: Web) -> np.ndarray:
    """Pages in folders, except index pages."""
    return np.array([url.count("/") > 3 and not url.endswith("/") for url in urls(web)])


@given(sizes=st.lists(st.integers(1, 10**6), min_size=1, max_size=60), key=st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=50)
def test_of_any_four_hosts_of_like_size_one_is_of_each_kind(sizes: list[int], key: int) -> None:
    kind = kinds_of(np.uint64(key), np.array(sizes, np.int32))
    largest_first = sorted(range(len(sizes)), key=lambda host: -sizes[host])
    for start in range(0, len(sizes) - 3, 4):
        assert sorted(kind[largest_first[start : start + 4]]) == list(KINDS)
    rest = kind[largest_first[len(sizes) // 4 * 4 :]]
    assert len(set(rest)) == len(rest)


@given(count=st.integers(0, 80), kind=st.sampled_from(KINDS))
@settings(deadline=None, max_examples=30)
def test_every_folder_is_below_the_one_above_it(count: int, kind: int) -> None:
    above = {}
    for folder in range(-1, count):
        for other in range(*folders_below(kind, folder, count)):
            above.setdefault(other, []).append(folder)
    assert sorted(above) == list(range(count))
    for folder, listed in above.items():
        assert folder_above(kind, folder) in listed


def test_every_page_of_a_menu_site_leads_home_and_few_elsewhere_do(
    web: Web, kinds: np.ndarray, inside: tuple[np.ndarray, np.ndarray]
) -> None:
    source, target = inside
    leads = np.zeros(web.page_count, bool)
    leads[source[home_pages(web)[target]]] = True
    linking = np.isin(np.arange(web.page_count), source) & ~home_pages(web)
    shares = [leads[linking & (kinds == kind)].mean() for kind in KINDS]
    assert shares[MENUS] > 0.75
    assert 0 < max(shares[TREE], shares[ARCHIVE], shares[HEAP]) < 0.35


def test_pages_of_a_tree_lead_to_pages_of_their_folder(
    web: Web, kinds: np.ndarray, folders: np.ndarray, inside: tuple[np.ndarray, np.ndarray]
) -> None:
    source, target = inside
    own = in_folders(web)[source]
    stay = [(folders[source] == folders[target])[own & (kinds[source] == kind)].mean() for kind in KINDS]
    assert stay[TREE] > 0.85
    assert stay[MENUS] < 0.5


def test_archives_lead_from_page_to_page_half_of_them_both_ways(
    web: Web, kinds: np.ndarray, inside: tuple[np.ndarray, np.ndarray]
) -> None:
    source, target = inside
    step = target - source
    linking = np.zeros(web.page_count, bool)
    linking[source] = True
    shares = []
    for near in ((step > 0) & (step <= LONGEST_STEP), (step < 0) & (step >= -LONGEST_STEP)):
        leads = np.zeros(web.page_count, bool)
        leads[source[near]] = True
        shares.append(leads[linking & in_folders(web) & (kinds == ARCHIVE)].mean())
    assert shares[0] > 0.9
    assert 0.2 < shares[1] < 0.8


def test_most_pages_of_a_heap_have_one_link_to_them_and_none_inside(
    web: Web, kinds: np.ndarray, inside: tuple[np.ndarray, np.ndarray]
) -> None:
    source, target = inside
    heap = in_folders(web) & (kinds == HEAP)
    assert (np.bincount(source, minlength=web.page_count)[heap] == 0).mean() > 0.8
    assert (np.bincount(target, minlength=web.page_count)[heap] == 1).mean() > 0.6


def test_parts_of_sites_are_not_linked_from_the_rest(web: Web, kinds: np.ndarray) -> None:
    """Pages that no path inside the site leads to from its home page; the largest five sites of each kind."""
    host, links = web.sites("host").of_page, matrix(web)
    starts, sizes = np.flatnonzero(home_pages(web)), np.bincount(host)
    for kind in KINDS:
        largest = [site for site in np.argsort(-sizes) if kinds[starts[site]] == kind][:5]
        missed = total = 0
        for site in largest:
            start, end = starts[site], starts[site] + sizes[site]
            found = breadth_first_order(links[start:end, start:end], 0, return_predecessors=False)
            missed, total = missed + end - start - len(found), total + end - start
        assert missed < 0.01 * total if kind == MENUS else 0 < missed < 0.5 * total, kind
    assert 0.001 < (np.bincount(pairs(web)[1], minlength=web.page_count) == 0).mean() < 0.02


def test_random_seeds_cover_some_half_of_a_site_not_all(web: Web, kinds: np.ndarray) -> None:
    """5 seeds within 5 hops; on real sites 10 to 90 %."""
    sites, _ = choose_sites(web, np.ones(web.page_count), 60, 100, 1)
    host = web.sites("host")
    wanted = np.isin(np.arange(len(host)), sites)
    parted = links_by_site(web.links, host.of_page, wanted)
    covered = []
    for site in sites.tolist():
        inner = Web(parted.links_of(site))
        covered.append(covered_at_random(inner, np.ones(inner.page_count), 5, 5, 3, site)[0, -1])
    of_kind = kinds[np.flatnonzero(home_pages(web))[sites]]
    means = [np.mean(np.array(covered)[of_kind == kind]) for kind in KINDS]
    assert 0.4 < np.mean(covered) < 0.7
    assert means[MENUS] > 0.95 > means[TREE] > means[HEAP] < 0.3
    assert means[HEAP] < means[ARCHIVE] < 0.75


def test_distances_are_those_of_real_webs(web: Web) -> None:
    shape = describe(web, samples=60)
    assert shape.average_distance is not None
    assert 8 < shape.average_distance < 20  # hollins 8, najdisi-si 16, cnr-2000 17
    assert 40 < shape.longest_distance < 200

"""Synthetic webs have the shape of real ones, and what is planted in them is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.synth import make_web
from tests.synthetic import PAGES, home_pages, matrix, pairs


@pytest.fixture
def web(snapshots: tuple[Web, Web]) -> Web:
    return snapshots[0]


@pytest.mark.parametrize("links_per_page", [0.5, 3, 40])
def test_links_per_page_are_met(tmp_path: Path, links_per_page: float) -> None:
    (path,) = make_web(tmp_path / "web", pages=PAGES, links_per_page=links_per_page)
    web = open_store(path)
    assert web.link_count / web.page_count == pytest.approx(links_per_page, rel=0.05)


def test_links_per_page_are_met_by_default(web: Web) -> None:
    assert web.link_count / web.page_count == pytest.approx(16, rel=0.05)


def test_links_stay_mostly_on_their_host_and_then_in_their_community(web: Web) -> None:
    source, target = pairs(web)
    host, community = web.sites("host").of_page, web.columns["community"]
    between = host[source] != host[target]
    assert 0.85 < 1 - between.mean() < 0.95
    assert (community[source] == community[target])[between].mean() > 0.5
    assert home_pages(web)[target][between].mean() > 0.6


def exponent(values: np.ndarray, least: int) -> float:
    """The maximum-likelihood exponent of a discrete power law from `least` on (Clauset et al. 2009, eq. 3.7)."""
    tail = values[values >= least]
    assert len(tail) > 100
    return 1 + len(tail) / np.log(tail / (least - 0.5)).sum()


def test_degrees_and_hosts_have_power_laws_like_real_webs(web: Web) -> None:
    source, target = pairs(web)
    out = np.bincount(source, minlength=web.page_count)
    into = np.bincount(target, minlength=web.page_count)
    assert 2.3 < exponent(out, 100) < 3.3  # cnr-2000: 2.4
    assert 1.8 < exponent(into, 10) < 2.2  # cnr-2000: 2.0
    assert 1.8 < exponent(into, 100) < 2.4
    assert 1.7 < exponent(np.bincount(web.sites("host").of_page), 50) < 2.2  # najdisi-si: 2.2
    assert into.max() > 1000
    assert 0.3 < (out == 0).mean() < 0.4  # cnr-2000: 0.24, najdisi-si: 0.31, hollins: 0.53


def test_every_part_of_the_bow_tie_is_there(web: Web) -> None:
    links = matrix(web)
    _, strong = connected_components(links, connection="strong")
    _, weak = connected_components(links, directed=False)
    giant = strong == np.bincount(strong).argmax()
    assert 0.3 < giant.mean() < 0.6
    assert np.sort(np.bincount(strong))[-2] < 0.05 * web.page_count
    seed = int(np.flatnonzero(giant)[0])
    after, before = reached(links, [seed]), reached(links.T.tocsr(), [seed])
    inward, outward = before & ~giant, after & ~giant
    rest = ~after & ~before
    from_in, to_out = reached(links, np.flatnonzero(inward)), reached(links.T.tocsr(), np.flatnonzero(outward))
    tubes = rest & from_in & to_out
    attached = weak == weak[seed]
    for part in (inward, outward, tubes, rest & attached & ~tubes, ~attached):
        assert part.mean() > 0.002


def reached(links: Any, starts: Any) -> np.ndarray:
    """Pages that can be reached from any of the starts: from a page that links to all of them."""
    pages = links.shape[0]
    first = csr_matrix((np.ones(len(starts)), ([0] * len(starts), starts)), shape=(1, pages))
    grown = csr_matrix(
        (
            np.concatenate((links.data, first.data)),
            np.concatenate((links.indices, first.indices)),
            np.concatenate((links.indptr, [links.indptr[-1] + len(starts)])),
        ),
        shape=(pages + 1, pages + 1),
    )
    found = np.zeros(pages + 1, bool)
    found[breadth_first_order(grown, pages, return_predecessors=False)] = True
    return found[:-1]


def test_planted_cores_are_complete_and_span_hosts(snapshots: tuple[Web, Web]) -> None:
    for web in snapshots:
        core, hub = web.columns["core"], web.columns["core_hub"]
        host = web.sites("host").of_page
        links = matrix(web)
        assert core.max() >= 1
        for which in range(core.max() + 1):
            hubs = np.flatnonzero((core == which) & hub)
            authorities = np.flatnonzero((core == which) & ~hub)
            members = np.concatenate((hubs, authorities))
            assert len(np.unique(host[members])) == len(members)
            assert links[np.ix_(hubs, authorities)].nnz == len(hubs) * len(authorities)


def test_old_cores_have_at_least_two_hubs_and_authorities(tmp_path: Path, web: Web) -> None:
    small = open_store(make_web(tmp_path / "small", pages=300)[0])
    for one in (web, small):
        core, hub = one.columns["core"], one.columns["core_hub"]
        assert core.max() >= 1
        assert not hub[core < 0].any()
        for side in (hub, ~hub):
            assert np.bincount(core[(core >= 0) & side]).min() >= 2


def test_farms_are_whole_hosts_that_link_densely_and_promote_one_page(web: Web) -> None:
    spam, host = web.columns["spam"], web.sites("host").of_page
    source, target = pairs(web)
    assert 0.002 < spam.mean() < 0.05
    assert set(host[spam]).isdisjoint(host[~spam])
    inside = spam[source] & spam[target]
    assert inside.sum() / spam[source].sum() > 0.7
    assert spam[target][~spam[source]].mean() < 0.001
    promoted = target[inside & (host[source] != host[target]) & home_pages(web)[target]]
    assert len(np.unique(promoted)) >= 2
    for page in np.flatnonzero(spam & ~home_pages(web)):
        assert np.isin(web.links.successors(page), promoted).any()


def test_clicked_pages_are_mostly_popular(web: Web) -> None:
    clicked, home = web.columns["clicked"], home_pages(web)
    into = np.bincount(pairs(web)[1], minlength=web.page_count)
    assert clicked[home].mean() > 10 * clicked[~home].mean() > 0
    assert into[clicked & ~home].mean() > 2 * into[~clicked & ~home].mean()


def test_uncrawled_pages_are_link_targets_and_no_sources(snapshots: tuple[Web, Web]) -> None:
    for web in snapshots:
        source, target = pairs(web)
        uncrawled = web.columns["uncrawled"]
        assert 0.05 < uncrawled.mean() < 0.15
        assert not uncrawled[source].any()
        assert (np.bincount(target, minlength=web.page_count)[uncrawled] > 0).all()
        dangling = np.bincount(source, minlength=web.page_count) == 0
        assert (dangling & ~uncrawled).mean() > 0.05

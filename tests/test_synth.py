"""Synthetic webs: what is planted is there, what is promised holds, and the same arguments give the same bytes."""

from __future__ import annotations

import filecmp
from itertools import pairwise
from pathlib import Path
from typing import Any

import ada_url
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, connected_components

from seedbed.errors import OptionError
from seedbed.graph.store import open_store
from seedbed.graph.web import Web
from seedbed.synth import make_web
from seedbed.synth.rng import below, chance, draw

PAGES = 100_000


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> tuple[Web, Web]:
    old, new = make_web(tmp_path_factory.mktemp("synth") / "web", pages=PAGES, snapshots=2, threads=2)
    return open_store(old), open_store(new)


@pytest.fixture(scope="module")
def web(snapshots: tuple[Web, Web]) -> Web:
    return snapshots[0]


def urls(web: Web) -> list[str]:
    return web.urls.many(np.arange(web.page_count))


def pairs(web: Web) -> tuple[np.ndarray, np.ndarray]:
    out_ptr, out_idx = web.links.to_csr().arrays()
    return np.repeat(np.arange(web.page_count), np.diff(out_ptr)), out_idx.astype(np.int64)


def home_pages(web: Web) -> np.ndarray:
    return np.concatenate(([True], np.diff(web.sites("host").of_page) != 0))


def matrix(web: Web) -> Any:
    source, target = pairs(web)
    return csr_matrix((np.ones(len(source)), (source, target)), shape=(web.page_count, web.page_count))


# Random numbers.


def splitmix64(state: int, steps: int) -> int:
    """The `steps`-th output of splitmix64, step by step."""
    for _ in range(steps):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        z ^= z >> 31
    return z


def test_draws_are_the_published_outputs_of_splitmix64() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [draw(np.uint64(1234567), i) for i in range(4)] == published


@given(key=st.integers(0, 2**64 - 1), number=st.integers(0, 50), bound=st.integers(1, 2**40))
@settings(deadline=None, max_examples=50)
def test_draws_follow_the_stepwise_twin(key: int, number: int, bound: int) -> None:
    word = splitmix64(key, number + 1)
    assert draw(np.uint64(key), number) == word
    assert chance(np.uint64(key), number) == (word >> 11) / 2**53
    assert 0 <= below(np.uint64(key), number, bound) < bound


# What every web is, small or large.


@given(pages=st.integers(1, 2000), links=st.floats(0.2, 40), seed=st.integers(0, 2**64 - 1), pair=st.booleans())
@settings(deadline=None, max_examples=12)
def test_any_web_is_whole(
    tmp_path_factory: pytest.TempPathFactory, pages: int, links: float, seed: int, pair: bool
) -> None:
    out = tmp_path_factory.mktemp("any") / "web"
    per_page = min(links, max(pages, 16))
    stores = make_web(out, pages=pages, links_per_page=per_page, seed=seed, snapshots=1 + pair)
    assert open_store(stores[0]).page_count == pages
    for web in map(open_store, stores):
        check_whole(web)


def check_whole(web: Web) -> None:
    web.links.to_csr().arrays()  # ascending lists of pages
    source, target = pairs(web)
    assert not np.any(source == target)
    names = [url.encode() for url in urls(web)]
    assert all(a < b for a, b in pairwise(names))
    hosts = web.sites("host")
    assert list(hosts.names.many(hosts.of_page)) == [name.decode().split("/")[2] for name in names]
    uncrawled = np.flatnonzero(web.columns["uncrawled"])
    assert not np.isin(uncrawled, source).any()
    assert np.isin(uncrawled, target).all()
    assert len(np.unique(web.columns["key"])) == web.page_count


@pytest.mark.parametrize("pages", [1, 2, 10])
def test_tiny_webs_have_the_pages_asked_for_and_no_more_links_than_fit(tmp_path: Path, pages: int) -> None:
    (path,) = make_web(tmp_path / "tiny", pages=pages)
    web = open_store(path)
    assert web.page_count == pages
    assert (pages > 1) <= web.link_count <= pages * (pages - 1)
    check_whole(web)


def test_urls_are_as_a_browser_writes_them(snapshots: tuple[Web, Web]) -> None:
    for web in snapshots:
        names = urls(web)
        assert all(a.encode() < b.encode() for a, b in pairwise(names))
        assert [ada_url.URL(name).href for name in names[::37]] == names[::37]


def test_domains_hold_several_hosts_and_some_end_in_two_part_suffixes(web: Web) -> None:
    domains, hosts = web.sites("domain"), web.sites("host")
    assert len(domains.names) < 0.7 * len(hosts.names)
    names = [domains.names[i] for i in range(len(domains.names))]
    assert any(name.endswith(".co.uk") and name.count(".") == 2 for name in names)
    assert len({name.rsplit(".", 1)[1] for name in names}) > 5


# Same arguments, same bytes.


def assert_same_files(one: Path, other: Path) -> None:
    names = sorted(path.name for path in one.iterdir())
    assert names == sorted(path.name for path in other.iterdir())
    assert filecmp.cmpfiles(one, other, names, shallow=False)[0] == names


def test_bytes_depend_neither_on_threads_nor_on_the_run(tmp_path: Path) -> None:
    runs = [
        make_web(tmp_path / f"{run}", pages=80_000, links_per_page=6, snapshots=2, seed=5, threads=threads)
        for run, threads in enumerate((1, 2, 2))
    ]
    for other in runs[1:]:
        for one, another in zip(runs[0], other, strict=True):
            assert_same_files(one, another)


def test_the_old_snapshot_is_the_web_made_without_a_new_one(tmp_path: Path) -> None:
    (alone,) = make_web(tmp_path / "alone", pages=3000, seed=9)
    old, _ = make_web(tmp_path / "both", pages=3000, seed=9, snapshots=2, survival=0.4)
    assert_same_files(alone, old)


def test_another_seed_gives_another_web(tmp_path: Path) -> None:
    one, other = (open_store(make_web(tmp_path / f"{seed}", pages=500, seed=seed)[0]) for seed in (1, 2))
    assert urls(one) != urls(other)


def test_both_link_stores_hold_the_same_links(tmp_path: Path) -> None:
    csr, bvgraph = (
        open_store(make_web(tmp_path / kind, pages=2000, links=kind)[0])  # type: ignore[arg-type]
        for kind in ("csr", "bvgraph")
    )
    assert bvgraph.links.kind == "bvgraph"
    for one, other in zip(pairs(csr), pairs(bvgraph), strict=True):
        np.testing.assert_array_equal(one, other)


# Statistics.


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
    assert 1.8 < exponent(into, 500) < 2.6
    assert 1.7 < exponent(np.bincount(web.sites("host").of_page), 50) < 2.2  # najdisi-si: 2.2
    assert into.max() > 1000
    assert 0.2 < (out == 0).mean() < 0.3  # cnr-2000: 0.24


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


# What is planted.


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


# The second snapshot.


@pytest.mark.parametrize("survival", [0.0, 0.11, 0.6, 1.0])
def test_the_share_of_urls_asked_for_survives(tmp_path: Path, survival: float) -> None:
    paths = make_web(tmp_path / "web", pages=30_000, links_per_page=2, snapshots=2, survival=survival)
    old, new = map(open_store, paths)
    there = new.urls.find_many(urls(old)) >= 0
    inner = ~home_pages(old)
    assert there[inner].mean() == pytest.approx(survival, abs=0.01)
    assert there[~inner].mean() >= survival
    assert new.page_count == pytest.approx(old.page_count, rel=0.1)


def test_hubs_survive_like_other_pages(tmp_path: Path) -> None:
    paths = make_web(tmp_path / "web", pages=2_000_000, links_per_page=1, snapshots=2)
    old, new = map(open_store, paths)
    hubs = np.flatnonzero(old.columns["core_hub"])
    assert len(hubs) > 200
    assert (new.urls.find_many(old.urls.many(hubs)) >= 0).mean() == pytest.approx(0.11, abs=0.05)


def test_hosts_and_pages_vanish_move_and_appear(snapshots: tuple[Web, Web]) -> None:
    old, new = snapshots
    old_hosts, new_hosts = (
        {*web.sites("host").names.many(np.arange(len(web.sites("host").names)))} for web in snapshots
    )
    assert len(old_hosts - new_hosts) > 0.1 * len(old_hosts)
    assert len(new_hosts - old_hosts) > 0.1 * len(old_hosts)
    place = new.urls.find_many(urls(old))
    same = place >= 0
    np.testing.assert_array_equal(old.columns["key"][same], new.columns["key"][place[same]])
    stays = np.isin(old.columns["key"], new.columns["key"])
    moved = stays & ~same
    assert 0.05 < moved.mean() < 0.15
    assert (~stays).mean() > 0.5
    assert (~np.isin(new.columns["key"], old.columns["key"])).mean() > 0.5


def matched(old: Web, new: Web) -> np.ndarray:
    """Where each old page is in the new snapshot, by key; −1 where it is not."""
    order = np.argsort(new.columns["key"])
    keys = new.columns["key"][order]
    place = np.minimum(np.searchsorted(keys, old.columns["key"]), len(keys) - 1)
    return np.where(keys[place] == old.columns["key"], order[place], -1)


def test_moved_pages_keep_their_host_and_their_place_in_the_order(snapshots: tuple[Web, Web]) -> None:
    old, new = snapshots
    place = matched(old, new)
    stays = np.flatnonzero(place >= 0)
    assert (np.diff(place[stays]) > 0).all()
    names = [
        web.sites("host").names.many(web.sites("host").of_page[pages])
        for web, pages in ((old, stays), (new, place[stays]))
    ]
    assert names[0] == names[1]


def test_pages_that_stay_keep_most_of_their_links(snapshots: tuple[Web, Web]) -> None:
    old, new = snapshots
    place = matched(old, new)
    source, target = (place[ends] for ends in pairs(old))
    both = (source >= 0) & (target >= 0)
    now = matrix(new)
    assert both.sum() > 10_000
    assert np.asarray(now[source[both], target[both]]).mean() > 0.9


# Options and places.


@pytest.mark.parametrize(
    "options",
    [
        {"pages": 0},
        {"pages": -5},
        {"pages": 10**12},
        {"pages": 100, "links_per_page": 0},
        {"pages": 100, "links_per_page": -1},
        {"pages": 100, "links_per_page": 101},
        {"pages": 100, "links_per_page": float("nan")},
        {"pages": 100, "survival": -0.1},
        {"pages": 100, "survival": 1.1},
        {"pages": 100, "survival": float("nan")},
        {"pages": 100, "snapshots": 0},
        {"pages": 100, "snapshots": 3},
        {"pages": 100, "seed": -1},
        {"pages": 100, "threads": 0},
        {"pages": 100, "links": "list"},
    ],
)
def test_options_that_cannot_be_are_refused(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as wrong:
        make_web(tmp_path / "web", **options)
    assert "\n" not in str(wrong.value)
    assert not list(tmp_path.iterdir())


def test_more_links_than_fit_are_refused_on_webs_that_promise_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seedbed.synth.scale._PROMISED_PAGES", 1000)
    with pytest.raises(OptionError, match="links_per_page = 900"):
        make_web(tmp_path / "web", pages=1000, links_per_page=900)
    assert not list(tmp_path.iterdir())


def test_a_web_takes_the_place_of_a_web_and_of_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "web"
    make_web(place, pages=20)
    make_web(place, pages=30, snapshots=2)
    make_web(place, pages=40)
    assert open_store(place).page_count == 40
    other = tmp_path / "letters"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(OptionError, match="letters"):
        make_web(other, pages=20)
    with pytest.raises(OptionError, match=r"letter\.txt"):
        make_web(other / "letter.txt", pages=20)
    assert (other / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("snapshots", [1, 2])
def test_a_stop_in_the_middle_leaves_nothing_behind(tmp_path: Path, snapshots: int) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if stage == "pages" and done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_web(tmp_path / "web", pages=PAGES, links_per_page=1, snapshots=snapshots, progress=stop)
    assert not list(tmp_path.iterdir())


def test_progress_counts_pages(tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    make_web(tmp_path / "web", pages=PAGES, links_per_page=1, progress=lambda *what: said.append(what))
    done = [done for stage, done, total in said if stage == "pages" and total == PAGES]
    assert done == sorted(done)
    assert len(done) > 2
    assert all(0 <= pages < PAGES for pages in done)

"""Synthetic webs: every one is whole, and the same arguments give the same bytes."""

from __future__ import annotations

import filecmp
from itertools import pairwise
from pathlib import Path

import ada_url
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.synth import make_web
from seedbed.synth.random_draws import below, chance, draw
from tests.synthetic import pairs, urls


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


def test_domains_hold_several_hosts_and_some_end_in_two_part_suffixes(snapshots: tuple[Web, Web]) -> None:
    web = snapshots[0]
    domains, hosts = web.sites("domain"), web.sites("host")
    assert len(domains.names) < 0.7 * len(hosts.names)
    names = [domains.names[i] for i in range(len(domains.names))]
    assert any(name.endswith(".co.uk") and name.count(".") == 2 for name in names)
    assert len({name.rsplit(".", 1)[1] for name in names}) > 5


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

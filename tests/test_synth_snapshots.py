"""The second snapshot of a synthetic web: what survives, what moves, what is new."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from seedbed.graph.native_store import open_store
from seedbed.graph.web import Web
from seedbed.synth import make_web
from tests.synthetic import home_pages, matrix, pairs, urls


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


def test_pages_move_in_four_ways_one_per_folder(snapshots: tuple[Web, Web]) -> None:
    """The extension changes; and with it the folder, or the name becomes longer, or is another."""
    old, new = snapshots
    place = matched(old, new)
    ways: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for before, after in zip(urls(old), place, strict=True):
        folder, _, file = before.rpartition("/")
        if after < 0 or folder.count("/") < 3 or not file or "?" in file or new.urls[after] == before:
            continue
        now = new.urls[after]
        stem, new_stem = file.split(".")[0], now.rpartition("/")[2].split(".")[0]
        assert now.startswith(folder + "/")
        way = "longer" if new_stem.startswith(stem + "-") else "renamed" if new_stem != stem else "same name"
        way = "other folder" if now.rpartition("/")[0] != folder else way
        assert way != "other folder" or new_stem == stem
        ways.setdefault(folder, set()).add(way)
        counts[way] += 1
    shares = {way: count / counts.total() for way, count in counts.items()}
    assert sorted(shares) == ["longer", "other folder", "renamed", "same name"]
    assert min(shares.values()) > 0.1
    assert shares["same name"] > 0.3
    assert np.mean([len(found) == 1 for found in ways.values()]) > 0.99


def test_most_pages_that_replace_another_have_another_name(snapshots: tuple[Web, Web]) -> None:
    old, new = snapshots
    lost = dict(zip((old.columns["key"] ^ np.uint64(1)).tolist(), urls(old), strict=True))
    pairs_of_names = [
        (lost[key].rpartition("/")[2].split(".")[0], url.rpartition("/")[2].split(".")[0])
        for key, url in zip(new.columns["key"].tolist(), urls(new), strict=True)
        if key in lost and url.count("/") > 3 and not lost[key].endswith("/") and "?" not in url
    ]
    assert len(pairs_of_names) > 1000
    assert 0.1 < np.mean([one == other for one, other in pairs_of_names]) < 0.4

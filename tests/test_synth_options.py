"""Options of synthetic webs, where they are put, and what a stop leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seedbed.errors import OptionError
from seedbed.graph.native_store import open_store
from seedbed.synth import make_web
from tests.synthetic import PAGES


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
        {"pages": 100, "outside": -0.1},
        {"pages": 100, "outside": float("inf")},
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
    monkeypatch.setattr("seedbed.synth.page_making._PROMISED_PAGES", 1000)
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


def test_links_to_other_hosts_can_be_fewer_or_more(tmp_path: Path) -> None:
    shares = []
    for outside in (0.0, 0.5, 1.0, 2.0):
        make_web(tmp_path / "web", pages=20_000, outside=outside)
        web = open_store(tmp_path / "web")
        assert abs(web.link_count / web.page_count - 16) < 1.6
        shares.append(web.without_links_inside("host").link_count / web.link_count)
    assert shares == sorted(shares)
    assert shares[1] < 0.65 * shares[2]

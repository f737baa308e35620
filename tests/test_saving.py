"""Webs written in another format: nothing of another web stays beside them, nothing is lost without a word."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import seedbed as sb
from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.bvgraph_properties import BvProperties
from seedbed.urls.sites import sites_from_names
from seedbed.urls.url_table import text_chunk
from tests.commands import LINKS, refused, seedbed
from tests.graphs import csr, lists_of, web_of

URLS = ["http://a.example/", "http://b.example/", "http://c.example/"]
RING = [[1], [2], [0]]


def test_what_else_is_in_the_folder_of_a_store_is_not_lost(tmp_path: Path) -> None:
    place = tmp_path / "my.web"
    sb.save(web_of(RING), place)
    (place / "seeds.jsonl").write_text("{}")
    with pytest.raises(OptionError, match=r"'seeds\.jsonl' is not part of this store"):
        sb.save(web_of([[1], []]), place)
    with pytest.raises(OptionError, match=r"seeds\.jsonl"):
        sb.make_web(place, pages=10)
    assert sb.open(place).page_count == 3
    (place / "seeds.jsonl").unlink()
    sb.save(web_of([[1], []], URLS[:2]), place, links="bvgraph")
    sb.save(web_of(RING), place)
    assert sb.open(place).page_count == 3


@pytest.mark.parametrize("others", [[], ["package.json"]])
def test_a_web_json_of_someone_else_makes_no_store(tmp_path: Path, others: list[str]) -> None:
    place = tmp_path / "project"
    place.mkdir()
    for name in ("web.json", *others):
        (place / name).write_text("{}")
    with pytest.raises(OptionError):
        sb.save(web_of(RING), place)
    assert (place / "web.json").read_text() == "{}"


def test_a_store_is_written_behind_a_symbolic_link_again_and_again(tmp_path: Path) -> None:
    (tmp_path / "large-disk").mkdir()
    link = tmp_path / "my.web"
    link.symlink_to("large-disk")
    for lists in (RING, [[1], []], RING):
        sb.save(web_of(lists), link)
        assert lists_of(sb.open(link).links) == lists
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large-disk", "my.web"]


@pytest.mark.parametrize("place", [".", "..", "../.."])
def test_the_current_folder_is_not_replaced(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "links.tsv").write_text(LINKS)
    refused(seedbed("convert", tmp_path / "links.tsv", place, cwd=folder), f"{place}: is")
    refused(seedbed("synth", place, "--pages", 5, cwd=folder), f"{place}: is")
    assert list(tmp_path.rglob("*.npy")) == []


@pytest.mark.parametrize("ending", [".urls", ".urls.gz", ".urls.zst"])
def test_a_bvgraph_is_not_written_beside_the_urls_of_another(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"g{ending}").write_text("http://old.example/\n" * 3)
    with pytest.raises(OptionError, match=rf"g{ending}: is there already"):
        sb.save(web_of(RING), tmp_path / "g.graph")
    assert [path.name for path in tmp_path.iterdir()] == [f"g{ending}"]


def test_a_bvgraph_with_urls_takes_the_place_of_one_with_urls(tmp_path: Path) -> None:
    sb.save(web_of([[1], []], URLS[:2]), tmp_path / "g.graph")
    sb.save(web_of(RING, URLS), tmp_path / "g.graph")
    assert list(sb.open(tmp_path / "g").urls or []) == URLS


@pytest.mark.parametrize("url", ["http://a.example/\nx", "http://a.example/\r"])
def test_a_url_that_is_no_line_is_not_written_as_one(tmp_path: Path, url: str) -> None:
    with pytest.raises(OptionError, match="the URL of page 1 has a line end"):
        sb.save(web_of(RING, [URLS[0], url, URLS[2]]), tmp_path / "g.graph")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["tsv", "parquet"])
@pytest.mark.parametrize(("lists", "lost"), [([[1], [], [], []], 2), ([[], [], [0]], 0), ([[], []], 2), (RING, 0)])
def test_pages_at_the_end_without_links_are_not_left_out_in_silence(
    tmp_path: Path, ending: str, lists: list[list[int]], lost: int
) -> None:
    notes = " ".join(sb.save(web_of(lists), tmp_path / f"links.{ending}").notes)
    assert (f"the last {lost} pages, which have no links" in notes) == (lost > 0)


def test_hosts_that_no_url_tells_are_not_left_out_in_silence(tmp_path: Path) -> None:
    web = Web(csr(RING), hosts=sites_from_names([text_chunk(["a.example", "b.example", "b.example"])]))
    for name in ("g.graph", "links.csv", "links.parquet"):
        assert "hosts" in sb.save(web, tmp_path / name).notes[0]
    assert sb.save(web, tmp_path / "web").notes == ()


def test_the_command_says_in_json_what_a_format_left_out(tmp_path: Path) -> None:
    (tmp_path / "links.tsv").write_text(LINKS)
    run = seedbed("convert", tmp_path / "links.tsv", tmp_path / "out.parquet", "--json")
    assert "URLs" in json.loads(run.stdout)["notes"][0]


def test_a_place_that_is_taken_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    refused(seedbed("convert", tmp_path / "missing", tmp_path / "out"), "is already there and is not a store")


def test_the_options_of_bvgraph_hold_in_a_store_too(tmp_path: Path) -> None:
    asked = BvProperties(nodes=0, arcs=0, window=0, max_references=0, min_interval=2, zeta_k=5)
    sb.save(web_of(RING), tmp_path / "my.web", links="bvgraph", properties=asked)
    links = sb.open(tmp_path / "my.web").links
    assert isinstance(links, BvGraph)
    found = links.properties
    assert (found.window, found.max_references, found.min_interval, found.zeta_k) == (0, 0, 2, 5)


@pytest.mark.parametrize(
    "values",
    [np.array(["a", "b", "c"]), np.array([1, None, 2], object), np.zeros((3, 2)), np.zeros(3, complex)],
)
def test_a_column_that_could_not_be_read_again_is_not_written(tmp_path: Path, values: np.ndarray) -> None:
    web = Web(csr(RING), columns={"odd": values})
    with pytest.raises(OptionError, match="the column 'odd' holds"):
        sb.save(web, tmp_path / "web")
    assert list(tmp_path.iterdir()) == []


def test_a_list_of_links_is_not_written_over_the_web_it_comes_from(tmp_path: Path) -> None:
    links = tmp_path / "links.tsv"
    links.write_text(LINKS)
    refused(seedbed("convert", links, links), "links.tsv: is read by this very command")
    assert links.read_text() == LINKS


@pytest.mark.parametrize("name", ["g.graph", "g.properties"])
def test_a_folder_in_the_way_is_named_and_nothing_is_moved(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(OptionError, match=f"{name}: is a folder"):
        sb.save(web_of(RING, URLS), tmp_path / "g.graph")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_duplicates_are_said_to_be_left_out_where_self_links_are_kept(tmp_path: Path) -> None:
    (tmp_path / "links.txt").write_text("0 0\n0 1\n0 1\n")
    for option, said in ((["--keep-self-links"], "0 self-links, 1 duplicate\n"), ([], "1 self-link, 1 duplicate\n")):
        assert said in seedbed("convert", tmp_path / "links.txt", tmp_path / "out", *option).stderr

"""Self-links, one rule: what is read loses them, counted, unless they are asked for; a store holds what was decided."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import seedbed as sb
from seedbed.common.kernels import kernel
from seedbed.errors import OptionError
from seedbed.graph.web import Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.links.link_store import successors
from seedbed.sources.formats import FORMATS
from seedbed.sources.saving import written_formats
from tests.commands import refused, seedbed
from tests.graphs import Lists, lists_of, page_lists, web_of

LISTS = [[0, 1, 2], [0], [2], [0, 1, 2, 3]]
CLEAN = [[1, 2], [0], [], [0, 1, 2]]
URLS = [f"http://{name}.example/" for name in "abcd"]
ENDINGS = {
    "bvgraph": ".graph", "parquet": ".parquet", "edges": ".tsv", "url-edges": ".tsv", "tables": ".nodes.tsv",
    "adjacency": ".adj", "pajek": ".net", "matrix-market": ".mtx", "graphml": ".graphml",
}  # fmt: skip
READ = [name for name in ENDINGS if name in FORMATS]
KEEP = {"keep_self_links": True}


def test_every_format_but_the_store_is_tried() -> None:
    assert {"store", *ENDINGS} == set(written_formats())


def put(folder: Path, name: str, web: Web) -> Path:
    folder.mkdir(exist_ok=True)
    saved = sb.save(web, folder / f"my{ENDINGS[name]}", to=name)
    return saved.path


@pytest.mark.parametrize("name", READ)
def test_a_reader_leaves_self_links_out_and_counts_them_unless_they_are_kept(tmp_path: Path, name: str) -> None:
    path = put(tmp_path / "a", name, web_of(LISTS, URLS))
    web = sb.open(path, format=name)
    assert lists_of(web.links) == CLEAN
    assert web.link_count == 6
    assert (web.origin.self_links, web.origin.removed) == (3, True)
    kept = sb.open(path, format=name, **KEEP)
    assert lists_of(kept.links) == LISTS
    assert kept.origin.removed is False


@pytest.mark.parametrize("first", READ)
@pytest.mark.parametrize("second", READ)
def test_a_round_trip_has_the_same_links_whatever_the_formats(tmp_path: Path, first: str, second: str) -> None:
    start = put(tmp_path / "a", first, web_of(LISTS, URLS))
    for options, links in (({}, 6), (KEEP, 9)):
        web = sb.open(start, format=first, **options)
        if web.urls is None and second in ("url-edges", "tables"):
            continue
        middle = put(tmp_path / f"b{links}", second, web)
        again = sb.open(middle, format=second, **options)
        assert (web.link_count, again.link_count) == (links, links)
        if not options:
            assert again.origin.self_links == 0


@pytest.mark.parametrize("kind", ["csr", "bvgraph"])
def test_a_store_holds_what_was_decided_when_it_was_written(tmp_path: Path, kind: str) -> None:
    start = put(tmp_path / "a", "bvgraph", web_of(LISTS))
    sb.save(sb.open(start), tmp_path / "clean.web", links=kind)  # type: ignore[arg-type]
    sb.save(sb.open(start, **KEEP), tmp_path / "kept.web", links=kind)  # type: ignore[arg-type]
    assert lists_of(sb.open(tmp_path / "clean.web").links) == CLEAN
    assert lists_of(sb.open(tmp_path / "kept.web").links) == LISTS
    assert lists_of(sb.open(tmp_path / "kept.web", **KEEP).links) == LISTS
    with pytest.raises(OptionError, match="3 self-links were left out when this store was written"):
        sb.open(tmp_path / "clean.web", **KEEP)


@pytest.mark.parametrize("name", ["bvgraph", "edges", "parquet"])
def test_the_command_says_how_many_went_and_how_many_were_kept(tmp_path: Path, name: str) -> None:
    path = put(tmp_path / "a", name, web_of(LISTS))
    run = seedbed("convert", path, tmp_path / "x.parquet")
    assert "6 links" in run.stdout
    assert "left out on reading: 3 self-links" in run.stderr
    run = seedbed("convert", path, tmp_path / "y.parquet", "--keep-self-links")
    assert "9 links" in run.stdout
    assert "kept: 3 self-links" in run.stderr
    run = seedbed("convert", path, tmp_path / "kept.web", "--keep-self-links", "--json")
    told = json.loads(run.stdout)
    assert (told["links"], told["self_links"], told["self_links_kept"]) == (9, 3, 3)
    assert "kept: 3 self-links" in seedbed("convert", tmp_path / "kept.web", tmp_path / "z.graph").stderr
    seedbed("convert", path, tmp_path / "clean.web")
    refused(seedbed("info", tmp_path / "clean.web", "--keep-self-links"), "self-links were left out", "Convert the web")


def test_every_command_sees_the_same_web_in_each_format(tmp_path: Path) -> None:
    ranks = [
        json.loads(seedbed("rank", put(tmp_path / name, name, web_of(LISTS)), "--json").stdout)["top"]
        for name in ("bvgraph", "edges", "matrix-market")
    ]
    assert ranks[0] == ranks[1] == ranks[2]


@kernel
def gathered(links: object, buffer: object, pages: int) -> list[list[int]]:
    return [[int(target) for target in successors(links, page, buffer)] for page in range(pages)]


@given(page_lists())
@settings(deadline=None, max_examples=30)
def test_a_bvgraph_without_self_links_is_the_same_by_every_way_to_its_links(
    tmp_path_factory: object, lists: Lists
) -> None:
    folder = tmp_path_factory.mktemp("bv")  # type: ignore[attr-defined]
    sb.save(web_of(lists), folder / "g.graph")
    graph = BvGraph.open(folder / "g", keep_self_links=False)
    clean = [[target for target in row if target != page] for page, row in enumerate(lists)]
    assert graph.link_count == sum(map(len, clean))
    assert lists_of(graph) == lists_of(graph.to_csr(2)) == clean
    assert graph.out_degrees().tolist() == [len(row) for row in clean]
    assert [graph.successors(page).tolist() for page in range(graph.page_count)] == clean
    if graph.page_count:
        assert gathered(graph.arrays(), graph.buffer(), graph.page_count) == clean
        some = [
            row
            for block in graph.blocks(graph.page_count // 3, graph.page_count)
            for row in np.split(block.out_idx, block.out_ptr[1:-1])
        ]
        assert [row.tolist() for row in some] == clean[graph.page_count // 3 :]


def test_a_graph_whose_properties_say_nothing_of_self_links_is_searched_for_them(tmp_path: Path) -> None:
    path = put(tmp_path / "a", "bvgraph", web_of(LISTS))
    properties = path.with_name("my.properties")
    assert "selflinks=3" in properties.read_text()
    properties.write_text("".join(line for line in properties.read_text().splitlines(True) if "selflinks" not in line))
    assert lists_of(sb.open(path).links) == CLEAN
    assert sb.open(path).origin.self_links == 3

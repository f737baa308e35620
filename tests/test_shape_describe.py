from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from seedbed.errors import NotEnoughMemory, OptionError
from seedbed.graph.web import Origin, Web
from seedbed.links.bvgraph_links import BvGraph
from seedbed.shape.degrees import Bin
from seedbed.shape.describe import column_shape, describe
from seedbed.urls.sites import Sites
from seedbed.urls.url_table import UrlTable
from tests.reference.shape_webs import bv_of, csr_of, random_csr

URLS = [
    "http://a.example.com/",
    "http://a.example.com/1",
    "http://b.example.com/",
    "http://c.example.org/",
    "http://c.example.org/1",
]
LINKS = [{1, 2}, {1, 2, 3}, {0}, {4}, set()]

KEYS = [
    "source",
    "format",
    "store",
    "bits_per_link",
    "pages",
    "crawled",
    "links",
    "nofollow_links",
    "hosts",
    "inter_host_links",
    "domains",
    "inter_domain_links",
    "self_links",
    "self_links_removed",
    "duplicate_links",
    "duplicate_links_removed",
    "dangling",
    "unreachable",
    "out_degree",
    "in_degree",
    "scc_count",
    "largest_scc",
    "scc_sizes",
    "wcc_count",
    "largest_wcc",
    "wcc_sizes",
    "bow_tie",
    "average_distance",
    "average_distance_error",
    "longest_distance",
    "connected_pairs",
    "connected_pairs_error",
    "distance_samples",
    "urls",
    "columns",
    "notes",
]


def test_a_drawn_web_is_described() -> None:
    told = describe(Web(csr_of(LINKS), urls=UrlTable.from_strings(URLS))).to_dict()
    assert list(told) == KEYS
    assert (told["pages"], told["links"], told["store"], told["bits_per_link"]) == (5, 7, "csr", None)
    # Between hosts: 0 → 2, 1 → 2, 1 → 3, 2 → 0; between domains 1 → 3 alone.
    assert (told["hosts"], told["inter_host_links"]) == (3, 4)
    assert (told["domains"], told["inter_domain_links"]) == (2, 1)
    assert (told["self_links"], told["self_links_removed"]) == (1, False)
    assert (told["duplicate_links"], told["duplicate_links_removed"]) == (0, False)
    assert (told["dangling"], told["unreachable"]) == (1, 0)
    assert (told["scc_count"], told["largest_scc"], told["wcc_count"], told["largest_wcc"]) == (3, 3, 1, 5)
    assert told["scc_sizes"] == [{"from": 1, "to": 1, "count": 2}, {"from": 2, "to": 3, "count": 1}]
    assert told["bow_tie"] == {"largest_component": 3, "in": 0, "out": 2, "tubes": 0, "tendrils": 0, "disconnected": 0}
    # From 0: 1, 1, 2, 3; from 1: 2, 1, 1, 2; from 2: 1, 2, 3, 4; from 3: 1.
    assert told["average_distance"] == pytest.approx((7 + 6 + 10 + 1) / 13)
    assert (told["average_distance_error"], told["longest_distance"]) == (0.0, 4)
    assert told["connected_pairs"] == 13 / 20
    assert told["out_degree"]["mean"] == 7 / 5
    assert told["out_degree"]["max"] == 3
    assert told["out_degree"]["power_law"] is None
    assert told["out_degree"]["no_power_law_because"] == "only 4 pages have any; a fit needs 50"
    assert told["out_degree"]["histogram"] == [
        {"from": 0, "to": 0, "count": 1},
        {"from": 1, "to": 1, "count": 2},
        {"from": 2, "to": 3, "count": 2},
    ]
    assert told["urls"]["bytes_per_url"] == told["urls"]["bytes"] / 5
    assert told["columns"] == {}


def test_without_urls_hosts_are_null_in_json() -> None:
    told = json.loads(json.dumps(describe(Web(csr_of(LINKS))).to_dict(), allow_nan=False))
    for key in ("hosts", "inter_host_links", "domains", "inter_domain_links", "urls"):
        assert told[key] is None


def test_hosts_that_have_no_page_do_not_count() -> None:
    hosts = Sites("host", np.array([0, 0, 2, 2, 2]), ["a.example", "b.example", "c.example"])
    shape = describe(Web(csr_of(LINKS), hosts=hosts))
    assert (shape.hosts, shape.inter_host_links) == (2, 4)


def test_domains_can_be_left_out() -> None:
    shape = describe(Web(csr_of(LINKS), urls=UrlTable.from_strings(URLS)), domains=False)
    assert (shape.hosts, shape.domains, shape.inter_domain_links) == (3, None, None)


def test_what_reading_counted_is_told() -> None:
    origin = Origin("crawl.tsv", "edges", self_links=12, duplicate_links=34, removed=True)
    shape = describe(Web(csr_of([{1}, {0}]), origin=origin))
    assert (shape.source, shape.format) == ("crawl.tsv", "edges")
    assert (shape.self_links, shape.self_links_removed) == (12, True)
    assert (shape.duplicate_links, shape.duplicate_links_removed) == (34, True)


def test_self_links_that_reading_kept_are_counted_where_they_still_are() -> None:
    origin = Origin("crawl.tsv", "edges", self_links=3, duplicate_links=2, removed=False)
    urls = UrlTable.from_strings(["http://a.example/", "http://b.example/"])
    web = Web(csr_of([{0, 1}, set()]), urls, origin=origin)
    for links, self_links in ((web, 1), (web.without_links_inside(), 0)):
        shape = describe(links)
        assert (shape.self_links, shape.self_links_removed) == (self_links, False)
        assert (shape.duplicate_links, shape.duplicate_links_removed) == (2, True)


def test_a_power_law_is_told() -> None:
    links = random_csr(5000, 3, seed=1)
    law = describe(Web(links)).to_dict()["out_degree"]["power_law"]
    assert set(law) == {"alpha", "error", "from", "tail", "distance"}


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads: int) -> None:
    web = Web(random_csr(40_000, 2, seed=3))
    alone = describe(web, samples=20, threads=1).to_dict()
    assert describe(web, samples=20, threads=threads).to_dict() == alone
    assert describe(web, samples=20, seed=2).to_dict() != alone


def test_a_compressed_web_is_described_the_same_with_and_without_room_to_decode_it() -> None:
    links = random_csr(3000, 2, seed=3)
    plain = describe(Web(links)).to_dict()
    packed = bv_of(links)
    tight = describe(Web(packed), threads=1, memory=62 * links.page_count)
    roomy = describe(Web(packed))
    assert tight.to_dict() == roomy.to_dict()
    assert roomy.bits_per_link == packed.bits_per_link
    assert roomy.to_dict() == plain | {"store": "bvgraph", "bits_per_link": packed.bits_per_link}


@pytest.mark.parametrize("graph", [[], [set()], [{0}], [set(), set()]])
def test_the_smallest_webs_are_described(graph: list[set[int]]) -> None:
    shape = describe(Web(csr_of(graph)))
    assert (shape.pages, shape.links) == (len(graph), sum(map(len, graph)))
    assert (shape.average_distance, shape.average_distance_error) == (None, None)
    assert shape.scc_count == shape.wcc_count == len(graph)
    assert shape.self_links == shape.links
    json.dumps(shape.to_dict(), allow_nan=False)


def test_columns_are_summed_up() -> None:
    shape = describe(
        Web(
            csr_of([set(), set(), set()]),
            columns={"spam": np.array([True, False, True]), "value": np.array([0.5, np.nan, -2.0])},
        )
    )
    told = shape.to_dict()["columns"]
    assert told["spam"] == {"type": "bool", "nonzero": 2, "min": False, "max": True, "mean": 2 / 3}
    assert told["value"] == {"type": "float64", "nonzero": 2, "min": -2.0, "max": 0.5, "mean": -0.75}


def test_a_sum_past_all_bounds_has_a_mean_all_the_same() -> None:
    assert column_shape(np.array([1e308, 1.5e308])).mean == pytest.approx(1.25e308)


def test_columns_without_numbers_say_only_their_type() -> None:
    assert asdict(column_shape(np.array(["a"]))) == {
        "type": "<U1", "nonzero": None, "min": None, "max": None, "mean": None,
    }  # fmt: skip
    assert column_shape(np.array([np.nan])).mean is None
    assert column_shape(np.empty(0, np.int32)).nonzero == 0


def test_stages_are_told_and_reach_their_total() -> None:
    told: dict[str, tuple[int, int]] = {}

    def note(stage: str, done: int, total: int) -> None:
        told[stage] = (done, total)

    describe(Web(random_csr(1000, 2, seed=1)), progress=note)
    assert list(told) == ["links", "strong components", "bow-tie", "distances"]
    assert all(done == total > 0 for done, total in told.values())


def test_options_that_cannot_be_are_refused() -> None:
    web = Web(csr_of([{0}]))
    with pytest.raises(OptionError, match="-1 samples"):
        describe(web, samples=-1)
    with pytest.raises(OptionError, match="0 threads"):
        describe(web, threads=0)
    with pytest.raises(NotEnoughMemory, match="describing this web needs about"):
        describe(web, memory=10)


def test_sizes_of_components_are_spread_over_bins() -> None:
    shape = describe(Web(csr_of([{1}, {0}, set(), {4}, {5}, {3}, set()])))
    assert shape.scc_sizes == (Bin(1, 1, 2), Bin(2, 3, 2))
    assert shape.wcc_sizes == (Bin(1, 1, 2), Bin(2, 3, 2))


@pytest.mark.shared
def test_cnr_2000_is_described(shared_data: Path) -> None:
    shape = describe(Web(BvGraph.open(shared_data / "cnr-2000" / "cnr-2000")), samples=30)
    assert (shape.pages, shape.links, shape.scc_count) == (325_557, 3_216_152, 100_977)
    assert (shape.largest_scc, shape.largest_wcc, shape.dangling) == (112_023, 325_557, 78_056)
    assert shape.average_distance is not None
    assert shape.average_distance_error is not None
    # Searches from all pages gave 17.424.
    assert abs(shape.average_distance - 17.424) < 4 * shape.average_distance_error

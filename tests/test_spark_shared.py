"""Real webs on blocks: scores, counts and seeds are those of the local engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import seedbed as sb
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from tests.spark_in_process import InProcess

WEBS = [
    "california/California.net.gz",
    "cnr-2000/cnr-2000",
    "crawl-log",
    "hollins/hollins.dat.gz",
    "httpd-manual/2010-06-01.edges.tsv.gz",
    "najdisi-si/core2.net.gz",
    "openbsd-www/2016-06-01.edges.tsv.gz",
    "ukwa-1996-hosts/1996-uk-web-hosts.tsv.gz",
    "warc",
]
SCORES: dict[str, dict[str, Any]] = {
    "pagerank": {"tolerance": 1e-6},
    "hubs": {"iterations": 12},
    "authorities": {"iterations": 12},
    "indegree": {},
    "harmonic": {"precision": 4},
}
NOT_COMPARED = {
    "source",
    "format",
    "columns",
    "store",
    "urls",
    "notes",
    "domains",
    "inter_domain_links",
    "distance_samples",
}


@pytest.mark.shared
@pytest.mark.parametrize("name", WEBS)
def test_real_webs_are_the_same_on_blocks(shared_data: Path, tmp_path: Path, name: str) -> None:
    web = sb.open(shared_data / name)
    cut_web(web, str(tmp_path / "blocks"), 5)
    opened = SparkWeb(InProcess(), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    for by, options in SCORES.items():
        found, expected = opened.rank(by, **options), sb.rank(web, by, **options)
        np.testing.assert_allclose(found.to_ranking().scores, expected.scores, rtol=1e-12, atol=0)
        assert found.iterations == expected.iterations
    shape, expected_shape = opened.describe().to_dict(), sb.describe(web, samples=1).to_dict()
    told = {key for key, value in shape.items() if value is not None} - NOT_COMPARED
    assert len(told) > 15
    for key in told:
        assert shape[key] == expected_shape[key], key
    for key, column in shape["columns"].items():
        expected_column = expected_shape["columns"][key]
        assert column.pop("type") == expected_column.pop("type")
        assert column == pytest.approx(expected_column, rel=1e-12), key
    strategies = ["pagerank", "indegree", "random", "maxweight"] + ([] if name.startswith("cnr") else ["cores"])
    for strategy in strategies:
        chosen, local = opened.select(strategy, k=8, hops=3), sb.select(web, strategy, k=8, hops=3)
        assert [seed.page for seed in chosen] == [seed.page for seed in local]
        assert chosen.gain is not None
        assert local.gain is not None
        assert chosen.gain.covered_pages == local.gain.covered_pages

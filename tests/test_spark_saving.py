"""Blocks as other blocks, stores and Parquet: what the local engine holds, and the command that does it."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.graph.native_store import checksum
from seedbed.spark.blocks.cutting import cut_web
from seedbed.spark.spark_web import SparkWeb
from tests.commands import misused, refused, seedbed_here
from tests.graphs import Lists, lists_of, page_lists, web_of
from tests.sources import url_links_of
from tests.spark_in_process import InProcess


@pytest.fixture(scope="module")
def web() -> sb.Web:
    made = sb.make_web(pages=500, seed=6)
    return sb.Web(made.links, urls=made.urls, columns={"crawled": np.arange(500) % 3 > 0, "age": np.arange(500) / 7})


def blocks_of(web: sb.Web, folder: Path, blocks: int = 3, session: Any = None) -> SparkWeb:
    return SparkWeb(session or InProcess(), cut_web(web, str(folder / "web.blocks"), blocks).folder)


def test_a_store_is_that_of_the_local_engine(web: sb.Web, tmp_path: Path) -> None:
    blocks_of(web, tmp_path).save(str(tmp_path / "found.web"))
    sb.save(web, tmp_path / "local.web")
    assert checksum(tmp_path / "found.web") == checksum(tmp_path / "local.web")


def test_a_disk_too_small_for_a_store(web: sb.Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = blocks_of(web, tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(9, 9, 9))  # type: ignore[attr-defined]
    with pytest.raises(sb.OptionError, match=r"takes about .* KiB, 9 B are free. Save the web as parquet"):
        blocks.save(str(tmp_path / "found.web"))
    assert not (tmp_path / "found.web").exists()


def test_columns_that_floats_cannot_hold_are_left_out_and_named(web: sb.Web, tmp_path: Path) -> None:
    columns = {"digest": np.full(500, (1 << 62) + 1), "status": np.full(500, 200, np.int16)}
    blocks = blocks_of(sb.Web(web.links, columns=columns), tmp_path)
    assert blocks.blocks.columns == ("status",)
    assert blocks.blocks.origin.notes == ("columns left out: digest",)
    blocks.save(str(tmp_path / "found.web"))
    assert sb.open(tmp_path / "found.web").columns["status"].dtype == np.int16


def test_parquet_by_number_and_by_url(spark: Any, web: sb.Web, tmp_path: Path) -> None:
    blocks = blocks_of(web, tmp_path, session=spark)
    blocks.save(str(tmp_path / "ids"), "parquet")
    assert lists_of(sb.open(tmp_path / "ids/links").links) == lists_of(web.links)
    blocks.save(str(tmp_path / "urls"), "url-parquet")
    assert sorted(url_links_of(sb.open(tmp_path / "urls/links"))) == sorted(url_links_of(web))
    for name in ("ids", "urls"):
        assert (tmp_path / name / "_SUCCESS").exists()
        pages = pq.read_table(tmp_path / name / "pages")
        assert pages.column("id").to_pylist() == list(range(500))
        assert pages.column("url").to_pylist() == list(web.urls or ())
        for kind in ("host", "domain"):
            sites = web.sites(kind)  # type: ignore[arg-type]
            assert pages.column(kind).to_pylist() == [sites.names[site] for site in sites.of_page.tolist()]
        assert pages.column("age").to_pylist() == web.columns["age"].tolist()
    with pytest.raises(sb.OptionError, match="is not empty"):
        blocks.save(str(tmp_path / "ids"), "parquet")
    with pytest.raises(sb.OptionError, match="unknown format to save blocks as 'csv'"):
        blocks.save(str(tmp_path / "other"), "csv")  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(page_lists(), st.sampled_from([1, 3, 16]), st.sampled_from(["host", "domain"]), st.data())
def test_links_between_sites(lists: Lists, blocks: int, kind: Any, data: st.DataObject) -> None:
    hosts = st.sampled_from(["a.example.com", "b.example.com", "c.org"])
    web = web_of(lists, [f"http://{data.draw(hosts)}/{page}" for page in range(len(lists))])
    with tempfile.TemporaryDirectory() as scratch:
        opened = blocks_of(web, Path(scratch), blocks)
        pruned = opened.without_links_inside(kind)
        pruned.save(f"{scratch}/found.web")
        sb.save(web.without_links_inside(kind), f"{scratch}/local.web")
        assert checksum(Path(scratch, "found.web")) == checksum(Path(scratch, "local.web"))
        transposed = cut_web(web.without_links_inside(kind), f"{scratch}/local", blocks)
        for block in range(blocks):
            for one, two in zip(pruned.blocks.links("in", block), transposed.links("in", block), strict=True):
                assert one.tolist() == two.tolist()


def test_a_pruned_web_is_made_once(web: sb.Web, tmp_path: Path) -> None:
    blocks = blocks_of(web, tmp_path)
    pruned = blocks.without_links_inside("host")
    before = (tmp_path / "web.blocks/between/host/blocks.json").stat().st_mtime_ns
    assert blocks.without_links_inside("host").blocks == pruned.blocks
    assert (tmp_path / "web.blocks/between/host/blocks.json").stat().st_mtime_ns == before
    with pytest.raises(sb.InputError, match="holds another web, not this one between domains"):
        blocks.without_links_inside("domain", str(tmp_path / "web.blocks/between/host"))
    without_hosts = SparkWeb(InProcess(), cut_web(sb.Web(web.links), str(tmp_path / "bare"), 2).folder)  # type: ignore[arg-type]
    with pytest.raises(sb.NeedsHosts, match="hosts are needed"):
        without_hosts.without_links_inside("host")


def test_the_command(spark: Any, web: sb.Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)

    def run(*words: Any) -> Any:
        return seedbed_here("convert", *words, "--engine", "spark", cwd=tmp_path)

    sb.save(web, tmp_path / "links.tsv")
    told = run("links.tsv", "web.blocks", "--blocks", 3, "--json")
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["links"], found["blocks"], found["format"]) == (web.link_count, 3, "blocks")
    run("web.blocks", "between.web", "--between", "host")
    assert sb.open(tmp_path / "between.web").link_count == web.without_links_inside("host").link_count
    refused(run("web.blocks", "again.blocks"), "is a folder of blocks already")


def test_the_command_refuses_what_spark_does_not_do(web: sb.Web, tmp_path: Path) -> None:
    sb.save(web, tmp_path / "links.tsv")
    for words, message in {
        ("links.tsv", "x.web"): "needs a folder of blocks",
        ("links.tsv", "x.blocks", "--transpose"): "--transpose is not for --engine spark",
    }.items():
        refused(seedbed_here("convert", *words, "--engine", "spark", cwd=tmp_path), message)
    misused(
        seedbed_here("convert", "links.tsv", "x.web", "--blocks", 3, cwd=tmp_path), "--blocks is for --engine spark"
    )
    several = ("links.tsv", "links.tsv", "x.blocks", "--engine", "spark")
    misused(seedbed_here("convert", *several, cwd=tmp_path), "converts one WEB at a time")

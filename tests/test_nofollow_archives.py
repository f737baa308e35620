"""Nofollow links of archives and Scrapy items: which they are, and that leaving them out later gives the same web."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from seedbed.archives import archive_workers as workers
from seedbed.cli.main import app
from seedbed.graph.native_store import checksum
from seedbed.graph.web import Web
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import http, page, warc_record
from tests.reference import nofollow as reference
from tests.sources import url, url_links_of

LITTLE = 128
"""Memory for the pages below, and not for their links, which go to disk."""

Capture = tuple[int, list[tuple[int, bool]]]

captures = st.lists(
    st.tuples(st.integers(0, 4), st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=6)), max_size=8
)


def archive(file: Path, found: list[Capture]) -> Path:
    def link(target: int, marked: bool) -> str:
        return f"<a href='{url(target)}' {'rel=nofollow' if marked else ''}>words</a>"

    # One answer that is no page at least, so that there is something to open.
    records = [page(url(source), "<p>" + "".join(link(*one) for one in links)) for source, links in found]
    file.write_bytes(warc_record(url(5), http("gone", "404 Not Found")) + b"".join(records))
    return file


def items(file: Path, found: list[Capture]) -> Path:
    lines = (
        {"url": url(source), "links": [{"url": url(target), "nofollow": marked} for target, marked in links]}
        for source, links in found
    )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def marks_of(web: Web) -> set[tuple[str, str]]:
    assert web.urls is not None
    assert web.nofollow is not None
    sources, targets = web.nofollow.arrays()
    return {(web.urls[int(a)], web.urls[int(b)]) for a, b in zip(sources, targets, strict=True)}


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(captures, st.sampled_from([None, LITTLE]), st.booleans())
def test_marks_agree_with_their_twin_in_memory_and_on_disk(
    found: list[Capture], memory: int | None, keep_self_links: bool
) -> None:
    options = ReadOptions(memory=memory, keep_self_links=keep_self_links)
    mentions = [(url(source), url(target), marked) for source, links in found for target, marked in links]
    with tempfile.TemporaryDirectory() as folder:
        webs = [open_web(archive(Path(folder) / "web.warc", found), options=options)]
        if found:
            webs.append(open_web(items(Path(folder) / "items.jl", found), options=options))
    for web in webs:
        marks = reference.marked(mentions, keep_self_links=keep_self_links)
        assert marks_of(web) == marks
        assert marks <= set(url_links_of(web))
        counts = dict(zip(web.urls or (), web.columns["nofollow_links"].tolist(), strict=True))
        assert counts == {name: sum(source == name for source, _ in marks) for name in counts}


@settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(captures)
def test_a_store_without_its_nofollow_links_is_what_the_archives_give_without_them(found: list[Capture]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive(folder / "web.warc", found)
        convert("web.warc", "all", folder)
        convert("web.warc", "at-once", folder, "--nofollow", "drop")
        convert("all", "later", folder, "--nofollow", "drop")
        convert("web.warc", "on-disk", folder, "--nofollow", "drop", "--memory", str(LITTLE))
        convert("all", "packed", folder, "--links", "bvgraph")
        convert("packed", "unpacked", folder, "--nofollow", "drop")
        names = ("at-once", "later", "on-disk", "unpacked")
        assert len({checksum(folder / name) for name in names}) == 1
        whole, rest = open_web(folder / "all"), open_web(folder / "later")
        crawled = {url(5)} | {url(source) for source, _ in found}
        pages, links = reference.without(set(whole.urls or ()), set(url_links_of(whole)), marks_of(whole), crawled)
        assert (set(rest.urls or ()), set(url_links_of(rest))) == (pages, links)


def convert(source: str, out: str, folder: Path, *options: str) -> None:
    result = CliRunner().invoke(app, ["convert", str(folder / source), str(folder / out), *options])
    assert result.exit_code == 0, result.output


def test_processes_do_not_change_the_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    archive(tmp_path / "1.warc", [(0, [(1, True), (2, True)])])
    archive(tmp_path / "2.warc", [(0, [(1, False), (3, True)])])
    webs = [open_web(tmp_path, options=ReadOptions(processes=count)) for count in (1, 2)]
    assert [marks_of(web) for web in webs] == [{(url(0), url(2)), (url(0), url(3))}] * 2


def test_info_counts_them_where_they_are_known(tmp_path: Path) -> None:
    archive(tmp_path / "web.warc", [(0, [(1, True), (2, False)])])
    convert("web.warc", "store", tmp_path)
    convert("store", "ids.tsv", tmp_path)

    def info(name: str, *options: str) -> str:
        return CliRunner().invoke(app, ["info", str(tmp_path / name), *options]).stdout

    assert json.loads(info("store", "--json"))["nofollow_links"] == 1
    assert "Nofollow links 1 50.0 % of all" in " ".join(info("store").split())
    assert json.loads(info("ids.tsv", "--json"))["nofollow_links"] is None
    assert "Nofollow links" not in info("ids.tsv")


def test_a_format_that_does_not_know_them_refuses_to_leave_them_out(tmp_path: Path) -> None:
    (tmp_path / "ids.tsv").write_text("0\t1\n")
    result = CliRunner().invoke(
        app, ["convert", str(tmp_path / "ids.tsv"), str(tmp_path / "out"), "--nofollow", "drop"]
    )
    assert result.exit_code == 1
    assert "not known which of its links are marked nofollow" in result.stderr

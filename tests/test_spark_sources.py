"""Sources read in Spark's tasks: what the local engine reads from the same files, a bad file counted and named."""

from __future__ import annotations

import gzip
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from seedbed.sources.read_options import ReadOptions
from seedbed.spark.blocks.cutting import cut_source
from seedbed.spark.blocks.link_chunks import TaskSizes
from seedbed.spark.spark_web import SparkWeb
from tests.archives import arc_record, arc_start, http, packed, page, warc_record, wat_record
from tests.graphs import lists_of
from tests.sources import url_links_of
from tests.spark_in_process import InProcess

A, B, C = "http://a.example/dir/", "http://b.example/", "http://www.c.example/"
REVISIT = {
    "WARC_Refers_To_Target_URI": A,
    "WARC_Refers_To_Date": "2026-01-01T00:00:00Z",
    "WARC_Payload_Digest": "sha1:ABC",
}


def archives(folder: Path) -> Path:
    """Archives of every kind, two of them damaged, one not an archive at all."""
    folder.mkdir()
    html = f"<a href=x>x</a><a href={B}>b</a><a href={B}>b</a><a href=.>self</a>"
    first = warc_record(A, http(html), WARC_Payload_Digest="sha1:ABC", WARC_Date="2026-01-01T00:00:00Z")
    moved = warc_record(B + "old", http(status="301 Moved", Location="/new"))
    lost = warc_record(B + "lost", http(status="404 Not Found"))
    (folder / "1.warc.gz").write_bytes(packed([first, moved, lost, page(B + "links", f"<a href={B}lost>l</a>")]))
    (folder / "2.warc").write_bytes(warc_record(C + "copy/", http(), "revisit", **REVISIT) + page(A, "<a href=y>y</a>"))
    (folder / "3.arc.gz").write_bytes(packed([arc_start(), arc_record(C, http(f"<a href={A}x>x</a>"))]))
    links = [{"path": "A@/href", "url": C}, {"path": "A@/href", "url": "z"}]
    (folder / "4.warc.wat.gz").write_bytes(packed([wat_record(B, links)]))
    (folder / "5.warc.gz").write_bytes(b"nothing of the kind")
    (folder / "6.warc.gz").write_bytes(packed([page(B + "cut", f"<a href={C}>c</a>")])[:-30])
    unknown = {**REVISIT, "WARC_Payload_Digest": "sha1:ELSEWHERE"}
    (folder / "7.warc").write_bytes(warc_record(C + "unknown", http(), "revisit", **unknown))
    with zipfile.ZipFile(folder / "8.wacz", "w") as file:
        file.writestr("archive/data.warc.gz", packed([page(C + "zip", f"<a href={B}>b</a>")]))
    return folder


def saved(session: Any, source: Path, folder: Path, blocks: int = 3, **options: Any) -> tuple[SparkWeb, sb.Web]:
    """The web cut on Spark, and as a store."""
    cut = SparkWeb(session, cut_source(session, str(source), str(folder / "blocks"), blocks, **options).folder)
    cut.save(str(folder / "saved.web"))
    return cut, sb.open(folder / "saved.web")


def check_same(found: sb.Web, local: sb.Web) -> None:
    """The same pages and links, columns and sites, in whatever order."""
    urls, expected = list(found.urls or ()), list(local.urls or ())
    assert sorted(urls) == sorted(expected)
    assert sorted(url_links_of(found)) == sorted(url_links_of(local))
    for name, column in found.columns.items():
        assert column.dtype == local.columns[name].dtype
        assert dict(zip(urls, column.tolist(), strict=True)) == dict(
            zip(expected, local.columns[name].tolist(), strict=True)
        )
    for kind in ("host", "domain"):
        one, two = found.sites(kind), local.sites(kind)  # type: ignore[arg-type]
        assert list(one.names) == list(two.names)
        assert dict(zip(urls, one.of_page.tolist(), strict=True)) == dict(
            zip(expected, two.of_page.tolist(), strict=True)
        )
    counted = ("self_links", "duplicate_links", "notes")
    assert [getattr(found.origin, name) for name in counted] == [getattr(local.origin, name) for name in counted]


def test_archives(spark: Any, tmp_path: Path) -> None:
    source = archives(tmp_path / "crawl")
    local = sb.open(source)
    cut, found = saved(spark, source, tmp_path)
    check_same(found, local)
    assert set(found.columns) == {"crawled", "status"}
    notes = " ".join(local.origin.notes)
    assert "5.warc.gz" in notes
    assert C + "unknown" in notes
    assert cut.blocks.origin.notes == local.origin.notes
    assert (tmp_path / "blocks").is_dir()
    assert not (tmp_path / "blocks/building").exists()


def test_archives_from_a_pattern_and_a_list(tmp_path: Path) -> None:
    source = archives(tmp_path / "crawl")
    (tmp_path / "one").mkdir()
    check_same(saved(InProcess(), source / "[12].warc*", tmp_path / "one")[1], sb.open(source / "[12].warc*"))
    (tmp_path / "list.txt").write_text("crawl/1.warc.gz\ncrawl/8.wacz\n")
    (tmp_path / "two").mkdir()
    check_same(saved(InProcess(), tmp_path / "list.txt", tmp_path / "two", 1)[1], sb.open(tmp_path / "list.txt"))


def test_archives_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/1.warc.gz").write_bytes(b"nothing of the kind")
    with pytest.raises(sb.InputError, match=r"no links in it. Found: files without an intact record: 1 \(1.warc.gz\)"):
        cut_source(InProcess(), str(tmp_path / "bad"), str(tmp_path / "out"))  # type: ignore[arg-type]
    (tmp_path / "lost").mkdir()
    (tmp_path / "lost/1.warc").write_bytes(warc_record(A, http(status="404 Not Found")))
    with pytest.raises(sb.InputError, match="no page in it"):
        cut_source(InProcess(), str(tmp_path / "lost"), str(tmp_path / "out2"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def web() -> sb.Web:
    return sb.make_web(pages=300, seed=4)


def url_lines(web: sb.Web) -> list[str]:
    return [f"{source}\t{target}\n" for source, target in url_links_of(web)]


def test_text_of_urls_in_shards(web: sb.Web, tmp_path: Path) -> None:
    lines, shards = url_lines(web), tmp_path / "shards"
    shards.mkdir()
    for number in range(3):
        head = "from\tto\n" if number else ""
        (shards / f"part-{number}.tsv.gz").write_bytes(gzip.compress((head + "".join(lines[number::3])).encode()))
    (tmp_path / "all.tsv").write_text("".join(lines))
    cut, found = saved(InProcess(), shards, tmp_path, sizes=TaskSizes(links_per_chunk=500))
    local = sb.open(tmp_path / "all.tsv")
    note = "3 files read as parts of one web (part-0.tsv.gz; …; part-2.tsv.gz)"
    check_same(found, replace(local, origin=replace(local.origin, notes=(note,))))
    assert cut.blocks.origin.format == "url-edges"


def test_a_bad_shard_is_named_and_the_others_are_read(web: sb.Web, tmp_path: Path) -> None:
    lines, shards = url_lines(web), tmp_path / "shards"
    shards.mkdir()
    (shards / "part-0.tsv").write_text("".join(lines[:100]))
    (shards / "part-1.tsv.gz").write_bytes(gzip.compress("".join(lines[100:]).encode())[:200])
    (shards / "part-2.tsv").write_text("1\t2\n")
    cut, found = saved(InProcess(), shards, tmp_path)
    links = [tuple(line.split()) for line in lines]
    assert set(links[:100]) <= set(url_links_of(found)) < set(links)
    _, note = cut.blocks.origin.notes
    assert note.startswith("files left unread from some place on, where reading failed: 2 (part-1.tsv.gz: ")
    assert "part-2.tsv: InputError it links page numbers, unlike the other files." in note


@pytest.mark.parametrize("of", ["ids", "urls"])
def test_parquet_in_shards(web: sb.Web, tmp_path: Path, of: str) -> None:
    out_ptr, out_idx = web.links.to_csr().arrays()
    sources = np.repeat(np.arange(web.page_count), np.diff(out_ptr))
    urls = np.array(list(web.urls or ()))
    (tmp_path / "shards").mkdir()
    for number in range(4):
        ends = [
            ids[number::4] if of == "ids" else pa.array(urls[ids[number::4]].tolist()) for ids in (sources, out_idx)
        ]
        table = pa.table({"weight": np.ones(len(ends[0])), "source": ends[0], "target": ends[1]})
        pq.write_table(table, tmp_path / f"shards/{number}.parquet")
    cut, found = saved(InProcess(), tmp_path / "shards", tmp_path)
    local = sb.open(tmp_path / "shards")
    if of == "urls":
        check_same(found, local)
    else:
        assert lists_of(found.links) == lists_of(local.links)
        assert found.urls is None
    assert cut.blocks.origin.source == str(tmp_path / "shards")


def test_common_crawl(tmp_path: Path) -> None:
    folder = tmp_path / "cc"
    folder.mkdir()
    names = ["com.example", "com.example.www", "org.b", "org.c.d"]
    lines = [f"{number}\t{name}\t{number + 7}\n" for number, name in enumerate(names)]
    (folder / "cc-main-x-domain-vertices.txt.gz").write_bytes(gzip.compress("".join(lines[::-1]).encode()))
    (folder / "cc-main-x-domain-edges.txt.gz").write_bytes(gzip.compress(b"0\t3\n2\t1\n2\t1\n1\t1\n"))
    local = sb.open(folder)
    _, found = saved(InProcess(), folder, tmp_path, 2)
    assert list(found.urls or ()) == list(local.urls or ())
    check_same(found, local)
    assert found.columns["n_hosts"].tolist() == [7, 8, 9, 10]


def test_common_crawl_with_a_gap(tmp_path: Path) -> None:
    folder = tmp_path / "cc"
    folder.mkdir()
    (folder / "cc-main-x-host-vertices.txt").write_text("0\tcom.a\n1\tcom.b\n3\tcom.c\n")
    (folder / "cc-main-x-host-edges.txt").write_text("0\t1\n")
    with pytest.raises(sb.InputError, match="3 vertices have the ids 0 … 3, expected 0 … 2"):
        cut_source(InProcess(), str(folder), str(tmp_path / "out"))  # type: ignore[arg-type]


def test_what_only_the_local_engine_opens_keeps_its_numbers(web: sb.Web, tmp_path: Path) -> None:
    sb.save(web, tmp_path / "web.graph")
    _, found = saved(InProcess(), tmp_path / "web.graph", tmp_path)
    assert list(found.urls or ()) == list(web.urls or ())
    assert lists_of(found.links) == lists_of(web.links)


def test_files_elsewhere_are_copied_to_the_task(web: sb.Web, tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    lines = url_lines(web)
    (tmp_path / "shards/a.tsv").write_text("".join(lines[:200]))
    (tmp_path / "shards/b.tsv").write_text("".join(lines[200:]))
    address = (tmp_path / "shards").as_uri()
    cut_source(InProcess(), address, str(tmp_path / "one"), 2)  # type: ignore[arg-type]
    cut_source(InProcess(), str(tmp_path / "shards"), str(tmp_path / "two"), 2)  # type: ignore[arg-type]
    one, two = (SparkWeb(InProcess(), str(tmp_path / name)) for name in ("one", "two"))  # type: ignore[arg-type]
    assert one.blocks.id == two.blocks.id
    crawl = archives(tmp_path / "crawl")
    cut = cut_source(InProcess(), crawl.as_uri(), str(tmp_path / "three"), 2)  # type: ignore[arg-type]
    same = cut_source(InProcess(), str(crawl), str(tmp_path / "four"), 2)  # type: ignore[arg-type]
    assert cut.id == same.id


def test_options_that_tasks_do_not_know_are_refused(web: sb.Web, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("".join(url_lines(web)))
    with pytest.raises(sb.OptionError, match="normalize is not for webs read on Spark"):
        options = ReadOptions(normalize=True)
        cut_source(InProcess(), str(tmp_path / "a.tsv"), str(tmp_path / "out"), options=options)  # type: ignore[arg-type]


def test_only_files_not_yet_read_are_read_by_a_second_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from seedbed.spark.blocks import reading

    source, read = archives(tmp_path / "crawl"), []
    original = reading.read_parts

    def dies(file: Any, settings: Any) -> Any:
        read.append(str(file))
        if len(read) == 4:
            raise KeyboardInterrupt
        return original(file, settings)

    monkeypatch.setattr(reading, "read_parts", dies)
    with pytest.raises(KeyboardInterrupt):
        cut_source(InProcess(), str(source), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    before, read[:] = set(read[:3]), ["", "", "", ""]
    cut = cut_source(InProcess(), str(source), str(tmp_path / "blocks"))  # type: ignore[arg-type]
    first_pass = read[4 : 4 + 8 - len(before)]
    assert before.isdisjoint(first_pass)
    assert cut.origin.notes == sb.open(source).origin.notes

"""Webs cut into blocks on Spark: the web that the local engine opens, numbered by host, whatever the tasks."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seedbed as sb
from seedbed.spark.blocks.blocked_web import BlockedWeb, open_blocks
from seedbed.spark.blocks.cutting import cut_links, cut_source, cut_web
from seedbed.spark.blocks.link_chunks import TaskSizes
from seedbed.spark.blocks.name_order import host_key, sort_names
from seedbed.urls.url_table import UrlTable
from tests.graphs import lists_of
from tests.spark_in_process import InProcess, Table

Link = tuple[str, str]

HOSTS = ["example.com", "example.com:8080", "a.example.com", "example-a.com", "b.co.uk", "co.uk", "192.0.2.1", "[::1]"]
ODD = [
    "mailto:me@example.com",
    "data:,x",
    "/path",
    "b.co.uk/bare",
    "example.com:80",
    "http://EXAMPLE.com/x",
    "ü.de",
    "",
]
URLS = st.one_of(
    st.builds(
        "{}://{}/{}".format, st.sampled_from(["http", "https"]), st.sampled_from(HOSTS), st.text("ab/", max_size=3)
    ),
    st.sampled_from(ODD),
)
LINKS = st.lists(st.tuples(URLS, URLS), min_size=1, max_size=60)


def order_of(url: str) -> tuple[list[bytes], bytes]:
    """The order of pages, as plainly as it can be said: labels of the host from the last one on, then the URL."""
    sites = sb.Web(lists_as_csr(1), urls=UrlTable.from_strings([url])).sites("host")
    host = sites.names[int(sites.of_page[0])]
    name, port = (host, "") if host.startswith("[") else (host.partition(":")[0], host.partition(":")[2])
    is_address = host.startswith("[") or name.split(".")[-1].isdigit()
    labels = [name] if is_address else name.split(".")[::-1]
    return [label.encode() for label in [*labels, *([f":{port}"] if port else [])]], url.encode()


def lists_as_csr(pages: int) -> Any:
    from tests.graphs import csr

    return csr([[]] * pages)


def rows_of(links: Sequence[Link], partitions: int) -> Table:
    """Links as a table of Spark's, dealt out to partitions."""
    ends = [pa.array(list(column), pa.string()) for column in zip(*links, strict=True)]
    batch = pa.record_batch(ends, ["from", "to"])
    return Table([[batch.take(pa.array(range(k, len(links), partitions), pa.int64()))] for k in range(partitions)])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def check_blocks(web: BlockedWeb, urls: list[str], links: set[Link]) -> None:
    """The blocks hold these pages in this order, these links in both directions, and the local engine's sites."""
    page = {url: number for number, url in enumerate(urls)}
    assert [url for block in range(web.blocks) for url in web.urls(block).to_pylist()] == urls
    pairs = {(page[source], page[target]) for source, target in links}
    assert (web.page_count, web.link_count) == (len(urls), len(pairs))
    assert pairs_in(web, "out") == sorted(pairs)
    assert sorted((b, a) for a, b in pairs_in(web, "in")) == sorted(pairs)
    local = sb.Web(lists_as_csr(len(urls)), urls=UrlTable.from_strings(urls))
    for kind in ("host", "domain"):
        sites = local.sites(kind)  # type: ignore[arg-type]
        found = np.concatenate([web.sites(kind, block) for block in range(web.blocks)])  # type: ignore[arg-type]
        assert found.tolist() == sites.of_page.tolist()
        assert web.site_names(kind).to_pylist() == list(sites.names)  # type: ignore[arg-type]


def pairs_in(web: BlockedWeb, direction: Any) -> list[tuple[int, int]]:
    """(row, other) of all links of all blocks, as they are stored."""
    found = []
    for block in range(web.blocks):
        links = web.links(direction, block)
        rows = np.repeat(np.arange(web.bounds[block], web.bounds[block + 1]), np.diff(links.ptr))
        found += list(zip(rows.tolist(), links.needs[links.idx].tolist(), strict=True))
    return found


@settings(max_examples=60, deadline=None)
@given(LINKS, st.integers(1, 4), st.sampled_from([1, 3, 16]), st.integers(1, 3), st.sampled_from([1, 7, 1000]))
def test_links_between_urls(links: list[Link], partitions: int, blocks: int, parts: int, chunk: int) -> None:
    urls = sorted({url for link in links for url in link}, key=order_of)
    kept = {link for link in links if link[0] != link[1]}
    sizes = TaskSizes(links_per_chunk=chunk, bytes_per_part=2000 // parts)
    with tempfile.TemporaryDirectory() as scratch:
        one = cut_links(InProcess(), rows_of(links, partitions), f"{scratch}/one", blocks, sizes=sizes)  # type: ignore[arg-type]
        check_blocks(one, urls, kept)
        loops = sum(source == target for source, target in links)
        assert (one.origin.self_links, one.origin.duplicate_links) == (loops, len(links) - loops - len(kept))
        cut_links(InProcess(1), rows_of(links[::-1], 1), f"{scratch}/two", blocks)  # type: ignore[arg-type]
        assert contents(Path(scratch) / "one") == contents(Path(scratch) / "two")


@settings(max_examples=60, deadline=None)
@given(st.lists(URLS, unique=True, min_size=1))
def test_pages_are_numbered_by_host_and_then_by_url(urls: list[str]) -> None:
    found = sort_names(pa.array(urls, pa.large_string()), "host")
    assert [urls[place] for place in found.order] == sorted(urls, key=order_of)
    runs = np.repeat(np.arange(len(found.starts)), np.diff([*found.starts, len(urls)]))
    keys = [b"\0".join(order_of(urls[place])[0]) for place in found.order]
    assert [found.keys[run].as_py() for run in runs] == keys
    assert found.keys.to_pylist() == sorted(set(keys))


def test_the_order_of_hosts() -> None:
    hosts = ["", "192.0.2.1", "[::1]", "com", "example.com", "example.com:8080", "a.example.com", "example-a.com"]
    assert hosts == sorted(hosts, key=host_key)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1), st.sampled_from([1, 3, 16]))
def test_links_between_page_numbers(links: list[tuple[int, int]], blocks: int) -> None:
    batch = pa.record_batch([pa.array(list(ends), pa.int64()) for ends in zip(*links, strict=True)], ["a", "b"])
    with tempfile.TemporaryDirectory() as scratch:
        web = cut_links(InProcess(), Table([[batch]]), f"{scratch}/web", blocks)  # type: ignore[arg-type]
        assert pairs_in(web, "out") == sorted({link for link in links if link[0] != link[1]})
        assert web.page_count == max(map(max, links)) + 1
        assert not web.named
        Path(scratch, "links.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in links))
        local = sb.open(f"{scratch}/links.tsv", format="edges")
        same = cut_web(local, f"{scratch}/local", blocks)
        for part in ("in", "out"):
            one, two = contents(Path(scratch) / "web" / part), contents(Path(scratch) / "local" / part)
            assert {k: v for k, v in one.items() if "json" not in k} == {
                k: v for k, v in two.items() if "json" not in k
            }
        assert (web.origin.self_links, web.origin.duplicate_links) == (
            same.origin.self_links,
            same.origin.duplicate_links,
        )


def test_a_web_that_the_local_engine_has_open(tmp_path: Path) -> None:
    web = sb.make_web(pages=300, seed=5)
    cut = cut_web(web, str(tmp_path / "blocks"), 4)
    assert pairs_in(cut, "out") == [(p, t) for p, row in enumerate(lists_of(web.links)) for t in row]
    again = cut_web(web.transpose(), str(tmp_path / "again"), 4)
    assert pairs_in(again, "out") == pairs_in(cut, "in")
    assert again.id != cut.id


def test_numbers_beyond_four_billion(tmp_path: Path) -> None:
    links = [(0, 5_000_000_000), (5_000_000_000, 7), (3, 7), (3, 7)]
    batch = pa.record_batch([pa.array(list(ends), pa.int64()) for ends in zip(*links, strict=True)], ["a", "b"])
    from seedbed.spark.blocks.cutting import _to_blocks
    from seedbed.spark.blocks.numbering import received

    bounds = (0, 10, 4_999_999_999, 5_000_000_001)
    rows = list(_to_blocks(0, *(np.array(batch.column(k)) for k in (0, 1)), bounds, np.int64))
    assert {row.column(0)[0].as_py() for row in rows} == set(range(6))
    to, pieces = received(iter(rows[:1]))
    data = np.frombuffer(pieces[0], np.uint8)
    assert to == 0
    assert data[:12].view(np.uint32).tolist() == [7, 7, 7]
    assert sorted(data[12:].view(np.int64).tolist()) == [3, 3, 5_000_000_000]


def test_a_folder_with_a_web_is_not_written_again(tmp_path: Path) -> None:
    table = rows_of([("http://a/", "http://b/")], 1)
    cut_links(InProcess(), table, str(tmp_path / "web"))  # type: ignore[arg-type]
    with pytest.raises(sb.OptionError, match="already holds the blocks of a web"):
        cut_links(InProcess(), table, str(tmp_path / "web"))  # type: ignore[arg-type]
    (tmp_path / "other").mkdir()
    (tmp_path / "other/letter.txt").write_text("dear")
    with pytest.raises(sb.OptionError, match=r"already holds 'letter.txt'"):
        cut_links(InProcess(), table, str(tmp_path / "other"))  # type: ignore[arg-type]


def test_links_of_other_kinds_are_refused(tmp_path: Path) -> None:
    mixed = pa.record_batch([pa.array([1], pa.int64()), pa.array(["http://a/"])], ["a", "b"])
    with pytest.raises(sb.InputError, match="must both be URLs, or both page numbers"):
        cut_links(InProcess(), Table([[mixed]]), str(tmp_path / "one"))  # type: ignore[arg-type]
    null = pa.record_batch([pa.array([None], pa.string()), pa.array(["http://a/"])], ["a", "b"])
    with pytest.raises(sb.InputError, match="null"):
        cut_links(InProcess(), Table([[null]]), str(tmp_path / "two"))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def links() -> list[Link]:
    """Links of a synthetic web, some of them twice, and a few from a page to itself."""
    web = sb.make_web(pages=400, seed=2)
    urls = list(web.urls or ())
    found = [(urls[page], urls[target]) for page, row in enumerate(lists_of(web.links)) for target in row]
    return [*found, *found[:50], (urls[0], urls[0]), ("mailto:me", urls[1])]


def test_on_real_spark(spark: Any, links: list[Link], tmp_path: Path) -> None:
    urls = sorted({url for link in links for url in link}, key=order_of)
    kept = {link for link in links if link[0] != link[1]}
    frame = spark.createDataFrame(links, "from string, to string")
    cut = sb.spark.cut(spark, frame.repartition(5), str(tmp_path / "one"), 3)
    check_blocks(cut.blocks, urls, kept)
    more = spark.newSession()
    more.conf.set("spark.sql.shuffle.partitions", "7")
    rows = more.createDataFrame(links[::-1], "from string, to string").repartition(2)
    sb.spark.cut(more, rows, str(tmp_path / "two"), 3, sizes=TaskSizes(links_per_chunk=700))
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_start_goes_on_after_the_last_whole_step(links: list[Link], tmp_path: Path) -> None:
    for number in range(3):
        ends = zip(*links[number::3], strict=True)
        pq.write_table(
            pa.table(dict(zip(("from", "to"), map(list, ends), strict=True))), tmp_path / f"{number}.parquet"
        )
    source, whole = tmp_path / "links", tmp_path / "whole"
    source.mkdir()
    for number in range(3):
        (tmp_path / f"{number}.parquet").rename(source / f"{number}.parquet")
    cut_source(InProcess(), str(source), str(whole), 3)  # type: ignore[arg-type]
    steps: list[str] = []
    for stop in range(1, 7):
        done: list[str] = []

        def dies(stage: str, number: int, total: int, done: list[str] = done, stop: int = stop) -> None:
            done.append(stage)
            if len(done) == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            cut_source(InProcess(), str(source), str(tmp_path / f"{stop}"), 3, progress=dies)  # type: ignore[arg-type]
        steps = done
        with pytest.raises(sb.InputError, match="has no blocks of a web"):
            open_blocks(str(tmp_path / f"{stop}"))
        with pytest.raises(sb.OptionError, match="blocks was 3, now 4"):
            cut_source(InProcess(), str(source), str(tmp_path / f"{stop}"), 4)  # type: ignore[arg-type]
        (tmp_path / f"{stop}/building/half.i64.0123.part").write_bytes(b"half")
        (tmp_path / f"{stop}/in").mkdir(exist_ok=True)
        (tmp_path / f"{stop}/in/half.i64.0123.part").write_bytes(b"half")
        before = {file: file.stat().st_mtime_ns for file in (tmp_path / f"{stop}/building/steps").iterdir()}
        cut_source(InProcess(), str(source), str(tmp_path / f"{stop}"), 3, progress=keeps(before))  # type: ignore[arg-type]
        assert contents(tmp_path / f"{stop}") == contents(whole)
    assert steps == ["files", "read", "numbers", "links", "urls", "sites"]


def keeps(files: dict[Path, int]) -> Any:
    """Progress that checks that what was done is not done again."""

    def check(stage: str, number: int, total: int) -> None:
        assert all(file.stat().st_mtime_ns == then for file, then in files.items())

    return check

"""One bit changed anywhere in a file that seedbed wrote: an error in one line, or exactly what was written."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from seedbed.common.parquet_files import read_parquet, write_parquet
from seedbed.crawling.run_files import load_run, save_run
from seedbed.errors import InputError, SeedbedError
from seedbed.graph.web import Web
from seedbed.links.nofollow import Marks
from seedbed.ranking.ranking_files import write_ranking
from tests.graphs import csr, lists_of, web_of

LISTS = [sorted({(7 * k + j * j) % 60 for j in range(k % 9)} - {k}) for k in range(60)]
URLS = [f"http://h{k % 7}.example/{k:03}" for k in range(60)]


def flips(size: int, most: int) -> list[int]:
    """Which bits to flip: all of a small file, or some drawn at random that hit every part of it."""
    bits = range(8 * size)
    return list(bits) if len(bits) <= most else sorted(random.Random(7).sample(bits, most))  # noqa: S311


def misread(file: Path, read: Callable[[Path], Any], most: int = 600) -> list[int]:
    """The bits that change what is read, without an error."""
    data, truth = file.read_bytes(), read(file)
    wrong = []
    for bit in flips(len(data), most):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        try:
            found = read(file)
        except SeedbedError as error:
            assert "\n" not in str(error)
        else:
            wrong += [bit] if found != truth else []
    file.write_bytes(data)
    return wrong


def links_in(path: Path) -> Any:
    web = sb.open(path)
    marks = None if web.nofollow is None else [array.tolist() for array in web.nofollow.arrays()]
    return lists_of(web.links), None if web.urls is None else list(web.urls), marks


@pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "xz"])
def test_a_bit_in_a_compressed_list_of_links_does_not_make_another_web(tmp_path: Path, ending: str) -> None:
    sb.save(web_of(LISTS), tmp_path / f"links.tsv.{ending}", to="edges")
    assert misread(tmp_path / f"links.tsv.{ending}", links_in) == []


def marked() -> Web:
    links = csr(LISTS)
    sources = np.repeat(np.arange(60), np.diff(links.arrays().out_ptr))[::3]
    return Web(links, nofollow=Marks(sources, links.arrays().out_idx[::3], 60))


@pytest.mark.parametrize("web", [web_of(LISTS), marked()], ids=["plain", "nofollow"])
def test_a_bit_in_a_parquet_file_does_not_make_another_web(tmp_path: Path, web: Web) -> None:
    sb.save(web, tmp_path / "links.parquet")
    assert misread(tmp_path / "links.parquet", links_in, 1200) == []


def test_a_bit_in_a_run_or_a_ranking_does_not_make_another(tmp_path: Path) -> None:
    web = web_of(LISTS, URLS)
    save_run(sb.crawl(web, [1, 2], order="bfs"), tmp_path / "run.parquet")
    assert misread(tmp_path / "run.parquet", lambda path: load_run(path).pages.tolist(), 300) == []
    write_ranking(web, sb.rank(web), tmp_path / "ranking.parquet")
    assert misread(tmp_path / "ranking.parquet", lambda path: read_parquet(path).to_pylist(), 300) == []


def test_other_programs_read_a_sealed_file_and_what_they_rewrite_is_read(tmp_path: Path) -> None:
    file = tmp_path / "links.parquet"
    sb.save(web_of(LISTS), file)
    links = sum(map(len, LISTS))
    table = pq.read_table(file, page_checksum_verification=True)
    assert table.num_rows == links
    assert duckdb.execute(f"select count(*) from '{file}'").fetchone() == (links,)  # noqa: S608
    pq.write_table(table.slice(0, 5), file)
    assert sb.open(file).link_count == 5
    duckdb.execute(f"copy (select * from '{file}' limit 3) to '{tmp_path}/few.parquet'")  # noqa: S608
    assert sb.open(tmp_path / "few.parquet").link_count == 3


def test_page_checksums_of_other_programs_are_verified(tmp_path: Path) -> None:
    file = tmp_path / "links.parquet"
    table = pa.table({"from": np.arange(1000), "to": np.arange(1000)[::-1]})
    pq.write_table(table, file, write_page_checksum=True, compression="none", use_dictionary=False)
    data = bytearray(file.read_bytes())
    data[4000] ^= 1
    file.write_bytes(data)
    with pytest.raises(InputError, match="CRC"):
        sb.open(file)


def test_a_table_comes_back_with_its_metadata(tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "url": ["http://a.example/", None], "score": [0.5, float("inf")]})
    write_parquet(table.replace_schema_metadata({"seedbed": "{}"}), tmp_path / "a.parquet")
    found = read_parquet(tmp_path / "a.parquet")
    assert found.to_pylist() == table.to_pylist()
    assert found.schema.metadata == {b"seedbed": b"{}"}

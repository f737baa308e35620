"""URL tables: round trips, look-ups, order and files."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.arrays import LONGEST_TEXT
from seedbed.errors import InputError
from seedbed.urls.front_coding import BLOCK, SEGMENT
from seedbed.urls.url_table import BadUrl, TextChunk, UrlTable, UrlTableWriter, text_chunk
from seedbed.urls.url_table_writer import first_not_utf8
from tests.reference.urls import PlainUrls, read_format

quick = settings(deadline=None, max_examples=60)

pieces = st.sampled_from(["http://", "www.", "example", ".com/", "a", "b", "/", "?q=", "é", "\0", "𝄞", "index.html"])
url = st.lists(pieces, max_size=8).map("".join) | st.text(max_size=12)
urls = st.lists(url, max_size=150)


def strings(chunk: TextChunk) -> list[str]:
    text, text_ptr = chunk
    return [bytes(text[text_ptr[k] : text_ptr[k + 1]]).decode() for k in range(len(text_ptr) - 1)]


def in_order(table: UrlTable) -> list[tuple[int, str]]:
    return [
        pair
        for ids, text, text_ptr in table.in_order()
        for pair in zip(ids.tolist(), strings((text, text_ptr)), strict=True)
    ]


def written(chunks: list[TextChunk], folder: Path) -> UrlTable:
    with UrlTableWriter(folder, "urls") as writer:
        for chunk in chunks:
            writer.append(*chunk)
    return UrlTable.load(folder, "urls")


def coded(table: UrlTable, folder: Path) -> dict[str, np.ndarray]:
    """The arrays of a table as its files hold them."""
    table.save(folder, "t")
    arrays = {path.name.split(".")[1]: np.load(path) for path in folder.glob("t.*.npy")}
    return arrays | {"text": np.fromfile(folder / "t.text", np.uint8)}


@quick
@given(urls, st.lists(url, max_size=20))
def test_a_table_answers_like_a_list_and_a_dict(urls: list[str], others: list[str]) -> None:
    table, plain = UrlTable.from_strings(urls), PlainUrls(urls)
    assert len(table) == len(urls)
    assert [table[k] for k in range(len(urls))] == urls
    assert table.many(range(len(urls))) == urls
    assert list(table) == urls
    assert [text for chunk in table.chunks() for text in strings(chunk)] == urls
    assert in_order(table) == plain.in_order()
    asked = urls + others + [text[:-1] for text in urls] + [text + "x" for text in urls]
    assert [table.find(text) for text in asked] == [plain.find(text) for text in asked]
    assert table.find_many(asked).tolist() == [plain.first.get(text, -1) for text in asked]


@quick
@given(urls, st.integers(1, 7), st.sampled_from([1, 1 << 30]))
def test_chunks_and_memory_do_not_change_a_table(urls: list[str], size: int, memory: int) -> None:
    chunks = [text_chunk(urls[k : k + size]) for k in range(0, len(urls), size)]
    table = UrlTable.build(chunks, memory=memory)
    assert list(table) == urls
    assert in_order(table) == PlainUrls(urls).in_order()


@quick
@given(urls, st.integers(1, 200))
def test_the_writer_makes_the_same_table_as_the_builder(
    tmp_path_factory: pytest.TempPathFactory, urls: list[str], size: int
) -> None:
    urls = sorted(urls, key=str.encode)
    folder = tmp_path_factory.mktemp("table")
    table = written([text_chunk(urls[k : k + size]) for k in range(0, len(urls), size)], folder)
    assert list(table) == urls
    UrlTable.from_strings(urls).save(folder, "built")
    endings = {path.name.partition(".")[2] for path in folder.glob("urls.*")}
    assert endings == {"text", "ptr.npy", "symbols.npy"}
    for ending in endings:
        assert (folder / f"urls.{ending}").read_bytes() == (folder / f"built.{ending}").read_bytes()


@quick
@given(urls)
def test_files_hold_the_documented_format(tmp_path_factory: pytest.TempPathFactory, urls: list[str]) -> None:
    arrays = coded(UrlTable.from_strings(urls), tmp_path_factory.mktemp("table"))
    found = read_format(arrays["text"].tobytes(), arrays["ptr"].tolist(), arrays["symbols"].tolist())
    assert found == sorted(text.encode() for text in urls)
    if "rank" in arrays:
        assert [found[rank].decode() for rank in arrays["rank"]] == urls
        assert [urls[page].encode() for page in arrays["id"]] == found
    else:
        assert found == [text.encode() for text in urls]


def test_ids_stay_and_the_smallest_of_equal_urls_is_found() -> None:
    table = UrlTable.from_strings(["b", "a", "b", "a", "c"])
    assert list(table) == ["b", "a", "b", "a", "c"]
    assert table.find_many(["a", "b", "c", "d", ""]).tolist() == [1, 0, 4, -1, -1]
    assert [page for page, _ in in_order(table)] == [1, 3, 0, 2, 4]


def test_equal_urls_that_fill_blocks_are_found_at_their_first() -> None:
    same = ["m"] * (3 * BLOCK + 5)
    for ahead in (0, 1, BLOCK - 1, BLOCK):
        table = UrlTable.from_strings(["a"] * ahead + same)
        assert (table.find("m"), table.find("a")) == (ahead, 0 if ahead else None)


def test_look_ups_outside_the_urls_find_nothing() -> None:
    table = UrlTable.from_strings(["http://b/", "http://d/"])
    for missing in (
        "",
        "a",
        "http://c/",
        "z",
        "\U0010ffff",
        "http://b/" * 10_000,
        "\ud800",
        "http://b",
        "http://b//",
    ):
        assert table.find(missing) is None
        assert missing not in table
    assert "http://d/" in table
    assert 7 not in table


@pytest.mark.parametrize("page", [-1, 2, 1 << 40])
def test_ids_outside_the_table_are_refused(page: int) -> None:
    table = UrlTable.from_strings(["a", "b"])
    with pytest.raises(IndexError, match="0 to 1"):
        table[page]
    with pytest.raises(IndexError, match="0 to 1"):
        table.many([0, page])


def test_an_empty_table_works_and_is_kept(tmp_path: Path) -> None:
    UrlTable.from_strings([]).save(tmp_path, "none")
    for table in (UrlTable.load(tmp_path, "none"), UrlTable.build([]), written([], tmp_path)):
        assert (len(table), list(table), table.find(""), table.many([])) == (0, [], None, [])
        assert table.find_many(["a"]).tolist() == [-1]


def test_urls_past_one_symbol_table_come_back(tmp_path: Path) -> None:
    urls = [f"http://host{k:06}/é{'x' * (k % 5)}" for k in range(SEGMENT + 3 * BLOCK + 1)]
    table = written([text_chunk(urls)], tmp_path)
    assert np.load(tmp_path / "urls.symbols.npy").shape[0] == 2
    assert list(table) == urls
    assert table.find_many(urls).tolist() == list(range(len(urls)))
    turned = UrlTable.from_strings(urls[::-1])
    assert list(turned) == urls[::-1]
    assert turned.find(urls[0]) == len(urls) - 1


def test_order_is_kept_when_it_breaks_late(tmp_path: Path) -> None:
    urls = [f"u{k:05}" for k in range(40_000)]
    table = UrlTable.build([text_chunk(urls), text_chunk(["a"])], memory=1, scratch=tmp_path)
    assert (table.find("a"), table[40_000], table[39_999], table.find("u00000")) == (40_000, "a", "u39999", 0)
    assert list(tmp_path.iterdir()) == []


def test_long_urls_come_back(tmp_path: Path) -> None:
    urls = ["x" * LONGEST_TEXT, "x" * (LONGEST_TEXT - 1) + "y", "z\xe9" * 10_000, "z"]
    table = UrlTable.from_strings(urls)
    assert list(table) == urls
    assert table.find_many(urls).tolist() == [0, 1, 2, 3]
    with pytest.raises(BadUrl, match="URL 1 is 2") as caught:
        UrlTable.build([text_chunk(["a"]), text_chunk(["x" * (LONGEST_TEXT + 1)])])
    assert caught.value.id == 1


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.binary(max_size=6)
        | st.text(max_size=3).map(str.encode)
        | st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010), max_size=2).map(
            lambda text: text.encode("utf-8", "surrogatepass")
        ),
        max_size=8,
    )
)
def test_utf8_is_told_as_python_tells_it(parts: list[bytes]) -> None:
    def is_utf8(part: bytes) -> bool:
        try:
            part.decode()
        except UnicodeDecodeError:
            return False
        return True

    expected = next((k for k, part in enumerate(parts) if not is_utf8(part)), -1)
    text = np.frombuffer(b"".join(parts), np.uint8)
    assert first_not_utf8(text, np.cumsum([0, *map(len, parts)])) == expected


def test_what_is_not_utf8_is_refused_by_id(tmp_path: Path) -> None:
    good = text_chunk(["http://a/", "http://b/"])
    bad = (np.frombuffer(b"http://c/http://d/\xff", np.uint8), np.array([0, 9, 19]))
    for build in (UrlTable.build, lambda chunks: written(chunks, tmp_path)):
        with pytest.raises(BadUrl, match=r"URL 3 is not UTF-8: b'http://d/\\xff'") as caught:
            build([good, bad])
        assert caught.value.id == 3


def test_the_writer_refuses_urls_that_do_not_ascend(tmp_path: Path) -> None:
    for late in (["c", "a"], ["a"]):
        with pytest.raises(BadUrl, match="'a' sorts before the one preceding it"):
            written([text_chunk(["a", "a", "b"]), text_chunk(late)], tmp_path)


def test_text_pointers_that_do_not_fit_are_refused() -> None:
    text = np.zeros(4, np.uint8)
    for pointers in ([0, 5], [-1, 2], [0, 3, 2]):
        with pytest.raises(ValueError, match="text_ptr"):
            UrlTable.build([(text, np.array(pointers))])


def test_a_failed_sort_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    def fail(*args: object, **kwargs: object) -> None:
        raise duckdb.IOException("No space left on device\nmore")

    monkeypatch.setattr(duckdb, "connect", fail)
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\)\. Is the disk full\?"):
        UrlTable.build([text_chunk(["b", "a"])], memory=1, scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_saving_over_a_table_leaves_nothing_of_it(tmp_path: Path) -> None:
    UrlTable.from_strings(["b", "a"]).save(tmp_path, "urls")
    UrlTable.from_strings(["a", "b", "c"]).save(tmp_path, "urls")
    assert list(UrlTable.load(tmp_path, "urls")) == ["a", "b", "c"]


def test_the_size_is_that_of_the_files(tmp_path: Path) -> None:
    table = UrlTable.from_strings([f"http://example.org/{k % 97}/{k}" for k in range(2000)])
    table.save(tmp_path, "urls")
    header = 128
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == table.bytes + 4 * header
    assert table.bytes < 2000 * 15


def najdisi(folder: Path) -> list[str]:
    with gzip.open(folder / "najdisi-si" / "core2.net.gz", "rt", encoding="latin-1") as file:
        return [found[1] for line in file if (found := re.fullmatch(r'\s*\d+\s+"(.*)"\s*', line))]


def california(folder: Path) -> list[str]:
    with gzip.open(folder / "california" / "gr0.California.gz", "rt", encoding="latin-1") as file:
        return [line.split(maxsplit=2)[2].strip() for line in file if line.startswith("n ")]


def hollins(folder: Path) -> list[str]:
    with gzip.open(folder / "hollins" / "links.dat.gz", "rt", encoding="latin-1") as file:
        return [line.split(maxsplit=1)[1].strip() for line in file][1:]


def openbsd(folder: Path) -> list[str]:
    with gzip.open(folder / "openbsd-www" / "2013-06-01.nodes.tsv.gz", "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t")[2] for line in file]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("read", "count"), [(najdisi, 115_148), (california, 9_664), (hollins, 6_012), (openbsd, 23_866)]
)
def test_real_urls_take_less_than_25_bytes_each(
    shared_data: Path, read: Callable[[Path], list[str]], count: int
) -> None:
    urls = read(shared_data)
    table, plain = UrlTable.from_strings(urls), PlainUrls(urls)
    assert len(table) == count
    assert table.bytes < 25 * count
    assert list(table) == urls
    assert table.find_many(urls).tolist() == [plain.find(text) for text in urls]

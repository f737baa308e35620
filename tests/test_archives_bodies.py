"""Bodies as they were sent: packed, packed and cut short, or not packed although the header says so."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from seedbed.archives.http_messages import LONGEST_PAGE, decoded_body
from seedbed.sources.opening import open_web
from tests.archives import http, warc_record

LONG = b"".join(b"<a href=/%d>%d</a>" % (k, k * k * 7919 % 99991) for k in range(30_000))
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}
TEXTS = [
    b"<html>x",
    b"\xef\xbb\xbf<html>",
    b"Good day, <b>you</b>",
    "\ufeff<html>".encode("utf-16-le"),
    b"\n\n<p>",
    b"",
]


def chunked(data: bytes, size: int) -> bytes:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x;name=value\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@given(st.binary(max_size=300), st.lists(st.sampled_from(sorted(PACK)), max_size=3), st.integers(1, 50))
def test_what_was_packed_is_decoded_body(data: bytes, packings: list[str], size: int) -> None:
    body = data
    for packing in packings:
        body = PACK[packing](body)
    assert decoded_body(chunked(body, size), "Chunked", ", ".join(packings)) == (data, True)


@pytest.mark.parametrize("packing", PACK)
def test_what_was_cut_short_is_kept_as_far_as_it_goes(packing: str) -> None:
    packed = PACK[packing](LONG)
    body, whole = decoded_body(packed[: len(packed) * 2 // 3], "", packing)
    assert (whole, LONG.startswith(body)) == (False, True)
    assert len(body) > len(LONG) // 3


def test_a_gzip_body_with_a_wrong_checksum_is_kept_but_for_its_end() -> None:
    packed = bytearray(gzip.compress(LONG))
    packed[-6] ^= 0xFF
    body, whole = decoded_body(bytes(packed), "", "gzip")
    assert (whole, LONG.startswith(body)) == (False, True)
    assert len(body) > len(LONG) * 0.9


def test_gzip_members_follow_each_other_and_other_bytes_behind_them_are_ignored() -> None:
    assert decoded_body(gzip.compress(b"<a>") + gzip.compress(b"<b>") + b"\0\0\0", "", "x-gzip") == (b"<a><b>", True)


@pytest.mark.parametrize("cut", [b"5\r\nabc", b"5\r\nabcde", b"5\r\nabcde\r\n", b"5\r\nabcde\r\nzz"])
def test_chunks_cut_short_are_kept_as_far_as_they_go(cut: bytes) -> None:
    body, whole = decoded_body(cut, "chunked", "")
    assert (whole, b"abcde".startswith(body), len(body) >= 3) == (False, True, True)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("packing", PACK)
def test_a_page_that_is_not_packed_is_taken_as_it_is(packing: str, text: bytes) -> None:
    assert decoded_body(text, "chunked", packing) == (text, True)


def test_pages_cut_short_are_counted_and_their_links_kept(tmp_path: Path) -> None:
    answers = [http(pack(LONG)[:-9000], Content_Encoding=name) for name, pack in PACK.items()]
    answers.append(http(chunked(LONG, 5000)[:-100], Transfer_Encoding="chunked"))
    records = [warc_record(f"http://h{k}.example/", answer) for k, answer in enumerate(answers)]
    (tmp_path / "web.warc").write_bytes(b"".join(records))
    web = open_web(tmp_path / "web.warc")
    assert web.origin.notes[0].startswith("pages read in part (too long, too deep or badly encoded): 5 (")
    assert web.link_count > 5 * 10_000


@pytest.mark.parametrize("packing", PACK)
def test_bombs_are_unpacked_up_to_the_bound(packing: str) -> None:
    body, _ = decoded_body(PACK[packing](b" " * (4 * LONGEST_PAGE)), "", packing)
    assert LONGEST_PAGE < len(body) < LONGEST_PAGE + (1 << 18)

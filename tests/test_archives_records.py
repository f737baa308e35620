"""Records as writers of all kinds leave them: line ends, names of fields, wrong lengths; none is lost in silence."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from seedbed.errors import InputError
from seedbed.sources import open_web
from tests.archives import arc_record, arc_start, crawled, http, packed, warc_record

URLS = [f"http://a.example/{k}" for k in range(4)]
BODIES = [http(f"<a href=/{k + 1}>words</a>\n") for k in range(4)]
RECORDS = [warc_record(url, body) for url, body in zip(URLS, BODIES, strict=True)]
ARC = [arc_start(), *(arc_record(url, body) for url, body in zip(URLS, BODIES, strict=True))]


def opened(folder: Path, data: bytes, name: str = "web.warc") -> tuple[list[str], tuple[str, ...]]:
    """What was fetched, and the notes."""
    (folder / name).write_bytes(data)
    web = open_web(folder / name)
    return crawled(web), web.origin.notes


def with_line_feeds(record: bytes) -> bytes:
    head, _, block = record.removesuffix(b"\r\n\r\n").partition(b"\r\n\r\n")
    return head.replace(b"\r\n", b"\n") + b"\n\n" + block + b"\n\n"


def in_lower_case(record: bytes) -> bytes:
    head, end, block = record.partition(b"\r\n\r\n")
    return head.lower().replace(b"warc/", b"WARC/") + end + block


def with_folded_lines(record: bytes) -> bytes:
    return record.replace(b"WARC-Target-URI: ", b"WARC-Target-URI:\r\n\t").replace(b"; msg", b";\r\n msg")


@pytest.mark.parametrize("write", [with_line_feeds, in_lower_case, with_folded_lines])
def test_records_are_read_however_their_header_is_written(tmp_path: Path, write: object) -> None:
    records = [write(record) for record in RECORDS]  # type: ignore[operator]
    assert opened(tmp_path, b"".join(records)) == (URLS, ())
    assert opened(tmp_path, packed(records)) == (URLS, ())
    assert opened(tmp_path, gzip.compress(b"".join(records))) == (URLS, ())


@pytest.mark.parametrize("field", [b"WARC-Type", b"Content-Length"])
@pytest.mark.parametrize("pack", [packed, b"".join])
def test_a_record_without_a_field_that_it_needs_is_damaged(tmp_path: Path, field: bytes, pack: object) -> None:
    records = [*RECORDS[:1], RECORDS[1].replace(field, b"Field"), *RECORDS[2:]]
    urls, notes = opened(tmp_path, pack(records))  # type: ignore[operator]
    assert (urls, [note[:26] for note in notes]) == (URLS[:1] + URLS[2:], ["damaged places left out: 1"])


@pytest.mark.parametrize("more", [-4, -2, 2, 3, 7, 40])
def test_an_arc_record_with_a_wrong_length_costs_no_other(tmp_path: Path, more: int) -> None:
    records = [*ARC[:2], arc_record(URLS[1], BODIES[1], len(BODIES[1]) + more), *ARC[3:]]
    urls, notes = opened(tmp_path, b"".join(records), "web.arc")
    place = len(b"".join(ARC[:2]))
    assert (urls, notes) == (URLS[:1] + URLS[2:], (f"damaged places left out: 1 (web.arc at byte {place})",))


def test_an_arc_record_whose_length_counts_its_line_end_is_sound(tmp_path: Path) -> None:
    records = [arc_record(url, body, len(body) + 1) for url, body in zip(URLS, BODIES, strict=True)]
    assert opened(tmp_path, b"".join([ARC[0], *records]), "web.arc") == (URLS, ())


def test_a_record_without_a_url_is_counted(tmp_path: Path) -> None:
    records = [RECORDS[0], RECORDS[1].replace(b"WARC-Target-URI", b"Field"), *RECORDS[2:]]
    place = len(RECORDS[0])
    notes = (f"records left out whose URL is none of a page: 1 (web.warc at byte {place})",)
    assert opened(tmp_path, b"".join(records)) == (URLS[:1] + URLS[2:], notes)


@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_a_record_of_a_page_without_an_http_answer_is_counted(tmp_path: Path, kind: str) -> None:
    make, records = (warc_record, RECORDS) if kind == "warc" else (arc_record, ARC)
    records = [*records[:2], make(URLS[3], b"<html>as it is</html>"), make("dns:a.example", b"20080430 a.example")]
    urls, notes = opened(tmp_path, b"".join(records), f"web.{kind}")
    place = len(b"".join(records[:2]))
    assert urls == URLS[: len(urls)]
    assert notes == (f"records left out that are no HTTP answer: 1 (web.{kind} at byte {place})",)


def test_a_file_that_is_only_the_start_of_a_record_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"damaged places left out: 1 \(t\.warc at byte 0\)"):
        opened(tmp_path, b"WARC/1.0\r\n", "t.warc")

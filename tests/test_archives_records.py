"""Records as writers of all kinds leave them: line ends, names of fields, wrong lengths; none is lost in silence."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from seedbed.errors import InputError
from seedbed.sources.opening import open_web
from tests.archives import arc_record, arc_start, crawled, http, packed, warc_record
from tests.sources import url_links_of

URLS = [f"http://a.example/{k}" for k in range(4)]
BODIES = [http(f"<a href=/{k + 1}>words</a>\n") for k in range(4)]
RECORDS = [warc_record(url, body) for url, body in zip(URLS, BODIES, strict=True)]
LINKS = [(url, f"http://a.example/{k + 1}") for k, url in enumerate(URLS)]
WRONG_LENGTH = "records of a wrong length read up to the next one"
Pack = Callable[[Sequence[bytes]], bytes]
ARC = [arc_start(), *(arc_record(url, body) for url, body in zip(URLS, BODIES, strict=True))]


def whole(records: Sequence[bytes]) -> bytes:
    """All records in one gzip member."""
    return gzip.compress(b"".join(records), mtime=0)


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


@pytest.mark.parametrize("pack", [packed, b"".join])
def test_a_record_without_a_kind_is_damaged(tmp_path: Path, pack: Pack) -> None:
    records = [*RECORDS[:1], RECORDS[1].replace(b"WARC-Type", b"Field"), *RECORDS[2:]]
    urls, notes = opened(tmp_path, pack(records))
    assert (urls, [note[:26] for note in notes]) == (URLS[:1] + URLS[2:], ["damaged places left out: 1"])


@pytest.mark.parametrize("more", [-30, -4, -2, 2, 3, 7, 40, 9000])
@pytest.mark.parametrize("pack", [packed, b"".join, whole])
def test_an_arc_record_with_a_wrong_length_is_read_up_to_the_next(tmp_path: Path, more: int, pack: Pack) -> None:
    records = [*ARC[:2], arc_record(URLS[1], BODIES[1], len(BODIES[1]) + more), *ARC[3:]]
    (tmp_path / "web.arc").write_bytes(pack(records))
    web = open_web(tmp_path / "web.arc")
    assert crawled(web) == URLS
    assert url_links_of(web) == LINKS
    assert [note.partition(" (")[0] for note in web.origin.notes] in ([], [WRONG_LENGTH + ": 1"])
    assert web.origin.notes or pack is packed


@pytest.mark.parametrize("pack", [packed, b"".join, whole])
def test_no_wrong_length_of_an_arc_record_costs_a_page(tmp_path: Path, pack: Pack) -> None:
    """But that of all the next record too, which may well be what it says."""
    for more in [*range(-len(BODIES[1]), len(ARC[3]) - 1), len(ARC[3]) + 2, 9000]:
        records = [*ARC[:2], arc_record(URLS[1], BODIES[1], len(BODIES[1]) + more), *ARC[3:]]
        assert opened(tmp_path, pack(records), "web.arc")[0] == URLS, more


@pytest.mark.parametrize("pack", [packed, b"".join, whole])
def test_arc_records_may_follow_each_other_without_a_line_end(tmp_path: Path, pack: Pack) -> None:
    records = [record.removesuffix(b"\n") for record in ARC]
    odd = [arc_record(url, b"HTTP/1.1 200 OK\r\n\r\n<html><a href=/x>no line end").removesuffix(b"\n") for url in URLS]
    assert opened(tmp_path, pack(records), "web.arc") == (URLS, ())
    assert opened(tmp_path, pack([ARC[0], *odd]), "web.arc") == (URLS, ())


def translated(record: bytes) -> bytes:
    """As a program leaves a record that takes it for text."""
    return record.replace(b"\n", b"\r\n")


def header_translated(record: bytes) -> bytes:
    head, _, block = record.partition(b"\r\n\r\n")
    return translated(head + b"\r\n\r\n") + block


@pytest.mark.parametrize("write", [translated, header_translated])
@pytest.mark.parametrize("pack", [packed, b"".join, whole])
def test_records_whose_lines_end_twice_are_read_and_counted(tmp_path: Path, write: object, pack: Pack) -> None:
    data = pack([write(record) for record in RECORDS])  # type: ignore[operator]
    (tmp_path / "web.warc").write_bytes(data)
    web = open_web(tmp_path / "web.warc")
    assert url_links_of(web) == LINKS
    counts = [note.partition(" (")[0] for note in web.origin.notes]
    assert "records whose lines end with \\r\\r\\n: 4" in counts
    assert (f"{WRONG_LENGTH}: 4" in counts) == (write is translated)


def test_a_record_of_a_wrong_length_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    cut = warc_record(URLS[1], BODIES[1])[:-20]
    urls, notes = opened(tmp_path, b"".join([RECORDS[0], cut, *RECORDS[2:]]))
    assert (urls, [note[:26] for note in notes]) == (URLS[:1] + URLS[2:], ["damaged places left out: 1"])


@pytest.mark.parametrize("pack", [packed, b"".join, whole])
@pytest.mark.parametrize("more", [-20, 30, 9000])
def test_an_archive_of_one_record_of_a_wrong_length_is_read(tmp_path: Path, pack: Pack, more: int) -> None:
    urls, notes = opened(tmp_path, pack([warc_record(URLS[1], BODIES[1], length=len(BODIES[1]) + more)]))
    assert (urls, [note.partition(" (")[0] for note in notes]) == ([URLS[1]], [WRONG_LENGTH + ": 1"])


def test_a_page_about_archives_forges_no_record(tmp_path: Path) -> None:
    """In a gzip member of its own a record ends with the member, whatever its wrong length makes of it."""
    forged = warc_record("http://forged.example/", http("<a href=/x>"))
    odd = warc_record(URLS[1], BODIES[1] + b"\n\n" + forged, length=10)
    urls, notes = opened(tmp_path, packed([RECORDS[0], odd, *RECORDS[2:]]))
    assert urls == URLS
    assert [note.partition(" (")[0] for note in notes] == [WRONG_LENGTH + ": 1"]


def test_pages_that_the_crawler_cut_short_are_counted(tmp_path: Path) -> None:
    records = [
        RECORDS[0],
        warc_record(URLS[1], BODIES[1], WARC_Truncated="length"),
        warc_record(URLS[2], http(b"\x89PNG", Content_Type="image/png"), WARC_Truncated="time"),
        RECORDS[3],
    ]
    note = f"pages that the crawler cut short (WARC-Truncated): 1 ({URLS[1]})"
    for pack in (packed, b"".join, whole):
        urls, notes = opened(tmp_path, pack(records))
        assert (urls, notes) == (URLS, (note,))


Spoilt = tuple[str, int]
SPOILT = st.tuples(st.sampled_from(["as it is", "length", "translated", "header", "feeds"]), st.integers(-40, 190))


def spoilt(k: int, how: Spoilt) -> bytes:
    if how[0] == "length":
        return warc_record(URLS[k], BODIES[k], length=max(len(BODIES[k]) + how[1], 0))
    write = {"translated": translated, "header": header_translated, "feeds": with_line_feeds}
    return write.get(how[0], bytes)(RECORDS[k])


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SPOILT, min_size=4, max_size=4), st.sampled_from([packed, b"".join, whole]))
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_every_page_that_warcio_reads_is_read(tmp_path: Path, how: list[Spoilt], pack: Pack) -> None:
    data = pack([spoilt(k, one) for k, one in enumerate(how)])
    urls, _ = opened(tmp_path, data)
    assert set(urls) >= read_by_warcio(data)
    assert urls == URLS


def read_by_warcio(data: bytes) -> set[str]:
    """The pages in which it finds a link."""
    found = set()
    try:
        for record in ArchiveIterator(io.BytesIO(data)):
            if b"href" in record.content_stream().read():
                found.add(record.rec_headers.get_header("WARC-Target-URI"))
    except ArchiveLoadFailed:
        pass
    return found


def test_an_arc_record_whose_length_counts_its_line_end_is_sound(tmp_path: Path) -> None:
    records = [arc_record(url, body, len(body) + 1) for url, body in zip(URLS, BODIES, strict=True)]
    assert opened(tmp_path, b"".join([ARC[0], *records]), "web.arc") == (URLS, ())


def test_a_record_without_a_url_is_counted(tmp_path: Path) -> None:
    records = [RECORDS[0], RECORDS[1].replace(b"WARC-Target-URI", b"Field"), *RECORDS[2:]]
    place = len(RECORDS[0])
    notes = (f"records left out because their URL is not a page's: 1 (web.warc at byte {place})",)
    assert opened(tmp_path, b"".join(records)) == (URLS[:1] + URLS[2:], notes)


@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_a_record_of_a_page_without_an_http_answer_is_counted(tmp_path: Path, kind: str) -> None:
    make, records = (warc_record, RECORDS) if kind == "warc" else (arc_record, ARC)
    records = [*records[:2], make(URLS[3], b"<html>as it is</html>"), make("dns:a.example", b"20080430 a.example")]
    urls, notes = opened(tmp_path, b"".join(records), f"web.{kind}")
    place = len(b"".join(records[:2]))
    assert urls == URLS[: len(urls)]
    assert notes == (f"records left out that are not HTTP answers: 1 (web.{kind} at byte {place})",)


def test_a_file_that_is_only_the_start_of_a_record_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"damaged places left out: 1 \(t\.warc at byte 0\)"):
        opened(tmp_path, b"WARC/1.0\r\n", "t.warc")

"""Damaged archives: what is sound is kept, what is not is counted and named, memory stays bounded."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import textwrap
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.archives.captures import LONGEST_PAGE
from seedbed.common import read_issues as damage_of_archives
from seedbed.errors import SeedbedError
from seedbed.sources.opening import open_web
from tests.archives import arc_record, arc_start, crawled, http, lz4, packed, page, page_links, warc_record, zstd
from tests.sources import url_links_of

URLS = [f"http://a.example/{k}" for k in range(6)]
BODIES = [http(f"<a href=/{k + 1}>words words {'words ' * k}</a>") for k in range(6)]
WRONG_LENGTH = "records of a wrong length read up to the next one"
RECORDS = [warc_record(url, body) for url, body in zip(URLS, BODIES, strict=True)]
ARC = [arc_start(), *(arc_record(url, body) for url, body in zip(URLS, BODIES, strict=True))]


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 0xFF
    return bytes(changed)


def members(*, second: bytes) -> bytes:
    """The archive in gzip with something else in place of the third record."""
    return packed(RECORDS[:2]) + second + packed(RECORDS[3:])


def plain(*, second: bytes) -> bytes:
    return b"".join(RECORDS[:2]) + second + b"".join(RECORDS[3:])


WHOLE = gzip.compress(RECORDS[2], mtime=0)
DAMAGED = {
    "a member cut short": members(second=WHOLE[:-20]),
    "a member cut at its start": members(second=WHOLE[5:]),
    "a byte changed in a member": members(second=flipped(WHOLE, 20)),
    "a wrong checksum": members(second=flipped(WHOLE, -6)),
    "no gzip between members": members(second=b"this is no gzip"),
    "no version": plain(second=RECORDS[2].replace(b"WARC/1.0", b"WRAC/1.0")),
    "other text between records": plain(second=b"other text\n"),
}


WRONG_LENGTHS = {
    "a length too large in gzip": members(second=packed([warc_record(URLS[2], BODIES[2], length=9000)])),
    "a length somewhat too large in gzip": members(second=packed([warc_record(URLS[2], BODIES[2], length=300)])),
    "a length too small in gzip": members(second=packed([warc_record(URLS[2], BODIES[2], length=30)])),
    "a length too large": plain(second=warc_record(URLS[2], BODIES[2], length=9000)),
    "a length beyond all bounds": plain(second=warc_record(URLS[2], BODIES[2], length="9" * 30)),
    "a length too small": plain(second=warc_record(URLS[2], BODIES[2], length=30)),
    "a negative length": plain(second=warc_record(URLS[2], BODIES[2], length=-5)),
    "no length": plain(second=RECORDS[2].replace(b"Content-Length", b"Content-Width")),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_only_the_damaged_record_is_lost(tmp_path: Path, damage: str) -> None:
    (tmp_path / "web.warc").write_bytes(DAMAGED[damage])
    web = open_web(tmp_path / "web.warc")
    start = len(packed(RECORDS[:2]) if DAMAGED[damage][:2] == b"\x1f\x8b" else b"".join(RECORDS[:2]))
    assert crawled(web) == [url for url in URLS if url != URLS[2]]
    assert web.origin.notes == (f"damaged places left out: 1 (web.warc at byte {start:,})",)


@pytest.mark.parametrize("wrong", WRONG_LENGTHS)
def test_a_record_of_a_wrong_length_is_read_up_to_the_next(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "web.warc").write_bytes(WRONG_LENGTHS[wrong])
    web = open_web(tmp_path / "web.warc")
    start = len(packed(RECORDS[:2]) if WRONG_LENGTHS[wrong][:2] == b"\x1f\x8b" else b"".join(RECORDS[:2]))
    assert crawled(web) == URLS
    assert url_links_of(web) == [(url, f"http://a.example/{k + 1}") for k, url in enumerate(URLS)]
    assert web.origin.notes == (f"{WRONG_LENGTH}: 1 (web.warc at byte {start:,})",)


@pytest.mark.parametrize("pack", [packed, b"".join])
def test_the_last_record_is_lost_where_the_file_is_cut(tmp_path: Path, pack: object) -> None:
    (tmp_path / "web.warc").write_bytes(pack(RECORDS)[:-40])  # type: ignore[operator]
    web = open_web(tmp_path / "web.warc")
    assert crawled(web) == URLS[:5]
    assert web.origin.notes[0].startswith("damaged places left out: 1 ")


def test_a_file_damaged_at_its_start_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "web.warc.gz").write_bytes(flipped(packed(RECORDS), 20))
    assert crawled(open_web(tmp_path / "web.warc.gz")) == URLS[1:]


def test_many_damages_are_counted_and_the_first_few_named(tmp_path: Path) -> None:
    data = b"".join(packed([RECORDS[k % 6]])[: -20 if k % 2 else None] for k in range(20))
    (tmp_path / "web.warc.gz").write_bytes(data)
    (note,) = open_web(tmp_path / "web.warc.gz").origin.notes
    assert note.startswith("damaged places left out: 10 (web.warc.gz at byte ")
    assert (note.count("at byte"), note[-2:]) == (3, "…)")


@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_a_file_that_would_be_read_over_and_over_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(damage_of_archives, "_ALWAYS", 0)
    make = warc_record if kind == "warc" else arc_record
    endless = [make(f"http://a.example/e{k}", BODIES[0], length=10**9) for k in range(100)]
    sound = RECORDS[0] if kind == "warc" else ARC[0] + ARC[1]
    (tmp_path / f"web.{kind}").write_bytes(sound + b"".join(endless))
    web = open_web(tmp_path / f"web.{kind}")
    assert crawled(web)[0] == URLS[0]
    assert len(crawled(web)) < 50
    assert web.origin.notes[1].startswith("files abandoned partway after too much damage: 1 (web.")


@pytest.mark.parametrize("damage", ["cut member", "wrong checksum", "bad line"])
def test_only_the_damaged_record_of_an_arc_file_is_lost(tmp_path: Path, damage: str) -> None:
    member = gzip.compress(ARC[3], mtime=0)
    data = {
        "cut member": packed(ARC[:3]) + member[:-20] + packed(ARC[4:]),
        "wrong checksum": packed(ARC[:3]) + flipped(member, -6) + packed(ARC[4:]),
        "bad line": b"".join([*ARC[:3], b"what is this\n", *ARC[4:]]),
    }[damage]
    (tmp_path / "web.arc").write_bytes(data)
    web = open_web(tmp_path / "web.arc")
    assert crawled(web) == [url for url in URLS if url != URLS[2]]
    assert web.origin.notes[0].startswith("damaged places left out: 1 ")


def test_a_page_beyond_the_bound_is_read_up_to_it(tmp_path: Path) -> None:
    html = b"<a href=/first></a>" + b" " * LONGEST_PAGE + b"<a href=/last></a>"
    answers = [http(html), http(gzip.compress(html), Content_Encoding="gzip")]
    records = [warc_record(f"http://h{k}.example/", answer) for k, answer in enumerate(answers)]
    (tmp_path / "web.warc").write_bytes(b"".join([*records, page(URLS[0], "<a href=/1>")]))
    web = open_web(tmp_path / "web.warc")
    assert web.link_count == 3
    assert web.origin.notes == (
        "pages read in part (too long, too deep or badly encoded): 2 (http://h0.example/; http://h1.example/)",
    )


def test_bombs_and_pages_of_gigabytes_are_read_in_little_memory(tmp_path: Path) -> None:
    head = warc_record("http://bomb.example/", http(b""), length=(1 << 30) + len(http(b"")))[:-4]
    pack = zlib.compressobj(1, zlib.DEFLATED, 31)
    zeros = b"<a href=/x>" + b" " * ((1 << 20) - 11)
    bomb = pack.compress(head) + b"".join(pack.compress(zeros) for _ in range(1 << 10))
    bomb += pack.compress(b"\r\n\r\n") + pack.flush()
    inside = zlib.compressobj(9, zlib.DEFLATED, 31)
    sent_packed = b"".join(inside.compress(zeros) for _ in range(1 << 9)) + inside.flush()
    nested = warc_record("http://nested.example/", http(gzip.compress(sent_packed), Content_Encoding="gzip, gzip"))
    (tmp_path / "web.warc.gz").write_bytes(bomb + packed([nested, page(URLS[0], "<a href=/1>")]))
    script = """
        import resource, sys
        from pathlib import Path
        resource.setrlimit(resource.RLIMIT_AS, (3 << 28, 3 << 28))
        from seedbed.archives.capture_rows import parts_of
        (part,) = parts_of(Path(sys.argv[1]))
        print(part.urls, part.targets, [damage.what for damage in part.issues])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "web.warc.gz")],
        capture_output=True,
        text=True,
        check=False,
    )
    hosts = ("bomb", "nested", "a")
    expected = [f"http://{hosts[0]}.example/", f"http://{hosts[1]}.example/", URLS[0]]
    cut = ["pages read in part (too long, too deep or badly encoded)"] * 2
    assert done.stderr == ""
    assert done.stdout.strip() == f"{expected} {['http://bomb.example/x', 'http://nested.example/x', URLS[1]]} {cut}"


PACKINGS = (packed, b"".join, lambda records: b"".join(map(zstd, records)), lambda records: b"".join(map(lz4, records)))


def attempt(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        for kind in (None, "archive"):
            try:
                web = open_web(path, format=kind)
                web.links.arrays()
                said = "".join(web.origin.notes)
            except SeedbedError as error:
                said = str(error)
            assert "\n" not in said
            assert "where reading failed" not in said


@given(
    st.sampled_from([pack(records) for pack in PACKINGS for records in (RECORDS, ARC)]),
    st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 30), st.binary(max_size=12)), min_size=1, max_size=4),
    st.sampled_from(["web.warc.gz", "web.arc", "web"]),
)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_archives_with_any_bytes_changed_give_a_web_or_an_error(
    data: bytes, edits: list[tuple[int, int, bytes]], name: str
) -> None:
    for at, removed, added in edits:
        place = at % (len(data) + 1)
        data = data[:place] + added + data[place + removed :]
    attempt(data, name)


@given(st.sampled_from([b"", b"WARC/1.0\r\n", b"filedesc:", b"\x1f\x8b\x08"]), st.binary(max_size=200))
@settings(deadline=None, max_examples=80)
def test_any_bytes_under_an_archive_name_give_a_web_or_an_error(start: bytes, rest: bytes) -> None:
    attempt(start + rest, "web.warc")


HTML = st.lists(
    st.sampled_from(
        [b"<a href=", b"<meta charset=", b"'", b'"', b">", b"<base href=", b"<", b"/", b"http://", b"\xff", b"\0", b"?",
         b"%", b"&#xD800;", b"[", b"@", b":", b"<!--", b"<script>", b"utf-16", b"gb18030", b"<svg>", b"</a>", b" rel="]
    ),
    max_size=25,
).map(b"".join)  # fmt: skip


@given(
    HTML | st.binary(max_size=100), st.sampled_from(["", "utf-7", "utf-16", "iso-2022-jp", "x-user-defined", "\udc80"])
)
@settings(deadline=None, max_examples=250)
def test_any_page_in_any_encoding_gives_links(html: bytes, charset: str) -> None:
    from seedbed.urls.browser_urls import BrowserUrls

    links = page_links(html, URLS[0], charset, BrowserUrls(drop_sessions=True))
    assert all(target.startswith(("http://", "https://")) and target.isascii() for target in links.followed)


@given(HTML.map(lambda head: head.replace(b"<", b"\r\n")), st.binary(max_size=60))
@settings(deadline=None, max_examples=150)
def test_any_http_answer_gives_a_capture_or_nothing(head: bytes, body: bytes) -> None:
    for coding in (b"gzip", b"br", b"deflate", b"zstd", b"chunked"):
        answer = (
            b"HTTP/1.1 200 \r\nContent-Encoding: " + coding + b"\r\nTransfer-Encoding: chunked" + head + b"\r\n\r\n"
        )
        attempt(warc_record(URLS[0], answer + body), "web.warc")

"""Packed archives: whatever is cut or changed, each record is kept or the damage is told, and the others are kept."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fastwarc.stream_io import ZstdWriter, zstd_train_dictionary_from_samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.archives import arc, warc
from seedbed.archives.archive_records import Syntax, captures
from seedbed.archives.captures import Capture
from seedbed.common.read_issues import ReadIssue
from tests.archives import arc_record, arc_start, http, lz4, page, written, zstd

URLS = [f"http://a.example/{k}" for k in range(6)]
RECORDS = [page(url, f"<a href=/{k + 1}>words words {'words ' * k}</a>") for k, url in enumerate(URLS)]
ARC = [arc_start(), *(arc_record(url, http("<a href=/x>words words</a>")) for url in URLS)]
Pack = Callable[[bytes], bytes]


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def plain(data: bytes) -> bytes:
    return data


PACKINGS = {"plain": plain, "gzip": gz, "zstd": zstd, "lz4": lz4}
every_packing = pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
every_frame = pytest.mark.parametrize("pack", [gz, zstd, lz4])


def found(folder: Path, data: bytes, syntax: Syntax = warc.SYNTAX) -> tuple[list[str], list[int]]:
    """The URLs of an archive, and where it is damaged."""
    (folder / "web").write_bytes(data)
    all_found: list[Capture | ReadIssue] = list(captures(folder / "web", syntax))
    urls = [capture.url for capture in all_found if isinstance(capture, Capture)]
    return urls, [damage.byte for damage in all_found if isinstance(damage, ReadIssue)]


def noise(size: int, seed: int = 1) -> bytes:
    """Text that does not pack well."""
    return np.random.default_rng(seed).bytes(size // 2).hex().encode()


@every_packing
def test_every_packing_holds_the_same_records(tmp_path: Path, pack: Pack) -> None:
    assert found(tmp_path, b"".join(map(pack, RECORDS))) == (URLS, [])
    assert found(tmp_path, pack(b"".join(RECORDS))) == (URLS, [])


@every_packing
@pytest.mark.parametrize("kind", ["warc", "arc"])
def test_wherever_a_file_is_cut_the_record_is_kept_or_counted(tmp_path: Path, pack: Pack, kind: str) -> None:
    syntax, records = (warc.SYNTAX, RECORDS) if kind == "warc" else (arc.SYNTAX, ARC)
    before = b"".join(map(pack, records[:-1]))
    last = pack(records[-1])
    for length in range(1, len(last)):
        urls, issues = found(tmp_path, before + last[:length], syntax)
        assert (urls, issues) in [(URLS, []), (URLS[:-1], [len(before)])], length


@every_frame
def test_wherever_a_file_of_one_frame_is_cut_all_before_is_kept(tmp_path: Path, pack: Pack) -> None:
    records = [page(f"http://a.example/{k}", noise(20_000, k)) for k in range(40)]
    whole = pack(b"".join(records))
    for share in (0.3, 0.5, 0.9):
        urls, issues = found(tmp_path, whole[: int(len(whole) * share)])
        assert issues == [0]
        # What FastWARC writes in lz4 has blocks of 4 MiB.
        assert len(urls) >= (0 if pack is lz4 else int(len(records) * share) - 8)


@every_frame
def test_an_empty_frame_is_passed_over(tmp_path: Path, pack: Pack) -> None:
    records = [*map(pack, RECORDS)]
    for place in (0, 2, 6):
        assert found(tmp_path, b"".join([*records[:place], pack(b""), *records[place:]])) == (URLS, [])


@every_frame
def test_zeros_that_fill_up_a_file_are_passed_over(tmp_path: Path, pack: Pack) -> None:
    assert found(tmp_path, b"".join(map(pack, RECORDS)) + bytes(300_000)) == (URLS, [])


@every_frame
@given(st.data())
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_in_one_frame_costs_no_other(tmp_path: Path, pack: Pack, data: st.DataObject) -> None:
    frames = [*map(pack, RECORDS)]
    at = data.draw(st.integers(0, len(frames[2]) - 1))
    removed, added = data.draw(st.integers(0, 40)), data.draw(st.binary(max_size=40))
    frames[2] = frames[2][:at] + added + frames[2][at + removed :]
    urls, issues = found(tmp_path, b"".join(frames))
    others = URLS[:2] + URLS[3:]
    lost = [url for url in others if url not in urls]
    # An lz4 frame that has lost its end mark runs on into the next one, and no checksum shows it.
    assert not lost or (pack is lz4 and lost == URLS[3:4])
    assert [url for url in urls if url in others] == [url for url in others if url not in lost]
    # Without a checksum, as lz4 is mostly written, a record can change and look sound.
    assert issues or urls == URLS or pack is lz4


@pytest.mark.parametrize("count", [1, 100, 1_400_000])
def test_garbage_that_looks_like_a_member_without_end_costs_nothing(tmp_path: Path, count: int) -> None:
    frames = [gzip.compress(record, mtime=1_700_000_000) for record in RECORDS[:2]]
    assert found(tmp_path, frames[0] + b"\x1f\x8b\x08" * count + frames[1]) == (URLS[:2], [len(frames[0])])


@every_packing
def test_damaged_records_side_by_side_are_one_place(tmp_path: Path, pack: Pack) -> None:
    wrong = [record.replace(b"WARC-Type: ", b"Type: ") for record in RECORDS[1:4]]
    assert found(tmp_path, b"".join(map(pack, [RECORDS[0], *wrong, *RECORDS[4:]]))) == (
        URLS[:1] + URLS[4:],
        [len(pack(RECORDS[0]))],
    )


def test_a_byte_changed_in_a_file_of_one_member_costs_what_is_behind_it(tmp_path: Path) -> None:
    data = bytearray(gz(b"".join(page(f"http://a.example/{k}", noise(600, k)) for k in range(40))))
    assert len(data) < 1 << 16
    data[len(data) // 2] ^= 0xFF
    urls, issues = found(tmp_path, bytes(data))
    assert urls[:18] == [f"http://a.example/{k}" for k in range(18)]
    assert issues == [0]


@every_frame
def test_a_wrong_length_in_a_file_of_one_frame_costs_no_record(tmp_path: Path, pack: Pack) -> None:
    records = [record.replace(b"Length: ", b"Length: 1") if k == 2 else record for k, record in enumerate(RECORDS)]
    assert found(tmp_path, pack(b"".join(records))) == (URLS, [0])


@pytest.mark.parametrize("packed_itself", [False, True])
def test_zstd_with_a_dictionary_is_read_behind_damage_too(tmp_path: Path, packed_itself: bool) -> None:
    samples = [page(f"http://a.example/{k}", f"<a href=/{k}>{noise(60, k).decode()}</a>") for k in range(2000)]
    dictionary = zstd_train_dictionary_from_samples(samples, 4096)

    def packed(data: bytes) -> bytes:
        writer = ZstdWriter(out := io.BytesIO(), dictionary=dictionary, compress_dictionary_frame=packed_itself)
        return written(writer, out, data)

    # Each starts with the dictionary, which only the first of a file does.
    behind = 8 + int.from_bytes(packed(b"")[4:8], "little")
    frames = [packed(record)[behind:] for record in RECORDS]
    first = packed(b"")[:behind]
    assert found(tmp_path, first + b"".join(frames)) == (URLS, [])
    place = len(first + frames[0] + frames[1])
    assert found(tmp_path, first + frames[0] + frames[1] + frames[2][:-9] + frames[3]) == (
        URLS[:2] + URLS[3:4],
        [place],
    )

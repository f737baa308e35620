"""Text in pieces of whole lines, and lines cut into fields."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.common.compression import decompressed
from seedbed.errors import InputError, OptionError
from seedbed.sources import text_files as text_layer
from seedbed.sources.formats.adjacency import Form, _Lists, _with_ids
from seedbed.sources.opening import open_web
from seedbed.sources.text_files import NotUtf8, Piece, in_order, pieces, text_chunks
from seedbed.sources.text_kernels import (
    BLANKS,
    CSV_QUOTES,
    LABEL_QUOTES,
    NO_QUOTES,
    plain_pairs,
    reverse_labels,
)
from seedbed.sources.text_rows import Layout, Rows, integer_pairs
from tests.reference import sources as plain

QUOTES = {"none": NO_QUOTES, "csv": CSV_QUOTES, "label": LABEL_QUOTES}
BYTE_OF = {None: BLANKS, "\t": 9, ",": 44, ";": 59, "|": 124}
LINES = b"one\n\ntwo two\r\nthree"


def piece_of(text: str | bytes) -> Piece:
    data = text.encode() if isinstance(text, str) else text
    return Piece(Path("a.txt"), 1, np.frombuffer(data, np.uint8))


def packed(data: bytes, how: str) -> bytes:
    return {
        "plain": bytes,
        "gzip": gzip.compress,
        "zstd": zstandard.ZstdCompressor().compress,
        "bzip2": bz2.compress,
        "xz": lzma.compress,
    }[how](data)


PACKED = ["gzip", "zstd", "bzip2", "xz"]


@pytest.mark.parametrize("how", ["plain", *PACKED])
@pytest.mark.parametrize("block", [1, 5, 1000])
def test_pieces_join_to_the_file_and_know_their_lines(tmp_path: Path, how: str, block: int) -> None:
    file = tmp_path / "lines"
    file.write_bytes(packed(LINES, how))
    found = list(pieces(file, block=block))
    assert b"".join(bytes(piece.text) for piece in found) == LINES + b"\n"
    for k, piece in enumerate(found):
        before = b"".join(bytes(one.text) for one in found[:k])
        assert piece.line == 1 + before.count(b"\n")
        assert piece.text[-1] == ord("\n")


@pytest.mark.parametrize("how", PACKED)
def test_files_packed_in_several_parts_are_read_to_the_end(tmp_path: Path, how: str) -> None:
    file = tmp_path / "parts"
    file.write_bytes(packed(b"1 2\n", how) + packed(b"3 4\n", how))
    assert b"".join(bytes(piece.text) for piece in pieces(file)) == b"1 2\n3 4\n"


@pytest.mark.parametrize(
    ("how", "kept"),
    [*(("bzip2", kept) for kept in (12, -1)), *((how, kept) for how in ("gzip", "zstd", "xz") for kept in (6, -1))],
)
def test_a_packed_file_cut_short_is_refused(tmp_path: Path, how: str, kept: int) -> None:
    file = tmp_path / "cut"
    file.write_bytes(packed(bytes(range(256)) * 50, how)[:kept])
    with pytest.raises(InputError, match=r"cut: damaged near compressed byte \d+ .*Fetch it again"):
        list(pieces(file))


@pytest.mark.parametrize("how", PACKED)
def test_a_small_file_that_unpacks_to_much_is_read_in_blocks(tmp_path: Path, how: str) -> None:
    file = tmp_path / "bomb"
    file.write_bytes(packed(b"0 1\n" * (1 << 22), how))
    with file.open("rb", buffering=0) as raw:
        sizes = [len(block) for block in decompressed(raw, 1 << 16)]
    assert sum(sizes) == 1 << 24
    assert max(sizes) <= 1 << 21


def test_what_only_starts_like_bzip2_is_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"BZh9 is a word\n")
    assert b"".join(bytes(piece.text) for piece in pieces(tmp_path / "text")) == b"BZh9 is a word\n"


def test_an_xz_window_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}]
    (tmp_path / "wide.xz").write_bytes(lzma.compress(b"1 2\n", filters=filters))
    with pytest.raises(InputError, match=r"wide.xz: damaged .*[Mm]emory"):
        list(pieces(tmp_path / "wide.xz"))


def test_xz_files_may_be_padded(tmp_path: Path) -> None:
    (tmp_path / "padded.xz").write_bytes(lzma.compress(b"1 2\n") + bytes(8) + lzma.compress(b"3 4\n") + bytes(4))
    assert b"".join(bytes(piece.text) for piece in pieces(tmp_path / "padded.xz")) == b"1 2\n3 4\n"


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(b"1 2\n" * 1000))
    data[-6] ^= 255
    (tmp_path / "bad.gz").write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        list(pieces(tmp_path / "bad.gz"))


def test_a_zstd_window_beyond_all_measure_is_refused(tmp_path: Path) -> None:
    settings_ = zstandard.ZstdCompressionParameters.from_level(1, window_log=30)
    with (tmp_path / "wide.zst").open("wb") as file:
        packer = zstandard.ZstdCompressor(compression_params=settings_).stream_writer(file, closefd=False)
        packer.write(b"1 2\n")
        packer.close()
    with pytest.raises(InputError, match="too much memory"):
        list(pieces(tmp_path / "wide.zst"))


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_layer, "LONGEST_LINE", 100)
    (tmp_path / "long").write_bytes(b"1 2\n" + b"x" * 200)
    with pytest.raises(InputError, match="long, line 2: longer than"):
        list(pieces(tmp_path / "long", block=50))


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "marked").write_bytes("\ufeff1 2\n".encode())
    assert bytes(next(pieces(tmp_path / "marked")).text) == b"1 2\n"


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"a\nb\xfc\n")
    with pytest.raises(NotUtf8, match=r"latin, line 2: the byte 0xfc is not UTF-8.*--encoding latin-1"):
        next(pieces(tmp_path / "latin")).checked()


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "cp1252"])
@pytest.mark.parametrize("block", [1, 1000])
def test_other_encodings_are_turned_into_utf8(tmp_path: Path, encoding: str, block: int) -> None:
    (tmp_path / "coded").write_bytes("für\nöde\n".encode(encoding))
    found = b"".join(bytes(piece.text) for piece in pieces(tmp_path / "coded", encoding=encoding, block=block))
    assert found.decode() == "für\nöde\n"


def test_an_encoding_that_is_none_or_does_not_fit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"\xff\n")
    for encoding in ("latin-99", "zlib"):
        with pytest.raises(OptionError, match="unknown encoding"):
            list(pieces(tmp_path / "data", encoding=encoding))
    with pytest.raises(InputError, match="not in the encoding ascii"):
        list(pieces(tmp_path / "data", encoding="ascii"))


def test_lists_keep_blank_lines_and_lose_line_ends(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"a.example\r\n\nb.example")
    lines = [
        bytes(text[text_ptr[k] : text_ptr[k + 1]])
        for text, text_ptr in text_chunks(tmp_path / "list")
        for k in range(len(text_ptr) - 1)
    ]
    assert lines == [b"a.example", b"", b"b.example"]


def test_work_in_threads_keeps_its_order_and_its_errors() -> None:
    def work(item: int) -> int:
        if item == 7:
            raise InputError("seven")
        return item * item

    assert list(in_order(work, range(7))) == [item * item for item in range(7)]
    with pytest.raises(InputError, match="seven"):
        list(in_order(work, range(100)))


def fields_of(rows: Rows) -> list[list[str]]:
    found: list[list[str]] = [[] for _ in range(len(rows))]
    for column in range(rows.start.shape[0]):
        there = np.flatnonzero(rows.start[column] >= 0)
        filled = there[rows.end[column][there] > rows.start[column][there]]
        text, text_ptr = rows.at(filled).texts(column)
        values = {int(row): bytes(text[text_ptr[k] : text_ptr[k + 1]]).decode() for k, row in enumerate(filled)}
        for row in there.tolist():
            found[row].append(values.get(row, ""))
    return found


@given(
    st.text(alphabet='ab1" \t,;|#%/\r\n', max_size=60),
    st.sampled_from(list(BYTE_OF)),
    st.sampled_from(list(QUOTES)),
)
@settings(deadline=None, max_examples=400)
def test_lines_are_cut_as_the_plain_twin_cuts_them(text: str, separator: str | None, quotes: str) -> None:
    layout = Layout(BYTE_OF[separator], QUOTES[quotes], b"#%/")
    try:
        expected = plain.rows(text, separator, quotes, comments=("#", "%", "//"))
    except ValueError:
        with pytest.raises(InputError, match="double quote"):
            Rows.cut(piece_of(text + "\n"), layout, 80)
        return
    assert fields_of(Rows.cut(piece_of(text + "\n"), layout, 80)) == expected


TABLES = st.lists(
    st.lists(st.text(alphabet='ab1", ;|\t/:é', min_size=1).map(str.strip).filter(bool), min_size=2, max_size=2),
    min_size=1,
    max_size=5,
)


@given(TABLES, st.sampled_from("\t,;|"))
@settings(deadline=None, max_examples=100)
def test_what_the_csv_module_writes_is_read_back(table: list[list[str]], separator: str) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(table)
    assert fields_of(Rows.cut(piece_of(text.getvalue()), Layout(ord(separator), CSV_QUOTES, b""), 2)) == table


@given(st.text(alphabet="0123456789+-x \t,\r\n", max_size=50), st.sampled_from([None, ","]))
@settings(deadline=None, max_examples=300)
def test_the_short_way_to_pairs_agrees_with_the_long_one(text: str, separator: str | None) -> None:
    piece = piece_of(text + "\n")
    pairs = np.empty((2, text.count("\n") + 1), np.int32)
    rows = plain_pairs(piece.text, BYTE_OF[separator], pairs[0], pairs[1])
    if rows >= 0:
        cut = Rows.cut(piece, Layout(BYTE_OF[separator], NO_QUOTES, b""), 2)
        assert cut.integers(0).tolist() == pairs[0, :rows].tolist()
        assert cut.integers(1).tolist() == pairs[1, :rows].tolist()


def test_plain_pieces_take_the_short_way() -> None:
    pairs = np.empty((2, 3), np.int32)
    assert plain_pairs(piece_of("1 2\n 3\t4 0.5\r\n5 6\n").text, BLANKS, pairs[0], pairs[1]) == 3
    assert pairs.tolist() == [[1, 3, 5], [2, 4, 6]]
    assert plain_pairs(piece_of("1 2\n# 3\n").text, BLANKS, pairs[0], pairs[1]) == -1
    assert plain_pairs(piece_of("1 2147483648\n").text, BLANKS, pairs[0], pairs[1]) == -1


@given(st.integers(-(10**18) + 1, 10**18 - 1))
@settings(deadline=None, max_examples=50)
def test_whole_numbers_of_up_to_18_digits_are_read(number: int) -> None:
    sources, targets = integer_pairs(piece_of(f"{number} +7\n"), Layout())
    assert (sources.tolist(), targets.tolist()) == ([number], [7])


@pytest.mark.parametrize("field", ["x", "1.5", "", "-", "1" * 19, "0x1", "٣"])
def test_what_is_no_whole_number_is_named_with_its_line(field: str) -> None:
    with pytest.raises(InputError, match=r"a\.txt, line 3: found .*expected a page id"):
        integer_pairs(piece_of(f"# comment\n1,2\n4,{field}\n"), Layout(ord(",")))


def test_a_column_of_numbers_is_whole_where_all_are() -> None:
    rows = Rows.cut(piece_of("1\t2\t3.5E7\n2\t3\t-1\n"), Layout(9), 3)
    assert rows.numbers(1, "b").dtype == np.int64
    assert rows.numbers(2, "c").tolist() == [3.5e7, -1.0]
    with pytest.raises(InputError, match=r"line 2: found 'x', expected a weight"):
        Rows.cut(piece_of("1.5\nx\n"), Layout(9), 1).numbers(0, "a weight")


def test_lists_of_targets_become_pairs() -> None:
    form = Form(ids=True, layout=Layout(BLANKS, NO_QUOTES, b"%"))
    lists, (heads, pairs) = _with_ids(_Lists.cut(piece_of("% no\n1 2 3\n\n 4\n5 1\r\n"), form))
    assert (heads.tolist(), lists.line.tolist()) == ([1, 4, 5], [1, 3, 4])
    assert np.transpose(pairs).tolist() == [[1, 2], [1, 3], [5, 1]]
    with pytest.raises(InputError, match="line 2: found 'x', expected page ids"):
        _Lists.cut(piece_of("1 2\n3 x\n"), form).numbers()


@given(st.lists(st.text(alphabet="ab.-é", max_size=8), max_size=6))
@settings(deadline=None, max_examples=100)
def test_names_turn_round_by_labels(names: list[str]) -> None:
    coded = [name.encode() for name in names]
    text = np.frombuffer(b"".join(coded), np.uint8)
    text_ptr = np.cumsum([0, *map(len, coded)])
    turned = bytes(reverse_labels(text, text_ptr))
    assert turned.decode() == "".join(".".join(name.split(".")[::-1]) for name in names)


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.integers(0, 200_000), st.integers(1, 700), st.data()
)
@settings(deadline=None, max_examples=80)
def test_gzip_in_members_with_zeros_behind_them_gives_all_that_comes_before_a_cut(
    members: list[bytes], zeros: int, size: int, data: st.DataObject
) -> None:
    packed = b"".join(map(gzip.compress, members))
    whole = b"".join(members)
    assert b"".join(decompressed(io.BytesIO(packed + bytes(zeros)), size)) == whole
    cut = data.draw(st.integers(2, len(packed)))
    found = []
    try:
        for block in decompressed(io.BytesIO(packed[:cut]), size):
            found.append(block)
    except OSError:
        assert cut < len(packed)
    assert whole.startswith(b"".join(found))
    ends = [len(b"".join(map(gzip.compress, members[:k]))) for k in range(len(members) + 1)]
    sound = max(k for k, end in enumerate(ends) if end <= cut)
    assert len(b"".join(found)) >= len(b"".join(members[:sound]))


@pytest.mark.parametrize("block", [1, 2, 3, 1000])
@pytest.mark.parametrize("text", [b"1 2\r3 4\r5 6", b"1 2\r\n3 4\r5 6\n", b"1 2\r3 4\n5 6\r", b"1 2\r\n3 4\r\n5 6\r\n"])
def test_a_carriage_return_alone_ends_a_line(tmp_path: Path, text: bytes, block: int) -> None:
    (tmp_path / "mac").write_bytes(text)
    found = b"".join(bytes(piece.text) for piece in pieces(tmp_path / "mac", block=block))
    assert [line.strip() for line in found.split(b"\n")] == [b"1 2", b"3 4", b"5 6", b""]


def test_a_carriage_return_inside_a_line_loses_no_link(tmp_path: Path) -> None:
    (tmp_path / "web").write_bytes(b"0 1\n1 2\r2 3\n3 0\n")
    assert open_web(tmp_path / "web").link_count == 4
    (tmp_path / "web").write_bytes(b"0 1\n1 2\r2 x\n3 0\n")
    with pytest.raises(InputError, match="web, line 3: found 'x'"):
        open_web(tmp_path / "web", format="edges")

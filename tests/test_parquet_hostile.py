"""Parquet files from strangers: a web or an error in one line, in bounded memory."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import seedbed as sb
from seedbed.errors import InputError, SeedbedError

READ_IN_LITTLE = """
import resource, sys
import seedbed as sb
import pyarrow.parquet, numba, duckdb
from seedbed.sources.formats import parquet
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (3 << 29), used + (3 << 29)))
try:
    print(sb.open(sys.argv[1]).link_count)
except sb.SeedbedError as error:
    print("refused:", error)
"""


def read_in_little_memory(path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", READ_IN_LITTLE, str(path)], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 1
    return done.stdout


def test_a_long_text_repeated_for_ever_is_refused(tmp_path: Path) -> None:
    long = "http://a.example/" + "x" * (3 << 20)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), [long])
    pq.write_table(pa.table({"from": text, "to": text}), tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 1 << 20
    with pytest.raises(InputError, match="the maximum is 2,097,152"):
        sb.open(tmp_path / "bomb.parquet")
    assert read_in_little_memory(tmp_path / "bomb.parquet").startswith("refused:")


def test_a_text_as_long_as_a_url_may_be_is_read_in_bounded_memory(tmp_path: Path) -> None:
    long = "http://a.example/" + "x" * (1 << 20)
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), [long])
    other = pa.array(["http://b.example/"] * 3000)
    pq.write_table(pa.table({"from": text, "to": other}), tmp_path / "long.parquet", compression="zstd")
    assert read_in_little_memory(tmp_path / "long.parquet") == "1\n"


def test_more_rows_than_memory_holds_are_refused(tmp_path: Path) -> None:
    values = pa.array([b"\0" * (1 << 27)], pa.binary())
    rows = pa.table({"from": [0] * 8, "to": [1] * 8, "more": pa.concat_arrays([values] * 8)})
    pq.write_table(rows, tmp_path / "wide.parquet", compression="zstd")
    assert read_in_little_memory(tmp_path / "wide.parquet") == "1\n"


@pytest.mark.parametrize("named", [False, True])
def test_bits_changed_in_files_of_others_end_in_a_web_or_one_line(tmp_path: Path, named: bool) -> None:
    numbers = [k * k % 50 for k in range(200)]
    ends = [f"http://{k}.example/" for k in numbers] if named else numbers
    file = tmp_path / "links.parquet"
    pq.write_table(pa.table({"from": ends, "to": ends[::-1]}), file)
    data = file.read_bytes()
    for bit in random.Random(3).sample(range(8 * len(data)), 400):  # noqa: S311
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(changed)
        try:
            sb.open(file, memory=1 << 26)
        except SeedbedError as error:
            assert "\n" not in str(error)

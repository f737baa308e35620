"""URL tables whose files are damaged: a string or an InputError, whatever the bytes."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError
from seedbed.urls.front_coding import Coded
from seedbed.urls.url_table import UrlTable


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


@pytest.mark.parametrize("ending", ["text", "ptr.npy", "symbols.npy", "rank.npy", "id.npy"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(b"PK\x03\x04" + path.read_bytes()),
        lambda path: path.write_bytes(npy(np.zeros((3, 3)))),
        lambda path: path.write_bytes(npy(np.array([{}]))),
    ],
    ids=["gone", "empty", "cut", "archive", "other", "pickle"],
)
def test_a_broken_file_gives_one_line(tmp_path: Path, ending: str, damage: Callable[[Path], object]) -> None:
    UrlTable.from_strings([f"u{k % 50:02}{k}" for k in range(100)]).save(tmp_path, "urls")
    damage(tmp_path / f"urls.{ending}")
    with pytest.raises(InputError) as caught:
        UrlTable.load(tmp_path, "urls")
    assert str(tmp_path / "urls") in str(caught.value)
    assert "\n" not in str(caught.value)


def use_in_every_way(table: UrlTable) -> None:
    """A damaged table may give wrong strings or an InputError, and nothing else."""
    for page in range(min(len(table), 100)):
        with contextlib.suppress(InputError):
            assert isinstance(table[page], str)
    for query in ("", "http://example.org/7", "\xff" * 20, "http://"):
        with contextlib.suppress(InputError):
            found = table.find(query)
            assert found is None or 0 <= found < len(table)
    for whole in (table.in_order, table.chunks, lambda: table.many(range(len(table))), lambda: iter(table)):
        with contextlib.suppress(InputError):
            list(whole())


arrays_of_a_table = st.sampled_from(["text", "ptr", "symbols", "rank", "id"])
changes = st.lists(st.tuples(arrays_of_a_table, st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=20)


@settings(deadline=None, max_examples=150)
@given(changes)
def test_any_change_of_bytes_gives_a_string_or_an_error(changes: list[tuple[str, int, int]]) -> None:
    table = UrlTable.from_strings([f"http://example.org/{k % 7}/é{k}" for k in range(150)])
    arrays = {
        "text": table._coded.text.copy(),
        "ptr": table._coded.ptr.copy(),
        "symbols": table._coded.symbols.copy(),
        "rank": table._rank_of_id.copy(),
        "id": table._id_of_rank.copy(),
    }
    for which, place, value in changes:
        raw = arrays[which].reshape(-1).view(np.uint8)
        raw[place % len(raw)] = value
    try:
        damaged = UrlTable(Coded(arrays["text"], arrays["ptr"], arrays["symbols"]), arrays["rank"], arrays["id"])
    except InputError:
        return
    use_in_every_way(damaged)


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=300), st.lists(st.integers(-5, 320), max_size=6), st.binary(max_size=64), st.booleans())
def test_any_bytes_at_all_give_a_string_or_an_error(
    text: bytes, inner: list[int], symbols: bytes, sound_symbols: bool
) -> None:
    ptr = np.array([0, *inner, len(text)], np.int64)
    table = np.zeros((1, 256, 9), np.uint8)
    table.reshape(-1)[: len(symbols)] = np.frombuffer(symbols, np.uint8)
    if sound_symbols:
        table[:, :, 0] = 1 + np.arange(256) % 8
    try:
        damaged = UrlTable(Coded(np.frombuffer(text, np.uint8), ptr, table))
    except InputError:
        return
    use_in_every_way(damaged)


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(["ptr", "symbols", "rank", "id"]),
    st.lists(st.tuples(st.integers(0, 127), st.integers(0, 255))),
)
def test_any_change_of_a_header_gives_a_table_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, which: str, changes: list[tuple[int, int]]
) -> None:
    folder = tmp_path_factory.mktemp("table")
    UrlTable.from_strings([f"u{k % 50:02}{k}" for k in range(100)]).save(folder, "urls")
    path = folder / f"urls.{which}.npy"
    raw = bytearray(path.read_bytes())
    for place, value in changes:
        raw[place] = value
    path.write_bytes(raw)
    try:
        damaged = UrlTable.load(folder, "urls")
    except InputError:
        return
    use_in_every_way(damaged)

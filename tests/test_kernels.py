"""The adapter for Numba: a version without one of the private names it uses gives the same results and says so once."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from seedbed.common import kernels
from seedbed.common.kernels import implements, kernel, leading_zeros, load_eight, trailing_zeros
from seedbed.links.csr import CsrLinks

SOURCES = Path(kernels.__file__).parents[1]
WORDS = [0, 1, 2, 3, 255, 256, 1 << 31, (1 << 63) + 5, (1 << 64) - 1]


def counted(leading: Any, trailing: Any) -> list[tuple[int, int]]:
    @kernel
    def zeros(word: Any) -> Any:
        return np.int64(leading(word)), np.int64(trailing(word))

    return [zeros(np.uint64(word)) for word in WORDS]


def loaded(load: Any) -> int:
    @kernel
    def first(data: Any) -> Any:
        return load(data, 1)

    return int(first(np.arange(9, dtype=np.uint8)))


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_TOLD", set())


def test_zeros_are_counted() -> None:
    expected = [(64 - word.bit_length(), (word & -word).bit_length() - 1 if word else 64) for word in WORDS]
    assert counted(leading_zeros, trailing_zeros) == expected


def test_eight_bytes_are_one_number_with_and_without_numbas_own_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(load_eight) == 0x0102030405060708
    monkeypatch.setitem(sys.modules, "numba.core.cgutils", None)
    with pytest.warns(UserWarning, match=r"the same results, more slowly.*tested with Numba"):
        found = kernels._eight_byte_load()
    assert loaded(found) == 0x0102030405060708


def test_kernels_do_without_options_and_a_cache_that_numba_no_longer_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def njit(**options: Any) -> Any:
        if options.keys() - {"nogil"}:
            raise KeyError("Unrecognized options")
        return lambda function: type("Compiled", (), {"py_func": function, "enable_caching": lambda self: None})()

    monkeypatch.setattr(numba, "njit", njit)
    with pytest.warns(UserWarning, match="lacks the options _nrt, forceinline") as told:
        for _ in range(3):
            kernels._compiled(_nrt=False, forceinline=True)(abs)
    assert len(told) == 1


def test_an_implementation_is_chosen_by_the_class_of_the_first_argument() -> None:
    def size(thing: Any, factor: Any) -> Any:
        raise TypeError("for kernels")

    implements(size, CsrLinks)(lambda links, factor: factor * links.out_idx.size)

    @kernel
    def doubled(links: Any) -> Any:
        return size(links, 2)

    assert doubled(CsrLinks(np.zeros(1, np.int64), np.zeros(3, np.int32))) == 6


def test_no_other_file_knows_numba() -> None:
    imports = re.compile(r"^\s*(from|import) (numba|llvmlite)\b", re.MULTILINE)
    found = [path for path in SOURCES.rglob("*.py") if imports.search(path.read_text("utf-8"))]
    assert found == [Path(kernels.__file__)]

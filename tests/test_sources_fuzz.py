"""Any bytes give a web or an error with one line, never anything else."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tempfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seedbed.errors import SeedbedError
from seedbed.graph.web import Web
from seedbed.sources.formats import FORMATS
from seedbed.sources.opening import ReadOptions, open_web
from tests.sources import BY_ID, BY_NAME, WHOLE

WRITERS = BY_ID | BY_NAME | WHOLE
READERS = [name for name in FORMATS if name not in ("store", "bvgraph")]
OPTIONS = ReadOptions(memory=1 << 24)
LINKS = [(0, 1), (1, 2), (2, 0), (2, 2), (0, 1)]
EDITS = st.lists(
    st.tuples(
        st.integers(0, 10**6),
        st.integers(0, 3),
        st.sampled_from([b"", b"\n", b"\t", b'"', b"*", b"9" * 12, b"\xff", b"\0", b"-", b" x "]),
    ),
    max_size=4,
)


def attempt(path: Path, kind: str | None = None) -> None:
    try:
        web = open_web(path, format=kind, options=OPTIONS)
    except SeedbedError as error:
        assert str(error)
        assert "\n" not in str(error)
        return
    assert isinstance(web, Web)
    web.links.arrays()


def edited(data: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for place, removed, added in edits:
        k = place % (len(data) + 1)
        data = data[:k] + added + data[k + removed :]
    return data


@pytest.mark.parametrize("kind", READERS)
@given(st.binary(max_size=120), st.binary(max_size=60))
@settings(deadline=None, max_examples=20)
def test_any_bytes(kind: str, first: bytes, second: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, data in {"web-index": first, "web-arc": second, "x-vertices": first, "x-edges": second}.items():
            (Path(folder) / name).write_bytes(data)
        (Path(folder) / "alone").mkdir()
        (Path(folder) / "alone" / "file").write_bytes(first)
        attempt(Path(folder), kind)
        attempt(Path(folder) / "alone" / "file", kind)
        attempt(Path(folder) / "alone" / "file")


@pytest.mark.parametrize("written_as", WRITERS)
@given(EDITS, st.integers(0, 3))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_a_web_with_bytes_changed(written_as: str, edits: list[tuple[int, int, bytes]], which: int) -> None:
    kind, write = WRITERS[written_as]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), 3, LINKS)
        files = sorted(Path(folder).iterdir())
        file = files[which % len(files)]
        file.write_bytes(edited(file.read_bytes(), edits))
        attempt(path, kind)
        attempt(path)


@given(
    st.sampled_from([b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1", b"BZh91AY&SY", b"\xfd7zXZ\0"]), st.binary(max_size=80)
)
@settings(deadline=None, max_examples=60)
def test_any_bytes_behind_a_known_start(start: bytes, rest: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(start + rest)
        attempt(Path(folder) / "file")
        attempt(Path(folder) / "file", "edges")


@given(EDITS, st.sampled_from([gzip.compress, zstandard.ZstdCompressor().compress, bz2.compress, lzma.compress]))
@settings(deadline=None, max_examples=40)
def test_a_packed_file_with_bytes_changed(edits: list[tuple[int, int, bytes]], pack: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = pack(b"".join(b"%d %d\n" % (k % 7, k % 5) for k in range(300)))  # type: ignore[operator]
        (Path(folder) / "file").write_bytes(edited(data, edits))
        attempt(Path(folder) / "file")


@given(st.text(alphabet='*arcsedglitvnk 0123456789\n"%\t', max_size=120))
@settings(deadline=None, max_examples=80)
def test_any_network(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.net").write_text("*Vertices 3\n" + text)
        attempt(Path(folder) / "web.net", "pajek")


@given(st.text(alphabet="0123456789.eE+-% \n\t", max_size=80))
@settings(deadline=None, max_examples=60)
def test_any_matrix(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n" + text)
        attempt(Path(folder) / "web.mtx")


@given(st.text(alphabet="0123456789:-,; \t\r\n#ab.", max_size=120))
@settings(deadline=None, max_examples=80)
def test_any_adjacency_lists(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.adj").write_text("0 1 2 3\n1 2\n" + text, newline="")
        attempt(Path(folder) / "web.adj")
        attempt(Path(folder) / "web.adj", "adjacency")


@given(st.text(alphabet='{}[]<>;,:=+->"/*#\\ \nab1subgraph', max_size=120))
@settings(deadline=None, max_examples=120)
def test_any_dot(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.dot").write_text("digraph { a -> b\n" + text, newline="")
        attempt(Path(folder) / "web.dot", "dot")


@given(
    st.lists(
        st.sampled_from(["node [", "]", "edge [", "id 1", 'id "x"', "label 7", "source 1", "target 1", "graph [", "{"])
    )
)
@settings(deadline=None, max_examples=60)
def test_any_gml(words: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "web.gml").write_text("graph [ node [ id 0 ] " + " ".join(words))
        attempt(Path(folder) / "web.gml")


def test_every_reader_that_takes_text_is_fuzzed() -> None:
    assert {kind for kind, _ in WRITERS.values()} == set(READERS)
    assert all(FORMATS[name].detect for name in READERS)

"""How a path is told, and what is said when it is not."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from seedbed.errors import InputError, OptionError
from seedbed.graph.native_store import write_store
from seedbed.graph.web import Web
from seedbed.links.csr import Csr
from seedbed.sources.formats import FORMATS
from seedbed.sources.opening import ReadOptions, open_web
from tests.sources import BY_ID, BY_NAME, links_of

LINKS = [(0, 1), (1, 2), (2, 0)]


@pytest.mark.parametrize("written_as", BY_ID | BY_NAME)
def test_every_format_is_told_from_its_files_and_opens_by_its_name(written_as: str, tmp_path: Path) -> None:
    kind, write = (BY_ID | BY_NAME)[written_as]
    path = write(tmp_path, 3, LINKS)
    told, named = open_web(path), open_web(path, format=kind)
    assert told.origin.format == named.origin.format == kind
    assert links_of(told) == links_of(named) == LINKS


@pytest.mark.parametrize("written_as", [name for name in BY_ID | BY_NAME if "parquet" not in name])
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_every_text_format_may_be_packed_whatever_its_name(written_as: str, pack: str, tmp_path: Path) -> None:
    import zstandard

    kind, write = (BY_ID | BY_NAME)[written_as]
    path = write(tmp_path, 3, LINKS)
    for file in tmp_path.iterdir():
        data = file.read_bytes()
        file.write_bytes(gzip.compress(data) if pack == "gzip" else zstandard.ZstdCompressor().compress(data))
    assert open_web(path).origin.format == kind
    assert links_of(open_web(path)) == LINKS


@pytest.mark.parametrize("written_as", ["edges", "pajek", "kleinberg", "matrix-market", "ukwa", "url-edges"])
def test_a_folder_or_the_start_of_a_name_is_enough_for_the_only_web(written_as: str, tmp_path: Path) -> None:
    kind, write = (BY_ID | BY_NAME)[written_as]
    file = write(tmp_path, 3, LINKS)
    (tmp_path / "README.md").write_text("1 2\n")
    for path in (tmp_path, tmp_path / file.name[:3]):
        assert open_web(path).origin.format == kind


def test_a_native_store_is_told(tmp_path: Path) -> None:
    write_store(Web(Csr(np.array([0, 1, 1]), np.array([1]))), tmp_path / "store")
    assert links_of(open_web(tmp_path / "store")) == [(0, 1)]


def test_every_format_is_declared_under_its_own_name() -> None:
    for name, known in FORMATS.items():
        assert known.name == name
        assert known.meaning and not known.meaning.endswith(".")
        assert (known.write is None) == (not known.endings)


def refused(path: Path, what: str, **options: object) -> None:
    with pytest.raises(InputError, match=what) as error:
        open_web(path, **options)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_a_missing_file_is_said_with_names_near_it(tmp_path: Path) -> None:
    (tmp_path / "uk-2002.txt").write_text("1 2\n")
    refused(tmp_path / "uk-2003.txt", r"uk-2003\.txt: no such file or folder\. Near it: uk-2002\.txt")
    refused(tmp_path / "no" / "folder" / "web", "no such file or folder.$")
    refused(tmp_path / "uk-2003.txt", "no such file or folder", format="edges")


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "web").write_bytes(b"")
    refused(tmp_path / "web", "web: is empty")
    refused(tmp_path / "web", "web: is empty", format="pajek")
    (tmp_path / "web.gz").write_bytes(gzip.compress(b""))
    refused(tmp_path / "web.gz", "is empty once decompressed")
    (tmp_path / "comments").write_text("# 1 2\n")
    refused(tmp_path / "comments", "no lines with two columns", format="edges")


def test_what_is_not_recognised_is_described(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the quick brown fox\njumps over the\n")
    refused(tmp_path / "text", r"its lines look like columns of text, text.* Known formats: store, bvgraph, .*--format")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0\0")
    refused(tmp_path / "binary", "it is not text")
    (tmp_path / "nodes").write_text("1\thttp://a.example/\n")
    refused(tmp_path / "nodes", "columns of id, url, separated by tab")


def test_an_empty_folder_and_one_of_several_webs_are_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "no data files here")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("1 2\n")
    refused(tmp_path, r"holds several webs; .*a\.txt, .*b\.txt")


def test_a_folder_with_two_snapshots_asks_which(tmp_path: Path) -> None:
    for year in (2013, 2016):
        (tmp_path / f"{year}.nodes.tsv").write_text("0\thttp://a.example/\n1\thttp://b.example/\n")
        (tmp_path / f"{year}.edges.tsv").write_text("0\t1\n")
    refused(tmp_path, r"several webs; .*2013\.edges\.tsv, .*2016\.edges\.tsv")
    for name in ("2013", "2013.nodes.tsv", "2013.edges.tsv"):
        assert open_web(tmp_path / name).urls is not None


def test_a_broken_neighbour_does_not_hinder(tmp_path: Path) -> None:
    (tmp_path / "web.txt").write_text("0 1\n")
    (tmp_path / "broken.gz").write_bytes(gzip.compress(b"1 2\n")[:10])
    assert links_of(open_web(tmp_path / "web.txt")) == [(0, 1)]
    assert links_of(open_web(tmp_path)) == [(0, 1)]
    refused(tmp_path / "broken.gz", "broken.gz: damaged near compressed byte")


def test_an_unknown_format_is_said_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("1 2\n")
    with pytest.raises(OptionError, match=r"unknown format 'pajec'\. Did you mean 'pajek'\?"):
        open_web(tmp_path / "web", format="pajec")


@contextmanager
def not_as_root() -> Iterator[None]:
    """Root may read everything, so for a moment the tests are run by nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.name.startswith("pytest-"):
            folder.chmod(0o755)
    tmp_path.chmod(0o755)
    (tmp_path / "web").write_text("1 2\n")
    open_web(tmp_path / "web")
    (tmp_path / "web").chmod(0)
    with not_as_root():
        refused(tmp_path / "web", "web: Permission denied")


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **options: object) -> str:
        raise OSError(28, "No space left on device", str(tmp_path))

    monkeypatch.setattr("tempfile.mkdtemp", full)
    (tmp_path / "web").write_text("".join(f"{k} {k + 1}\n" for k in range(100)))
    refused(tmp_path / "web", "No space left on device", options=ReadOptions(memory=3000))


def test_hosts_may_be_given_as_a_file(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("0 1\n1 2\n")
    (tmp_path / "hosts.txt").write_text("a.example\nb.example\na.example\n")
    web = open_web(tmp_path / "web", options=ReadOptions(hosts=tmp_path / "hosts.txt"))
    assert web.sites("host").of_page.tolist() == [0, 1, 0]
    (tmp_path / "hosts.txt").write_text("a.example\n")
    refused(tmp_path / "web", "host list has 1 entries.*3 pages", options=ReadOptions(hosts=tmp_path / "hosts.txt"))
    refused(tmp_path / "web", "nowhere: No such file", options=ReadOptions(hosts=tmp_path / "nowhere"))


def test_progress_is_told_and_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("0 1\n")
    told: list[tuple[str, int, int]] = []
    open_web(tmp_path / "web", options=ReadOptions(progress=lambda *state: told.append(state)))
    assert ("reading web", 4, 4) in told
    assert told[-1][0] == "sorting links"


def test_the_registry_loads_no_heavy_library() -> None:
    code = "import sys, seedbed.sources; print([m for m in ('duckdb', 'pyarrow', 'ada_url') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_two_releases_in_a_folder_ask_which(tmp_path: Path) -> None:
    for name in ("cc-main-a-domain", "cc-main-b-domain"):
        (tmp_path / f"{name}-vertices.txt").write_text("0\tcom.example\n1\torg.sample\n")
        (tmp_path / f"{name}-edges.txt").write_text("0\t1\n")
    refused(tmp_path, "several webs; .*cc-main-a-domain, .*cc-main-b-domain")
    assert open_web(tmp_path / "cc-main-a-domain").origin.format == "common-crawl"
    assert open_web(tmp_path / "cc-main-b-domain-edges.txt").origin.format == "common-crawl"


def test_a_word_inside_a_name_is_no_word(tmp_path: Path) -> None:
    (tmp_path / "search").write_text("0\t1\n")
    (tmp_path / "reindexed").write_text("a.example\t0\nb.example\t1\n")
    assert open_web(tmp_path).origin.format == "tables"


def test_every_format_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "formats.md").read_text()
    for name in FORMATS:
        assert f"## {name}\n" in page or f"[`{name}`](store.md)" in page


def test_a_file_named_like_an_archive_is_told_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "fake.warc.gz").write_bytes(gzip.compress(b"hello world\n", mtime=0))
    with pytest.raises(InputError, match="named like an archive, but there is no WARC or ARC record"):
        open_web(tmp_path / "fake.warc.gz")

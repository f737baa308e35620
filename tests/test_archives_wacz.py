"""WACZ files: the archives inside are read as a set, where they are; hostile zip files cost nothing else."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.archives import archive_workers as workers
from seedbed.archives import wacz as wacz_files
from seedbed.errors import InputError, SeedbedError
from seedbed.sources.opening import ReadOptions, open_web
from tests.archives import crawled, packed, page, zstd
from tests.commands import seedbed
from tests.sources import url_links_of

URLS = [f"http://a.example/{k}" for k in range(4)]
RECORDS = [page(url, f"<a href=/{k + 1}>words</a>") for k, url in enumerate(URLS)]
LINKS = [(url, f"http://a.example/{k + 1}") for k, url in enumerate(URLS)]
TWO = {"archive/one.warc.gz": packed(RECORDS[:2]), "archive/two.warc": b"".join(RECORDS[2:])}


def wacz(files: dict[str, bytes], packing: int = zipfile.ZIP_STORED) -> bytes:
    """A WACZ file as crawlers write them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as zipped:
        zipped.writestr("datapackage.json", json.dumps({"profile": "data-package", "wacz_version": "1.1.1"}))
        for name, data in files.items():
            zipped.writestr(name, data)
        zipped.writestr("pages/pages.jsonl", '{"format": "json-pages-1.0"}\n')
        zipped.writestr("indexes/index.cdx.gz", b"\x1f\x8b")
    return out.getvalue()


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("name", ["crawl.wacz", "no-name-that-tells"])
def test_the_archives_inside_are_one_web(tmp_path: Path, packing: int, name: str) -> None:
    web = open_web(write(tmp_path / name, wacz(TWO, packing)))
    assert (web.origin.format, web.origin.notes) == ("archive", ())
    assert (url_links_of(web), crawled(web)) == (LINKS, URLS)


def test_several_are_one_web_however_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "crawls" / "a.wacz", wacz({"archive/a.warc.gz": packed(RECORDS[:2])}))
    write(tmp_path / "crawls" / "deep" / "b.WACZ", wacz({"archive/b.warc.zst": b"".join(map(zstd, RECORDS[2:3]))}))
    write(tmp_path / "crawls" / "c.warc.gz", packed(RECORDS[3:]))
    write(tmp_path / "list", b"crawls/a.wacz\ncrawls/deep\ncrawls/*.warc.gz\n")
    monkeypatch.chdir(tmp_path)
    ways: list[str | list[str]] = ["crawls", "list", ["crawls/*.wacz", "crawls/deep/b.WACZ", "crawls/c.warc.gz"]]
    for way in ways:
        assert url_links_of(open_web(way)) == LINKS  # type: ignore[arg-type]


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_inside_are_read_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: int) -> None:
    monkeypatch.setattr(workers, "_FEW_BYTES", 0)
    broken = {"archive/0.warc.gz": packed(RECORDS)[:-9], **TWO}
    path = write(tmp_path / "crawl.wacz", wacz(broken, packing))
    alone, together = (open_web(path, options=ReadOptions(processes=count)) for count in (1, 2))
    assert url_links_of(alone) == url_links_of(together) == LINKS
    assert alone.origin == together.origin
    place = len(packed(RECORDS[:3]))
    assert alone.origin.notes == (f"damaged places left out: 1 (crawl.wacz/archive/0.warc.gz at byte {place})",)


def test_names_inside_are_never_paths(tmp_path: Path) -> None:
    """Nor may they write on a terminal."""
    name = "../../etc/\x1b[2Jpasswd\n.warc.gz"
    web = open_web(write(tmp_path / "in" / "crawl.wacz", wacz({name: packed(RECORDS)[:-9]}, zipfile.ZIP_DEFLATED)))
    assert crawled(web) == URLS[:3]
    assert web.origin.notes[0].isprintable()
    assert [file.name for file in tmp_path.rglob("*")] == ["in", "crawl.wacz"]


def test_what_cannot_be_read_is_named_and_costs_no_other(tmp_path: Path) -> None:
    whole = wacz(TWO)
    write(tmp_path / "a.wacz", whole)
    write(tmp_path / "cut.wacz", whole[:-30])
    write(tmp_path / "empty.wacz", wacz({}))
    web = open_web(tmp_path)
    assert crawled(web) == URLS
    cut, empty = tmp_path / "cut.wacz", tmp_path / "empty.wacz"
    assert web.origin.notes == (
        f"WACZ files left out that are not whole: 1 ({cut}: its directory is missing; was it cut off?)",
        f"WACZ files without an archive in them: 1 ({empty})",
    )
    with pytest.raises(InputError, match=r"cut\.wacz: no archives here.*not whole: 1 .*was it cut off"):
        open_web(cut)
    with pytest.raises(InputError, match="without an archive"):
        open_web(empty)


def test_bombs_and_archives_that_share_bytes_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz_files, "ALWAYS_DECOMPRESSED", 1 << 20)
    bomb = {"archive/bomb.warc": RECORDS[0] + bytes(8 << 20), "archive/z.warc.gz": packed(RECORDS[1:])}
    web = open_web(write(tmp_path / "bomb.wacz", wacz(bomb, zipfile.ZIP_DEFLATED)))
    assert crawled(web) == URLS[1:]
    assert "bomb.wacz/archive/bomb.warc: it decompresses to more than" in web.origin.notes[0]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("archive/a.warc.gz", packed(RECORDS))
        first = zipped.infolist()[0]
        for k in range(3):
            again = zipfile.ZipInfo(f"archive/{k}.warc.gz")
            again.header_offset, again.compress_size, again.file_size = 0, first.compress_size, first.file_size
            again.CRC = first.CRC
            zipped.filelist.append(again)
    web = open_web(write(tmp_path / "same.wacz", out.getvalue()))
    assert crawled(web) == URLS
    assert web.origin.notes[0].startswith(
        "files in WACZ files left out that are encrypted or share bytes with others: 3"
    )
    monkeypatch.setattr(wacz_files, "LARGEST_DIRECTORY", 100)
    with pytest.raises(InputError, match=r"not whole: 1 \(.*its directory has \d+ bytes"):
        open_web(tmp_path / "same.wacz")


def test_a_zip_file_of_something_else_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        open_web(write(tmp_path / "links.zip", wacz({"links.tsv": b"0\t1\n"})))


def test_the_command_converts_a_wacz_file(tmp_path: Path) -> None:
    write(tmp_path / "crawl.wacz", wacz(TWO))
    done = seedbed("convert", tmp_path / "crawl.wacz", tmp_path / "crawl.web")
    assert done.returncode == 0, done.stderr
    assert "5 pages, 4 links" in done.stdout


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from([wacz(TWO), wacz(TWO, zipfile.ZIP_DEFLATED)]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), st.binary(max_size=12)), min_size=1, max_size=4),
)
def test_wacz_files_with_any_bytes_changed_give_a_web_or_an_error(
    data: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    for share, removed, added in edits:
        at = int(share * len(data))
        data = data[:at] + added + data[at + removed :]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "crawl.wacz", data)
        try:
            said = "".join(open_web(path).origin.notes)
        except SeedbedError as error:
            said = str(error)
        assert "\n" not in said

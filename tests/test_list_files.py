"""Pipes, devices and folders without end where a list or a web is expected: told in one line, in bounded time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from seedbed.common import user_lists as list_files
from seedbed.common.user_lists import list_text
from seedbed.errors import InputError
from seedbed.sources import archive_files
from tests.commands import LINKS, SEEDBED, refused
from tests.commands import seedbed_here as here

SECONDS = 60
CRAWL = ["crawl", "links.tsv", "--order", "bfs", "--no-mass"]
LISTS = [
    [*CRAWL, "--seeds", "ODD"],
    [*CRAWL, "--seeds", "s.txt", "--failures", "ODD"],
    [*CRAWL, "--seeds", "s.txt", "--hosts", "ODD"],
    ["seeds", "links.tsv", "-k", "1", "--values", "ODD"],
    ["seeds", "links.tsv", "-k", "1", "--exclude", "ODD"],
    ["seeds", "links.tsv", "-k", "1", "--held", "ODD"],
    ["seeds", "links.tsv", "-k", "1", "--require", "ODD"],
    ["refresh", "--seeds", "ODD", "--old", "links.tsv", "--new", "links.tsv"],
    ["export", "ODD", "--to", "text"],
    ["export", "s.txt", "--to", "heritrix", "-o", "without=ODD"],
]
WEBS = [["info", "ODD"], ["rank", "ODD"], ["convert", "ODD", "out"], ["info", "links.tsv", "--hosts", "ODD"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "links.tsv").write_text(LINKS)
    (tmp_path / "s.txt").write_text("http://a.example/\n")
    os.mkfifo(tmp_path / "fifo")
    os.mkfifo(tmp_path / "fifo.parquet")
    return tmp_path


def run(words: list[str], cwd: Path, given: bytes = b"") -> subprocess.CompletedProcess[str]:
    """In a process of its own: a command that hung would hang the tests."""
    done = subprocess.run([SEEDBED, *words], check=False, capture_output=True, input=given, cwd=cwd, timeout=SECONDS)
    return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("words", [*LISTS, *WEBS], ids=" ".join)
def test_pipes_and_devices_are_refused_in_one_line(folder: Path, words: list[str]) -> None:
    for odd in ("fifo", "fifo.parquet", "/dev/zero"):
        given = [word.replace("ODD", odd) for word in words]
        refused(here(*given, cwd=folder), f"{odd}: is not a regular file")


def test_the_command_does_not_wait_for_a_pipe(folder: Path) -> None:
    refused(run([*CRAWL, "--seeds", "fifo"], folder), "fifo: is not a regular file")
    refused(run(["export", "/dev/zero", "--to", "text"], folder), "/dev/zero: is not a regular file")


def test_a_folder_is_no_list(folder: Path) -> None:
    (folder / "d").mkdir()
    for words in LISTS:
        refused(here(*(word.replace("ODD", "d") for word in words), cwd=folder), "d: is a folder")


def test_a_pipe_that_is_given_on_purpose_is_read(folder: Path) -> None:
    for name in ("-", "/dev/stdin"):
        done = run(["export", name, "--to", "text"], folder, b"http://a.example/\nhttp://b.example/\n")
        assert (done.returncode, done.stdout) == (0, "http://a.example/\nhttp://b.example/\n"), done.stderr
    line = f"{SEEDBED} export <(printf 'http://b.example/\\n') --to text"
    done = subprocess.run(["bash", "-c", line], check=True, capture_output=True, text=True, timeout=SECONDS)
    assert done.stdout == "http://b.example/\n"


def test_a_list_has_a_bound(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_files, "MOST_BYTES", 1000)
    (folder / "long.txt").write_text("http://a.example/\n" * 100)
    with pytest.raises(InputError, match=r"long\.txt: is longer than 1000 B, the maximum for a list"):
        list_text(folder / "long.txt")
    endless = os.open("/dev/zero", os.O_RDONLY)
    try:
        with pytest.raises(InputError, match="is longer than"):
            list_text(Path(f"/dev/fd/{endless}"))
    finally:
        os.close(endless)


def test_a_sparse_file_of_any_size_is_refused_at_once(folder: Path) -> None:
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(1 << 40)
    refused(run(["export", "huge.txt", "--to", "text"], folder), "huge.txt: is longer than 1.0 GiB")
    (folder / "huge.txt").rename(folder / "huge.csv")
    refused(run(["seeds", "links.tsv", "-k", "1", "--values", "huge.csv"], folder), "huge.csv", "needs about 1.0 TiB")


def test_line_ends_of_all_systems_end_lines(folder: Path) -> None:
    (folder / "l").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n\xe2\x80\xa8d")
    assert list_text(folder / "l").split("\n") == ["a", "b", "c", "\u2028d"]


@pytest.mark.parametrize("place", ["/proc", "/proc/self", "/dev", "/sys/kernel"])
def test_folders_of_the_kernel_are_no_webs(folder: Path, place: str) -> None:
    refused(run(["info", place], folder), f"{place}: no", "Known formats")


def test_a_folder_with_too_much_in_it_is_not_walked_to_its_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder / "many"
    for k in range(30):
        (place / str(k)).mkdir(parents=True)
        (place / str(k) / "x").write_text("x")
    monkeypatch.setattr(archive_files, "LOOKED_THROUGH", 20)
    refused(here("info", "many", cwd=folder), "many: more than 20 files and folders are below it")


def test_a_folder_that_is_too_deep_is_not_followed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "deep" / "a" / "b" / "c").mkdir(parents=True)
    monkeypatch.setattr(archive_files, "DEEPEST", 2)
    refused(here("info", "deep", cwd=folder), "2 levels")


def test_special_files_in_a_folder_are_passed_over(folder: Path) -> None:
    os.mkfifo(folder / "crawl.warc")
    (folder / "empty.txt").touch()
    done = run(["info", ".", "--json"], folder)
    assert done.returncode in (0, 1)
    assert len(done.stderr.splitlines()) <= 1

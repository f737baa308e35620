"""Folders that take the place of others as a whole, and what kills and full disks leave behind of them: nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seedbed.common.atomic_files import moved_into, written_beside
from tests.reports import small, written

FAR_PAST = 1_000_000_000


def killed_at(step: int, *words: object) -> bool:
    """Whether the writer was killed at this step; it may end before."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed_while_replacing", str(step), *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        timeout=60,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def texts_in(folder: Path) -> set[str]:
    return {path.read_text() for path in folder.iterdir()} if folder.exists() else set()


def test_a_folder_is_the_old_one_or_the_new_one_whenever_its_writer_is_killed(tmp_path: Path) -> None:
    seen = []
    for step in range(1, 20):
        assert not killed_at(0, tmp_path / "out", "old")
        killed = killed_at(step, tmp_path / "out", "new")
        assert len(list((tmp_path / "out").iterdir())) == 2
        (found,) = texts_in(tmp_path / "out")
        seen.append(found)
        if not killed:
            break
    assert not killed
    assert set(seen) == {"old", "new"}
    assert seen == sorted(seen, reverse=True)


def test_where_names_cannot_be_exchanged_the_old_folder_is_at_least_beside(tmp_path: Path) -> None:
    for step in range(1, 20):
        assert not killed_at(0, tmp_path / "out", "old")
        killed = killed_at(step, tmp_path / "out", "new", "renames")
        found = texts_in(tmp_path / "out") or texts_in(tmp_path / ".out.old")
        assert found in ({"old"}, {"new"})
        if not killed:
            break
    assert not killed


def test_what_a_kill_left_behind_goes_when_the_same_is_written_again(tmp_path: Path) -> None:
    assert killed_at(1, tmp_path / "out", "new")
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".part")
    os.utime(left, (FAR_PAST, FAR_PAST))
    assert not killed_at(0, tmp_path / "out", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("place", [written_beside, moved_into])
def test_what_another_writer_is_at_work_on_stays(tmp_path: Path, place: object) -> None:
    with place(tmp_path / "out") as first:  # type: ignore[operator]
        (first / "one").write_text("first")
        os.utime(first, (FAR_PAST, FAR_PAST))
        with place(tmp_path / "out") as second:  # type: ignore[operator]
            (second / "two").write_text("second")
        assert (first / "one").read_text() == "first"


@pytest.mark.parametrize("place", [written_beside, moved_into])
def test_folders_that_were_made_for_nothing_are_removed(tmp_path: Path, place: object) -> None:
    with pytest.raises(OSError, match="full") as error, place(tmp_path / "a" / "b" / "out") as work:  # type: ignore[operator]
        (work / "one").write_text("x")
        raise OSError(28, "full")
    assert error.value.filename == str(tmp_path / "a" / "b" / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_stays_when_writing_into_it_fails(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(OSError, match="full"), moved_into(tmp_path / "out"):
        raise OSError(28, "full")
    assert (tmp_path / "out").is_dir()


def test_a_report_takes_the_place_of_an_earlier_one_as_a_whole(tmp_path: Path) -> None:
    out = tmp_path / "report"
    written(small(), out)
    first, names = out.stat().st_ino, {path.name for path in out.iterdir()}
    written(small(), out)
    assert out.stat().st_ino != first
    assert {path.name for path in out.iterdir()} == names
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_other_files_in_the_folder_of_a_report_stay(tmp_path: Path) -> None:
    out = tmp_path / "report"
    written(small(), out)
    (out / "notes.txt").write_text("mine")
    before = (out / "report.html").stat().st_mtime_ns
    time.sleep(0.01)
    written(small(), out)
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "report.html").stat().st_mtime_ns > before


def test_a_report_can_be_written_into_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(small(), Path())
    written(small(), Path())
    assert (tmp_path / "report.html").is_file()

"""Files that belong together take the place of others all at once, whenever the process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import seedbed as sb
from seedbed.common.atomic_files import finish_moves, moved_into
from seedbed.errors import InputError
from tests.graphs import lists_of, web_of

OLD, NEW = [[1], [0]], [[2], [0, 2], [1]]
OLD_URLS, NEW_URLS = ["http://old.example/", "http://old.example/x"], [f"http://{name}.example/" for name in "abc"]


def killed_at(rename: int, *words: object) -> bool:
    """Whether the command was killed at this rename; it may end before."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed_at_rename", str(rename), *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent,
        timeout=120,
    )
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


@pytest.mark.parametrize("before", [True, False])
def test_a_bvgraph_is_the_old_one_or_the_new_one_whenever_a_conversion_is_killed(tmp_path: Path, before: bool) -> None:
    sb.save(web_of(NEW, NEW_URLS), tmp_path / "new.web")
    seen = []
    for rename in range(1, 20):
        folder = tmp_path / f"{before}-{rename}"
        folder.mkdir()
        if before:
            sb.save(web_of(OLD, OLD_URLS), folder / "g.graph")
        killed = killed_at(rename, "convert", tmp_path / "new.web", folder / "g.graph")
        try:
            web = sb.open(folder / "g")
        except InputError:
            assert not before and list(folder.glob("[!.]*")) == []
            seen.append("none")
        else:
            found = lists_of(web.links), list(web.urls or [])
            assert found in ((OLD, OLD_URLS), (NEW, NEW_URLS))
            names = {file.name for file in folder.glob("[!.]*")} - {"g.graph.meta.json"}
            assert names == {"g.graph", "g.offsets", "g.properties", "g.urls.gz"}
            assert list(folder.glob("*.moving")) == []
            seen.append("new" if found[0] == NEW else "old")
        if not killed:
            break
    assert not killed
    assert len(seen) > 5  # the folder and its four files
    assert seen == ["old" if before else "none", *["new"] * (len(seen) - 1)]


def half_moved(folder: Path, user: int | None = None) -> None:
    """The state in which a kill between two renames leaves a BVGraph."""
    sb.save(web_of(OLD), folder / "g.graph")
    sb.save(web_of(NEW), folder / "later" / "g.graph")
    moving = folder / ".seedbed.x.moving"
    (folder / "later").rename(moving)
    (moving / "g.graph").replace(folder / "g.graph")
    if user is not None:
        os.chown(moving, user, -1)


def test_the_next_writer_finishes_the_move(tmp_path: Path) -> None:
    half_moved(tmp_path)
    with moved_into(tmp_path) as work:
        (work / "other.txt").write_text("x")
    names = {path.name for path in tmp_path.iterdir()} - {"g.graph.meta.json"}
    assert names == {"g.graph", "g.offsets", "g.properties", "other.txt"}
    assert lists_of(sb.open(tmp_path / "g").links) == NEW


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_files_of_another_user_are_not_moved_and_the_web_they_belong_to_is_refused(tmp_path: Path) -> None:
    half_moved(tmp_path, user=65534)
    with pytest.raises(InputError, match="another user's"):
        sb.open(tmp_path / "g.graph")
    with pytest.raises(InputError, match="another user's"):
        sb.open(tmp_path)
    sb.save(web_of(OLD), tmp_path / "h.graph")
    assert lists_of(sb.open(tmp_path / "h").links) == OLD


def test_hidden_files_and_links_are_not_moved(tmp_path: Path) -> None:
    moving = tmp_path / "web" / ".seedbed.x.moving"
    moving.mkdir(parents=True)
    (moving / ".profile").write_text("hostile")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "mine.txt").write_text("mine")
    (tmp_path / "web" / ".seedbed.y.moving").symlink_to(tmp_path / "elsewhere")
    finish_moves(tmp_path / "web")
    assert list((tmp_path / "web").glob("[!.]*")) == []
    assert not (tmp_path / "web" / ".profile").exists()


def test_an_error_before_the_move_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(RuntimeError), moved_into(tmp_path) as work:
        (work / "a").write_text("new")
        (work / "b").write_text("new")
        raise RuntimeError
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]


def test_an_output_of_several_files_may_have_a_hidden_name(tmp_path: Path) -> None:
    sb.save(web_of(NEW), tmp_path / ".g.graph")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {".g.graph", ".g.offsets", ".g.properties", ".g.graph.meta.json"}
    assert lists_of(sb.open(tmp_path / ".g.graph").links) == NEW


def test_a_folder_that_seedbed_would_not_leave_behind_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".seedbed.x.moving" / "sub").mkdir(parents=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.txt").write_text("mine")
    sb.save(web_of(NEW), tmp_path / "g.graph")
    assert lists_of(sb.open(tmp_path / "g.graph").links) == NEW
    assert (tmp_path / "sub" / "mine.txt").read_text() == "mine"


WRITER = """
import sys
from pathlib import Path
from seedbed.common.atomic_files import finish_moves_at, moved_into
for _ in range(300):
    with moved_into(Path(sys.argv[1])) as work:
        for ending in "abcd":
            (work / f"{sys.argv[2]}.{ending}").write_text("x")
    finish_moves_at(Path(sys.argv[1]) / f"{sys.argv[2]}.a")
"""


def test_several_processes_write_into_one_folder(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, tmp_path, name], stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    assert [writer.communicate()[1] for writer in writers] == ["", "", ""]
    assert len(list(tmp_path.iterdir())) == 12

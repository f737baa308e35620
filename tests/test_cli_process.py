"""The command as a process: limits on its memory, signals, pipes, standard files that are closed or full."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.commands import LINKS, SEEDBED, refused, seedbed

STOPPED = "seedbed: stopped. Nothing was left half-written.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of links and a list of seeds, and nothing else."""
    folder = tmp_path_factory.mktemp("process")
    (folder / "links.tsv").write_text(LINKS)
    (folder / "seeds.txt").write_text("http://a.example/\n")
    return folder


def run(*words: object, limits: Callable[[], Any] | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    """The command in a process whose limits are set before it starts."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(
        [SEEDBED, *map(str, words)],
        check=False,
        text=True,
        preexec_fn=limits,
        timeout=300,
        **streams,
    )


def limited(kind: int, size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(kind, (size, size))


@pytest.mark.parametrize("megabytes", [64, 600])
@pytest.mark.parametrize(
    "words",
    [
        ("info", "links.tsv"),
        ("rank", "links.tsv", "--out", "out/rank.csv"),
        ("seeds", "links.tsv", "--out", "out/seeds.jsonl"),
        ("crawl", "links.tsv", "--seeds", "seeds.txt", "--out", "out/run.parquet"),
        ("compare", "links.tsv", "--out", "out"),
        ("convert", "links.tsv", "out"),
    ],
    ids=lambda words: words[0],
)
def test_too_little_address_space_is_one_line_that_says_how_much_is_needed(
    words: tuple[str, ...], megabytes: int, folder: Path
) -> None:
    done = run(*words, limits=limited(resource.RLIMIT_AS, megabytes << 20), cwd=folder)
    refused(done, "1.0 GiB of address space", f"ulimit -v allows {megabytes}.0 MiB")
    assert {path.name for path in folder.iterdir()} == {"links.tsv", "seeds.txt"}


def test_a_limit_on_data_is_told_as_well(folder: Path) -> None:
    refused(run("info", folder / "links.tsv", limits=limited(resource.RLIMIT_DATA, 300 << 20)), "ulimit -d")


def test_the_least_address_space_is_enough_for_a_small_web(folder: Path) -> None:
    done = run("rank", folder / "links.tsv", limits=limited(resource.RLIMIT_AS, 1 << 30))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3


def test_help_needs_little_memory() -> None:
    done = run("--help", limits=limited(resource.RLIMIT_AS, 200 << 20))
    assert done.returncode == 0, done.stderr


def test_a_reader_that_has_gone_ends_the_command_without_a_word(folder: Path) -> None:
    theirs, ours = os.pipe()
    os.close(theirs)
    done = run("info", folder / "links.tsv", stdout=ours)
    os.close(ours)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)])
def test_the_work_is_done_where_standard_files_are_closed(
    closed: tuple[int, ...], folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rank.csv"
    done = run("rank", folder / "links.tsv", "--out", out, limits=lambda: [os.close(number) for number in closed])
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == 4
    assert (done.stdout == "") == (1 in closed)
    assert (done.stderr == "") == (2 in closed)


def test_a_full_standard_output_is_told_and_a_full_standard_error_does_no_harm(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = run("rank", folder / "links.tsv", stdout=full)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("seedbed: standard output: No space left on device.")
        assert run("rank", folder / "links.tsv", stderr=full).returncode == 0
        assert run("rank", folder / "none.tsv", stderr=full).returncode == 1


def test_a_full_disk_leaves_no_folder_of_a_comparison(folder: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing fails in the same place."""
    named = ("--strategy", "random", "--order", "bfs", "-k", 1, "--repeats", 2)
    words = ("compare", folder / "links.tsv", *named, "--out")
    assert run(*words, tmp_path / "well").returncode == 0  # and kernels are compiled
    done = run(*words, tmp_path / "a" / "full", limits=limited(resource.RLIMIT_FSIZE, 20_000))
    refused(done, f"{tmp_path / 'a' / 'full'}: File too large", "ulimit -f")
    assert [path.name for path in tmp_path.iterdir()] == ["well"]


def test_kernels_that_may_not_be_compiled_are_told_in_one_line(folder: Path) -> None:
    refused(seedbed("info", folder / "links.tsv", NUMBA_DISABLE_JIT="1"), "NUMBA_DISABLE_JIT is set", "Unset it")


KERNEL = """
from seedbed.common.kernels import kernel
@kernel
def twice(number):
    return 2 * number
"""


def test_kernels_work_where_they_cannot_be_kept(tmp_path: Path) -> None:
    """Code that is in no file has no place in a cache, and a limit on the size of files leaves no room in one."""
    nowhere = f"exec({KERNEL!r}); print(twice(21))"
    (tmp_path / "kernels.py").write_text(KERNEL)
    no_room = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
        "from kernels import twice; print(twice(21))"
    )
    for code, reason in ((nowhere, "neither the package"), (no_room, "File too large")):
        done = subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            capture_output=True,
            text=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd=tmp_path,
        )
        assert done.stdout == "42\n", done.stderr
        assert "cannot be kept" in done.stderr
        assert reason in done.stderr


def in_process(body: str, ignored: int | None = None) -> subprocess.CompletedProcess[str]:
    """A process that runs this in the place of a command, and was started so that it ignores one signal or none."""
    code = f"""
import os, signal, sys, time, seedbed.cli.main
from seedbed.__main__ import run
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN if number == {ignored} else signal.SIG_DFL)
def app():
{body}
seedbed.cli.main.app = app
run()
"""
    return subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_was_stopped_ends_by_the_signal_that_stopped_it(number: signal.Signals, tmp_path: Path) -> None:
    """And what is to be done at exit is done before."""
    left = tmp_path / "scratch"
    left.touch()
    done = in_process(f"""
    import weakref
    global kept
    class Scratch: pass
    kept = Scratch()
    weakref.finalize(kept, os.remove, {str(left)!r})
    os.kill(os.getpid(), {int(number)}); time.sleep(5)
""")
    assert (done.returncode, done.stderr) == (-number, STOPPED)
    assert not left.exists()


def test_a_signal_that_comes_twice_does_not_cut_tidying_up_short() -> None:
    """As `timeout` and terminals that close send it."""
    done = in_process("""
    try:
        os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)
    finally:
        os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.1)
        sys.stderr.write("tidied up\\n")
""")
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "tidied up\n" + STOPPED)


def test_a_signal_that_python_drops_is_raised_again() -> None:
    """As it is while an object is destroyed."""
    done = in_process("""
    class Doomed:
        def __del__(self):
            os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.5)
    doomed = Doomed()
    del doomed
    time.sleep(20); sys.stderr.write("not heard\\n")
""")
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, STOPPED)


def test_what_is_done_when_the_signal_comes_is_done() -> None:
    done = in_process("""
    try:
        os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)
    except KeyboardInterrupt:
        sys.exit(0)
""")
    assert (done.returncode, done.stderr) == (0, "")


def test_under_nohup_a_terminal_that_closes_stops_nothing() -> None:
    done = in_process("    os.kill(os.getpid(), signal.SIGHUP); time.sleep(0.1); print('done')", signal.SIGHUP)
    assert (done.returncode, done.stdout) == (0, "done\n")


def test_threads_that_cannot_be_started_are_one_line() -> None:
    done = in_process('    raise RuntimeError("can\'t start new thread")')
    refused(done, "no more threads can be started", "--threads")

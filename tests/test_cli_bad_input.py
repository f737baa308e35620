"""What the command does with bad input, a full disk, Ctrl-C: one line, and nothing half there."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import LINKS, SEEDBED, misused, refused, seedbed

STOPPED = "seedbed: stopped. Nothing was left half-written.\n"


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.tsv"
    path.write_text(LINKS)
    return path


def test_a_missing_file_is_one_line_with_near_names(links: Path) -> None:
    refused(seedbed("info", links.with_name("link.tsv")), "no such file", "links.tsv")


def test_an_unknown_format_names_the_nearest(links: Path) -> None:
    misused(seedbed("info", links, "--format", "pajec"), "unknown format 'pajec'. Did you mean 'pajek'?")
    misused(seedbed("convert", links, "out", "--to", "stor"), "Did you mean 'store'?")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["is empty"]),
        (b"0\t1\n-5\t2\n", ["line 2", "-5"]),
        (b"0\t1\n" * 100_000 + b"0\tx\n", ["line 100001", "'x'"]),
        (b"0\t99999999999999999999999\n", ["line 1"]),
        (b"http://a/\thttp://\xff\xfe/\n", ["line 1", "UTF-8", "--encoding"]),
        (gzip.compress(b"0\t1\n" * 1000, mtime=0)[:-30], ["damaged"]),
        (b"\x1f\x8b\x08 not gzip at all", ["damaged"]),
    ],
)
def test_bad_text_is_one_line_and_leaves_nothing(tmp_path: Path, content: bytes, parts: list[str]) -> None:
    (tmp_path / "bad.tsv").write_bytes(content)
    refused(seedbed("convert", tmp_path / "bad.tsv", tmp_path / "out"), "bad.tsv", *parts)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tsv"]


def test_a_url_list_of_the_wrong_length_is_refused(links: Path, tmp_path: Path) -> None:
    seedbed("convert", links, tmp_path / "g.graph")
    (tmp_path / "g.urls.gz").unlink()
    (tmp_path / "g.urls").write_text("http://a.example/\n")
    refused(seedbed("info", tmp_path / "g"), "g.urls", "has 1 lines, the graph 3 pages")


def test_verify_finds_damage_and_is_for_stores(links: Path, tmp_path: Path) -> None:
    seedbed("convert", links, tmp_path / "web")
    assert seedbed("info", tmp_path / "web", "--verify").returncode == 0
    file = tmp_path / "web" / "out_ptr.npy"
    content = bytearray(file.read_bytes())
    content[-8] ^= 1
    file.write_bytes(content)
    refused(seedbed("info", tmp_path / "web", "--verify"), "out_ptr.npy", "checksum")
    refused(seedbed("info", links, "--verify"), "only a native store has checksums to verify")


def test_an_existing_folder_that_is_no_store_is_not_overwritten(links: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    refused(seedbed("convert", links, tmp_path / "precious"), "is not a store")
    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_is_one_line_and_leaves_nothing(links: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing fails in the same place."""
    big = tmp_path / "big.tsv"
    big.write_text("".join(f"{k}\t{k + 1}\n" for k in range(300_000)))
    seedbed("convert", links, tmp_path / "small")  # and kernels are compiled
    shutil.rmtree(tmp_path / "small")
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
        "from seedbed.__main__ import run; sys.argv = ['seedbed', 'convert', *sys.argv[1:]]; run()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(big), str(tmp_path / "out")], check=False, capture_output=True, text=True
    )
    refused(run, "File too large")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.tsv", "links.tsv"]


def test_a_place_that_cannot_be_written_to_is_one_line(links: Path) -> None:
    refused(seedbed("convert", links, "/proc/no/such/place"), "/proc")


@pytest.mark.parametrize(
    ("number", "moment"), [(signal.SIGINT, 0.5), (signal.SIGINT, 1.5), (signal.SIGTERM, 1), (signal.SIGHUP, 1)]
)
def test_ctrl_c_and_kill_end_in_one_line_and_leave_nothing(
    tmp_path: Path, number: signal.Signals, moment: float
) -> None:
    process = subprocess.Popen(
        [SEEDBED, "synth", str(tmp_path / "web"), "--pages", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that run in the background of a shell, or under nohup, ignore such signals; this one must hear them.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # noqa: PLW1509
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(moment)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=120)
    assert process.returncode == -number, err
    assert out == ""
    assert err == STOPPED
    assert list(tmp_path.iterdir()) == []


def test_a_kill_leaves_the_old_store(tmp_path: Path) -> None:
    seedbed("synth", tmp_path / "web", "--pages", 100)
    before = (tmp_path / "web" / "web.json").read_bytes()
    process = subprocess.Popen([SEEDBED, "synth", str(tmp_path / "web"), "--pages", "100000000"])
    deadline = time.monotonic() + 120
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    process.kill()
    process.wait()
    assert (tmp_path / "web" / "web.json").read_bytes() == before
    assert json.loads(seedbed("info", tmp_path / "web", "--json").stdout)["pages"] == 100


@pytest.mark.parametrize(
    "error", ["SystemError('inside a kernel')", "AttributeError('half loaded')", "OSError(5, 'x')"]
)
def test_whatever_fails_after_ctrl_c_was_a_wish_to_stop(error: str) -> None:
    code = f"""
import os, signal, seedbed.cli.main
from seedbed.__main__ import run
def app():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        raise {error} from None
seedbed.cli.main.app = app
signal.signal(signal.SIGINT, signal.default_int_handler)
run()
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, STOPPED)


def test_without_ctrl_c_a_fault_of_ours_is_not_hidden() -> None:
    code = "import seedbed.cli.main as m; m.app = lambda: 1 / 0; from seedbed.__main__ import run; run()"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "ZeroDivisionError" in done.stderr


def test_the_command_is_also_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "seedbed", "--version"], check=True, capture_output=True, text=True)
    assert done.stdout.startswith("seedbed ")

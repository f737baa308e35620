"""The command as a person uses it: in a process of its own, reading what it prints."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SEEDBED = str(Path(sys.executable).parent / "seedbed")
LINKS = "# two hosts\nhttp://a.example/\thttp://b.example/\nhttp://a.example/\thttp://a.example/x\n"


def seedbed(*words: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SEEDBED, *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=300,
    )


def refused(run: subprocess.CompletedProcess[str], *parts: str) -> str:
    """The one line of a command that ended with 1."""
    assert run.returncode == 1, run.stderr
    assert run.stdout == ""
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("seedbed: ")
    for part in parts:
        assert part in lines[0]
    return lines[0]


@pytest.fixture
def links(tmp_path: Path) -> Path:
    path = tmp_path / "links.tsv"
    path.write_text(LINKS)
    return path


def test_help_teaches_every_command() -> None:
    for words in ([], ["info"], ["convert"], ["synth"], ["demo"], ["rank"], ["seeds"], ["refresh"]):
        run = seedbed(*words, "--help")
        assert run.returncode == 0
        assert "Usage: seedbed" in run.stdout
    assert seedbed("--version").stdout.startswith("seedbed 0.")


def test_importing_seedbed_and_asking_for_help_load_no_heavy_library() -> None:
    code = (
        "import sys, seedbed, seedbed.cli.main; "
        "print([name for name in ('numpy', 'numba', 'scipy', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.strip() == "[]"


def test_wrong_usage_is_exit_code_2(links: Path) -> None:
    assert seedbed("inof", links).returncode == 2
    assert seedbed("info").returncode == 2
    assert seedbed("info", links, "--samples", "0").returncode == 2


def test_info_as_json_has_the_promised_keys_and_nothing_else_on_standard_output(links: Path) -> None:
    run = seedbed("info", links, "--json")
    assert run.returncode == 0, run.stderr
    shape = json.loads(run.stdout)
    assert run.stderr == ""
    expected = {
        "pages": 3,
        "links": 2,
        "hosts": 2,
        "inter_host_links": 1,
        "self_links": 0,
        "duplicate_links": 0,
        "dangling": 2,
        "unreachable": 1,
        "scc_count": 3,
        "largest_scc": 1,
        "largest_wcc": 3,
        "average_distance": 1.0,
    }
    assert {key: shape[key] for key in expected} == expected


def test_info_for_people_fits_80_columns(links: Path) -> None:
    run = seedbed("info", links, COLUMNS="80")
    assert run.returncode == 0, run.stderr
    assert "Links between hosts" in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 80


def test_a_web_goes_through_every_format_and_stays_the_same(links: Path, tmp_path: Path) -> None:
    steps = [
        "web",
        "packed --links bvgraph",
        "graph.graph --window 3 --zeta 2",
        "ids.tsv.gz",
        "ids.parquet",
        "ids.csv.zst",
    ]
    before: object = links
    for step in steps:
        name, *options = step.split()
        run = seedbed("convert", before, tmp_path / name, *options, "--json")
        assert run.returncode == 0, run.stderr
        out = json.loads(run.stdout)
        assert (out["pages"], out["links"]) == (3, 2)
        before = out["out"]
    assert json.loads(seedbed("info", before, "--json").stdout)["links"] == 2
    urls = gzip.decompress((tmp_path / "graph.urls.gz").read_bytes()).decode().splitlines()
    assert urls == ["http://a.example/", "http://a.example/x", "http://b.example/"]


def test_convert_says_what_a_format_cannot_hold(links: Path, tmp_path: Path) -> None:
    run = seedbed("convert", links, tmp_path / "ids.tsv")
    assert run.returncode == 0
    assert "left out: URLs" in run.stderr
    assert (tmp_path / "ids.tsv").read_text() == "0\t1\n0\t2\n"


def test_convert_turns_links_round_and_keeps_those_between_sites(links: Path, tmp_path: Path) -> None:
    assert seedbed("convert", links, tmp_path / "t.tsv", "--transpose").returncode == 0
    assert (tmp_path / "t.tsv").read_text() == "1\t0\n2\t0\n"
    assert seedbed("convert", links, tmp_path / "b.tsv", "--between", "host").returncode == 0
    assert (tmp_path / "b.tsv").read_text() == "0\t2\n"
    refused(seedbed("convert", links, tmp_path / "c.tsv", "--between", "hosts"), "Did you mean 'host'?")


def test_hosts_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "ids.tsv").write_text("0\t1\n1\t2\n")
    (tmp_path / "hosts.txt").write_text("a.example\na.example\nB.example\n")
    assert json.loads(seedbed("info", tmp_path / "ids.tsv", "--json").stdout)["hosts"] is None
    run = seedbed("info", tmp_path / "ids.tsv", "--hosts", tmp_path / "hosts.txt", "--json")
    shape = json.loads(run.stdout)
    assert (shape["hosts"], shape["inter_host_links"]) == (2, 1)
    (tmp_path / "hosts.txt").write_text("a.example\n")
    refused(seedbed("info", tmp_path / "ids.tsv", "--hosts", tmp_path / "hosts.txt"), "has 1 entries", "3 pages")


def test_synth_is_the_same_for_the_same_seed_only(tmp_path: Path) -> None:
    checksums = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run = seedbed("synth", tmp_path / name, "--pages", 300, "--seed", seed, "--json")
        assert run.returncode == 0, run.stderr
        checksums.append(json.loads(run.stdout)["webs"][0]["checksum"])
    assert checksums[0] == checksums[1] != checksums[2]


def test_synth_makes_two_snapshots(tmp_path: Path) -> None:
    run = seedbed("synth", tmp_path / "pair", "--pages", 500, "--snapshots", 2)
    assert run.returncode == 0, run.stderr
    for name in ("old", "new"):
        assert json.loads(seedbed("info", tmp_path / "pair" / name, "--json").stdout)["pages"] > 0


def test_demo_makes_stores_and_describes_a_web(tmp_path: Path) -> None:
    run = seedbed("demo", "--pages", 2000, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Bow-tie" in run.stdout
    assert (tmp_path / "demo.web" / "web.json").exists()


# --- bad input ------------------------------------------------------------------------------------------------------


def test_a_missing_file_is_one_line_with_near_names(links: Path) -> None:
    refused(seedbed("info", links.with_name("link.tsv")), "no such file", "links.tsv")


def test_an_unknown_format_names_the_nearest(links: Path) -> None:
    refused(seedbed("info", links, "--format", "pajec"), "unknown format 'pajec'. Did you mean 'pajek'?")
    refused(seedbed("convert", links, "out", "--to", "stor"), "Did you mean 'store'?")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"", ["is empty"]),
        (b"0\t1\n-5\t2\n", ["line 2", "-5"]),
        (b"0\t1\n" * 100_000 + b"0\tx\n", ["line 100001", "'x'"]),
        (b"0\t99999999999999999999999\n", ["line 1"]),
        (b"http://a/\thttp://\xff\xfe/\n", ["line 1", "UTF-8", "--encoding"]),
        (gzip.compress(b"0\t1\n" * 1000)[:-30], ["damaged"]),
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
    refused(seedbed("info", links, "--verify"), "--verify is for stores")


def test_an_existing_folder_that_is_no_store_is_not_overwritten(links: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "thesis.txt").write_text("years of work")
    refused(seedbed("convert", links, tmp_path / "precious"), "is not a store")
    assert (tmp_path / "precious" / "thesis.txt").read_text() == "years of work"


def test_a_full_disk_is_one_line_and_leaves_nothing(links: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for a full disk: writing fails in the same place."""
    big = tmp_path / "big.tsv"
    big.write_text("".join(f"{k}\t{k + 1}\n" for k in range(300_000)))
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
        "from seedbed.cli.main import run; sys.argv = ['seedbed', 'convert', *sys.argv[1:]]; run()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(big), str(tmp_path / "out")], check=False, capture_output=True, text=True
    )
    refused(run, "File too large")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.tsv", "links.tsv"]


def test_a_place_that_cannot_be_written_to_is_one_line(links: Path) -> None:
    refused(seedbed("convert", links, "/proc/no/such/place"), "/proc")


@pytest.mark.parametrize("moment", [0.5, 1.5])
def test_ctrl_c_ends_in_one_line_and_leaves_nothing(tmp_path: Path, moment: float) -> None:
    process = subprocess.Popen(
        [SEEDBED, "synth", str(tmp_path / "web"), "--pages", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that run in the background of a shell have Ctrl-C ignored; this one must hear it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    assert out == ""
    assert err.splitlines() == ["seedbed: stopped. Nothing was left half-written."]
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


def test_ctrl_c_is_known_however_deep_it_is_wrapped() -> None:
    """Numba wraps it twice where a kernel is being loaded."""
    from seedbed.cli.options import command

    @command
    def interrupted() -> None:
        try:
            try:
                raise KeyboardInterrupt
            except KeyboardInterrupt as stop:
                raise SystemError("inner") from stop
        except SystemError as inner:
            raise SystemError("outer") from inner

    with pytest.raises(SystemExit) as caught:
        interrupted()
    assert caught.value.code == 1

    @command
    def broken() -> None:
        raise SystemError("nobody pressed anything")

    with pytest.raises(SystemError, match="nobody"):
        broken()

"""The command in a process of its own, as a person runs it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

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


def seedbed_here(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same inside this process, which is quicker by far; for what does not depend on the process."""
    from typer.testing import CliRunner

    from seedbed.cli.main import app

    with contextlib.chdir(cwd):
        done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(list(words), done.exit_code, done.stdout, done.stderr)


def refused(run: subprocess.CompletedProcess[str], *parts: str) -> str:
    """The one line of a command that ended with 1: its input does not allow what was asked for."""
    return _one_line(run, 1, parts)


def misused(run: subprocess.CompletedProcess[str], *parts: str) -> str:
    """The one line of a command that ended with 2: an option has a value that it can never have."""
    return _one_line(run, 2, parts)


def _one_line(run: subprocess.CompletedProcess[str], code: int, parts: tuple[str, ...]) -> str:
    assert run.returncode == code, run.stderr
    assert run.stdout == ""
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("seedbed: ")
    for part in parts:
        assert part in lines[0]
    return lines[0]

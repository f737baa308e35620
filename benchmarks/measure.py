"""What every benchmark needs: the machine in words, medians of repeated runs, peak memory, rows of a table."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

REPEATS = 5
NEW_PROCESS = """
import sys, time, resource
start = time.perf_counter()
{body}
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, result)
"""
T = TypeVar("T")


@dataclass(frozen=True)
class Row:
    """One measurement: what, how much, against what aim and what peer measured in the same run."""

    what: str
    value: float
    unit: str
    aim: str = ""
    peer: str = ""
    peer_value: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer; units that end in '/s' are better large, others better small."""
        if self.peer_value is None:
            return None
        better_large = self.unit.endswith("/s")
        return self.value / self.peer_value if better_large else self.peer_value / self.value


def median_seconds(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The median time of `work`, after one run that compiles and warms up."""
    work()
    return statistics.median(timed(work)[0] for _ in range(repeats))


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The seconds of one call, and what it gives."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_new_process(body: str, *words: str) -> list[str]:
    """Seconds, peak GiB and the words of `result`, from a process of its own that runs `body` with sys.argv[1:]."""
    command = [sys.executable, "-c", NEW_PROCESS.format(body=body), *words]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def peak_bytes() -> int:
    """The most memory that this program has held; that of the process it was started by does not count."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


def machine() -> str:
    """Processor, cores, memory, versions."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    names = ("numpy", "numba", "scipy", "pandas", "pyarrow", "duckdb")
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    cores = len(os.sched_getaffinity(0))
    return f"{model}, {cores} cores, {memory:.0f} GiB; Python {platform.python_version()}, {versions}"

"""Commands as a user waits for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measure import Row, median_seconds

SEEDBED = str(Path(sys.executable).parent / "seedbed")


def rows(graph: Path) -> list[Row]:
    """--help, and info the second time."""

    def command(*words: str) -> float:
        return median_seconds(lambda: subprocess.run([SEEDBED, *words], check=True, capture_output=True))

    return [
        Row("seedbed --help", command("--help"), "s", "0.3"),
        Row(f"seedbed info {graph.name}, the second time", command("info", str(graph)), "s", "5"),
    ]

"""The example runs as it stands, and its loop closes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "live_crawl"


def test_from_crawl_to_graph_to_seeds_to_crawl_to_graph(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE / "run.py", "--pages", "5000", "--fetch", "60", "--folder", tmp_path],
        check=False,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert "ERROR" not in done.stderr
    fetched = [int(count) for count in re.findall(r"(\d+) pages fetched", done.stdout)]
    assert len(fetched) == 2
    assert min(fetched) >= 60
    assert (tmp_path / "seeds-3.txt").exists()
    for program in re.findall(r"^\$ (\w+ \w+)", done.stdout, re.MULTILINE):
        assert program in (EXAMPLE.parents[1] / "docs" / "scrapy.md").read_text()

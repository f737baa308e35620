"""Runs the benchmarks and writes the table of each part into benchmarks/README.md between its markers.

    make bench            all but the large web
    make bench-large      a web of 100 million pages and 3 billion links as well (some ten minutes)

cnr-2000 and najdisi-si are not part of this project. Name them with --graph and --urls; without them a synthetic web of
the same size stands in.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measure import Row, machine  # noqa: E402

SHARED = HERE.parent.parent / "shared" / "data"
PARTS = (
    "bvgraph",
    "edges",
    "synthetic",
    "urls",
    "archives",
    "commands",
    "ranking",
    "cores",
    "coverage",
    "crawl",
    "live",
    "live_delay",
)


def main() -> None:
    """Each part in a process of its own, so that none warms up or fills the memory of another."""
    options = arguments()
    if options.part:
        print(json.dumps([asdict(row) for row in measured(options.part, options.graph, options.urls)]))
        return
    with tempfile.TemporaryDirectory() as folder:
        graph, urls = stand_ins(options, Path(folder))
        for part in options.only or PARTS:
            text = table(in_process(part, graph, urls))
            print(f"{part}\n\n{text}\n", flush=True)
            write_between_markers(part, f"Measured on: {machine()}.\n\n{text}")


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cnr, najdisi = SHARED / "cnr-2000" / "cnr-2000", SHARED / "najdisi-si" / "core2.net.gz"
    parser.add_argument("--graph", type=Path, default=cnr if cnr.with_name("cnr-2000.graph").exists() else None)
    parser.add_argument("--urls", type=Path, default=najdisi if najdisi.exists() else None)
    parser.add_argument("--only", nargs="*", choices=PARTS, help="these parts instead of all")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    return parser.parse_args()


def stand_ins(options: argparse.Namespace, folder: Path) -> tuple[Path, Path]:
    """The two graphs, or a synthetic web in their place."""
    if options.graph and options.urls:
        return options.graph, options.urls
    from seedbed.synth import make_web

    make_web(folder / "web", pages=325_557, links_per_page=10, links="bvgraph")
    return options.graph or folder / "web" / "links", options.urls or folder / "web"


def in_process(part: str, graph: Path, urls: Path) -> list[Row]:
    """The rows of one part."""
    print(f"measuring: {part}", file=sys.stderr)
    done = subprocess.run(
        [sys.executable, __file__, "--part", part, "--graph", str(graph), "--urls", str(urls)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return [Row(**row) for row in json.loads(done.stdout)]


def measured(part: str, graph: Path, urls: Path) -> Iterable[Row]:
    """The measurements of one part."""
    module = importlib.import_module(f"benchmarks.{part}")
    given = {"graph": graph, "urls": urls}
    wanted = inspect.signature(module.rows).parameters
    return module.rows(**{name: path for name, path in given.items() if name in wanted})


def table(rows: Iterable[Row]) -> str:
    """Markdown."""
    lines = ["| what | measured | aim | peer, same run | ratio |", "|---|---:|---:|---|---:|"]
    for row in rows:
        peer = f"{row.peer}: {row.peer_value:,.4g}" if row.peer_value is not None else ""
        ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
        lines.append(f"| {row.what.strip()} | {row.value:,.4g} {row.unit} | {row.aim} | {peer} | {ratio} |")
    return "\n".join(lines)


def write_between_markers(name: str, text: str) -> None:
    """Replace what stands between <!-- name --> and <!-- end name --> in README.md."""
    readme = HERE / "README.md"
    pattern = rf"(<!-- {name} -->\n).*?(<!-- end {name} -->)"
    content = re.sub(pattern, lambda found: f"{found[1]}{text}\n{found[2]}", readme.read_text(), flags=re.DOTALL)
    readme.write_text(content)


if __name__ == "__main__":
    main()

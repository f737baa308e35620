"""A web of the size of a country's as BVGraph, made, opened and walked once, with time and peak memory of each step.

make bench-large      or      python benchmarks/large.py --pages 100000000 --links-per-page 30.5 --folder /big/disk
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from benchmarks.measure import in_new_process, machine  # noqa: E402
from benchmarks.run import write_between_markers  # noqa: E402

MAKE = """
from seedbed.synth import make_web
from pathlib import Path
make_web(Path(sys.argv[1]), pages=int(sys.argv[2]), links_per_page=float(sys.argv[3]), links="bvgraph", threads=2)
result = ""
"""
WALK = """
import seedbed as sb
# compiled code is loaded before the clock
import seedbed.sources.formats.store, seedbed.links.bvgraph_links, seedbed.urls.sites
opened = time.perf_counter()
web = sb.open(sys.argv[1])
opened = time.perf_counter() - opened
links = sum(len(block.out_idx) for block in web.links.blocks())
url_bytes = web.urls.bytes / web.page_count
result = f"{opened * 1e3:.1f} {web.page_count} {links} {web.links.bits_per_link:.3f} {url_bytes:.2f}"
"""


def main() -> None:
    """Make, walk, write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000_000)
    parser.add_argument("--links-per-page", type=float, default=30.5)
    parser.add_argument("--folder", type=Path, default=None, help="where some 10 GB fit; default: the temporary folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        out = str(Path(folder) / "web")
        made = in_new_process(MAKE, out, str(options.pages), str(options.links_per_page))
        walked = in_new_process(WALK, out)
    seconds, peak, opened, pages, links, bits, url_bytes = walked
    text = (
        f"Measured on: {machine()}.\n\n"
        "| step | seconds | M links/s | peak memory, GiB |\n|---|---:|---:|---:|\n"
        f"| make and store, 2 cores | {float(made[0]):,.0f} | {int(links) / float(made[0]) / 1e6:.1f} "
        f"| {float(made[1]):.2f} |\n"
        f"| open | {float(opened) / 1e3:.3f} | | |\n"
        f"| open and walk once, 1 core | {float(seconds):,.0f} | {int(links) / float(seconds) / 1e6:.1f} "
        f"| {float(peak):.2f} |\n\n"
        f"{int(pages):,} pages, {int(links):,} links, {bits} bits a link, URLs in {url_bytes} bytes each."
    )
    print(text)
    write_between_markers("large", text)


if __name__ == "__main__":
    main()

"""The loop: a crawl's links become a web, the web gives seeds, the seeds start the next crawl, and so on.

    python run.py [--pages 20000] [--fetch 300] [--folder WHERE]

A synthetic web is served on this machine. A first crawl starts from some pages of it, and fetches what it finds in the
order found. What it saw is read as a web; seedbed chooses seeds in it. The next crawl starts from those and fetches
important pages first, with what the first one knew. Printed are the commands, as one types them, and the part of the
web's PageRank that was fetched.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from loopback import Server
from scrapy.settings import default_settings

import seedbed as sb

HERE = Path(__file__).resolve().parent
# Scrapy 2.19 has another name for it.
RESOLVER = "TWISTED_DNS_RESOLVER" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else "DNS_RESOLVER"
SCHEDULER = "seedbed.integrations.scrapy.ImportanceScheduler"


def main() -> None:
    """Two rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--fetch", type=int, default=300)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        command(folder, "seedbed", "synth", "served.web", "--pages", options.pages)
        rounds(folder, Server(sb.open(folder / "served.web")), options.fetch)


def rounds(folder: Path, server: Server, fetch: int) -> None:
    """Crawl, read what the crawl saw, choose seeds in it, crawl again."""
    rank = sb.rank(server.web).scores
    first = [server.here(url) for url in server.web.urls.many(range(0, server.web.page_count, 1000))]
    (folder / "seeds-1.txt").write_text("".join(url + "\n" for url in first))
    for number, order, last in ((1, "bfs", ()), (2, "live-pagerank", ("-s", "SEEDBED_LAST=crawl-1.web"))):
        server.asked.clear()
        command(
            folder,
            *("scrapy", "runspider", HERE / "spider.py", "-a", f"seeds=seeds-{number}.txt", "-L", "WARNING"),
            *("-s", f"SCHEDULER={SCHEDULER}", "-s", f"SEEDBED_ORDER={order}", "-s", f"JOBDIR=job-{number}"),
            *("-s", f"CLOSESPIDER_PAGECOUNT={fetch}", "-s", f"{RESOLVER}=loopback.Loopback"),
            *last,
        )
        asked = list(server.asked)
        command(folder, "seedbed", "convert", f"job-{number}/links.jsonl", f"crawl-{number}.web")
        seeds = (f"crawl-{number}.web", "-k", len(first), "--strategy", "cover", "--out", f"seeds-{number + 1}.txt")
        command(folder, "seedbed", "seeds", *seeds)
        found = sb.open(folder / f"crawl-{number}.web")
        print(
            f"crawl {number}, {order}: {len(asked)} pages fetched, {100 * rank[list(set(asked))].sum():.1f} % of the "
            f"PageRank of the web; it knows {found.page_count:,} pages and {found.link_count:,} links\n",
            flush=True,
        )


def command(folder: Path, program: str, *words: object) -> None:
    """Run a command in the folder, and say so."""
    print("$", program, shlex.join(map(str, words)), flush=True)
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    place = Path(sys.executable).parent / program
    subprocess.run([place, *map(str, words)], check=True, cwd=folder, env={**os.environ, "PYTHONPATH": path})


if __name__ == "__main__":
    main()

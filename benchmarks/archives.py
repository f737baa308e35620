"""Pages and links out of archives, beside a script with warcio and Beautiful Soup on the same files in the same run."""

from __future__ import annotations

import gzip
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

from benchmarks.measure import Row

FILES = 2
PAGES = 300
MANY_PAGES = 2_000
REPEATS = 3
WORDS = ("the", "of", "and", "to", "in", "is", "that", "was", "for", "on", "are", "with", "they", "one", "have", "from")


def rows() -> list[Row]:
    """Pages a second of one file beside the script, and of two larger ones with one process and with two."""
    import seedbed as sb

    with tempfile.TemporaryDirectory() as name:
        small, folder = Path(name) / "small.warc.gz", Path(name) / "large"
        folder.mkdir()
        small.write_bytes(archive(0, PAGES))
        for k in range(FILES):
            (folder / f"part-{k}.warc.gz").write_bytes(archive(k, MANY_PAGES))
        if sb.open(small).link_count != peer(small):
            raise RuntimeError("the two found different links")
        ours, theirs, alone, together = interleaved(
            lambda: sb.open(small),
            lambda: peer(small),
            lambda: sb.open(folder, threads=1),
            lambda: sb.open(folder, threads=2),
        )
    aim, script, size = "5 × the script", "warcio + Beautiful Soup", FILES * MANY_PAGES
    return [
        Row(f"one WARC file, {PAGES} pages", PAGES / ours, "pages/s", aim, script, PAGES / theirs),
        Row(f"{FILES} WARC files, {size} pages, 1 process", size / alone, "pages/s", aim, script, PAGES / theirs),
        Row("the same, 2 processes", size / together, "pages/s", aim, script, PAGES / theirs),
    ]


def interleaved(*works: Callable[[], Any]) -> list[float]:
    """The median time of each, taken in turn, after one run that compiles and warms up."""
    times: list[list[float]] = [[] for _ in works]
    for k in range(REPEATS + 1):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if k:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def archive(part: int, pages: int) -> bytes:
    """A WARC file of pages as they are: some 30 KiB of markup and text, 120 links, most of them to the same site."""
    draw = random.Random(part)  # noqa: S311 - the same pages every time
    return b"".join(gzip.compress(record(f"http://site{part}.example/p{k}", html(draw))) for k in range(pages))


def record(url: str, page: str) -> bytes:
    """The WARC record of a page."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{url}>\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def html(draw: random.Random) -> str:
    """One page."""
    items = []
    for k in range(120):
        local = draw.random() < 0.8
        target = f"/p{draw.randrange(PAGES)}" if local else f"http://site{draw.randrange(999)}.example/p{k}?q={k}"
        text = " ".join(draw.choices(WORDS, k=40))
        items.append(
            f'<div class="item n{k}"><p><a href="{target}" title="x">{text[:20]}</a> <b>{text}</b><br>{k}</p></div>'
        )
    return f"<!doctype html><html><head><title>x</title></head><body>{''.join(items)}</body></html>"


def peer(path: Path) -> int:
    """The script that people write: how many different links between different pages it finds."""
    from bs4 import BeautifulSoup
    from warcio.archiveiterator import ArchiveIterator

    links = set()
    with path.open("rb") as file:
        for found in ArchiveIterator(file):
            kind = found.http_headers.get_header("Content-Type", "") if found.http_headers else ""
            if found.rec_type == "response" and kind.startswith("text/html"):
                url = found.rec_headers.get_header("WARC-Target-URI")
                soup = BeautifulSoup(found.content_stream().read(), "html.parser")
                links.update((url, urldefrag(urljoin(url, a["href"])).url) for a in soup.find_all("a", href=True))
    return sum(source != target for source, target in links)

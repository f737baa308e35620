"""A web on loopback with any host names, and real Scrapy crawls of it, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from seedbed.graph.web import Web
from tests.graphs import web_of

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Answer:
    """What the server says."""

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Served(ThreadingHTTPServer):
    """Answers by host name and path; `asked` has them in the order of the requests."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Answer | Callable[[], Answer]] = {}
        self.asked: list[str] = []
        self.delay = 0.0
        self.lock = Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A crawl that was killed does not listen any more."""

    def url(self, place: str) -> str:
        """The URL of a place such as a.test/x."""
        host, _, path = place.partition("/")
        return f"http://{host}:{self.server_port}/{path}"

    def pages(self, *, robots: bool = False) -> list[str]:
        """The places asked for, in order."""
        return [place for place in self.asked if robots or not place.endswith("/robots.txt")]


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        place = self.headers["Host"].partition(":")[0] + self.path
        with self.server.lock:
            self.server.asked.append(place)
        if self.server.delay:
            time.sleep(self.server.delay)
        found = self.server.answers.get(place, Answer(status=404))
        answer = found if isinstance(found, Answer) else found()
        body = answer.body.encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "text/html; charset=utf-8", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing."""


@contextmanager
def server() -> Iterator[Served]:
    served = Served()
    thread = Thread(target=served.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def page(*urls: str) -> str:
    """HTML with links."""
    return "<html><body>" + "".join(f'<a href="{url}">x</a>' for url in urls) + "</body></html>"


def put_web(served: Served, lists: Sequence[Sequence[int]], hosts: Sequence[int]) -> Web:
    """Serve a graph; the same as a web, page p being page p."""
    places = [f"h{host}.test/p{number}" for number, host in enumerate(hosts)]
    urls = [served.url(place) for place in places]
    for place, links in zip(places, lists, strict=True):
        served.answers[place] = Answer(page(*(urls[target] for target in links)))
    return web_of(lists, urls)


def numbers(served: Served) -> list[int]:
    """The pages of such a web, as asked for."""
    return [int(place.rpartition("/p")[2]) for place in served.pages()]


@dataclass
class Crawled:
    """How a crawl ended."""

    stats: dict[str, Any]
    log: str
    status: int


def command(start: Sequence[str], folder: Path, spider: str, settings: dict[str, Any]) -> list[str]:
    given = {"start": list(start), "stats": str(folder / "stats.json"), "spider": spider, "settings": settings}
    return [sys.executable, "-m", "tests.live_spider", json.dumps(given)]


def scrapy(start: Sequence[str], folder: Path, spider: str = "Links", **settings: Any) -> Crawled:
    """Crawl to the end."""
    (folder / "stats.json").unlink(missing_ok=True)
    done = subprocess.run(
        command(start, folder, spider, settings),
        check=False,
        cwd=ROOT,
        env={**os.environ},
        capture_output=True,
        text=True,
        timeout=120,
    )
    stats = folder / "stats.json"
    return Crawled(json.loads(stats.read_text()) if stats.exists() else {}, done.stderr, done.returncode)


def killed(
    start: Sequence[str], folder: Path, when: Callable[[], bool], spider: str = "Links", **settings: Any
) -> None:
    """Crawl, and kill the process as soon as something holds."""
    with (folder / "killed.log").open("w") as log:
        process = subprocess.Popen(command(start, folder, spider, settings), cwd=ROOT, stdout=log, stderr=log)
        try:
            until = time.monotonic() + 60
            while not when() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            assert process.poll() is None, (folder / "killed.log").read_text()
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()

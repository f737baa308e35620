"""What is written for a crawler, read back by the crawler itself, or by the library with which it reads."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from seedbed.exports.export import export
from tests.exported import CLEAN, ROWS, URLS, ranking_text, texts_for

READERS = Path(__file__).parent / "readers"


def read_by(crawler: str, *arguments: object, home: Path) -> Any:
    """What a script of `readers/` prints, run in the crawler's own environment."""
    python = Path(sys.prefix) / "crawlers" / crawler / "bin" / "python"
    assert python.exists(), f"{python} is missing: scripts/crawlers makes it"
    command = [python, READERS / f"read_{crawler}.py", *map(str, arguments)]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "CRAWL4AI_NO_CLOUD_NOTICE": "1"}
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


RISING = [1.5, 2, 30, 400, 5000]
"""Scores of the same URLs, the last of them first: a ranking is in the order of pages."""


def ranking_file(folder: Path) -> Path:
    """URLS as a ranking, worst first."""
    file = folder / "ranking.jsonl"
    rows = zip(reversed(URLS), RISING, strict=True)
    file.write_text("".join(json.dumps({"url": url, "score": score}) + "\n" for url, score in rows))
    return file


@pytest.mark.parametrize("text", [texts_for(ROWS, "scrapy")[""], ranking_text(URLS[::-1], RISING, "scrapy")])
def test_scrapy_makes_requests_of_it_and_takes_the_best_first(text: str) -> None:
    from scrapy import Request
    from scrapy.pqueues import ScrapyPriorityQueue
    from scrapy.squeues import FifoMemoryQueue
    from scrapy.utils.test import get_crawler

    requests = [Request(**json.loads(line)) for line in text.splitlines()]
    queue = ScrapyPriorityQueue.from_crawler(get_crawler(), FifoMemoryQueue, "")
    for request in [Request("http://found.example/"), *reversed(requests)]:
        queue.push(request)
    taken = [queue.pop() for _ in range(len(queue))]
    assert [request.url for request in taken] == [*CLEAN, "http://found.example/"]
    assert [request.meta.get("seed_rank") for request in taken] == [1, 2, 3, 4, 5, None]


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[int]:
    """The port of a Redis that forgets."""
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        port = found.getsockname()[1]
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            yield port
        finally:
            server.terminate()


def wait_for(port: int) -> None:
    for _ in range(200):
        with closing(socket.socket()) as knock:
            if knock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("Redis did not start")


@pytest.mark.parametrize("ranking", [False, True])
def test_redis_and_scrapy_redis_pop_the_best_first(tmp_path: Path, redis: int, ranking: bool) -> None:
    """redis-cli reads the commands, scrapy-redis's own spider pops them and makes requests."""
    from redis import Redis
    from scrapy_redis.spiders import RedisSpider

    class Spider(RedisSpider):  # type: ignore[misc]
        name, redis_key, redis_encoding = "spider", "spider:start_urls", "utf-8"

    given = ranking_file(tmp_path) if ranking else ROWS
    [file] = export(given, "scrapy-redis", tmp_path / "seeds.redis", key="spider:start_urls").files
    with file.open() as commands:
        command = ["redis-cli", "-p", str(redis)]
        said = subprocess.run(command, check=True, stdin=commands, capture_output=True, text=True)
    assert said.stdout.split() == ["1"] * len(URLS)
    spider = Spider()
    with Redis(port=redis) as server:
        spider.server = server
        popped = spider.pop_priority_queue("spider:start_urls", len(URLS))
        requests = [spider.make_request_from_data(data) for data in popped]
    assert [request.url for request in requests] == CLEAN
    assert [request.meta["seed_rank"] for request in requests] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("ranking", [False, True])
def test_frontera_queues_the_best_first(tmp_path: Path, redis: int, ranking: bool) -> None:
    [file] = export(ranking_file(tmp_path) if ranking else ROWS, "frontera", tmp_path / "seeds.frontera").files
    assert read_by("frontera", file, redis, home=tmp_path) == {"memory": CLEAN, "redis": CLEAN}


def test_crawl4ai_fetches_the_best_hosts_first(tmp_path: Path) -> None:
    """A crawl of five hosts on loopback; the start page links to them worst first, the last has no seed."""
    with ExitStack() as stack:
        hosts = [f"http://{stack.enter_context(Site(f'127.0.0.{number}'))}/" for number in range(2, 7)]
        start = f"http://{stack.enter_context(Site('127.0.0.1', links=hosts[::-1]))}/"
        [file] = export([{"url": url} for url in hosts[:4]], "crawl4ai", tmp_path / "seeds.json").files
        assert read_by("crawl4ai", file, start, home=tmp_path) == [start, *hosts]


class Site:
    """A host that serves one page with links; entered, it gives host:port."""

    def __init__(self, address: str, links: list[str] | None = None) -> None:
        words = "<p>Words enough that nobody takes this for an error page.</p>" * 20
        page = words + "".join(f'<a href="{url}">{url}</a> ' for url in links or [])

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f"<!doctype html><title>{address}</title><body>{page}".encode())

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer((address, 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return "{}:{}".format(*self.server.server_address)

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("text", [texts_for(ROWS, "urlfrontier")[""], ranking_text(URLS[::-1], RISING, "urlfrontier")])
def test_urlfrontier_takes_every_line_as_a_message(text: str) -> None:
    """Parsed as the client's PutURLs parses: protobuf's JSON into a URLItem, which refuses a field it does not know."""
    from google.protobuf import json_format

    item = url_item()
    found = [json_format.Parse(line, item()) for line in text.split("\n") if line]
    assert all(one.WhichOneof("item") == "known" for one in found)
    due = sorted(found, key=lambda one: one.known.refetchable_from_date)
    assert [one.known.info.url for one in due] == CLEAN
    assert due[0].known.refetchable_from_date > 0
    assert due[0].known.info.key == "b.example"
    assert list(due[4].known.info.metadata["rank"].values) == ["5"]


def url_item() -> Any:
    """The message type URLItem with what it holds, fields and numbers as urlfrontier.proto (2.x) gives them."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="urlfrontier.proto", package="urlfrontier", syntax="proto3")

    def message(name: str, inside: Any = None) -> Any:
        return (inside.nested_type if inside else file.message_type).add(name=name)

    def field(owner: Any, name: str, number: int, kind: str, *, repeated: bool = False, oneof: bool = False) -> None:
        made = owner.field.add(
            name=name, number=number, label=kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL
        )
        if kind in ("STRING", "UINT64"):
            made.type = kinds.Type.Value(f"TYPE_{kind}")
        else:
            made.type, made.type_name = kinds.TYPE_MESSAGE, f".urlfrontier.{kind}"
        if oneof:
            made.oneof_index = 0

    field(message("StringList"), "values", 1, "STRING", repeated=True)
    info = message("URLInfo")
    field(info, "url", 1, "STRING")
    field(info, "key", 2, "STRING")
    field(info, "metadata", 3, "URLInfo.MetadataEntry", repeated=True)
    field(info, "crawlID", 4, "STRING")
    pair = message("MetadataEntry", inside=info)
    pair.options.map_entry = True
    field(pair, "key", 1, "STRING")
    field(pair, "value", 2, "StringList")
    known = message("KnownURLItem")
    field(known, "info", 1, "URLInfo")
    field(known, "refetchable_from_date", 2, "UINT64")
    field(message("DiscoveredURLItem"), "info", 1, "URLInfo")
    item = message("URLItem")
    item.oneof_decl.add(name="item")
    field(item, "discovered", 1, "DiscoveredURLItem", oneof=True)
    field(item, "known", 2, "KnownURLItem", oneof=True)
    field(item, "ID", 3, "STRING")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("urlfrontier.URLItem"))

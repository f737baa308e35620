"""Run in Frontera's own environment: give it a file of seeds, print the URLs in the order of its queues.

    python read_frontera.py SEEDS REDIS_PORT    {"memory": [...], "redis": [...]}

The strategies are those that docs/crawlers/frontera.md shows. Frontera 0.8.1 still imports from `collections` what
Python moved to `collections.abc`; the names are put back for it.
"""

import collections
import collections.abc
import json
import pathlib
import sys

for name in ("Iterable", "Mapping", "MutableMapping", "Sequence"):
    setattr(collections, name, getattr(collections.abc, name))

from frontera.core.manager import LocalFrontierManager  # noqa: E402
from frontera.settings import Settings  # noqa: E402
from frontera.strategy.basic import BasicCrawlingStrategy  # noqa: E402

MANY = 100


class HighestFirst(BasicCrawlingStrategy):
    """For the HBase and Redis queues, which give the highest score first."""

    def read_seeds(self, stream):
        for line in stream:
            seed = json.loads(line)
            self.schedule(self.create_request(seed["url"]), seed["score"])


class LowestFirst(BasicCrawlingStrategy):
    """For the memory and SQLAlchemy queues, which give the lowest score first."""

    def read_seeds(self, stream):
        for line in stream:
            seed = json.loads(line)
            self.schedule(self.create_request(seed["url"]), 1 - seed["score"])


def in_order(seeds, port, backend, strategy):
    settings = Settings(
        attributes={
            "BACKEND": f"frontera.contrib.backends.{backend}",
            "REDIS_HOST": "127.0.0.1",
            "REDIS_PORT": int(port),
            "REDIS_BACKEND_CODEC": "frontera.contrib.backends.remote.codecs.json",
            "SPIDER_FEED_PARTITIONS": 1,
            "STRATEGY": f"__main__.{strategy}",
        }
    )
    manager = LocalFrontierManager.from_settings(settings)
    with pathlib.Path(seeds).open("rb") as stream:
        manager.add_seeds(stream)
    requests = manager.backend.queue.get_next_requests(MANY, 0, max_requests_per_host=MANY, min_hosts=0)
    return [request.url for request in requests]


def main(seeds, port):
    memory = in_order(seeds, port, "memory.MemoryDistributedBackend", "LowestFirst")
    redis = in_order(seeds, port, "redis_backend.RedisBackend", "HighestFirst")
    print(json.dumps({"memory": memory, "redis": redis}))


main(*sys.argv[1:])

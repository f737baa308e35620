"""An ordinary spider: starts from the URLs in a file, one a line, and follows all links."""

from pathlib import Path

import scrapy


class Spider(scrapy.Spider):
    """scrapy runspider spider.py -a seeds=seeds.txt"""

    name = "example"

    def __init__(self, seeds: str, **more: object) -> None:
        super().__init__(**more)
        self.start_urls = [line for line in Path(seeds).read_text().splitlines() if not line.startswith("#")]

    def parse(self, response: scrapy.http.Response):
        """Follow all links."""
        yield from response.follow_all(css="a::attr(href)")

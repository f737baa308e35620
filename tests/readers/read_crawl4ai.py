"""Run in Crawl4AI's own environment: crawl from a page with what seedbed wrote, print the URLs as they are fetched.

    python read_crawl4ai.py SEEDS START

The crawl is the one that docs/crawlers/crawl4ai.md shows, with Crawl4AI's HTTP fetcher in place of its browser.
"""

import asyncio
import json
import pathlib
import sys

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.deep_crawling.scorers import DomainAuthorityScorer


async def fetched(seeds, start):
    made = json.loads(pathlib.Path(seeds).read_text())
    scorer = DomainAuthorityScorer(made["domain_weights"], default_weight=made["default_weight"])
    strategy = BestFirstCrawlingStrategy(max_depth=1, include_external=True, url_scorer=scorer)
    config = CrawlerRunConfig(
        deep_crawl_strategy=strategy, stream=True, cache_mode=CacheMode.BYPASS, log_console=False, verbose=False
    )
    async with AsyncWebCrawler(crawler_strategy=AsyncHTTPCrawlerStrategy(), verbose=False) as crawler:
        return [page.url async for page in await crawler.arun(start, config=config) if page.success]


print(json.dumps(asyncio.run(fetched(*sys.argv[1:]))))

"""Seeds and rankings in the formats that crawlers read. export.py says what an export is, and writes its files."""

from __future__ import annotations

from seedbed.common.declarations import Registry
from seedbed.exports.export import Export, as_export

EXPORTS: Registry[Export] = Registry(
    "crawler",
    "seedbed.exports",
    {
        "text": "seedbed.exports.line_exports:text",
        "nutch": "seedbed.exports.line_exports:nutch",
        "stormcrawler": "seedbed.exports.line_exports:stormcrawler",
        "heritrix": "seedbed.exports.line_exports:heritrix",
        "browsertrix": "seedbed.exports.json_exports:browsertrix",
        "urlfrontier": "seedbed.exports.json_exports:urlfrontier",
        "scrapy": "seedbed.exports.json_exports:scrapy",
        "scrapy-redis": "seedbed.exports.json_exports:scrapy_redis",
        "frontera": "seedbed.exports.json_exports:frontera",
        "crawl4ai": "seedbed.exports.json_exports:crawl4ai",
    },
    as_export,
)
"""The export for every crawler by name: the built-in ones, and those of other packages."""

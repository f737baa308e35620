"""Seeds in the form that crawlers read: one crawler a file.

Each module says at its top what the crawler does with its files. OPTIONS declares what the crawler can be told besides;
`files(entries, options)` gives the lines to write, by the ending of the file's name ('' is the one that was asked for).
"""

from __future__ import annotations

TARGETS = {
    "text": "seedbed.exports.plain_text",
    "nutch": "seedbed.exports.nutch",
    "stormcrawler": "seedbed.exports.stormcrawler",
    "heritrix": "seedbed.exports.heritrix",
    "browsertrix": "seedbed.exports.browsertrix",
    "urlfrontier": "seedbed.exports.urlfrontier",
    "scrapy": "seedbed.exports.scrapy_requests",
    "scrapy-redis": "seedbed.exports.scrapy_redis",
    "frontera": "seedbed.exports.frontera",
    "crawl4ai": "seedbed.exports.crawl4ai",
}
"""The module of each crawler."""

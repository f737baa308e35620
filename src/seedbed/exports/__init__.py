"""Seeds in the form that crawlers read: one crawler a file.

Each module has `files(entries, options)`, which gives the texts to write by the ending of their names ('' is the name
that was asked for), and says at its top what the crawler does with them.
"""

from __future__ import annotations

TARGETS = {
    "text": "seedbed.exports.text",
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

"""Seeds whose URLs would break a careless file, and what they look like in a careful one."""

from __future__ import annotations

from seedbed.exports.entry import safe

URLS = [
    "http://b.example/best",
    "http://a.example:8080/?q=x&y=z",
    "https://www.c.example/with space\tand tab\nand line",
    "http://d.example/quote\"'\\",
    "http://é.example/ü\u2028",
]
ROWS = [{"url": url} for url in URLS]
CLEAN = [safe(url, "test") for url in URLS]

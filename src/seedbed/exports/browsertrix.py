"""Browsertrix Crawler: a YAML configuration for `crawl --config FILE`, with depth and scope for each seed.

Pages are fetched in the order of the seeds, those of one depth before those of the next. Strings are written as JSON,
which YAML reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

SCOPES = ("page", "page-spa", "prefix", "host", "domain", "any")
OPTIONS = (
    Option("depth", int, "Links to follow from a seed.", least=0),
    Option("scope", str, "page, page-spa, prefix, host, domain or any. Default: host.", "host", choices=SCOPES),
)


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The configuration."""
    depth = "" if options["depth"] is None else f"    depth: {options['depth']}\n"
    seeds = (f"  - url: {json.dumps(entry.url)}\n    scopeType: {options['scope']}\n{depth}" for entry in entries)
    return {"": chain(["seeds:\n"], seeds)}

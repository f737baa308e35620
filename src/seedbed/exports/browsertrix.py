"""Browsertrix Crawler: a YAML configuration for `crawl --config FILE`, with depth and scope for each seed.

Pages are fetched in the order of the seeds, those of one depth before those of the next. Strings are written as JSON,
which YAML reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from seedbed.errors import unknown
from seedbed.exports.entry import Entry, Options

SCOPES = ("page", "page-spa", "prefix", "host", "domain", "any")


def files(entries: Sequence[Entry], options: Options) -> Mapping[str, str]:
    """The configuration."""
    if options.scope not in SCOPES:
        raise unknown("scope", options.scope, SCOPES)
    depth = "" if options.depth is None else f"    depth: {options.depth}\n"
    seeds = (f"  - url: {json.dumps(entry.url)}\n    scopeType: {options.scope}\n{depth}" for entry in entries)
    return {"": "seeds:\n" + "".join(seeds)}

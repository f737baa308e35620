"""Crawl4AI: a JSON object with the URLs, best first, and a weight for each host.

    made = json.load(open("seeds.json"))
    scorer = DomainAuthorityScorer(made["domain_weights"], default_weight=made["default_weight"])
    strategy = BestFirstCrawlingStrategy(max_depth=2, url_scorer=scorer)

BestFirstCrawlingStrategy fetches what its scorer scores highest. A host has the weight of its best seed, one without a
seed half of the least.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

OPTIONS: tuple[Option, ...] = ()


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The object."""
    weights: dict[str, float] = {}
    for entry in entries:
        weights.setdefault(entry.host, round(entry.weight, 9))
    least = min(weights.values(), default=1.0)
    made = {"urls": [entry.url for entry in entries], "domain_weights": weights, "default_weight": least / 2}
    return {"": chain(json.JSONEncoder(indent=1).iterencode(made), ["\n"])}

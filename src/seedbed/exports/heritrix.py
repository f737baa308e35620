"""Heritrix 3: seeds with scope, the same as a .schedule file, and a precedence for each.

NAME.txt         seeds.txt of the job: URLs, best first, then a line for each host that is in scope, +SURT, and for each
                 that is to be left out, -SURT. A SURT is the URL with the host turned round: http://(org,example,)/
                 Heritrix compares https URLs as if they were http, so a prefix with https would never match.
NAME.schedule    for the action directory of a running job: lines in the form of its journal, F+ URL, all offered to the
                 frontier
NAME.precedence  for PrecedenceLoader, then PreloadedUriPrecedencePolicy: a URL and its precedence. 1 is fetched first,
                 127 is the last that the frontier's keys can hold; ranks beyond share them evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from seedbed.errors import OptionError
from seedbed.exports.export_options import Option
from seedbed.exports.seed_entries import Entry

LAST = 127
OPTIONS = (Option("without", Path, "A file with hosts to leave out, one a line.", ()),)
ENDINGS = (".schedule", ".precedence")
"""Of the files beside the one asked for."""


def files(entries: Sequence[Entry], options: Mapping[str, Any]) -> Mapping[str, Iterable[str]]:
    """The three files."""
    scope = dict.fromkeys(f"+{surt(entry.url)}\n" for entry in entries)
    out = dict.fromkeys(f"-{surt(home(host))}\n" for host in options["without"])
    return {
        "": chain((f"{entry.url}\n" for entry in entries), scope, out),
        ".schedule": (f"F+ {entry.url}\n" for entry in entries),
        ".precedence": (f"{entry.url} {precedence(entry, len(entries))}\n" for entry in entries),
    }


def home(host: str) -> str:
    """The first page of a host that a user named."""
    from ada_url import URL

    try:
        parsed = URL(f"http://{host}/")
    except ValueError:
        parsed = None
    if parsed is None or parsed.href != f"http://{parsed.host}/" or not parsed.hostname.strip("."):
        raise OptionError(
            f"{host[:100]!r} is not a host to leave out. Write hosts one a line, such as www.example.org."
        )
    return str(parsed.href)


def surt(url: str) -> str:
    """The SURT prefix of all URLs on the host of a URL. Addresses in digits are not turned round."""
    from ada_url import URL

    parsed = URL(url)
    host = parsed.hostname.rstrip(".")
    in_digits = host.rpartition(".")[2].isdigit()
    turned = host if in_digits else ",".join(reversed(host.split("."))) + ","
    port = f":{parsed.port}" if parsed.port else ""
    return f"http://({turned}{port})/"


def precedence(entry: Entry, count: int) -> int:
    """1 for the best; ranks up to 127 are their own."""
    return entry.rank if count <= LAST else 1 + (entry.rank - 1) * LAST // count

"""The host of one URL at a time, by a browser's parser."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ada_url import URL

CONTROL_OR_SPACE = "".join(map(chr, range(33)))


def host_of(url: str, *, bare: bool = False) -> str:
    """The URL standard's host; of names without a scheme what stands before the path; "" for none."""
    url = re.sub("[\t\n\r]", "", url.strip(CONTROL_OR_SPACE))
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):([/\\]{0,2})", url)
    if scheme and len(scheme[2]) < 2 and (bare or "." in scheme[1]):
        scheme = None
    if not scheme and re.match(r"[/\\](?![/\\])", url):
        return ""
    try:
        return URL(url if scheme else f"http://{url}").host
    except ValueError:
        return ""


def numbered(names: Sequence[str]) -> tuple[list[int], list[str]]:
    """(the number of each name among the distinct names in ascending order, those names)."""
    distinct = sorted(set(names), key=str.encode)
    return [distinct.index(name) for name in names], distinct

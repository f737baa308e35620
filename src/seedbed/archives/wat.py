"""WAT records: JSON that describes a WARC record, with the links of a page as its maker found them.

    {"Envelope": {"WARC-Header-Metadata": {"WARC-Target-URI": …}, "Payload-Metadata": {"HTTP-Response-Metadata":
      {"Response-Message": {"Status": "200"}, "Headers": {…}, "HTML-Metadata": {"Head": {…}, "Links": [{…}]}}}}}

A link is {"path": "A@/href", "url": …, "rel": …}; text and title are not read.
"""

from __future__ import annotations

import json
from typing import Any

from seedbed.archives.captures import Capture, Listed
from seedbed.archives.html import refresh_target, says_nofollow, words

LONGEST_WAT = 16 << 20
_NO_JSON = "WAT records that are not JSON left out"
_PATHS = frozenset({"A@/href", "AREA@/href", "FRAME@/src", "IFRAME@/src"})
_RELATIONS = frozenset({"canonical", "next", "prev"})


def wat_capture(block: bytes) -> Capture | str | None:
    """The capture; None where the record describes no answer; what is wrong where it is no JSON."""
    try:
        envelope = _at(json.loads(block), "Envelope")
    except (ValueError, RecursionError):
        return _NO_JSON
    url = _at(envelope, "WARC-Header-Metadata").get("WARC-Target-URI")
    url = _at(envelope, "ARC-Header-Metadata").get("Target-URI") if url is None else url
    answer = _at(envelope, "Payload-Metadata", "HTTP-Response-Metadata")
    status = str(_at(answer, "Response-Message").get("Status", ""))
    if not isinstance(url, str) or not (status.isascii() and status.isdigit() and len(status) == 3):
        return None
    headers = {str(key).lower(): value for key, value in _at(answer, "Headers").items() if isinstance(value, str)}
    described = answer.get("HTML-Metadata")
    listed = _listed(described) if isinstance(described, dict) else None
    return Capture(url, int(status), headers, listed=listed)


def _listed(page: dict[str, Any]) -> Listed:
    head = _at(page, "Head")
    found = Listed(_string(head.get("Base")), set(), set())
    everywhere = False
    for meta in _rows(head.get("Metas")):
        content = _string(meta.get("content")) or ""
        if (_string(meta.get("http-equiv")) or "").lower() == "refresh":
            found.followed.add(refresh_target(content) or "")
        elif (_string(meta.get("name")) or "").strip().lower() == "robots":
            everywhere |= says_nofollow(content)
    for link in _rows(head.get("Link")):
        if _RELATIONS & words(_string(link.get("rel"))):
            found.followed.add(_string(link.get("url")) or "")
    for link in _rows(page.get("Links")):
        if link.get("path") in _PATHS:
            marked = "nofollow" in words(_string(link.get("rel")))
            (found.nofollow if marked else found.followed).add(_string(link.get("url")) or "")
    followed, nofollow = found.followed - {""}, found.nofollow - {""}
    return Listed(found.base, set(), followed | nofollow) if everywhere else Listed(found.base, followed, nofollow)


def _at(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None

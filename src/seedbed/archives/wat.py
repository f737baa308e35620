"""WAT records: JSON that describes a WARC record, with the links of a page as the file's creator found them.

    {"Envelope": {"WARC-Header-Metadata": {"WARC-Target-URI": …, "WARC-Payload-Digest": …},
      "Payload-Metadata": {"HTTP-Response-Metadata": {"Response-Message": {"Status": "200"}, "Headers": {…},
        "HTML-Metadata": {"Head": {…}, "Links": [{…}]}}}}}

A link is {"path": "A@/href", "url": …, "rel": …}; text and title are not read. A repeated header is a list.
"""

from __future__ import annotations

import json
from typing import Any

from seedbed.archives.captures import Capture, Listed
from seedbed.archives.page_links import add_meta, add_relation, words

LONGEST_WAT = 16 << 20
_NO_JSON = "WAT records that are not JSON left out"
_PATHS = frozenset({"A@/href", "AREA@/href", "FRAME@/src", "IFRAME@/src"})


def wat_capture(block: bytes) -> Capture | str | None:
    """The capture; None if the record does not describe an answer; an error text if it is not JSON."""
    try:
        envelope = _at(json.loads(block), "Envelope")
    except (ValueError, RecursionError):
        return _NO_JSON
    record = _at(envelope, "WARC-Header-Metadata")
    url = record.get("WARC-Target-URI")
    url = _at(envelope, "ARC-Header-Metadata").get("Target-URI") if url is None else url
    answer = _at(envelope, "Payload-Metadata", "HTTP-Response-Metadata")
    status = _at(answer, "Response-Message").get("Status")
    status = str(status) if isinstance(status, int) else _string(status)
    if not isinstance(url, str) or not (status.isascii() and status.isdigit() and len(status) == 3):
        return None
    headers = {key.lower(): "\n".join(_strings(value)) for key, value in _at(answer, "Headers").items()}
    described = answer.get("HTML-Metadata")
    listed = _listed(described) if isinstance(described, dict) else None
    return Capture(url, int(status), headers, listed=listed, digest=_string(record.get("WARC-Payload-Digest")))


def _listed(page: dict[str, Any]) -> Listed:
    head = _at(page, "Head")
    listed = Listed(_string(head.get("Base")) or None)
    for meta in _rows(head.get("Metas")):
        add_meta(listed, *(_string(meta.get(key)) for key in ("http-equiv", "name", "content")))
    for link in _rows(head.get("Link")):
        add_relation(listed, _string(link.get("rel")), _string(link.get("url")))
    for link in _rows(page.get("Links")):
        if _string(link.get("path")) in _PATHS:
            marked = "nofollow" in words(_string(link.get("rel")))
            (listed.nofollow if marked else listed.followed).add(_string(link.get("url")))
    # In WAT files, an empty URL means that the URL was not kept.
    listed.followed.discard("")
    listed.nofollow.discard("")
    return listed


def _at(value: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""

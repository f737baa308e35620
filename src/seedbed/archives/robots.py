"""Robots directives that tell not to follow the links of a page: `nofollow`, or `none`.

    <meta name=robots content="noindex, nofollow">         X-Robots-Tag: noindex, nofollow
                                                           X-Robots-Tag: otherbot: none

A directive with a value (`max-image-preview: none`) is another one; a line for a crawler with a name is for that alone.
"""

from __future__ import annotations

import re

_AGENT = re.compile(r"\s*([^\s,:]+)\s*:(.*)", re.DOTALL)
_WITH_VALUE = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})


def says_nofollow(directives: str) -> bool:
    """Whether a list of directives does."""
    words = {word for part in directives.lower().split(",") if ":" not in part for word in part.split()}
    return not words.isdisjoint(("nofollow", "none"))


def header_says_nofollow(value: str) -> bool:
    """Whether an X-Robots-Tag header does; a repeated one has a line each."""
    return any(says_nofollow(_for_all(line)) for line in value.split("\n"))


def _for_all(line: str) -> str:
    """What a line says to all crawlers."""
    named = _AGENT.match(line)
    if named is None or named[1].lower() in _WITH_VALUE:
        return line
    return named[2] if named[1] == "*" else ""

"""How much of a page can be parsed in bounded time and memory.

Parsing takes time quadratic in the depth of the tree, and in the number of attributes of a tag; unclosed <b>, <i>,
<font> … are opened again in every paragraph that follows, so a few bytes can turn into gigabytes. All three are bounded
by looking at the tags alone, and checked only in pages that are large enough.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

DEEPEST = 10_000
MOST_REPEATED = 1_000_000
MOST_ATTRIBUTES = 30_000

_LARGE = 1 << 16
_LONG_TAG = 1 << 12
_WHOLE_TAG = re.compile(rb"<[a-zA-Z](?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+")
_QUOTED = re.compile(rb"\"[^\"]*+\"|'[^']*+'")

_FORMATTING = frozenset(b"b big code em font i nobr s small strike strong tt u".split())
# Void elements, and those that the next of their kind closes.
_NEVER_OPEN = frozenset(
    b"area base br col embed hr img input link meta param source track wbr frame a p li dd dt td th tr option "
    b"optgroup tbody thead tfoot colgroup caption rb rp rt rtc button html head body image keygen bgsound "
    b"basefont".split()
)
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^>]*)")
# Checking the first letter in both cases first cuts the search time by about 40 %.
_FIRST_LETTERS = b"".join(sorted({name[:1] + name[:1].upper() for name in _FORMATTING}))
_FORMATTING_TAG = re.compile(
    rb"<(?=[" + _FIRST_LETTERS + rb"])(?i:" + b"|".join(sorted(_FORMATTING)) + rb")[\s/>]",
)


def parsable(page: bytes) -> bytes:
    """The page up to where its tags exceed a bound; usually the whole page."""
    if len(page) >= _LARGE:
        page = _without_endless_tags(page)
    tags = page.count(b"<")
    if tags < 2 * DEEPEST and (
        tags * tags < MOST_REPEATED or tags * sum(1 for _ in _FORMATTING_TAG.finditer(page)) < MOST_REPEATED
    ):
        return page
    tag = _first_out_of_bounds(_TAG.findall(page))
    return page if tag is None else page[: next(islice(_TAG.finditer(page), tag, None)).start()]


def _without_endless_tags(page: bytes) -> bytes:
    squares = 0
    for tag in _WHOLE_TAG.finditer(page):
        if tag.end() - tag.start() > _LONG_TAG:
            squares += len(_QUOTED.sub(b" ", tag[0]).split()) ** 2
            if squares > MOST_ATTRIBUTES**2:
                return page[: tag.start()]
    return page


def _first_out_of_bounds(tags: list[tuple[bytes, bytes, bytes]]) -> int | None:
    """The index of the first tag at which a bound is exceeded."""
    open_tags: Counter[bytes] = Counter()
    styles: dict[bytes, Counter[bytes]] = {name: Counter() for name in _FORMATTING}
    depth = style_count = repeated = 0
    for k, (closing, name, rest) in enumerate(tags):
        repeated += style_count
        if depth > DEEPEST or repeated > MOST_REPEATED:
            return k
        name = name.lower()  # noqa: PLW2901 - the same name
        if name in _NEVER_OPEN:
            continue
        if not closing:
            open_tags[name] += 1
            depth += 1
            # The parser reopens at most three identical ones.
            if name in _FORMATTING and styles[name][rest] < 3:
                styles[name][rest] += 1
                style_count += 1
        elif open_tags[name]:
            open_tags[name] -= 1
            depth -= 1
            if name in _FORMATTING and not open_tags[name]:
                style_count -= styles[name].total()
                styles[name].clear()
    return None

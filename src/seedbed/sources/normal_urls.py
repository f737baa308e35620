"""Columns of URLs in their normal form: Arrow tells those that are in it already, a browser's parser reads the rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from seedbed.urls.browser_urls import LONGEST_URL, NOT_PLAIN, PLAIN, BrowserUrls


def normal_urls(strings: Any, urls: BrowserUrls) -> Any:
    """The normal form of each string, null where it is the URL of no page."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = strings.cast(pa.large_string()).dictionary_encode()
    names = coded.dictionary
    plain = pc.match_substring_regex(names, f"^(?:{PLAIN})$")
    for word in NOT_PLAIN:
        plain = pc.and_not(plain, pc.match_substring(names, word))
    plain = pc.and_(plain, pc.less_equal(pc.binary_length(names), LONGEST_URL))
    if urls.drop_sessions:
        plain = pc.and_not(plain, pc.match_substring_regex(names, "[?;]"))
    other = pc.invert(plain)
    replaced = [urls.page(name) for name in names.filter(other).to_pylist()]
    normal = pc.replace_with_mask(names, other, pa.array(replaced, pa.large_string()))
    return normal.take(coded.indices)


def both_known(sources: Any, targets: Any) -> Any:
    """Which pairs have two ends."""
    import pyarrow.compute as pc

    return np.asarray(pc.and_(pc.is_valid(sources), pc.is_valid(targets)))

"""Which pages have the same content, by columns of a web: numbers that such pages have in common, 0 if not known.

`digest` (or `checksum`) is of the content itself, `canonical` of the URL that a page names as its own (a hash of its
normal form, see urls/url_matching.py). Archives and crawl logs give them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import Ints

DIGEST, CANONICAL = ("digest", "checksum"), ("canonical",)


def keys_in(columns: Mapping[str, NDArray[Any]], names: tuple[str, ...]) -> Ints | None:
    """The first of some columns that is there, as whole numbers; 0 where one is missing."""
    for name in names:
        if name in columns:
            keys = np.asarray(columns[name])
            return (np.where(np.isfinite(keys), keys, 0) if keys.dtype.kind == "f" else keys).astype(np.int64)
    return None

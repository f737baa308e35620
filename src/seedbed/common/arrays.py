"""Arrays as kernels want them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def page_dtype(pages: int) -> type[np.int32] | type[np.int64]:
    """The smallest type that holds every page id."""
    return np.int32 if pages <= np.iinfo(np.int32).max else np.int64


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array as a plain read-only view, so that kernels are compiled for one type of array only."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view

"""The decorators of kernels: compiled once, cached on disk, free of the interpreter lock.

Kernels run in plain threads over disjoint ranges, so results never depend on how many threads there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])
_njit: Any = numba.njit

kernel: Callable[[F], F] = _njit(cache=True, nogil=True)

# For functions inside the innermost loops, that only borrow arrays: no call, and no counting of references (two atomic
# operations for each array that is passed). They must neither make nor return an array.
borrowing: Callable[[F], F] = _njit(cache=True, nogil=True, _nrt=False)
inlined: Callable[[F], F] = _njit(cache=True, nogil=True, _nrt=False, forceinline=True)

"""The decorators of kernels: compiled once, cached on disk, free of the interpreter lock.

Kernels run in plain threads over disjoint ranges, so results never depend on how many threads there are.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba

from seedbed.errors import OptionError

F = TypeVar("F", bound=Callable[..., Any])
_TOLD: list[str] = []

if getattr(numba.config, "DISABLE_JIT", 0):
    raise OptionError("NUMBA_DISABLE_JIT is set, and kernels only run compiled. Unset it.")


def _compiled(**settings: Any) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        compiled: Any = numba.njit(nogil=True, **settings)(function)
        try:
            compiled.enable_caching()
        except RuntimeError:
            _not_kept("neither the package nor a folder of yours can be written to")
        else:
            _keep_where_there_is_room(compiled._cache)
        return compiled

    return decorate


def _keep_where_there_is_room(cache: Any) -> None:
    """A kernel that cannot be written to the cache has been compiled all the same."""
    save = cache.save_overload

    def save_overload(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            _not_kept(f"{cache.cache_path}: {error.strerror}")

    cache.save_overload = save_overload


def _not_kept(reason: str) -> None:
    """Told once, however many kernels there are."""
    if not _TOLD:
        _TOLD.append(reason)
        warnings.warn(
            f"compiled kernels cannot be kept, so every run takes a minute longer ({reason}). Set NUMBA_CACHE_DIR to a "
            "folder that can be written to.",
            stacklevel=2,
        )


kernel: Callable[[F], F] = _compiled()

# For functions inside the innermost loops, that only borrow arrays: no call, and no counting of references (two atomic
# operations for each array that is passed). They must neither make nor return an array.
borrowing: Callable[[F], F] = _compiled(_nrt=False)
inlined: Callable[[F], F] = _compiled(_nrt=False, forceinline=True)

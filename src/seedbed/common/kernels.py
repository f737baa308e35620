"""Kernels: Numba functions, compiled once, cached on disk, running without the GIL.

Kernels run in plain threads over disjoint ranges, so results never depend on the number of threads.

Numba promises to keep `njit`, `overload` and `intrinsic`. Everything else that seedbed needs from it is in this file
and nowhere else: the options `_nrt` and `forceinline`, the cache of a compiled function, the class of a named tuple's
type, the code for one unaligned load, and when it loads BLAS. Tested with Numba 0.60.0 and 0.68.1. A version that lacks
one of these gives the same results, more slowly, and says so in one line.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import intrinsic, overload

from seedbed.errors import OptionError

TRIED = "0.60.0 to 0.68.1"
F = TypeVar("F", bound=Callable[..., Any])
_TOLD: set[str] = set()

if getattr(numba.config, "DISABLE_JIT", 0):
    raise OptionError("NUMBA_DISABLE_JIT is set, and kernels only run compiled. Unset it.")


def _put_off_blas() -> None:
    """Defer importing SciPy's linear algebra, which takes as long as importing Numba, until a kernel needs it.

    Numba looks for BLAS once, when its array functions are loaded. BLAS comes with SciPy, which seedbed requires, so
    the first answer is simply yes; a kernel that multiplies matrices makes Numba ask again.
    """
    try:
        from numba.np import linalg
    except ImportError:
        return
    if "numba.np.arraymath" not in sys.modules and hasattr(linalg, "ensure_blas"):
        look = linalg.ensure_blas

        def yes() -> None:
            linalg.ensure_blas = look

        linalg.ensure_blas = yes


_put_off_blas()


def _tell_once(subject: str, message: str) -> None:
    """Warn once per subject, however many kernels there are."""
    if subject not in _TOLD:
        _TOLD.add(subject)
        warnings.warn(message, stacklevel=2)


def _lacks(name: str) -> None:
    _tell_once(
        name,
        f"Numba {numba.__version__} lacks {name}: kernels give the same results, more slowly. seedbed was tested with "
        f"Numba {TRIED}.",
    )


def _compiled(signature: str | None = None, **options: Any) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        try:
            compiled: Any = numba.njit(nogil=True, **options)(function)
        except (KeyError, TypeError):
            _lacks(f"the options {', '.join(options)}")
            compiled = numba.njit(nogil=True)(function)
        _keep(compiled)
        if signature is not None:
            compiled.compile(signature)
            compiled.disable_compile()
        return compiled

    return decorate


def _keep(compiled: Any) -> None:
    """Cache a kernel on disk; one that cannot be written there is compiled all the same."""
    try:
        compiled.enable_caching()
    except RuntimeError:
        _not_kept("neither the package nor a folder of yours can be written to")
        return
    cache: Any = getattr(compiled, "_cache", None)
    if not hasattr(cache, "save_overload"):
        return
    save = cache.save_overload

    def save_overload(signature: Any, data: Any) -> None:
        try:
            save(signature, data)
        except OSError as error:
            _not_kept(f"{getattr(cache, 'cache_path', 'the cache')}: {error.strerror}")

    cache.save_overload = save_overload


def _not_kept(reason: str) -> None:
    _tell_once(
        "cache",
        f"compiled kernels cannot be kept, so every run takes a minute longer ({reason}). Set NUMBA_CACHE_DIR to a "
        "folder that can be written to.",
    )


kernel: Callable[[F], F] = _compiled()

# For functions in the innermost loops that only borrow arrays: no call and no reference counting (two atomic operations
# per array passed). They must neither create nor return an array.
borrowing: Callable[[F], F] = _compiled(_nrt=False)
inlined: Callable[[F], F] = _compiled(_nrt=False, forceinline=True)


def typed(signature: str) -> Callable[[F], F]:
    """A borrowing kernel with a single signature: compiled once, not once for each constant it is called with."""
    return _compiled(signature, _nrt=False)


@inlined
def leading_zeros(word: Any) -> Any:
    """Of a 64-bit number. LLVM turns the loop into a single instruction."""
    zeros = 64
    while word:
        word >>= numba.uint64(1)
        zeros -= 1
    return zeros


@inlined
def trailing_zeros(word: Any) -> Any:
    """Of a 64-bit number. LLVM turns the loop into a single instruction."""
    zeros = 64
    while word:
        word <<= numba.uint64(1)
        zeros -= 1
    return zeros


def _plain_load_eight(data: Any, at: Any) -> Any:
    word = numba.uint64(0)
    for k in range(8):
        word = (word << numba.uint64(8)) | numba.uint64(data[at + k])
    return word


def _eight_byte_load() -> Any:
    """A function for kernels: the eight bytes at `at` as one big-endian number. The caller checks that they exist."""
    try:
        from llvmlite import ir
        from numba import types
        from numba.core.cgutils import gep_inbounds
    except ImportError:
        _lacks("numba.core.cgutils")
        return inlined(_plain_load_eight)

    def load_eight(typingctx: Any, data: Any, at: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            pointer = gep_inbounds(builder, array.data, args[1])  # type: ignore[no-untyped-call]
            wide = builder.bitcast(pointer, ir.IntType(64).as_pointer())
            return builder.bswap(builder.load(wide, align=1))

        return types.uint64(data, types.int64), codegen

    return intrinsic(load_eight)


load_eight = _eight_byte_load()


def jitable(function: F) -> F:
    """A short numeric function that kernels compile and Python calls as is."""
    options: Any = {"_nrt": False, "forceinline": True}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)
    return function


def dispatched(name: str) -> Callable[..., Any]:
    """A function for kernels that dispatches on the class of its first argument, a named tuple; see `implements`."""

    def called(*arguments: Any) -> Any:
        raise TypeError(f"{name}() is for kernels")

    called.__name__ = called.__qualname__ = name
    return called


def implements(function: Callable[..., Any], kind: type) -> Callable[[F], F]:
    """Register what kernels that call `function` run if the first argument is a named tuple of class `kind`."""

    def register(implementation: F) -> F:
        plain = getattr(implementation, "py_func", implementation)

        def choose(first: Any, *others: Any) -> Any:
            return plain if getattr(first, "instance_class", None) is kind else None

        # Inlined, as passing the arrays of several named tuples costs more than many a function does.
        overload(function, jit_options={"forceinline": True}, strict=False)(choose)
        return implementation

    return register

"""The command `seedbed`, also as `python -m seedbed`: handles Ctrl-C from start to finish.

Between Ctrl-C and the end of a command any error may occur: a library still loading, or a kernel still compiling, is
interrupted and fails in its own way. Whatever the error, the user wanted to stop.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings

from seedbed.cli import process
from seedbed.cli.failures import explained, fail
from seedbed.common.memory import core_count, thread_room


def run() -> None:
    """The entry point."""
    gc.set_threshold(100_000)  # almost all that a command makes while it loads stays: looking through it takes time
    process.open_standard_files()
    process.listen()
    _bound_threads_of_libraries()
    warnings.formatwarning = lambda message, *_, **__: f"seedbed: {message}\n"
    try:
        _carry_out()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            process.end_by(signal.SIGPIPE)
        number = process.asked_to_stop()
        if end.code and number is not None:
            process.end_by(number)
        raise
    finally:
        process.listen_no_more()


def _bound_threads_of_libraries() -> None:
    # Nothing here is linear algebra; threads for it would only cost time and memory while NumPy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if thread_room() < core_count():
        os.environ.setdefault("OMP_NUM_THREADS", str(thread_room()))  # Arrow respects it


def _carry_out() -> None:
    """Run the command; ends in SystemExit, or with a traceback if there is a bug."""
    try:
        from seedbed.cli.main import app

        app()
    except BrokenPipeError:
        sys.exit(1)
    except (Exception, KeyboardInterrupt) as error:
        line = explained(error)
        if line is None:
            raise
        raise fail(line, getattr(error, "exit_code", 1)) from None


if __name__ == "__main__":
    run()

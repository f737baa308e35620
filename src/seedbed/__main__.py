"""The command `seedbed`, also as `python -m seedbed`: takes Ctrl-C from the first moment to the last.

Between Ctrl-C and the end of a command any error may come up: a library that is being loaded, or a kernel that is being
compiled, is left half-way and fails in its own words. Whatever it is, the user wanted to stop.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

STOPPED = "seedbed: stopped. Nothing was left half-written.\n"


def run() -> None:
    """The entry point."""
    asked = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)
    try:
        from seedbed.cli.main import app

        app()
    except Exception:
        if not asked:
            raise
        sys.stderr.write(STOPPED)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write(STOPPED)
        sys.exit(1)
    finally:
        # What was to be written is written; Ctrl-C while the interpreter winds up changes nothing.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    run()

"""Run with a number N and words: `seedbed` with these words, killed when it renames an output for the N-th time.

Exits with 0 where it ends before that.
"""

from __future__ import annotations

import os
import signal
import sys
from itertools import count
from typing import Any

_renames = count(1)


def _deadly(rename: Any, last: int) -> Any:
    def renamed(*places: Any, **more: Any) -> None:
        if ".seedbed." in str(places[0]) and next(_renames) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        rename(*places, **more)

    return renamed


if __name__ == "__main__":
    nth, *words = sys.argv[1:]
    os.rename, os.replace = _deadly(os.rename, int(nth)), _deadly(os.replace, int(nth))
    from seedbed.__main__ import run

    sys.argv = ["seedbed", *words]
    sys.exit(run())

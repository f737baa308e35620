"""Run with a number N, a folder and a text: writes the text into the folder as two files, killed at the N-th step.

A step is before or after a change of the names of files. A fourth word `renames` stands for a file system that cannot
exchange two names at once. Exits with 0 where all is done before that.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

from seedbed.common import atomic_files as files

_steps = count(1)


def _deadly(change: Any, last: int) -> Any:
    def changed(*places: Any, **more: Any) -> Any:
        _step(last)
        result = change(*places, **more)
        _step(last)
        return result

    return changed


def _step(last: int) -> None:
    if next(_steps) == last:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    nth, folder, text, *renames = sys.argv[1:]
    for module, name in ((os, "rename"), (os, "replace"), (shutil, "rmtree")):
        setattr(module, name, _deadly(getattr(module, name), int(nth)))
    files._exchanged = (lambda *places: False) if renames else _deadly(files._exchanged, int(nth))
    with files.written_beside(Path(folder)) as work:
        (work / "one").write_text(text)
        (work / "two").write_text(text)

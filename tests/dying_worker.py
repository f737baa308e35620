"""A worker that the second archive kills."""

import os
import signal
from pathlib import Path

from seedbed.archives import worker


def parts_of(path: Path, **settings: bool) -> object:
    if path.name == "part-1.warc.gz":
        os.kill(os.getpid(), signal.SIGKILL)
    return genuine(path, **settings)


genuine = worker.parts_of
worker.parts_of = parts_of  # type: ignore[assignment]

if __name__ == "__main__":
    worker.main()

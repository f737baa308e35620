"""A worker that the second archive kills."""

import os
import signal
from pathlib import Path

from seedbed.archives import archive_workers as workers
from seedbed.archives.capture_rows import Settings


def read_parts(file: Path, settings: Settings) -> object:
    if file.name == "part-1.warc.gz":
        os.kill(os.getpid(), signal.SIGKILL)
    return genuine(file, settings)


genuine = workers.read_parts
workers.read_parts = read_parts  # type: ignore[assignment]

if __name__ == "__main__":
    workers.main()

"""A worker that the second archive kills."""

import os
import signal
from pathlib import Path

from seedbed.archives import archive_worker as worker
from seedbed.archives.archive_workers import Settings


def tables_of(file: Path, settings: Settings) -> object:
    if file.name == "part-1.warc.gz":
        os.kill(os.getpid(), signal.SIGKILL)
    return genuine(file, settings)


genuine = worker.tables_of
worker.tables_of = tables_of  # type: ignore[assignment]

if __name__ == "__main__":
    worker.main()

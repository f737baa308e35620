"""The process that reads archives for another one: see workers.py for what they say to each other."""

from __future__ import annotations

import json
import sys
from typing import IO, Any

from seedbed.archives.archive_workers import Settings, file_asked_for, tables_of


def main() -> None:
    """Read files until there are no more."""
    try:
        for line in sys.stdin.buffer:
            message = json.loads(line)
            file = file_asked_for(message)
            for table in tables_of(file, Settings(**message)):
                _send(sys.stdout.buffer, table)
            _put(sys.stdout.buffer, b"")
    except (BrokenPipeError, KeyboardInterrupt):
        # Whoever asked has gone; there is nobody to tell.
        sys.exit(1)


def _send(out: IO[bytes], table: Any) -> None:
    import pyarrow as pa
    from pyarrow import ipc

    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    _put(out, sink.getvalue())


def _put(out: IO[bytes], data: Any) -> None:
    out.write(len(data).to_bytes(8, "little"))
    out.write(data)
    out.flush()


if __name__ == "__main__":
    main()

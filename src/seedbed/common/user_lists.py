"""Lists that users give along with a web: seeds, hosts, values, exclusions. Their size is bounded, whatever they are.

A list is a regular file or a pipe given on purpose: -, /dev/stdin, or /dev/fd/N as <(…) in a shell creates it. Any
other pipe or device could block, or be read, forever.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from seedbed.common.memory import require, show_size
from seedbed.errors import InputError

MOST_BYTES = 1 << 30
_CHUNK = 1 << 20
_STANDARD_INPUT = ("-", "/dev/stdin")
_PIPES = ("/dev/fd/", "/proc/self/fd/")


def list_text(path: Path) -> str:
    """The text of a list of at most MOST_BYTES, with all line ends as \\n."""
    is_pipe = is_pipe_on_purpose(path)
    if not is_pipe:
        check_is_regular(path)
    data = bytearray()
    with nullcontext(sys.stdin.buffer) if str(path) in _STANDARD_INPUT else path.open("rb") as file:
        too_long = not is_pipe and path.stat().st_size > MOST_BYTES
        while not too_long and (chunk := file.read(_CHUNK)):
            data += chunk
            too_long = len(data) > MOST_BYTES
    if too_long:
        raise InputError(f"{path}: is longer than {show_size(MOST_BYTES)}, the maximum for a list. Is it a list?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not UTF-8 at byte {error.start}. Save it as UTF-8.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a list and their numbers, except empty lines and those that begin with #."""
    return [
        (number, line)
        for number, line in enumerate(list_text(path).split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def check_is_table(path: Path) -> None:
    """Refuse anything but a regular file that fits in memory."""
    check_is_regular(path)
    require(path.stat().st_size, f"{path}, which is read as a whole,")


def check_is_regular(path: Path) -> None:
    """Refuse folders, pipes and devices; a missing file is left to the code that opens it."""
    if path.is_dir():
        raise InputError(f"{path}: is a folder, expected a file.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: is not a regular file but a pipe or a device. Save its content as a file first.")


def is_pipe_on_purpose(path: Path) -> bool:
    """Whether a path explicitly asks to read from a pipe."""
    return str(path) in _STANDARD_INPUT or str(path).startswith(_PIPES)

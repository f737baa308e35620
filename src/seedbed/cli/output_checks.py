"""What every command asks before it starts to work: may it write where it is told to?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seedbed.common.outputs import Kind


def check_file(
    out: Path,
    kind: Kind,
    *,
    webs: Sequence[Path | None] = (),
    format: str | None = None,  # noqa: A002
    files: Sequence[Path | str | None] = (),
    beside: Sequence[Path] = (),
    overwrite: bool = False,
) -> None:
    """Refuse a file that cannot be written or must not be. `webs` and `files`: all that the command reads."""
    from seedbed.common.outputs import check_output

    check_output(out, kind, beside=beside, reads=_read(webs, format, files), overwrite=overwrite)


def check_folder(
    written: Iterable[Path],
    *,
    webs: Sequence[Path | None] = (),
    format: str | None = None,  # noqa: A002
    files: Sequence[Path | str | None] = (),
) -> None:
    """Refuse to write over what the command reads, for output whose own check knows what may be written over."""
    from seedbed.common.outputs import check_not_read

    check_not_read(written, _read(webs, format, files))


def _read(webs: Sequence[Path | None], format: str | None, files: Sequence[Path | str | None]) -> Iterator[Path]:  # noqa: A002
    from seedbed.sources.input_files import files_read

    yield from (Path(file) for file in files if file is not None)
    for web in webs:
        if web is not None:
            yield from files_read(web, format)

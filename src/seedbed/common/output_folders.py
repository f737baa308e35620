"""Where output may go: refused before the work, not after it, and never over what somebody else put there."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from seedbed.common.outputs import check_can_write
from seedbed.errors import OptionError


def check_folder(out: Path) -> None:
    """Refuse a place where no folder can be, or be written to."""
    if out.exists() and not out.is_dir():
        raise OptionError(f"{out}: is a file, where a folder is to be written. Name another place with --out.")
    check_can_write(out, out)


def is_in_use(out: Path) -> bool:
    """Whether a folder cannot be replaced as a whole: something is mounted there, or this process stands in it."""
    return out.exists() and (Path.cwd().is_relative_to(out.resolve()) or out.is_mount())


def names_in(out: Path) -> set[str]:
    """What is in a folder; nothing where there is none."""
    return {path.name for path in out.iterdir()} if out.is_dir() else set()


def refuse_strangers(out: Path, strangers: Collection[str], what: str) -> None:
    """Refuse a folder with files that would be lost."""
    if strangers:
        raise OptionError(
            f"{out}: something other than {what} is there already ({min(strangers)}). Name another folder with --out."
        )

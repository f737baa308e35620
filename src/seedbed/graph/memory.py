"""How much memory there is, and a plain word before work starts that would not fit."""

from __future__ import annotations

import os
import re
from pathlib import Path

from seedbed.errors import NotEnoughMemory, UsageError

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def parse_size(text: str) -> int:
    """Bytes from '4GB', '512M', '1.5 GiB' or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if not match or float(match[1]) <= 0:
        raise UsageError(f"'{text}' is not an amount of memory. Write it as 4GB, 512MB or a number of bytes.")
    return int(float(match[1]) * _UNITS[match[2]])


def show_size(size: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def machine_memory() -> int:
    """Bytes this process may use: the machine's memory or its control group's limit, whichever is less."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            total = min(total, int(Path(limit).read_text()))
        except (OSError, ValueError):
            continue
    return total


def require(size: int, purpose: str, allowed: int | None = None) -> None:
    """Refuse work that needs more bytes than allowed (by default, than the machine has)."""
    limit = machine_memory() if allowed is None else allowed
    if size > limit:
        whose = "this machine has" if allowed is None else "--memory allows"
        raise NotEnoughMemory(f"{purpose} needs about {show_size(size)}, {whose} {show_size(limit)}.")

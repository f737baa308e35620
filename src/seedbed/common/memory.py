"""How much memory there is, and clear errors for work that would not fit."""

from __future__ import annotations

import os
import re
import resource
import sys
from pathlib import Path
from typing import NamedTuple

from seedbed.errors import NotEnoughMemory, UsageError

LEAST_ADDRESS_SPACE = 1 << 30
"""With less, loading the libraries and compiling kernels has failed even on webs of a few pages."""

TAKEN_BY_LIBRARIES = 3 << 28
TAKEN_BY_A_THREAD = 80 << 20
"""Its stack, and what the C library reserves for its allocations."""

CONTROL_GROUPS = Path("/sys/fs/cgroup")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def parse_size(text: str) -> int:
    """Bytes from '4GB', '512M', '1.5 GiB' or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", text.lower())
    if not match or float(match[1]) <= 0:
        raise UsageError(f"'{text}' is not an amount of memory. Write it as 4GB, 512MB or a number of bytes.")
    return int(float(match[1]) * _UNITS[match[2]])


def show_size(size: float) -> str:
    """A number of bytes in human-readable form."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


class AddressSpace(NamedTuple):
    """A limit on the memory of each process, and the shell command that sets it."""

    size: int
    set_by: str


def address_space() -> AddressSpace | None:
    """The lowest limit set by a shell or a batch system; None if there is none."""
    limits = (
        AddressSpace(resource.getrlimit(resource.RLIMIT_AS)[0], "ulimit -v"),
        AddressSpace(resource.getrlimit(resource.RLIMIT_DATA)[0], "ulimit -d"),
    )
    return min((limit for limit in limits if limit.size != resource.RLIM_INFINITY), default=None)


def require_address_space() -> None:
    """Refuse a limit so low that the libraries, once loaded, abort or hang instead of reporting a lack of memory."""
    limit = address_space()
    if limit is not None and limit.size < LEAST_ADDRESS_SPACE:
        raise NotEnoughMemory(
            f"seedbed's libraries need {show_size(LEAST_ADDRESS_SPACE)} of address space, {limit.set_by} allows "
            f"{show_size(limit.size)}. Raise that limit."
        )


def core_count() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0))


def thread_room() -> int:
    """The number of threads that a limit on address space leaves room for, in addition to the work."""
    limit = address_space()
    if limit is None:
        return sys.maxsize
    return max(1, (limit.size - TAKEN_BY_LIBRARIES) // 2 // TAKEN_BY_A_THREAD)


def machine_memory() -> int:
    """Bytes this process may use: the machine's memory or the lowest limit on it."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in control_group_files():
        try:
            total = min(total, int(file.read_text()))
        except (OSError, ValueError):
            continue
    limit = address_space()
    return total if limit is None else min(total, max(limit.size - TAKEN_BY_LIBRARIES, 0))


def control_group_files(membership: Path = Path("/proc/self/cgroup")) -> list[Path]:
    """Files that may hold memory limits: those of this process's control group and of all its parents."""
    files = [CONTROL_GROUPS / "memory.max", CONTROL_GROUPS / "memory" / "memory.limit_in_bytes"]
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return files
    for line in lines:  # "0::/path" in cgroups v2, "9:memory:/path" in v1
        _, kinds, path = line.split(":", 2)
        if kinds in ("", "memory"):
            outermost = files[1 if kinds else 0]
            group = outermost.parent / path.lstrip("/")
            files += [place / outermost.name for place in (group, *group.parents) if outermost.parent in place.parents]
    return files


def require(size: int, purpose: str, allowed: int | None = None) -> None:
    """Refuse work that needs more bytes than allowed (by default, more than the machine has)."""
    limit = machine_memory() if allowed is None else allowed
    if size > limit:
        whose = "this machine has" if allowed is None else "--memory allows"
        raise NotEnoughMemory(f"{purpose} needs about {show_size(size)}, {whose} {show_size(limit)}.")

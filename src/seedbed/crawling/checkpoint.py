"""A crawl kept on disk while it runs, so that one that was stopped goes on and ends the same.

A checkpoint is a folder: every array that the crawl writes to, of the crawl, its limits and the order, as a .npy
file, and crawl.json, which says of which crawl they are, where it stood, and their checksums. It is written beside its
place and moved in when whole, at most every `every` seconds and on Ctrl-C, and removed when the crawl has ended.
"""

from __future__ import annotations

import glob
import hashlib
import json
import shutil
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.atomic_files import NPY_FAULTS, written_beside
from seedbed.crawling.crawl_state import named_arrays
from seedbed.errors import InputError, OptionError

if TYPE_CHECKING:
    from seedbed.crawling.crawl_plan import Plan
    from seedbed.crawling.simulator import Simulation

ABOUT = "crawl.json"
FORMAT = "seedbed crawl checkpoint"
VERSION = 5
SAMPLED_PAGES = 1000


class Checkpoint:
    """Where a crawl is kept, and how often. `lasting`: it stays when the crawl has ended, until remove() is called.

    >>> import pathlib, tempfile, seedbed as sb
    >>> kept = sb.Checkpoint(pathlib.Path(tempfile.mkdtemp(), "kept"), every=60)
    >>> run = sb.crawl(sb.make_web(pages=200), [0], "bfs", checkpoint=kept)
    >>> kept.folder.exists()  # the crawl has ended
    False
    """

    def __init__(self, folder: Path | str, *, every: float = 300.0, lasting: bool = False) -> None:
        self.folder = Path(folder)
        self.lasting = lasting
        self._every = every
        self._last = time.perf_counter()
        self._identity: dict[str, Any] = {}

    def stands(self) -> bool:
        """Whether there is one to go on from; a place that holds anything else is refused."""
        old = self.folder.with_name(f".{self.folder.name}.old")
        if not self.folder.exists() and (old / ABOUT).exists():  # killed between the two renames of written_beside()
            old.rename(self.folder)
        if (self.folder / ABOUT).exists():
            return True
        if self.folder.exists() and not (self.folder.is_dir() and next(self.folder.iterdir(), None) is None):
            raise OptionError(
                f"{self.folder}: is not a checkpoint, and one would take its place. Move it away, or keep the crawl "
                "elsewhere."
            )
        return False

    def load(self, simulation: Simulation) -> bool:
        """Put a simulation where the checkpoint stands; False where there is none."""
        self._identity = identity_of(simulation)
        if not self.stands():
            return False
        about = self._about()
        if about["crawl"] != self._identity:
            raise OptionError(
                f"{self.folder}: is the checkpoint of another crawl ({_difference(about['crawl'], self._identity)}). "
                "Ask for the same crawl to go on with it, or remove the folder to start anew."
            )
        for name, array in changing_arrays(simulation):
            self._read_into(name, array, about["sums"].get(name))
        simulation.trace.restore(about["trace"], about["seconds"])
        return True

    def keep(self, simulation: Simulation, *, now: bool = False) -> None:
        """Write the checkpoint where it is time to, or `now`."""
        if not now and time.perf_counter() - self._last < self._every:
            return
        seconds = simulation.trace.seconds()
        with written_beside(self.folder) as work:
            sums = {}
            for name, array in changing_arrays(simulation):
                np.save(work / f"{name}.npy", array, allow_pickle=False)
                sums[name] = _sum(array)
            about = {"format": FORMAT, "version": VERSION, "crawl": self._identity, "sums": sums, "seconds": seconds}
            (work / ABOUT).write_text(json.dumps({**about, "trace": simulation.trace.rows}) + "\n")
        self._last = time.perf_counter()

    def remove(self) -> None:
        """The crawl has ended; what kills have left half-written goes too."""
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in self.folder.parent.glob(f".{glob.escape(self.folder.name)}.*.part"):
            shutil.rmtree(part, ignore_errors=True)

    def _about(self) -> dict[str, Any]:
        path = self.folder / ABOUT
        try:
            about = json.loads(path.read_text())
            this_one = about["format"] == FORMAT and about["version"] == VERSION
            if this_one:
                rows = [(int(a), int(b), float(c), float(d)) for a, b, c, d in about["trace"]]
                about = {
                    "crawl": dict(about["crawl"]),
                    "sums": dict(about["sums"]),
                    "seconds": float(about["seconds"]),
                    "trace": rows,
                }
        except (ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{path}: is damaged. Remove the folder to start the crawl anew.") from None
        if not this_one:
            raise InputError(f"{path}: is not a checkpoint of this version. Remove the folder to start anew.")
        return about

    def _read_into(self, name: str, array: NDArray[Any], expected: Any) -> None:
        path = self.folder / f"{name}.npy"
        try:
            kept = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, *NPY_FAULTS):
            kept = None
        if kept is not None and kept.shape == array.shape and kept.dtype == array.dtype:
            array[:] = kept
            if _sum(array) == expected:
                return
        raise InputError(f"{path}: is damaged. Remove the folder {self.folder} to start the crawl anew.")


def changing_arrays(simulation: Simulation) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays that a crawl writes to, each with a name."""
    return ((name, array) for name, array in _arrays_of(simulation) if array.flags.writeable and array.size)


def _arrays_of(simulation: Simulation) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, part in (("state", simulation.state), ("limits", simulation.limits), ("order", simulation.order_state)):
        yield from named_arrays(name, part)


def identity_of(simulation: Simulation) -> dict[str, Any]:
    """What must be the same for a crawl to go on; hosts, failures and scores are the arrays that it only reads."""
    plan = simulation.plan
    options = json.loads(json.dumps(plan.options()))
    given = {name: _digest(array) for name, array in _arrays_of(simulation) if not array.flags.writeable}
    return {"order": simulation.name, **options, "seed_pages": _digest(plan.seeds), "web": _web_print(plan), **given}


def _web_print(plan: Plan) -> str:
    """The web's size and the links of some of its pages."""
    links = plan.web.links
    some = np.linspace(0, links.page_count - 1, min(SAMPLED_PAGES, links.page_count)).astype(np.int64)
    lists = [np.asarray(links.successors(int(page)), np.int64) for page in some]
    return f"{links.page_count} {links.link_count} {_digest(np.concatenate(lists))}"


def _digest(values: NDArray[Any]) -> str:
    return hashlib.sha256(_bytes(values)).hexdigest()[:16]


def _sum(values: NDArray[Any]) -> int:
    return zlib.crc32(_bytes(values))


def _bytes(values: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(values).view(np.uint8).data


def _difference(kept: dict[str, Any], asked: dict[str, Any]) -> str:
    """What differs, for people."""
    names = sorted(name for name in {*kept, *asked} if kept.get(name) != asked.get(name))
    return ", ".join(f"{name} was {kept.get(name)} and is now {asked.get(name)}" for name in names)

"""A crawl kept on disk while it runs, so that one that was stopped goes on and ends the same.

A checkpoint is a folder: every array of the book, the rules and the order's state as a .npy file, and crawl.json, which
says of which crawl they are and where it stood. It is written beside its place and moved in when whole, at most every
`every` seconds and on Ctrl-C, and removed when the crawl has ended.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.errors import InputError, OptionError
from seedbed.graph.files import NPY_FAULTS, written_beside

if TYPE_CHECKING:
    from seedbed.crawling.plan import Plan
    from seedbed.crawling.simulator import Simulation

ABOUT = "crawl.json"
FORMAT = "seedbed crawl checkpoint"
VERSION = 1
SAMPLED_PAGES = 1000


class Checkpoint:
    """Where a crawl is kept, and how often."""

    def __init__(self, folder: Path, *, every: float = 300.0) -> None:
        self.folder = folder
        self._every = every
        self._last = time.perf_counter()

    def load(self, simulation: Simulation) -> bool:
        """Put a simulation where the checkpoint stands; False where there is none."""
        if not (self.folder / ABOUT).exists():
            return False
        about = self._about()
        identity = identity_of(simulation)
        if about.get("crawl") != identity:
            raise OptionError(
                f"{self.folder}: is the checkpoint of another crawl ({_difference(about.get('crawl'), identity)}). "
                "Ask for the same crawl to go on with it, or remove the folder to start anew."
            )
        for name, array in changing_arrays(simulation):
            self._read_into(name, array)
        simulation.trace.rows[:] = [tuple(row) for row in about["trace"]]
        return True

    def keep(self, simulation: Simulation, *, now: bool = False) -> None:
        """Write the checkpoint where it is time to, or `now`."""
        if not now and time.perf_counter() - self._last < self._every:
            return
        simulation.trace.sample_once(simulation.book)
        with written_beside(self.folder) as work:
            for name, array in changing_arrays(simulation):
                np.save(work / f"{name}.npy", array, allow_pickle=False)
            about = {"format": FORMAT, "version": VERSION, "crawl": identity_of(simulation)}
            (work / ABOUT).write_text(json.dumps({**about, "trace": simulation.trace.rows}) + "\n")
        self._last = time.perf_counter()

    def remove(self) -> None:
        """The crawl has ended."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _about(self) -> dict[str, Any]:
        path = self.folder / ABOUT
        try:
            about = json.loads(path.read_text())
            rows = [(int(a), int(b), float(c), float(d)) for a, b, c, d in about["trace"]]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path}: is damaged. Remove the folder to start the crawl anew.") from None
        if about.get("format") != FORMAT or about.get("version") != VERSION:
            raise InputError(f"{path}: is not a checkpoint of this version. Remove the folder to start anew.")
        return {**about, "trace": rows}

    def _read_into(self, name: str, array: NDArray[Any]) -> None:
        path = self.folder / f"{name}.npy"
        try:
            kept = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, *NPY_FAULTS):
            kept = None
        if kept is None or kept.shape != array.shape or kept.dtype != array.dtype:
            raise InputError(f"{path}: is damaged. Remove the folder {self.folder} to start the crawl anew.")
        array[:] = kept


def changing_arrays(simulation: Simulation) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays that a crawl writes to, each with a name."""
    for name, part in (("book", simulation.book), ("rules", simulation.rules), ("order", simulation.state)):
        yield from _arrays(name, part)


def _arrays(name: str, part: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    if isinstance(part, np.ndarray):
        if part.flags.writeable and part.size:
            yield name, part
    elif isinstance(part, tuple):
        fields = getattr(part, "_fields", range(len(part)))
        for field, one in zip(fields, part, strict=True):
            yield from _arrays(f"{name}.{field}", one)


def identity_of(simulation: Simulation) -> dict[str, Any]:
    """What must be the same for a crawl to go on."""
    plan = simulation.plan
    options = json.loads(json.dumps(plan.options()))
    return {"order": simulation.name, **options, "seed_pages": _digest(plan.seeds), "web": _web_print(plan)}


def _web_print(plan: Plan) -> str:
    """The web's size and the links of some of its pages."""
    links = plan.web.links
    some = np.linspace(0, links.pages - 1, min(SAMPLED_PAGES, links.pages)).astype(np.int64)
    lists = [np.asarray(links.successors(int(page)), np.int64) for page in some]
    return f"{links.pages} {links.links} {_digest(np.concatenate(lists))}"


def _digest(values: NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(values, np.int64).data).hexdigest()[:16]


def _difference(kept: Any, asked: dict[str, Any]) -> str:
    """What differs, for people."""
    if not isinstance(kept, dict):
        return "it does not say which"
    names = sorted(name for name in {*kept, *asked} if kept.get(name) != asked.get(name))
    return ", ".join(f"{name} was {kept.get(name)} and is now {asked.get(name)}" for name in names)

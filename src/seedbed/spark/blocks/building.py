"""A folder of blocks while it is built: what it is built from, and which steps are done.

    building/plan.json        what is cut, and how; a second start with another plan is refused
    building/steps/NAME.json  the result of a step that is done: a second start takes it from here

When blocks.json is written, the web is whole, and `building` is removed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from seedbed.common.messages import Progress, no_progress
from seedbed.errors import OptionError
from seedbed.spark.blocks.blocked_web import FACTS, BlockedWeb, open_blocks
from seedbed.spark.blocks.storage import Folder

BUILDING = "building"
_PLAN = f"{BUILDING}/plan.json"


class Building:
    """The steps that make a folder of blocks. `plan`: what they depend on; None: nothing is taken up again."""

    def __init__(
        self, path: str, plan: Mapping[str, Any] | None, steps: int = 1, progress: Progress = no_progress
    ) -> None:
        self.folder = Folder(path)
        self._steps, self._done, self._progress = steps, 0, progress
        if self.folder.has(FACTS):
            raise OptionError(f"{path}: already holds the blocks of a web. Name a new folder, or remove that one.")
        strange = [name for name in self.folder.names() if not self.folder.has(BUILDING)]
        if strange:
            raise OptionError(f"{path}: already holds '{strange[0]}', which is not part of a web. Name a new folder.")
        begun = self.folder.json(_PLAN)
        if plan is None:
            self.folder.remove(BUILDING)
        elif begun is not None and begun != json.loads(json.dumps(plan)):
            raise OptionError(
                f"{path}: blocks of another web, or other options, were begun there: {_difference(begun, plan)}. "
                "Name a new folder, or remove that one."
            )
        self.folder.remove_parts()
        self.folder.write_json(_PLAN, plan)

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of a step: of an earlier start if it was done then. It must be what JSON can hold."""
        file = f"{BUILDING}/steps/{name}.json"
        found = self.folder.json(file)
        if found is None:
            self.folder.write_json(file, [work()])
            found = self.folder.json(file)
        self._done += 1
        self._progress(name, self._done, self._steps)
        return found[0]

    def finish(self, web: BlockedWeb) -> BlockedWeb:
        """Write blocks.json, which makes the folder a web."""
        self.folder.write_json(FACTS, web.facts())
        self.folder.remove(BUILDING)
        return open_blocks(self.folder.uri)


def _difference(begun: Any, plan: Mapping[str, Any]) -> str:
    for name, value in plan.items():
        if not isinstance(begun, dict) or begun.get(name) != json.loads(json.dumps(value)):
            was = begun.get(name) if isinstance(begun, dict) else begun
            return f"{name} was {json.dumps(was):.80}, now {json.dumps(value):.80}"
    return "they differ"

"""What commands print: results on standard output, messages and progress on standard error, and no terminal control
characters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from seedbed.common.messages import json_text, visible

if TYPE_CHECKING:
    from rich.table import Table

    from seedbed.common.messages import Progress


def show(*fields: object) -> None:
    """Print a line on standard output, fields separated by tabs."""
    sys.stdout.write("\t".join(map(visible, fields)) + "\n")


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(json_text(json.dumps(content, indent=2, ensure_ascii=False)) + "\n")


def say(message: str) -> None:
    """Print a message for people on standard error."""
    sys.stderr.write(visible(message) + "\n")


def plain_table(left: Iterable[str], right: Iterable[str], **more: Any) -> Table:
    """An empty table without lines: columns aligned to the left, then columns of numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, **more)
    for names, side in ((left, "left"), (right, "right")):
        for name in names:
            table.add_column(name, justify=side, no_wrap=True)  # type: ignore[arg-type]
    return table


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Progress on standard error if that is a terminal; otherwise nothing."""
    from seedbed.common.messages import no_progress

    if not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)
        stage = ""

        def update(name: str, done: int, total: int) -> None:
            nonlocal stage
            if name != stage:
                stage = name
                bars.reset(task, description=escape(visible(name)), total=total or None)
            bars.update(task, completed=done, total=total or None)

        yield update

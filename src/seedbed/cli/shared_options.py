"""What the commands have in common: the options that open a web, errors in one line, progress on standard error."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, TypeVar

import typer

from seedbed.cli.failures import explained, fail, say
from seedbed.common.memory import require_address_space
from seedbed.common.messages import json_text, visible
from seedbed.common.threads import thread_count

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.graph.web import Web

__all__ = ["fail", "say", "thread_count"]

P = ParamSpec("P")
R = TypeVar("R")

WHAT_A_WEB_IS = (
    "A link graph: a file, a folder, a pattern in quotes, a list of archives, or the base name of a BVGraph. "
    "The format is told from the files."
)
WebPath = Annotated[
    Path,
    typer.Argument(
        metavar="WEB",
        help=WHAT_A_WEB_IS,
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="Read WEB as this format instead of telling it from the files.", show_default=False),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        "--hosts", help="For webs without URLs: a file with the host of each page, one a line.", show_default=False
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        help="Memory that reading may use, such as 4GB; beyond it, the disk. Default: half of the machine's.",
        show_default=False,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", help="Encoding of URLs where it is not UTF-8, such as latin-1.", show_default=False),
]
KeepSelfLinks = Annotated[bool, typer.Option("--keep-self-links", help="Keep links from a page to itself.")]
Damping = Annotated[
    float,
    typer.Option("--damping", min=0, max=1, help="The probability that a surfer follows a link: PageRank's α."),
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="Names of the columns of a text table: from,to for links, id,crawled,url for pages; _ skips one.",
        show_default=False,
    ),
]
Normalize = Annotated[
    bool,
    typer.Option(
        "--normalize",
        help="Bring URLs to the form that a browser gives them (http://a.example/ for HTTP://a.example) and merge "
        "pages that are then the same.",
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Also replace files that seedbed did not write; never what is read."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", min=1, help="Threads to use. Results do not depend on it. Default: all cores.", show_default=False
    ),
]


def open_any(
    path: Path | Sequence[Path],
    format: str | None,  # noqa: A002
    hosts: Path | None,
    memory: str | None,
    encoding: str | None,
    keep_self_links: bool,
    progress: Progress,
    **more: Any,
) -> Web:
    """The web at a path or several, read as the options above say; `more` goes to ReadOptions as it is."""
    from seedbed.common.memory import parse_size
    from seedbed.sources import ReadOptions, open_web

    options = ReadOptions(
        keep_self_links=keep_self_links,
        memory=None if memory is None else parse_size(memory),
        hosts=hosts,
        encoding=encoding,
        progress=progress,
        **more,
    )
    return open_web(path, format=format, options=options)


def print_json(content: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    sys.stdout.write(json_text(json.dumps(content, indent=2, ensure_ascii=False)) + "\n")


def show(*fields: object) -> None:
    """A line on standard output, fields separated by tabs."""
    sys.stdout.write("\t".join(map(visible, fields)) + "\n")


def command(function: Callable[P, R]) -> Callable[P, R]:
    """A command whose failures a user can mend end in one line, never in a traceback."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            require_address_space()
            done = function(*args, **kwargs)
            sys.stdout.flush()  # now, while a disk that is full can still be told
        except BrokenPipeError:
            raise
        except (Exception, KeyboardInterrupt) as error:
            line = explained(error)
            if line is None:
                raise
            raise fail(line, getattr(error, "exit_code", 1)) from None
        return done

    return guarded


@contextmanager
def shown_progress() -> Iterator[Progress]:
    """Progress on standard error where that is a terminal; nothing elsewhere."""
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

        def show(name: str, done: int, total: int) -> None:
            nonlocal stage
            if name != stage:
                stage = name
                bars.reset(task, description=escape(visible(name)), total=total or None)
            bars.update(task, completed=done, total=total or None)

        yield show

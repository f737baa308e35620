"""Options that several commands share, each declared once, so that a name means the same in all of them."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from seedbed.errors import UsageError

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.graph.web import Web

READING = "Reading WEB"
WHAT_A_WEB_IS = (
    "A link graph in any format: a file, a folder, a quoted pattern, a list of archives, or the base name of a BVGraph."
)


def names_from(module: str, registry: str) -> Callable[[], list[str]]:
    """For shell completion: the names in a registry, which is loaded when they are asked for."""
    return lambda: list(getattr(importlib.import_module(module), registry))


WebPath = Annotated[Path, typer.Argument(metavar="WEB", help=WHAT_A_WEB_IS)]
Strategy = Annotated[
    str,
    typer.Option(help="How to choose seeds; listed below.", autocompletion=names_from("seedbed.seeds", "STRATEGIES")),
]
SeedFile = Annotated[
    Path, typer.Option("--seeds", help="A file from 'seedbed seeds', or a list of URLs, one per line.")
]
OwnOptions = Annotated[
    list[str] | None, typer.Option("-o", "--option", metavar="NAME=VALUE", help="An option listed below; repeatable.")
]
Hops = Annotated[int, typer.Option(min=0, help="Links that a crawl follows from a seed.")]
Values = Annotated[
    str | None,
    typer.Option(
        help="What pages are worth: 'paper' (computed from the columns spam, clicked and crawled, and --uniqueness), a "
        "column of the web, FILE[:COLUMN], a CSV, TSV or Parquet file with 'url' or 'id' and numbers, or 'last', what "
        "--last knew. Default: 1 each, or 'last' with --last."
    ),
]
Last = Annotated[
    Path | None,
    typer.Option(
        metavar="WEB",
        help="What the last crawl knew: its web, or a file with the columns url and score.",
    ),
]
Uniqueness = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER|FILE|COLUMN",
        help="How likely a newly crawled page of a site is new: a number, a column of the web, a CSV, TSV or Parquet "
        "file with 'site' and 'p_uniq', or 'estimate', from the web and an older one if that is given. Default: the "
        "column p_uniq, else 'estimate'.",
    ),
]
Site = Annotated[
    Literal["host", "domain"], typer.Option(help="What counts as a site to orders that look at sites, such as fpr@M.")
]
Between = Annotated[
    Literal["host", "domain"] | None, typer.Option(help="Keep only the links between sites of this kind.")
]
LinkStore = Annotated[
    Literal["csr", "bvgraph"],
    typer.Option("--links", help="Link store: csr is fastest to use, bvgraph about ten times smaller."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of random choices.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace even files that seedbed did not write.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads. Default: one per core.")]


def _reading(help: str, *flag: str) -> Any:  # noqa: A002
    return typer.Option(*flag, help=help, rich_help_panel=READING)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How WEB is read. Commands decorated with `reads_web` have these options and receive an instance."""

    format: Annotated[str | None, _reading("WEB's format, if it is not recognised.")] = None
    hosts: Annotated[
        Path | None, _reading("For webs without URLs: a file with the host of each page, one per line.")
    ] = None
    memory: Annotated[
        str | None, _reading("Memory for reading, such as 4GB; beyond it, disk. Default: half the machine's.")
    ] = None
    encoding: Annotated[str | None, _reading("Encoding of URLs other than UTF-8, such as latin-1.")] = None
    keep_self_links: Annotated[bool, _reading("Keep links from a page to itself.", "--keep-self-links")] = False
    columns: Annotated[
        str | None, _reading("Columns of a text table: from,to of links; id,crawled,url of pages; _ skips one.")
    ] = None
    normalize: Annotated[
        bool, _reading("Normalise URLs as a browser does, and merge pages that then coincide.", "--normalize")
    ] = False

    @property
    def memory_bytes(self) -> int | None:
        """--memory as a number."""
        from seedbed.common.memory import parse_size

        return None if self.memory is None else parse_size(self.memory)

    def open(self, path: Path | Sequence[Path], progress: Progress, **more: Any) -> Web:
        """The web at a path, or at several; `more` are further options of `seedbed.open`."""
        from seedbed.api import open as open_web

        return open_web(path, progress=progress, **vars(self), **more)

    def inputs(self, webs: Iterable[Path], *files: Path | str | None) -> list[Path]:
        """All files that a command reads, so that it never overwrites one of them."""
        from seedbed.sources.opening import files_read

        given = [Path(file) for file in (self.hosts, *files) if file is not None]
        return [*given, *(file for web in webs for file in files_read(web, self.format))]


def reads_web(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `Reading`, passed to it as `reading`."""
    hints = get_type_hints(Reading, include_extras=True)
    shared = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(Reading)
    ]
    signature = inspect.signature(command, eval_str=True)
    parameters = [*(one for one in signature.parameters.values() if one.name != "reading"), *shared]

    @wraps(command)
    def with_reading(**given: Any) -> None:
        command(reading=Reading(**{one.name: given.pop(one.name) for one in shared}), **given)

    with_reading.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_reading.__annotations__ = {one.name: one.annotation for one in parameters}  # evaluated, so --help is quick
    return with_reading


def named_options(given: list[str] | None) -> dict[str, str]:
    """The values given with --option, by name."""
    named: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--option {text}: write NAME=VALUE, such as --option density=80.")
        if named.setdefault(name.strip().replace("-", "_"), value.strip()) != value.strip():
            raise UsageError(f"--option {name.strip()} is given twice.")
    return named


def split_names(given: list[str] | None) -> tuple[str, ...]:
    """Names given one by one or separated by commas."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def values_files(values: str | None, uniqueness: str | None = None) -> list[Path]:
    """The files that --values may mean, FILE or FILE:COLUMN, and --uniqueness."""
    named = [] if values is None else [Path(values), Path(values.rpartition(":")[0])]
    return named if uniqueness is None else [*named, Path(uniqueness)]

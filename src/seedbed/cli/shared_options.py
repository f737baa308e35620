"""Options that several commands share, each declared once, so that a name means the same in all of them."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from seedbed.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from seedbed.common.messages import Progress
    from seedbed.graph.web import Web
    from seedbed.spark.spark_web import SparkWeb

READING, ENGINE = "Reading WEB", "Engine"
WHAT_A_WEB_IS = (
    "A link graph in any format: a file, a folder, a quoted pattern, a list of archives, or the base name of a BVGraph."
)


def names_from(module: str, registry: str) -> Callable[[], list[str]]:
    """For shell completion: the names in a registry, which is loaded when they are asked for."""
    return lambda: list(getattr(importlib.import_module(module), registry))


def as_path(text: str) -> Path:
    """A path; an address such as hdfs://host/folder keeps its slashes."""
    return Address(text) if "://" in text else Path(text)


class Address(type(Path())):  # type: ignore[misc]
    """A place that is not on this machine, where commands expect a path."""

    def __init__(self, text: str) -> None:
        if sys.version_info >= (3, 12):
            super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return self.text


WebPath = Annotated[Path, typer.Argument(metavar="WEB", help=WHAT_A_WEB_IS, parser=as_path)]
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
        str | None,
        _reading("Memory for reading, such as 4GB; beyond it, disk. Default: half the machine's. On Spark: of a task."),
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


def _cluster(help: str, *flag: str, **more: Any) -> Any:  # noqa: A002
    return typer.Option(*flag, help=help, rich_help_panel=ENGINE, **more)


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Where a command runs. Commands decorated with `on_engines` have these options and receive an instance."""

    engine: Annotated[
        Literal["local", "spark"], _cluster("local, or spark: on a cluster, WEB being a folder of blocks.")
    ] = "local"
    master: Annotated[
        str | None, _cluster("spark: spark://HOST:PORT, yarn, k8s://… Default: spark-submit's, else local[*].")
    ] = None
    conf: Annotated[list[str] | None, _cluster("spark: one of its settings; repeatable.", metavar="NAME=VALUE")] = None

    @property
    def is_spark(self) -> bool:
        """Whether to run on Spark; refuses options that only make sense there."""
        if self.engine == "local" and (self.master is not None or self.conf):
            raise UsageError(f"--{'conf' if self.master is None else 'master'} is for --engine spark; add that.")
        return self.engine == "spark"

    @property
    def settings(self) -> dict[str, str]:
        """--conf by name."""
        return _named(self.conf, "--conf", "spark.executor.memory=8g")

    def session(self) -> AbstractContextManager[SparkSession]:
        """Spark, for as long as a command runs."""
        from seedbed.spark.sessions import started

        return started(self.master, self.settings)

    def web(self, path: Path, reading: Reading, progress: Progress) -> AbstractContextManager[SparkWeb]:
        """The blocks at a path; another web is cut into blocks for this command, if Spark runs on this machine only."""
        from seedbed.spark.sessions import opened

        return opened(str(path), lambda: reading.open(path, progress), self.master, self.settings)


def reads_web(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `Reading`, passed to it as `reading`."""
    return _with_options(command, "reading", Reading)


def on_engines(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `Engine`, passed to it as `engine`."""
    return _with_options(command, "engine", Engine)


def _with_options(command: Callable[..., None], name: str, kind: Callable[..., Any]) -> Callable[..., None]:
    """The command with the fields of a dataclass as options; it receives an instance under this name."""
    hints = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name])
        for one in fields(kind)  # type: ignore[arg-type]
    ]
    signature = inspect.signature(command, eval_str=True)
    parameters = [*(one for one in signature.parameters.values() if one.name != name), *shared]

    @wraps(command)
    def with_options(**given: Any) -> None:
        own = kind(**{one.name: given.pop(one.name) for one in shared})
        command(**given, **{name: own})

    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {one.name: one.annotation for one in parameters}  # evaluated, so --help is quick
    return with_options


def named_options(given: list[str] | None) -> dict[str, str]:
    """The values given with --option, by name."""
    return {name.replace("-", "_"): value for name, value in _named(given, "--option", "density=80").items()}


def _named(given: list[str] | None, flag: str, example: str) -> dict[str, str]:
    """The values given with a repeatable NAME=VALUE option."""
    named: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{flag} {text}: write NAME=VALUE, such as {flag} {example}.")
        if named.setdefault(name.strip(), value.strip()) != value.strip():
            raise UsageError(f"{flag} {name.strip()} is given twice.")
    return named


def split_names(given: list[str] | None) -> tuple[str, ...]:
    """Names given one by one or separated by commas."""
    return tuple(name.strip() for text in given or () for name in text.split(",") if name.strip())


def values_files(values: str | None, uniqueness: str | None = None) -> list[Path]:
    """The files that --values may mean, FILE or FILE:COLUMN, and --uniqueness."""
    named = [] if values is None else [Path(values), Path(values.rpartition(":")[0])]
    return named if uniqueness is None else [*named, Path(uniqueness)]

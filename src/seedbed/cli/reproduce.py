"""seedbed reproduce: repeat the experiment of a paper on the user's webs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.api import REPRODUCED_PAGES
from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import Json, OwnOptions, Reading, Seed, Threads, named_options, reads_web

if TYPE_CHECKING:
    from seedbed.evaluation.experiments.experiment import Experiment, Paper


@reads_web
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Listed below.")],
    web: Annotated[
        Path | None,
        typer.Argument(metavar="WEB", help="zheng, alam, farms: the web. Default: a synthetic one."),
    ] = None,
    old: Annotated[
        Path | None,
        typer.Option(metavar="WEB", help="daneshpajouh: the web to find seeds in."),
    ] = None,
    new: Annotated[
        Path | None,
        typer.Option(metavar="WEB", help="daneshpajouh: the same web at a later date."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The folder to write. Default: PAPER-remade.")] = None,
    pages: Annotated[
        int | None,
        typer.Option(min=1000, help=f"Pages of the synthetic web. Default: {REPRODUCED_PAGES:,}."),
    ] = None,
    seed: Seed = 1,
    option: OwnOptions = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Reproduce a paper's experiment on your webs.

    Draws its tables and figures, and says which of its claims hold.

    Examples: seedbed reproduce daneshpajouh --old uk-2002 --new uk-2005 --out uk;  seedbed reproduce alam uk-2007-05
    """
    from seedbed.api import reproduce as carry_out
    from seedbed.common.outputs import check_not_read
    from seedbed.evaluation.experiments import paper_of
    from seedbed.report.experiment_files import check_experiment_folder

    start = time.perf_counter()
    declared = paper_of(paper)
    own = declared.checked(named_options(option))
    paths = web_paths(declared, web, old, new, pages, reading.hosts)
    out = out or Path(f"{paper}-remade")
    check_experiment_folder(out)
    check_not_read(out.rglob("*"), reading.inputs(paths.values()))
    with shown_progress() as progress:
        webs: dict[str, Any] = {name: reading.open(path, progress) for name, path in paths.items()}
        found = carry_out(paper, **webs, pages=pages, seed=seed, out=out, threads=threads, progress=progress, **own)
    report(found, out, time.perf_counter() - start, json)


def web_paths(
    paper: Paper, web: Path | None, old: Path | None, new: Path | None, pages: int | None, hosts: Path | None
) -> dict[str, Path]:
    """The webs to open; none if a synthetic one is to be made."""
    from seedbed.errors import OptionError

    if paper.pair and web is not None:
        raise OptionError(f"{paper.name} takes an old web and a new one; write --old {web} and perhaps --new WEB.")
    if not paper.pair and (old is not None or new is not None):
        raise OptionError(f"{paper.name} takes one web; name it without --old and --new.")
    if new is not None and old is None:
        raise OptionError("--new alone is not enough: the seeds come from an older web. Name it with --old.")
    paths = {name: path for name, path in (("web", web), ("old", old), ("new", new)) if path is not None}
    if paths and pages is not None:
        raise OptionError("--pages is the size of a synthetic web; leave it out if you name a web.")
    if hosts is not None and len(paths) != 1:
        raise OptionError("--hosts names the hosts of one web; it cannot be used with none or two.")
    return paths


def report(found: Experiment, out: Path, seconds: float, json: bool) -> None:
    """Print which claims hold, and where the figures are."""
    from seedbed.evaluation.claims import by_claim, sentence_of

    if json:
        files = sorted(path.name for path in out.iterdir())
        extra = {"out": str(out), "files": files, "seconds": round(seconds, 3)}
        print_json({**found.summary(), **extra})
        return
    for part in found.parts:
        for verdicts in by_claim(part.verdicts).values():
            show(f"{part.name}: {sentence_of(verdicts)}")
    for note in found.notes:
        say(note)
    tables = f"{len(found.tables)} table{'s' if len(found.tables) > 1 else ''}"
    say(f"{out / 'index.md'}: {tables} and {len(found.figures)} figures")

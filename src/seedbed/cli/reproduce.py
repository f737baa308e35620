"""seedbed reproduce: the experiment of a paper, remade on the user's webs."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seedbed.cli.console import print_json, say, show, shown_progress
from seedbed.cli.shared_options import Json, Reading, Seed, Threads, reads_web
from seedbed.common.threads import thread_count

if TYPE_CHECKING:
    from seedbed.common.messages import Progress
    from seedbed.evaluation.experiments.experiment import Experiment
    from seedbed.graph.web import Web

PAGES = 100_000
PAIR = "daneshpajouh"
TAKES = {PAIR: {"cores": "cores", "draws": "draws"}, "zheng": {"sites": "sites", "draws": "draws"}}
TAKES["alam"] = {"k": "seeds", "budget": "budget", "draws": "draws", "repeats": "repeats"}


@reads_web
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="daneshpajouh, zheng or alam.", show_default=False)],
    web: Annotated[
        Path | None,
        typer.Argument(metavar="WEB", help="zheng, alam: the web. Default: a synthetic one.", show_default=False),
    ] = None,
    old: Annotated[
        Path | None,
        typer.Option(metavar="WEB", help="daneshpajouh: the web to find seeds in.", show_default=False),
    ] = None,
    new: Annotated[
        Path | None,
        typer.Option(metavar="WEB", help="daneshpajouh: the same web at a later date.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder to write. Default: PAPER-remade.", show_default=False)
    ] = None,
    pages: Annotated[
        int | None,
        typer.Option(min=1000, help=f"Pages of the synthetic web. Default: {PAGES:,}.", show_default=False),
    ] = None,
    seed: Seed = 1,
    draws: Annotated[
        int | None,
        typer.Option(min=1, help="Draws of what is random. Default: 20 for daneshpajouh, else 10.", show_default=False),
    ] = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="daneshpajouh: cores to find. Default: 100.", show_default=False)
    ] = None,
    sites: Annotated[
        int | None, typer.Option(min=1, help="zheng: sites to choose seeds on. Default: 200.", show_default=False)
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", min=1, help="alam: seeds. Default: 160, at most 1 % of the pages.", show_default=False),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option(min=1, help="alam: pages to fetch. Default: three quarters of the web.", show_default=False),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, help="alam: runs to time. Default: 5.", show_default=False)
    ] = None,
    json: Json = False,
    threads: Threads = None,
    *,
    reading: Reading,
) -> None:
    """Reproduce a paper's experiment on your webs.

    Draws its tables and figures, and says which of its claims hold.

    Examples: seedbed reproduce daneshpajouh --old uk-2002 --new uk-2005 --out uk;  seedbed reproduce alam uk-2007-05
    """
    from seedbed.common.outputs import check_not_read
    from seedbed.report.experiment_files import check_experiment_folder, write_experiment

    start = time.perf_counter()
    given = {"draws": draws, "cores": cores, "sites": sites, "k": k, "budget": budget, "repeats": repeats}
    own = own_options(paper, given)
    paths = web_paths(paper, web, old, new, pages, reading.hosts)
    out = out or Path(f"{paper}-remade")
    check_experiment_folder(out)
    check_not_read(out.rglob("*"), reading.inputs(paths))
    with shown_progress() as progress, tempfile.TemporaryDirectory(prefix="seedbed-") as scratch:
        count = thread_count(threads)
        if not paths:
            webs = synthetic(paper, Path(scratch), pages or PAGES, seed, count, progress)
        else:
            webs = [reading.open(path, progress) for path in paths]
        found = remade(paper, webs, {**own, "seed": seed, "threads": count}, progress)
        progress("writing", 0, 0)
        files = write_experiment(found, out)
    report(found, out, files, time.perf_counter() - start, json)


def own_options(paper: str, given: dict[str, Any]) -> dict[str, Any]:
    """The options of the paper's experiment, by the names it has for them; others are refused."""
    from seedbed.errors import OptionError, unknown

    if paper not in TAKES:
        raise unknown("paper", paper, TAKES)
    for name, value in given.items():
        if value is not None and name not in TAKES[paper]:
            option = f"-{name}" if len(name) == 1 else f"--{name}"
            users = " and ".join(one for one in TAKES if name in TAKES[one])
            raise OptionError(f"{option} is for {users}; the experiment of {paper} does not use it.")
    return {name: given[option] for option, name in TAKES[paper].items() if given[option] is not None}


def web_paths(
    paper: str, web: Path | None, old: Path | None, new: Path | None, pages: int | None, hosts: Path | None
) -> list[Path]:
    """The webs to open; none where a synthetic one is to be made."""
    from seedbed.errors import OptionError

    if paper == PAIR and web is not None:
        raise OptionError(
            f"{paper} takes an old web and a new one; write --old {web} and, where there is one, --new WEB."
        )
    if paper != PAIR and (old is not None or new is not None):
        raise OptionError(f"{paper} takes one web; name it without --old and --new.")
    if new is not None and old is None:
        raise OptionError("--new alone is not enough: the seeds come from an older web. Name it with --old.")
    paths = [path for path in (web, old, new) if path is not None]
    if paths and pages is not None:
        raise OptionError("--pages is the size of a synthetic web; leave it out where a web is named.")
    if hosts is not None and len(paths) != 1:
        raise OptionError("--hosts names the hosts of one web; it cannot be used with none or two.")
    return paths


def synthetic(paper: str, scratch: Path, pages: int, seed: int, threads: int, progress: Progress) -> list[Web]:
    """A synthetic web, or an old and a new one."""
    from seedbed.graph.native_store import open_store
    from seedbed.synth import make_web

    snapshots = 2 if paper == PAIR else 1
    made = make_web(scratch / "web", pages=pages, snapshots=snapshots, seed=seed, threads=threads, progress=progress)
    return [open_store(path) for path in made]


def remade(paper: str, webs: list[Web], settings: dict[str, Any], progress: Progress) -> Experiment:
    """The experiment."""
    import importlib

    from seedbed.evaluation.experiments import PAPERS

    module = importlib.import_module(PAPERS[paper])
    both = [*webs, None][:2] if paper == PAIR else webs
    found: Experiment = module.experiment(*both, module.Options(**settings), progress)
    return found


def report(found: Experiment, out: Path, files: list[str], seconds: float, json: bool) -> None:
    """Say what holds, and where the figures are."""
    if json:
        extra = {"out": str(out), "files": files, "seconds": round(seconds, 3)}
        print_json({**found.summary(), **extra})
        return
    for name, one in found.verdicts:
        show(f"{name}: {one.sentence}")
    for note in found.notes:
        say(note)
    tables = f"{len(found.tables)} table{'s' if len(found.tables) > 1 else ''}"
    say(f"{out / 'index.md'}: {tables} and {len(found.figures)} figures")

"""What came of every claim on every web: runs the experiments, records them, and writes the tables of the docs.

    make evidence WEBS=FOLDER       all runs; without WEBS those on synthetic webs, the others stay as recorded
    python scripts/evidence.py --missing     only the runs that are not in docs/evidence.json yet
    python scripts/evidence.py --tables      the tables only, from docs/evidence.json

docs/evidence.json holds the runs, docs/pictures some figures of those on synthetic webs. docs/reproduce.md has two
tables for each paper, a row for each claim: one of the webs known when the tests were made, one of held-out webs, which
the tests had not seen. docs/evidence.md and docs/held-out.md have every verdict with its numbers, the first also the
tables of its runs. Real webs are not part of this project: FOLDER holds those named in RUNS.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from seedbed.evaluation.claims import Claim
from seedbed.evaluation.experiments import PAPERS, paper_of

DOCS = Path(__file__).resolve().parent.parent / "docs"
RECORD, TABLES = DOCS / "evidence.json", DOCS / "reproduce.md"
DETAILS, HELD_OUT_DETAILS = DOCS / "evidence.md", DOCS / "held-out.md"
PICTURES = {
    "daneshpajouh": {"figure-6": "reproduce-cores", "figure-8": "reproduce-depths"},
    "zheng": {"figure-4": "reproduce-coverage"},
    "alam": {"figure-4-differences": "reproduce-orders"},
}
OUTCOMES = {True: "holds", False: "**no**", None: "undecided"}
NAJDISI, HOLLINS = "najdisi-si/core2.net.gz", "hollins"
OPENBSD, MANUAL = "openbsd-www/{}-06-01.edges.tsv.gz", "httpd-manual/{}-06-01.edges.tsv.gz"
CALIFORNIA, UK_HOSTS = "california/gr0.California.gz", "ukwa-1996-hosts/1996-uk-web-hosts.tsv.gz"
CRAWL_LOG = "crawl-log/ukwa-example.crawl.log.gz"
COMPARED = ("as before", "the other way", "both ways before", "only here", "only before", "nowhere")


@dataclass(frozen=True)
class Planned:
    """An experiment to run: the arguments after the paper's name; those that name a file are inside the folder."""

    paper: str
    web: str
    arguments: tuple[str, ...] = ()
    real: bool = True
    held_out: bool = False

    @property
    def command(self) -> str:
        """As a user would type it."""
        return " ".join(("seedbed reproduce", self.paper, *self.arguments))


RUNS = (
    Planned("daneshpajouh", "najdisi-si", ("--old", NAJDISI)),
    Planned("daneshpajouh", "OpenBSD", ("--old", OPENBSD.format(2013), "--new", OPENBSD.format(2016))),
    Planned("daneshpajouh", "synthetic", (), real=False),
    Planned("zheng", "najdisi-si", (NAJDISI,)),
    Planned("zheng", "OpenBSD", (OPENBSD.format(2013),)),
    Planned("zheng", "synthetic", (), real=False),
    Planned("alam", "najdisi-si", (NAJDISI,)),
    Planned("alam", "Hollins", (HOLLINS,)),
    Planned("alam", "OpenBSD", (OPENBSD.format(2013),)),
    Planned("alam", "synthetic", (), real=False),
    Planned("farms", "najdisi-si", (NAJDISI,)),
    Planned("farms", "synthetic", (), real=False),
    # Held out: these webs, and how their verdicts are compared with the earlier ones (`comparison`), were chosen after
    # the last change to a test and before any of these runs. Synthetic: three more of the same kind and size, with
    # seeds not used for anything else. Real: what else is at hand and suits a paper. Cores need links between sites:
    # two webs of many hosts, and the only other pair of dates. Zheng needs sites: the webs with several hosts of many
    # pages. Orders and farms need hosts: the webs chosen for cores (the manual is too small for farms), not cnr-2000.
    *(
        Planned(paper, f"synthetic {seed}", ("--seed", str(seed)), real=False, held_out=True)
        for paper in PAPERS
        for seed in (201, 202, 203)
    ),
    Planned("daneshpajouh", "California", ("--old", CALIFORNIA), held_out=True),
    Planned("daneshpajouh", "UK hosts", ("--old", UK_HOSTS), held_out=True),
    Planned("daneshpajouh", "Apache", ("--old", MANUAL.format(2004), "--new", MANUAL.format(2010)), held_out=True),
    Planned("zheng", "Hollins", (HOLLINS,), held_out=True),
    Planned("zheng", "crawl log", (CRAWL_LOG,), held_out=True),
    Planned("alam", "California", (CALIFORNIA,), held_out=True),
    Planned("alam", "UK hosts", (UK_HOSTS,), held_out=True),
    Planned("alam", "Apache", (MANUAL.format(2010),), held_out=True),
    Planned("farms", "California", (CALIFORNIA,), held_out=True),
    Planned("farms", "UK hosts", (UK_HOSTS,), held_out=True),
)


def main() -> None:
    """Run what can be run, and write everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--webs", type=Path, help="The folder of the real webs.")
    parser.add_argument("--only", action="append", choices=PAPERS, help="Only this paper; may be repeated.")
    parser.add_argument("--missing", action="store_true", help="Only runs that are not recorded yet.")
    parser.add_argument("--tables", action="store_true", help="Only write the tables, from what is recorded.")
    options = parser.parse_args()
    recorded = {} if not RECORD.exists() else json.loads(RECORD.read_text("utf-8"))
    if not options.tables:
        for planned in RUNS:
            if (options.only and planned.paper not in options.only) or (planned.real and options.webs is None):
                continue
            if options.missing and key(planned) in recorded:
                continue
            print(planned.command, file=sys.stderr, flush=True)
            recorded[key(planned)] = {"command": planned.command, **outcome(planned, options.webs)}
            kept = {key(one): recorded[key(one)] for one in RUNS if key(one) in recorded}
            RECORD.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for path, text in pages(recorded).items():
        path.write_text(text, encoding="utf-8")


def key(planned: Planned) -> str:
    """The name of a run in the record."""
    return f"{planned.paper} on {planned.web}"


def outcome(planned: Planned, webs: Path | None) -> dict[str, Any]:
    """The settings, claims, notes and tables of one run, by the command itself."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "found"
        words = [*planned.arguments, "--out", str(out), "--json"]
        command = [sys.executable, "-m", "seedbed", "reproduce", planned.paper, *words]
        done = subprocess.run(command, cwd=webs, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603
        found = json.loads(done.stdout)
        for figure, picture in PICTURES.get(planned.paper, {}).items() if planned.web == "synthetic" else ():
            shutil.copyfile(out / f"{figure}.svg", DOCS / "pictures" / f"{picture}.svg")
        tables = {name: list(csv.reader((out / f"{name}.csv").open(encoding="utf-8"))) for name in found["tables"]}
    return {**{name: found[name] for name in ("settings", "claims", "notes")}, "tables": tables}


def pages(recorded: Mapping[str, Any]) -> dict[Path, str]:
    """The docs with the tables of a record."""
    text = between_markers(TABLES.read_text("utf-8"), "held-out", agreement(recorded))
    for paper in PAPERS:
        text = between_markers(text, paper, table(paper, runs_of(paper, recorded)))
        text = between_markers(
            text, f"{paper} held-out", held_out_table(paper, runs_of(paper, recorded, held_out=True))
        )
    return {TABLES: text, DETAILS: details(recorded), HELD_OUT_DETAILS: details(recorded, held_out=True)}


def runs_of(paper: str, recorded: Mapping[str, Any], *, held_out: bool = False) -> dict[str, Any]:
    """The recorded runs of a paper, by the name of the web."""
    names = [one for one in RUNS if (one.paper, one.held_out) == (paper, held_out) and key(one) in recorded]
    return {one.web: recorded[key(one)] for one in names}


def between_markers(text: str, name: str, content: str) -> str:
    """The text with new content between <!-- NAME --> and <!-- end NAME -->."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end {name} -->)", re.DOTALL)
    if not marked.search(text):
        raise SystemExit(f"docs/reproduce.md has no markers for {name}")
    return marked.sub(lambda found: f"{found[1]}\n{content}\n{found[2]}", text)


def table(paper: str, runs: Mapping[str, Any]) -> str:
    """A row for each claim: what it says, its test, and what came of it on each web."""
    head = ("where", "what it says", "how it is tested", *runs)
    rows = [
        (claim.where, said(claim), f"{claim.statistic}; holds if {claim.holds_if}", *cells(claim, runs))
        for claim in paper_of(paper).claims
    ]
    return "\n".join((*commands(runs), "", markdown(head, rows)))


def held_out_table(paper: str, runs: Mapping[str, Any]) -> str:
    """The same for held-out webs, without the tests, which are in the other table."""
    rows = [(said(claim), *cells(claim, runs)) for claim in paper_of(paper).claims]
    return "\n".join((*commands(runs), "", markdown(("on webs the tests had not seen", *runs), rows)))


def commands(runs: Mapping[str, Any]) -> list[str]:
    """What was run, as a block of code."""
    return [f"    {run['command']}" for run in runs.values()]


def said(claim: Claim) -> str:
    """What a claim says, and whose it is if not the paper's."""
    return claim.says if claim.kind == "claim" else f"*{claim.kind}:* {claim.says}"


def cells(claim: Claim, runs: Mapping[str, Any]) -> list[str]:
    """What came of a claim on each web."""
    return [counted(one["verdicts"]) if (one := judged(run, claim.name)) else "" for run in runs.values()]


def counted(verdicts: Sequence[Mapping[str, Any]]) -> str:
    """All verdicts on one claim in a few words: the outcome, or how many go which way."""
    counts = {word: sum(one["holds"] is holds for one in verdicts) for holds, word in OUTCOMES.items()}
    found = {word: count for word, count in counts.items() if count}
    if len(found) == 1:
        return next(iter(found))
    return ", ".join(f"{word} {count}" for word, count in found.items()) + f" of {len(verdicts)}"


def judged(run: Mapping[str, Any], claim: str) -> Mapping[str, Any] | None:
    """What a run says about a claim."""
    return next((one for one in run["claims"] if one["name"] == claim), None)


def comparison(here: bool | None, before: Set[bool]) -> str:
    """How a verdict on a held-out web compares with what the earlier webs decided."""
    if here is None:
        return "only before" if before else "nowhere"
    if not before:
        return "only here"
    if len(before) == 2:
        return "both ways before"
    return "as before" if here in before else "the other way"


class Compared(NamedTuple):
    """A verdict on a held-out web, and how it compares with the earlier ones on the same claim about the same thing."""

    says: str
    of: str
    web: str
    holds: bool | None
    how: str


def compared(recorded: Mapping[str, Any], paper: str, *, real: bool) -> list[Compared]:
    """Every verdict on a held-out web, next to those on the earlier webs of its kind, real or synthetic."""
    before: dict[tuple[str, str], set[bool]] = {}
    found = []
    for planned in sorted(RUNS, key=lambda one: one.held_out):
        if (planned.paper, planned.real) != (paper, real) or key(planned) not in recorded:
            continue
        for claim in recorded[key(planned)]["claims"]:
            for one in claim["verdicts"]:
                of, holds = one["of"], one["holds"]
                decided = before.setdefault((claim["name"], of), set())
                if planned.held_out:
                    found.append(Compared(claim["says"], of, planned.web, holds, comparison(holds, decided)))
                elif holds is not None:
                    decided.add(holds)
    return found


def agreement(recorded: Mapping[str, Any]) -> str:
    """How many verdicts on held-out webs go which way next to the earlier ones, and which go the other way."""
    kinds = {"synthetic": False, "real": True}
    found = {(paper, kind): compared(recorded, paper, real=real) for kind, real in kinds.items() for paper in PAPERS}
    rows = [agreement_row(f"{paper.capitalize()}, {kind}", verdicts) for (paper, kind), verdicts in found.items()]
    for kind in kinds:
        verdicts = [one for paper in PAPERS for one in found[paper, kind]]
        rows.append(agreement_row(f"**all, {kind}**", verdicts))
    other_way = [
        f"- {paper.capitalize()}, {kind}: {line}"
        for (paper, kind), verdicts in found.items()
        for line in turned([one for one in verdicts if one.how == "the other way"])
    ]
    head = ("", "verdicts", *COMPARED)
    return "\n\n".join((markdown(head, rows), "These go the other way:", "\n".join(other_way)))


def agreement_row(name: str, verdicts: Sequence[Compared]) -> tuple[str, ...]:
    """How many verdicts there are of each kind."""
    counts = Counter(one.how for one in verdicts)
    return name, str(len(verdicts)), *(str(counts[how]) for how in COMPARED)


def turned(verdicts: Iterable[Compared]) -> Iterator[str]:
    """A line for each claim: what came of it, on which webs, and what it is about there."""
    about: dict[str, dict[tuple[str, bool | None], list[str]]] = {}
    for one in verdicts:
        about.setdefault(one.says, {}).setdefault((one.web, one.holds), []).append(one.of)
    for says, webs in about.items():
        places = [f"{OUTCOMES[holds]} on {web} ({', '.join(of)})" for (web, holds), of in webs.items()]
        yield f"*{says}*: {'; '.join(places)}"


def details(recorded: Mapping[str, Any], *, held_out: bool = False) -> str:
    """docs/evidence.md: every verdict with its numbers, and every table; docs/held-out.md: the verdicts."""
    other = (
        "[evidence.md](evidence.md) has the first webs" if held_out else "[held-out.md](held-out.md) has held-out webs"
    )
    parts = [
        "# Every verdict on webs the tests had not seen" if held_out else "# Every verdict, with its numbers",
        "Made by `make evidence`. What the claims are and how they are tested is in [reproduce.md](reproduce.md); "
        f"{other}. An interval covers what its text says: draws, seeds or sites of that one web. One web is one "
        "draw of a web.",
    ]
    for paper in PAPERS:
        runs = runs_of(paper, recorded, held_out=held_out)
        parts.append(f"## {paper.capitalize()}")
        for claim in paper_of(paper).claims:
            parts.append(f"### {claim.where}: {claim.says}")
            lines = [line for web, run in runs.items() for line in told(web, judged(run, claim.name))]
            parts.append("\n".join(lines))
        if not held_out:
            parts += [shown(name, web, rows) for web, run in runs.items() for name, rows in run["tables"].items()]
    return "\n\n".join(parts) + "\n"


def shown(name: str, web: str, rows: Sequence[Sequence[str]]) -> str:
    """A table of a run."""
    head, *body = rows
    return f"**{name.replace('-', ' ').capitalize()}, {web}**\n\n" + markdown(
        head, [[*map(short, row)] for row in body]
    )


def short(cell: str) -> str:
    """A number in four digits; other text as it is."""
    try:
        number = float(cell)
    except ValueError:
        return cell
    return f"{number:,.0f}" if number.is_integer() or abs(number) >= 1e4 else f"{number:.4g}"


def told(web: str, found: Mapping[str, Any] | None) -> Iterable[str]:
    """One line per verdict; those that say the same share one."""
    alike: dict[tuple[bool | None, str], list[str]] = {}
    for one in found["verdicts"] if found else ():
        alike.setdefault((one["holds"], one["found"]), []).append(one["of"])
    for (holds, text), names in alike.items():
        about = f" ({'; '.join(names)})" if any(names) else ""
        yield f"- **{web}**{about}, {OUTCOMES[holds]}: {plain(text)}."


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(plain, line)) + " |" for line in lines)


def plain(text: str) -> str:
    """Text that Markdown shows as it is, but for emphasis of ours."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def outdated(recorded: Mapping[str, Any]) -> list[str]:
    """Claims whose wording or test in the record is not that of the code: their runs must be repeated."""
    found = []
    for planned in RUNS:
        run = recorded.get(key(planned))
        if run is None:
            found.append(f"{key(planned)}: not recorded")
            continue
        declared = {one.name: asdict(one) for one in paper_of(planned.paper).claims}
        known = {one["name"]: {name: one[name] for name in declared[one["name"]]} for one in run["claims"]
                 if one["name"] in declared}  # fmt: skip
        found += [f"{key(planned)}: {name}" for name in declared if known.get(name) != declared[name]]
    return found


if __name__ == "__main__":
    main()

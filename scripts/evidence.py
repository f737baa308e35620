"""What came of every claim on every web: runs the experiments, records them, and writes the tables of the docs.

    make evidence WEBS=FOLDER       all runs; without WEBS those on synthetic webs, the others stay as recorded
    python scripts/evidence.py --tables      the tables only, from docs/evidence.json

docs/evidence.json holds the runs, docs/pictures some figures of those on synthetic webs. docs/reproduce.md has a table
for each paper, a row for each claim; docs/evidence.md every verdict with its numbers, and the tables of every run. Real
webs are not part of this project: FOLDER holds those named in RUNS.
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seedbed.evaluation.experiments import PAPERS, paper_of

DOCS = Path(__file__).resolve().parent.parent / "docs"
RECORD, TABLES, DETAILS = DOCS / "evidence.json", DOCS / "reproduce.md", DOCS / "evidence.md"
PICTURES = {
    "daneshpajouh": {"figure-6": "reproduce-cores", "figure-8": "reproduce-depths"},
    "zheng": {"figure-4": "reproduce-coverage"},
    "alam": {"figure-4-differences": "reproduce-orders"},
}
OUTCOMES = {True: "holds", False: "**no**", None: "undecided"}
NAJDISI, HOLLINS = "najdisi-si/core2.net.gz", "hollins"
OPENBSD, MANUAL = "openbsd-www/{}-06-01.edges.tsv.gz", "httpd-manual/{}-06-01.edges.tsv.gz"


@dataclass(frozen=True)
class Planned:
    """An experiment to run: the arguments after the paper's name; those that name a file are inside the folder."""

    paper: str
    web: str
    arguments: tuple[str, ...] = ()
    real: bool = True

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
)


def main() -> None:
    """Run what can be run, and write everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--webs", type=Path, help="The folder of the real webs.")
    parser.add_argument("--only", action="append", choices=PAPERS, help="Only this paper; may be repeated.")
    parser.add_argument("--tables", action="store_true", help="Only write the tables, from what is recorded.")
    options = parser.parse_args()
    recorded = {} if not RECORD.exists() else json.loads(RECORD.read_text("utf-8"))
    if not options.tables:
        for planned in RUNS:
            if (options.only and planned.paper not in options.only) or (planned.real and options.webs is None):
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
        for figure, picture in PICTURES.get(planned.paper, {}).items() if not planned.real else ():
            shutil.copyfile(out / f"{figure}.svg", DOCS / "pictures" / f"{picture}.svg")
        tables = {name: list(csv.reader((out / f"{name}.csv").open(encoding="utf-8"))) for name in found["tables"]}
    return {**{name: found[name] for name in ("settings", "claims", "notes")}, "tables": tables}


def pages(recorded: Mapping[str, Any]) -> dict[Path, str]:
    """The docs with the tables of a record."""
    text = TABLES.read_text("utf-8")
    for paper in PAPERS:
        text = between_markers(text, paper, table(paper, runs_of(paper, recorded)))
    return {TABLES: text, DETAILS: details(recorded)}


def runs_of(paper: str, recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded runs of a paper, by the name of the web."""
    names = [one for one in RUNS if one.paper == paper and key(one) in recorded]
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
    rows = []
    for claim in paper_of(paper).claims:
        cells = [counted(one["verdicts"]) if (one := judged(run, claim.name)) else "" for run in runs.values()]
        marked = claim.says if claim.kind == "claim" else f"*{claim.kind}:* {claim.says}"
        rows.append((claim.where, marked, f"{claim.statistic}; holds if {claim.holds_if}", *cells))
    commands = [f"    {run['command']}" for run in runs.values()]
    return "\n".join((*commands, "", markdown(head, rows)))


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


def details(recorded: Mapping[str, Any]) -> str:
    """docs/evidence.md: every verdict with its numbers."""
    parts = [
        "# Every verdict, with its numbers",
        "Made by `make evidence`. What the claims are and how they are tested is in [reproduce.md](reproduce.md). An "
        "interval covers what its text says: draws, seeds or sites of that one web. One web is one draw of a web.",
    ]
    for paper in PAPERS:
        runs = runs_of(paper, recorded)
        parts.append(f"## {paper.capitalize()}")
        for claim in paper_of(paper).claims:
            parts.append(f"### {claim.where}: {claim.says}")
            lines = [line for web, run in runs.items() for line in told(web, judged(run, claim.name))]
            parts.append("\n".join(lines))
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

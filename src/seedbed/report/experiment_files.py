"""An experiment as a folder: every table and figure as CSV, figures as SVG too, and a page that shows them all.

    index.md         settings, claims, tables, figures
    NAME.csv         the numbers of a table or figure
    NAME.svg         a figure
    summary.json     settings and verdicts

The folder appears when it is complete. Same numbers, same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from seedbed.common.atomic_files import written_beside
from seedbed.common.outputs import check_output_folder, is_in_use, names_in, refuse_other_files
from seedbed.errors import OptionError
from seedbed.evaluation.claims import Verdict, by_claim, found_alike, outcome_of, sentence_of
from seedbed.evaluation.experiments.experiment import Experiment
from seedbed.evaluation.tables_and_figures import Cell, Figure, Table, csv_text

INDEX, SUMMARY = "index.md", "summary.json"


def check_experiment_folder(out: Path) -> None:
    """Refuse to replace anything but an earlier experiment or an empty folder; called before the work starts."""
    check_output_folder(out)
    refuse_other_files(out, names_in(out) - _earlier_files(out), "an experiment")
    if is_in_use(out):
        raise OptionError(f"{out}: is in use, and cannot be replaced as a whole. Name a folder inside it with --out.")


def _earlier_files(out: Path) -> set[str]:
    """The files of the experiment in a folder, as its summary lists them; none if there is no experiment."""
    try:
        found = json.loads((out / SUMMARY).read_text("utf-8"))
        figures, tables = found["figures"], found["tables"]
        return {INDEX, SUMMARY, *(f"{name}.csv" for name in (*figures, *tables)), *(f"{name}.svg" for name in figures)}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def write_experiment(experiment: Experiment, out: Path) -> list[str]:
    """Write all of it, and return the names of the files."""
    from seedbed.report.svg_figures import draw

    check_experiment_folder(out)
    files = {INDEX: page(experiment), SUMMARY: json.dumps(experiment.summary(), indent=2, ensure_ascii=False) + "\n"}
    for part in experiment.parts:
        files[f"{part.name}.csv"] = as_csv(part.columns, part.rows)
    for figure in experiment.figures:
        files[f"{figure.name}.svg"] = draw(figure)
    with written_beside(out) as work:
        for name, content in files.items():
            (work / name).write_text(content, encoding="utf-8", errors="backslashreplace", newline="\n")
    return list(files)


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table with a header line. Ten digits: more than the numbers hold, fewer than differ from machine to machine."""
    return csv_text(columns, ([f"{cell:.10g}" if isinstance(cell, float) else cell for cell in row] for row in rows))


def page(experiment: Experiment) -> str:
    """index.md."""
    settings = " · ".join(f"{name}: {_plain(value)}" for name, value in experiment.settings.items())
    claims = [
        (claim.where, claim.says, f"{claim.statistic}; holds if {claim.holds_if}", outcome_of(verdicts))
        for claim, verdicts in experiment.judged.items()
    ]
    parts = [
        f"# {experiment.heading}",
        experiment.reference,
        f"Settings: {settings}.",
        *(f"Note: {_plain(note)}" for note in experiment.notes),
        "## Which claims hold here",
        _table(("where", "claim", "how it is tested", "here it"), claims),
        *(_section(part) for part in experiment.parts),
    ]
    return "\n\n".join(parts) + "\n"


def _section(part: Table | Figure) -> str:
    """A table or figure, what to know about it, and what it says about the paper's claims."""
    shown = f"![{_plain(part.title)}]({part.name}.svg)" if isinstance(part, Figure) else _table(part.columns, part.rows)
    lines = [f"## {_heading(part.name)}: {_plain(part.title)}", shown]
    if part.about:
        lines.append(_plain(part.about))
    if part.verdicts:
        lines.append("\n".join(_judged(verdicts) for verdicts in by_claim(part.verdicts).values()))
    lines.append(f"Data: [{part.name}.csv]({part.name}.csv)")
    return "\n\n".join(lines)


def _judged(verdicts: Sequence[Verdict]) -> str:
    """A claim and its verdict; if there are several, each in a line of its own below."""
    each = [] if found_alike(verdicts) else [f"{one.of}: {one.outcome}; {one.found}." for one in verdicts]
    return "\n".join([f"- {_plain(sentence_of(verdicts))}", *(f"  - {_plain(one)}" for one in each)])


def _heading(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    lines = [columns, ["---"] * len(columns), *([_short(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(map(_plain, line)) + " |" for line in lines)


def _short(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.4g}" if abs(cell) < 1e4 else f"{cell:,.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def _plain(text: object) -> str:
    """Text on one line, with everything escaped that Markdown would take for markup."""
    one_line = " ".join(str(text).split())
    for mark in ("\\", "|", "<", "[", "]", "`", "*", "_"):
        one_line = one_line.replace(mark, f"\\{mark}" if mark != "<" else "&lt;")
    return one_line

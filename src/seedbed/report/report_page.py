"""A comparison as one self-contained HTML file: style, scripts and the numbers of its charts are inside it.

What comes from a web, URLs and hosts, may contain anything. It reaches the page as text that the template escapes; only
http and https URLs become links; the chart numbers are JSON without any character that could end the element; and the
page's policy forbids all scripts but its own (by their hashes) and everything from outside.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import PurePath
from typing import Any

from seedbed.common.messages import counted
from seedbed.errors import SeedbedError
from seedbed.evaluation.comparison import CURVES, Comparison
from seedbed.evaluation.out_of_sample import average
from seedbed.report import report_charts, report_sentences, report_tables
from seedbed.shape.shape_text import notes

MAX_BYTES = 8_000_000
SCRIPTS = ("theme.js", "tables.js", "charts.js")


def render(comparison: Comparison, made: Mapping[str, Any]) -> str:
    """The page. `made`: how it was made, see report_files.write_report."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    scripts = {name: _own(name) for name in SCRIPTS} | {"plotly": _plotly()}
    environment = Environment(
        loader=PackageLoader("seedbed.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["percent"] = lambda share, digits=1: f"{100 * share:.{digits}f} %"
    environment.filters["average"] = average
    page = environment.get_template("page.html").render(
        policy=policy(list(scripts.values())),
        style=_own("style.css"),
        scripts=scripts,
        data=embedded(report_charts.chart_data(comparison)),
        **_content(comparison, made),
    )
    size = len(page.encode("utf-8", "backslashreplace"))
    if size > MAX_BYTES:
        raise SeedbedError(
            f"the report would have {size:,} bytes, more than {MAX_BYTES:,}; compare fewer strategies, orders or seeds."
        )
    return page


def _content(comparison: Comparison, made: Mapping[str, Any]) -> dict[str, Any]:
    seeds, left_out = report_tables.listed_seeds(comparison)
    pairs, best = report_tables.pair_rows(comparison), comparison.recommendation.best
    strategies = {choice.strategy: choice.meaning for choice in comparison.choices}
    orders = {name: meaning or "an order of your own" for name, meaning in comparison.orders.items()}
    chosen_by_coverage = [name for name in strategies if comparison.chosen_by_coverage(name)]
    return {
        "web_name": _web_name(made),
        "comparison": comparison,
        "facts": comparison.facts,
        "answer": report_sentences.answer(comparison),
        "best": best,
        "best_is_list": comparison.choice(best.strategy).declared is None,
        "pairs": pairs,
        "hops": counted(comparison.facts["hops"], "link"),
        "k_seeds": counted(comparison.facts["k"], "seed"),
        "added": any(row.added for row in pairs),
        "best_added": comparison.facts["k"] - comparison.choice(best.strategy).chosen,
        "chosen_on": [one["path"] for one in made["chosen_on"]] or comparison.facts["chosen_on"],
        "out_of_sample": bool(comparison.in_sample),
        "gone_known": best.gone is not None,
        "columns": [name for name in CURVES[1:] if best.at_end(name) is not None],
        "strategies": strategies,
        "orders": orders,
        "chosen_by_coverage": chosen_by_coverage,
        "named_by_coverage": report_sentences.listed(chosen_by_coverage) if chosen_by_coverage else "",
        "repeated": any(pair.count > 1 for pair in comparison.pairs),
        "tables": {
            "curves": report_charts.curve_table(comparison),
            "depths": report_charts.depth_table(comparison),
            "gain": report_charts.gain_table(comparison),
        },
        "core_tables": {name: report_charts.core_table(comparison, name) for name in comparison.cores},
        "seeds": seeds,
        "left_out": left_out,
        "shape": comparison.shape,
        "shape_rows": list(report_tables.shape_rows(comparison.shape)),
        "bow_tie": report_tables.bow_tie_rows(comparison.shape),
        "shape_notes": list(notes(comparison.shape)),
        "made": made,
        "made_rows": list(report_tables.made_rows(comparison, made)),
    }


def _web_name(made: Mapping[str, Any]) -> str:
    """The name of the web; of one of two snapshots, which are often called old and new, with that of its folder."""
    name = str(made["web"].get("name") or "a web")
    return "/".join(PurePath(made["web"]["path"]).parts[-2:]) if made["chosen_on"] else name


def embedded(content: Any) -> Any:
    """JSON for a script element: nothing in it can end the element or begin markup."""
    from markupsafe import Markup

    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - escaped just above


def policy(scripts: list[Any]) -> str:
    """A content security policy: these scripts and no others, nothing from outside.

    Styles may be inline, because Plotly sets them on what it draws; images are those it makes for saving.
    """
    digests = (hashlib.sha256(str(script).encode()).digest() for script in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _own(name: str) -> Any:
    from markupsafe import Markup

    return Markup(files("seedbed.report").joinpath(name).read_text("utf-8"))  # noqa: S704 - our own file


def _plotly() -> Any:
    """Plotly's script, from its package."""
    from markupsafe import Markup

    text = files("plotly").joinpath("package_data", "plotly.min.js").read_text("utf-8")
    if "</script" in text.lower():
        raise SeedbedError(
            "this version of plotly cannot be embedded in a page; install another: pip install -U plotly"
        )
    return Markup(text)  # noqa: S704 - checked just above

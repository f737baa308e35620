"""A comparison as one HTML file that needs nothing else: style, scripts and figures' numbers are inside it.

What comes from a web, URLs and hosts, may hold anything. It reaches the page as text that the template escapes; only
http and https URLs become links; numbers for the figures are JSON in which no markup can end; and the page forbids
itself all scripts but its own (by their hashes) and everything from outside.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from seedbed.common.messages import counted
from seedbed.errors import SeedbedError
from seedbed.evaluation.comparison import CHOSEN_BY_COVERAGE, Comparison
from seedbed.report import names
from seedbed.report import report_figures as figures
from seedbed.report import report_sentences as words
from seedbed.report import report_tables as sections

MOST_BYTES = 8_000_000
SCRIPTS = ("theme.js", "tables.js", "charts.js")


def render(comparison: Comparison, made: Mapping[str, Any]) -> str:
    """The page. `made`: how it was made, as cli.compare and the demo give it."""
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
    page = environment.get_template("page.html").render(
        policy=policy(list(scripts.values())),
        style=_own("style.css"),
        scripts=scripts,
        data=embedded(figures.drawn(comparison)),
        **_content(comparison, made),
    )
    size = len(page.encode("utf-8", "backslashreplace"))
    if size > MOST_BYTES:
        raise SeedbedError(
            f"the report would have {size:,} bytes, more than {MOST_BYTES:,}; compare fewer strategies, "
            "orders or seeds."
        )
    return page


def _content(comparison: Comparison, made: Mapping[str, Any]) -> dict[str, Any]:
    seeds, left_out = sections.listed_seeds(comparison)
    pairs, best = sections.pair_rows(comparison), comparison.recommendation.best
    orders = list(dict.fromkeys(pair.order for pair in comparison.crawls))
    strategies = [choice.strategy for choice in comparison.choices]
    chosen_by_coverage = [name for name in strategies if name in CHOSEN_BY_COVERAGE]
    return {
        "web_name": made["web"].get("name") or "a web",
        "comparison": comparison,
        "facts": comparison.facts,
        "answer": words.answer(comparison),
        "best": best,
        "best_is_known": {
            "strategy": best.strategy in names.STRATEGIES,
            "order": best.order.partition("@")[0] in names.ORDERS,
        },
        "pairs": pairs,
        "k_seeds": counted(comparison.facts["k"], "seed"),
        "filled": any(pair.filled for pair in pairs),
        "best_filled": next(pair.filled for pair in pairs if pair.best),
        "columns": {name: pairs[0].__dict__[name] is not None for name in ("hosts", "communities", "spam_share")},
        "strategy_meanings": [(name, names.meaning(name, names.STRATEGIES, "your own list")) for name in strategies],
        "order_meanings": [(name, names.meaning(name, names.ORDERS, "an order of your own")) for name in orders],
        "chosen_by_coverage": chosen_by_coverage,
        "named_by_coverage": words.listed(chosen_by_coverage) if chosen_by_coverage else "",
        "repeated": any(pair.count > 1 for pair in comparison.crawls),
        "curve_table": figures.curve_table(comparison),
        "gain_table": figures.gain_table(comparison),
        "depth_table": figures.depth_table(comparison),
        "core_tables": {name: figures.core_table(comparison, name) for name in comparison.cores},
        "seeds": seeds,
        "left_out": left_out,
        "shape": comparison.shape,
        "shape_rows": list(sections.shape_rows(comparison.shape)),
        "bow_tie": sections.bow_tie_rows(comparison.shape),
        "shape_notes": sections.shape_notes(comparison.shape),
        "made": made,
        "made_rows": list(sections.made_rows(comparison, made)),
    }


def embedded(content: Any) -> Any:
    """JSON that can stand in a script element: nothing in it can end the element or begin markup."""
    from markupsafe import Markup

    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - escaped just above


def policy(scripts: list[Any]) -> str:
    """A content security policy: these scripts and no other, nothing from outside.

    Styles may be inline, for Plotly sets them on what it draws; pictures are those it makes to be saved.
    """
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(str(script).encode()).digest()).decode()


def _own(name: str) -> Any:
    from markupsafe import Markup

    return Markup(files("seedbed.report").joinpath(name).read_text("utf-8"))  # noqa: S704 - our own file


def _plotly() -> Any:
    """Plotly's script, as its package brings it."""
    from markupsafe import Markup

    text = files("plotly").joinpath("package_data", "plotly.min.js").read_text("utf-8")
    if "</script" in text.lower():
        raise SeedbedError("this version of plotly cannot be put into a page; install another: pip install -U plotly")
    return Markup(text)  # noqa: S704 - checked just above

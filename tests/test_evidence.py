"""docs/reproduce.md and docs/evidence.md say what the recorded runs say, and the runs judged the claims as declared."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import evidence  # noqa: E402


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    return dict(json.loads(evidence.RECORD.read_text("utf-8")))


def test_the_docs_say_what_was_recorded(recorded: dict[str, Any]) -> None:
    for path, text in evidence.pages(recorded).items():
        assert path.read_text("utf-8") == text, f"{path.name} is not what the record says: make evidence"


def test_every_claim_was_judged_as_it_is_declared(recorded: dict[str, Any]) -> None:
    assert evidence.outdated(recorded) == [], "the claims have changed since these runs: make evidence"


def test_a_changed_record_or_claim_is_noticed(recorded: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(recorded))
    name = next(iter(changed))
    claim = changed[name]["claims"][0]
    claim["verdicts"][0]["holds"] = not claim["verdicts"][0]["holds"]
    assert evidence.pages(changed)[evidence.TABLES] != evidence.TABLES.read_text("utf-8")
    claim["holds_if"] = "it is another test"
    assert evidence.outdated(changed) == [f"{name}: {claim['name']}"]
    del changed[name]
    assert evidence.outdated(changed) == [f"{name}: not recorded"]


def cell(recorded: dict[str, Any], run: str, table: str, row: str, column: str) -> float:
    """A number of a table; of several rows with this name the last, which is the largest farm."""
    head, *rows = recorded[run]["tables"][table]
    return float([one for one in rows if one[0] == row][-1][head.index(column)])


def verdict(recorded: dict[str, Any], run: str, claim: str, of: str) -> str:
    """What was found on a claim."""
    judged = next(one for one in recorded[run]["claims"] if one["name"] == claim)
    return str(next(one["found"] for one in judged["verdicts"] if one["of"] == of))


def test_the_words_on_daneshpajouh_quote_the_record(recorded: dict[str, Any]) -> None:
    old, new = "old web (paper reading)", "new web (paper reading)"
    for run, of, found in (
        ("daneshpajouh on najdisi-si", old, "1.05 to 292.43 times"),
        ("daneshpajouh on OpenBSD", old, "at 4 of 37 depths (1–4), below at 26"),
        ("daneshpajouh on OpenBSD", old, "0.95 to 17.18 times"),
        ("daneshpajouh on OpenBSD", new, "1.31 to 25.73 times"),
        ("daneshpajouh on synthetic", old, "0.98 to 5.93 times"),
        ("daneshpajouh on synthetic", new, "at 15 of 29 depths (1–15); 1.00 to 6.46 times"),
    ):
        assert found in verdict(recorded, run, "more-pages", of)
    lasting = verdict(recorded, "daneshpajouh on OpenBSD", "hubs-last", new)
    assert "45.0 % of 100 seeds" in lasting
    assert "66.7 % of crawled pages" in lasting


def test_the_words_on_zheng_quote_the_record(recorded: dict[str, Any]) -> None:
    text = " ".join(evidence.TABLES.read_text("utf-8").split())
    names = ("Random", "PageRank", "OutDegree", "MaxOut", "MaxWeight (2 hops)", "MaxWeight (3 hops)", "RootSCC",
             "MaxSCC", "cover (ours)")  # fmt: skip
    random, pagerank, out, maxout, two, three, root, largest, cover = (
        f"{cell(recorded, 'zheng on najdisi-si', 'coverage', name, 'pages covered, %'):.1f} %" for name in names
    )
    assert (
        f"5 random seeds cover {random} within 5 links, PageRank {pagerank}, OutDegree {out}, MaxOut {maxout}, "
        f"MaxWeight {two} (2 hops) and {three} (3), RootSCC {root}, MaxSCC {largest}, cover {cover}"
    ) in text
    synthetic = cell(recorded, "zheng on synthetic", "coverage", "Random", "pages covered, %")
    assert f"random seeds cover {synthetic:.0f} %; leads shrink" in text


def test_the_words_on_alam_and_on_farms_quote_the_record(recorded: dict[str, Any]) -> None:
    text = " ".join(evidence.TABLES.read_text("utf-8").split())
    windowed, bfs = (
        cell(recorded, "alam on najdisi-si", "areas", name, "area, % of the bound's") for name in ("fpr", "bfs")
    )
    assert f"over `bfs` ({windowed - bfs:.0f} % of the bound's area on najdisi-si)" in text

    def share(farm: str, order: str, column: str = "share of the first half, %") -> list[int]:
        webs = ("farms on najdisi-si", "farms on synthetic")
        return sorted(round(cell(recorded, web, f"{farm}-farms", order, column)) for web in webs)

    low, high = share("hub", "bfs")
    assert f"takes {low} to {high} % of the first half of a breadth-first crawl" in text
    low, high = share("hub", "fpr@100")
    assert f"{low} to {high} % of one by `fpr@100`" in text
    (whole, _), (low, high) = share("ring", "live-pagerank"), share("ring", "live-pagerank", "area lost, %")
    assert f"fetches all of it ({whole} % of the first half, {low} to {high} % of the area lost)" in text

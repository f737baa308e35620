"""docs/reproduce.md and docs/evidence.md say what the recorded runs say, and the runs judged the claims as declared."""

from __future__ import annotations

import json
import sys
from collections import Counter
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


def test_a_verdict_on_a_held_out_web_is_compared_with_the_first_webs_of_its_kind() -> None:
    def run(**verdicts: bool | None) -> dict[str, Any]:
        found = [{"of": of, "holds": holds} for of, holds in verdicts.items()]
        return {"claims": [{"name": "m-is-better", "says": "it is better", "verdicts": found}]}

    recorded = {
        "alam on OpenBSD": run(same=True, turned=True, mixed=True, new=None, lost=False, never=None),
        "alam on Hollins": run(same=None, turned=True, mixed=False, new=None, lost=False, never=None),
        "alam on synthetic": run(same=False, turned=False, mixed=True, new=True, lost=None, never=True),
        "alam on California": run(same=True, turned=False, mixed=True, new=False, lost=None, never=None),
    }
    found = evidence.compared(recorded, "alam", real=True)
    assert {one.of: one.how for one in found} == dict(
        zip(("same", "turned", "mixed", "new", "lost", "never"), evidence.COMPARED, strict=True)
    )
    assert {one.web for one in found} == {"California"}
    assert evidence.compared(recorded, "alam", real=False) == []
    assert list(evidence.turned(one for one in found if one.how == "the other way")) == [
        "*it is better*: **no** on California (turned)"
    ]


def test_held_out_webs_are_none_of_the_first_webs() -> None:
    for paper in evidence.PAPERS:
        first, held_out = (
            {one.arguments for one in evidence.RUNS if (one.paper, one.held_out) == (paper, which)}
            for which in (False, True)
        )
        assert held_out
        assert not first & held_out


def test_the_words_on_held_out_webs_quote_the_record(recorded: dict[str, Any]) -> None:
    text = " ".join(evidence.TABLES.read_text("utf-8").split())

    def counts(real: bool, *papers: str) -> Counter[str]:
        return Counter(one.how for paper in papers for one in evidence.compared(recorded, paper, real=real))

    def of_both(real: bool, *papers: str) -> str:
        found = counts(real, *papers)
        return f"{found['as before']} of {found['as before'] + found['the other way']}"

    for real, words in ((False, "Of {} that are decided both"), (True, "Of {} verdicts decided both")):
        same, both = of_both(real, *evidence.PAPERS).split(" of ")
        each = [of_both(real, paper) for paper in ("daneshpajouh", "zheng", "alam", "farms")]
        assert (
            f"{words.format(both)} before and here, {same} are as before: {each[0]} for Daneshpajouh, {each[1]} for "
            f"Zheng, {each[2]} for Alam, {each[3]} for farms."
        ) in text
    synthetic, real_webs = counts(False, *evidence.PAPERS), counts(True, *evidence.PAPERS)
    assert f"Six of the {synthetic['the other way']} others are about power laws" in text
    assert f"Eight of the {real_webs['the other way']} others favour a claim of Daneshpajouh that had failed" in text
    assert f"{real_webs['both ways before']} more are about something on which the first webs differ" in text
    assert f"{real_webs['only before']} that were decided are undecided here" in text
    turned = [
        [one for one in evidence.compared(recorded, "daneshpajouh", real=real) if one.how == "the other way"]
        for real in (False, True)
    ]
    assert sum("power laws" in one.says for one in turned[0]) == 6
    assert len(turned[1]) == 8
    assert all(one.holds for one in turned[1])


def test_the_words_on_single_held_out_webs_quote_the_record(recorded: dict[str, Any]) -> None:
    text = " ".join(evidence.TABLES.read_text("utf-8").split())
    old = "old web (paper reading)"
    for web, found in (
        ("California", "at all 7 depths; 5.14 to 12.51 times"),
        ("UK hosts", "at all 7 depths; 10.71 to 955.29 times"),
        ("Apache", "at 1 of 4 depths (1), below at 1 of 4 depths (2)"),
    ):
        assert found in verdict(recorded, f"daneshpajouh on {web}", "more-pages", old)
    flow = verdict(recorded, "daneshpajouh on Apache", "cores-inside-flow-communities", old)
    assert "66 % of the other half is inside, of similar pages 18 %" in flow
    random = cell(recorded, "zheng on crawl log", "coverage", "Random", "pages covered, %")
    assert f"random seeds cover {random:.0f} % there as well" in text
    assert "takes 1.4 times as long" in verdict(recorded, "alam on Apache", "fpr-is-faster", "")
    assert "is +74.7 %" in verdict(recorded, "alam on Apache", "whole-window-is-bfs", "")

    def share(web: str, farm: str, order: str) -> float:
        return cell(recorded, f"farms on {web}", f"{farm}-farms", order, "share of the first half, %")

    hub, host, ring = (
        sorted(share(f"synthetic {seed}", *of) for seed in (201, 202, 203))
        for of in (("hub", "bfs"), ("hub", "fpr@100"), ("ring", "live-pagerank"))
    )
    assert (
        f"a hub takes {hub[0]:.0f} to {hub[-1]:.0f} % with breadth-first, {host[0]:.0f} to {host[-1]:.0f} % with "
        f"`fpr@100`, and a ring {ring[-1]:.1f} % with `live-pagerank`"
    ) in text
    bfs, live = (share("UK hosts", "hub", order) for order in ("bfs", "live-pagerank"))
    assert f"a hub takes {bfs:.1f} % with breadth-first and {live:.1f} % with `live-pagerank`" in text


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

    def area(web: str, order: str) -> float:
        return cell(recorded, f"alam on {web}", "areas", order, "area, % of the bound's")

    lost, lead = (
        [area(web, "fpr") - area(web, other) for web in ("OpenBSD", "Apache")] for other in ("fpr@100", "bfs")
    )
    assert f"loses {lost[0]:.1f} of the {lead[0]:.1f} % that `fpr` is ahead on OpenBSD" in text
    assert f"and {lost[1]:.1f} of {lead[1]:.1f} % on Apache's manual" in text

    def share(farm: str, order: str, column: str = "share of the first half, %") -> list[float]:
        webs = ("farms on najdisi-si", "farms on synthetic")
        return sorted(cell(recorded, web, f"{farm}-farms", order, column) for web in webs)

    low, high = share("hub", "bfs")
    assert f"takes {low:.0f} to {high:.0f} % of the first half of a breadth-first crawl" in text
    low, high = share("hub", "fpr@100")
    assert f"{low:.0f} to {high:.0f} % of one by `fpr@100`" in text
    (low, high), (_, lost) = share("ring", "live-pagerank"), share("ring", "live-pagerank", "area lost, %")
    assert f"{low:.1f} to {high:.1f} % of the first half, {lost:.1f} % of the area lost" in text

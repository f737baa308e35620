"""What docs/reproduce.md says of real webs."""

from __future__ import annotations

from pathlib import Path

import pytest

from seedbed.evaluation.experiments import alam, daneshpajouh, zheng
from seedbed.sources.opening import open_web

pytestmark = pytest.mark.shared


def test_on_najdisi_si_larger_m_pays_and_fpr_is_like_windowed_rankmass(shared_data: Path) -> None:
    web = open_web(shared_data / "najdisi-si" / "core2.net.gz")
    found = alam.experiment(web, alam.Options(repeats=1, threads=2))
    claims = {claim.name: {one.holds for one in verdicts} for claim, verdicts in found.judged.items()}
    assert False not in claims["fpr-is-as-good"] | claims["m-is-better"] | claims["more-m-is-the-same"]
    assert found.tables[0].rows[0][1:] == (115_148, 248_799, 159_628)
    areas = {str(row[0]): row[1] for row in found.tables[1].rows}
    assert areas["bfs"] == pytest.approx(71.9, abs=0.5)
    assert areas["fpr@100"] == pytest.approx(79.7, abs=1)


def test_on_najdisi_si_coverage_pays_and_pagerank_does_not(shared_data: Path) -> None:
    web = open_web(shared_data / "najdisi-si" / "core2.net.gz")
    found = zheng.experiment(web, zheng.Options(sites=40, draws=4, threads=2))
    claims = {claim.name: {one.of: one.holds for one in verdicts} for claim, verdicts in found.judged.items()}
    assert claims["beat-random"]["PageRank in pages"] is not True
    assert claims["pagerank-is-worse"] == {"pages": True, "value": None}
    assert False not in claims["cover-is-best"].values()
    assert set(claims["hops-pay-in-pages"].values()) == {None}
    assert claims["beat-random"]["OutDegree in value"] is None


def test_on_the_site_of_openbsd_seeds_survive_less_often_than_crawled_pages(shared_data: Path) -> None:
    old, new = (open_web(shared_data / "openbsd-www" / f"{year}-06-01.edges.tsv.gz") for year in (2013, 2016))
    found = daneshpajouh.experiment(old, new, daneshpajouh.Options(samples=50, repeats=1, threads=2))
    table = next(table for table in found.tables if table.name == "survival")
    assert table.rows[0][1:3] == (100, 45.0)
    assert table.rows[2][:2] == ("crawled pages drawn at random", 3941)
    assert round(table.rows[2][2], 1) == 66.7  # type: ignore[arg-type]
    holds = {(one.claim.name, one.of): one.holds for _, one in found.verdicts}
    old_web, new_web = "old web (paper reading)", "new web (paper reading)"
    assert holds["hubs-last", new_web] is False
    assert (holds["more-pages", old_web], holds["more-pages", new_web]) == (False, None)
    assert (holds["higher-pagerank", old_web], holds["higher-pagerank", new_web]) == (False, False)
    assert {claim.name for claim in found.judged} == {claim.name for claim in daneshpajouh.PAPER_EXPERIMENT.claims}

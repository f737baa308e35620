"""FPR and FPR@M: the paper's example, twins, and chains too long for plain floating point."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.simulator import crawl
from seedbed.errors import OptionError
from tests.crawls import Case, cases, facts, twin_facts
from tests.graphs import web_of
from tests.reference.crawl_mass import Fpr
from tests.reference.crawl_orders import simulate

A, B, C, D, E = range(5)
FIGURE_2 = [[B, C], [D, E], [E], [], []]


def test_fpr_follows_figure_2() -> None:
    run = crawl(web_of(FIGURE_2), [A], "fpr")
    assert run.pages.tolist() == [A, B, C, E, D]
    assert run.parent.tolist() == [-1, A, A, B, B]
    assert run.depth.tolist() == [0, 1, 1, 2, 2]
    # A is the only seed: 1 − 0.85. B and C get half of 0.85 times that. B gives half of 0.85 · 0.06375 to D and E
    # each, and C gives all of it to E.
    a = 0.15
    b = c = 0.85 * a / 2  # 0.06375
    d = 0.85 * b / 2  # 0.02709375
    e = 0.85 * b / 2 + 0.85 * c / 1  # 0.08128125
    assert run.score is not None
    assert run.score.tolist() == pytest.approx([a, b, c, e, d], rel=1e-15)
    assert [round(score, 8) for score in run.score.tolist()] == [0.15, 0.06375, 0.06375, 0.08128125, 0.02709375]


def test_a_link_to_another_host_passes_on_m_times_as_much() -> None:
    urls = ["http://a/", "http://a/1", "http://a/2", "http://b/"]
    run = crawl(web_of([[1, 2, 3], [], [], []], urls), [0], "fpr@100")
    assert run.pages.tolist() == [0, 3, 1, 2]
    assert run.score is not None
    unit = 0.85 * 0.15 / 102
    assert run.score.tolist() == pytest.approx([0.15, 100 * unit, unit, unit], rel=1e-15)


@given(cases(polite=False), st.sampled_from([1, 1.5, 2, 100]), st.sampled_from([0.85, 0.0]))
@settings(deadline=None, max_examples=100)
def test_fpr_is_its_twin(case: Case, inter: float, damping: float) -> None:
    run = case.run(f"fpr@{inter}", damping=damping)
    seen = simulate(case.lists, case.seeds, Fpr(case.hosts, inter, damping), case.budget, case.limits)
    assert facts(run) == twin_facts(seen, run, case.budget)


@given(cases(polite=True), st.sampled_from([1, 100]))
@settings(deadline=None, max_examples=60)
def test_polite_fpr_is_its_twin(case: Case, inter: float) -> None:
    run = case.run(f"fpr@{inter}")
    seen = simulate(case.lists, case.seeds, Fpr(case.hosts, inter), case.budget, case.limits)
    assert facts(run) == twin_facts(seen, run, case.budget)


@given(cases())
@settings(deadline=None, max_examples=30)
def test_fpr_at_1_is_fpr(case: Case) -> None:
    assert facts(case.run("fpr@1")) == facts(case.run("fpr"))


def test_fpr_keeps_the_order_of_two_chains_of_tens_of_thousands_of_pages() -> None:
    # Page 0 is on host a with the long chain, whose pages link on and back: half of 0.85 goes on. The short chain is on
    # host b; its pages link on, and to page 0, which takes 100 parts of 101. The smallest score is about 10^-11000.
    long, short = 30_000, 5_000
    a, b = range(1, long + 1), range(long + 1, long + short + 1)
    lists = [[a[0], b[0]]]
    lists += [[page - 1, page + 1] for page in a[:-1]] + [[]] + [[0, page + 1] for page in b[:-1]] + [[]]
    case = Case(lists, [0] * (long + 1) + [1] * short, [True] * len(lists), [0], len(lists))
    run = case.run("fpr@100")

    falls_a, falls_b = math.log(0.85 / 2), math.log(0.85 / 101)
    logs = [math.log(0.15)]
    logs += [logs[0] + math.log(0.85 / 101) + step * falls_a for step in range(long)]
    logs += [logs[0] + math.log(85 / 101) + step * falls_b for step in range(short)]
    expected = sorted(range(len(lists)), key=lambda page: -logs[page])
    assert np.diff(sorted(logs)).min() > 1e-6  # so that logarithms tell scores apart
    assert run.pages.tolist() == expected
    assert run.score is not None
    assert run.score[-1] == 0 < run.score[1000]


@pytest.mark.parametrize("order", ["fpr@0", "fpr@-1", "fpr@nan", "fpr@inf", "fpr@much", "fpr@"])
def test_m_is_a_number_of_at_least_1(order: str) -> None:
    with pytest.raises(OptionError, match="the weight of a link to another host: at least 1 "):
        crawl(web_of(FIGURE_2), [A], order)

"""Orders that look at sites, by registered domain instead of by host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.crawling.checkpoint import Checkpoint
from seedbed.crawling.conditions import Conditions
from seedbed.crawling.simulator import Simulation, crawl
from seedbed.errors import OptionError
from seedbed.evaluation.compare import Task, compare
from seedbed.graph.web import Web
from seedbed.integrations.live.live_orders import live_order, order_with_site, site_kind
from tests.graphs import page_lists, web_of
from tests.live_rig import Rig, all_closed  # noqa: F401
from tests.reference.crawl_mass import Fpr
from tests.reference.crawl_orders import LargestSite, Limits, simulate
from tests.reference.live_pagerank import LivePageRank

URLS = ["http://www.a.org/", "http://blog.a.org/", "http://b.org/"]
LISTS = [[1, 2], [], []]
TWINS: dict[str, Any] = {
    "fpr@100": lambda domains: Fpr(domains, 100),
    "live-pagerank@7": lambda domains: LivePageRank(domains, 7),
    "largest-site-first": LargestSite,
}


def test_links_inside_a_domain_weigh_1_if_sites_are_domains() -> None:
    by_host = crawl(web_of(LISTS, URLS), [0], "fpr@100")
    by_domain = crawl(web_of(LISTS, URLS), [0], "fpr@100", site="domain")
    assert by_host.pages.tolist() == [0, 1, 2]  # both are on other hosts
    assert by_domain.pages.tolist() == [0, 2, 1]
    assert by_domain.score is not None
    unit = 0.85 * 0.15 / 101
    assert by_domain.score.tolist() == pytest.approx([0.15, 100 * unit, unit], rel=1e-15)
    assert by_domain.options["site"] == "domain"
    assert "site" not in by_host.options


@pytest.mark.parametrize("name", TWINS)
@given(lists=page_lists(20).filter(len), data=st.data())
@settings(deadline=None, max_examples=30)
def test_an_order_by_domain_is_its_twin_with_domains_for_hosts(
    name: str, lists: list[list[int]], data: st.DataObject
) -> None:
    hosts = [data.draw(st.integers(0, 5)) for _ in lists]
    domains = [host % 3 for host in hosts]
    polite = name != "largest-site-first" and data.draw(st.booleans())
    web = web_of(lists, [f"http://{host}.{host % 3}.example/{page}" for page, host in enumerate(hosts)])
    conditions = Conditions(fetches_per_tick=2 if polite else None)
    run = crawl(web, [0], name, conditions=conditions, site="domain")
    limits = Limits(hosts, fetches_per_tick=2 if polite else None)  # politeness goes by host
    assert run.pages.tolist() == simulate(lists, [0], TWINS[name](domains), len(lists), limits).fetched


@pytest.mark.parametrize("order", ["bfs", "fpr", "live-pagerank", "fpr@1", "oracle"])
def test_an_order_that_does_not_look_at_sites_refuses_domains(order: str) -> None:
    with pytest.raises(OptionError, match=f"order '{order}' does not look at sites; leave out --site. Orders that do"):
        crawl(web_of(LISTS, URLS), [0], order, site="domain")


def test_largest_site_first_is_polite_to_hosts_only() -> None:
    polite = Conditions(fetches_per_tick=2)
    with pytest.raises(OptionError, match="is polite to hosts; leave out --site, or --fetches-per-tick"):
        crawl(web_of(LISTS, URLS), [0], "largest-site-first", conditions=polite, site="domain")


def test_an_unknown_kind_of_site_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown kind of site 'planet'"):
        crawl(web_of(LISTS, URLS), [0], "fpr@100", site="planet")  # type: ignore[arg-type]


def test_a_crawl_by_host_is_not_resumed_by_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Simulation, "_stages", stopped)
        crawl(web_of(LISTS, URLS), [0], "fpr@100", checkpoint=Checkpoint(tmp_path / "kept"))
    with pytest.raises(OptionError, match="site was None and is now domain"):
        crawl(web_of(LISTS, URLS), [0], "fpr@100", site="domain", checkpoint=Checkpoint(tmp_path / "kept"))


def compared(web: Web, site: Any) -> list[float]:
    task = Task(strategies=("outdegree",), orders=("fpr@100", "bfs"), k=1, budget=2, failure=0.0, site=site)
    return [float(pair.pagerank[0, -1]) for pair in compare(web, task, threads=1).pairs]


def test_compare_gives_the_kind_of_site_to_orders_that_look_at_it() -> None:
    web = web_of([*LISTS, [2], [2]], [*URLS, "http://c.org/", "http://d.org/"])
    by_host, by_domain = compared(web, "host"), compared(web, "domain")
    assert by_domain[0] > by_host[0]  # page 2, which others link to, comes second
    assert by_domain[1] == by_host[1]
    with pytest.raises(OptionError, match="none of these orders looks at sites"):
        Task(orders=("bfs", "opic"), site="domain")


@pytest.mark.usefixtures("all_closed")
def test_a_live_crawl_by_domain_goes_in_the_simulators_order() -> None:
    for site, expected in (("host", [0, 1, 2]), ("domain", [0, 2, 1])):
        rig = Rig(order="fpr@100", SEEDBED_SITE=site)
        rig.seed(URLS[0])
        graph = {url: [URLS[target] for target in links] for url, links in zip(URLS, LISTS, strict=True)}
        assert rig.crawl(graph) == [URLS[page] for page in expected]
        rig.close()


def test_the_live_setting_is_checked_and_part_of_the_job() -> None:
    assert site_kind(live_order("fpr@100"), "fpr@100", "domain") == "domain"
    with pytest.raises(OptionError, match="unknown SEEDBED_SITE 'planet'"):
        site_kind(live_order("fpr@100"), "fpr@100", "planet")
    with pytest.raises(OptionError, match="the order 'opic' does not look at sites"):
        site_kind(live_order("opic"), "opic", "domain")
    assert order_with_site("fpr@100", "host") == "fpr@100" != order_with_site("fpr@100", "domain")

"""What the tests of synthetic webs ask of one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from seedbed.graph.web import Web
from seedbed.synth import LINKS_PER_PAGE, SURVIVAL
from seedbed.synth.web_plan import make_plan

PAGES = 100_000


def urls(web: Web) -> list[str]:
    return web.urls.many(np.arange(web.page_count))


def pairs(web: Web) -> tuple[np.ndarray, np.ndarray]:
    out_ptr, out_idx = web.links.to_csr().arrays()
    return np.repeat(np.arange(web.page_count), np.diff(out_ptr)), out_idx.astype(np.int64)


def home_pages(web: Web) -> np.ndarray:
    return np.concatenate(([True], np.diff(web.sites("host").of_page) != 0))


def matrix(web: Web) -> Any:
    source, target = pairs(web)
    return csr_matrix((np.ones(len(source)), (source, target)), shape=(web.page_count, web.page_count))


def site_kinds(web: Web) -> np.ndarray:
    """The kind of each page's site, from the plan of a web made with the usual options; −1 on farms."""
    (plan,) = make_plan(web.page_count, LINKS_PER_PAGE, 1, 1, SURVIVAL, 1.0)
    kinds = plan.hosts["kind"][(web.columns["key"] >> np.uint64(32)).astype(np.int64)]
    return np.where(web.columns["spam"], -1, kinds)

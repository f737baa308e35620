"""How like real webs synthetic ones are: the table of docs/synth.md.

    python scripts/synthetic_webs.py WEB …                         print the table, these webs first
    python scripts/synthetic_webs.py WEB … --into docs/synth.md    put it between the markers of that file

Coverage is what random seeds reach within some links, the mean of ten draws: 5 seeds on each of up to 200 hosts of 100
pages or more, by the links among its pages alone; 20 seeds on the whole web.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import seedbed as sb
from seedbed.evaluation.experiments.zheng import choose_sites, covered_at_random
from seedbed.seeds.per_site import links_by_site
from seedbed.shape.components import strong_components
from seedbed.shape.web_shape import Shape

MADE = ((20_000, 16.0), (115_148, 2.16), (325_557, 9.88), (100_000, 16.0))
"""Pages, and links a page; two are as large as the real webs."""
HOPS = (1, 2, 3, 4, 5, 10)
SITES, LEAST, SITE_SEEDS, WEB_SEEDS, DRAWS, SEED = 200, 100, 5, 20, 10, 1
Column = dict[str, str]


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="*", type=Path)
    parser.add_argument("--into", type=Path, help="put the table between the markers of this file")
    asked = parser.parse_args()
    columns: dict[str, Column] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, web in (*given(asked.webs), *made(Path(scratch))):
            columns[name] = measured(web)
    text = table(columns)
    if not asked.into:
        print(text)
        return
    pattern = r"(<!-- synthetic webs -->\n).*?(<!-- end -->)"
    page = asked.into.read_text()
    asked.into.write_text(re.sub(pattern, lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page, flags=re.DOTALL))


def given(paths: list[Path]) -> Iterator[tuple[str, sb.Web]]:
    """The webs at some paths, by the names of their folders."""
    for path in paths:
        yield path.resolve().parent.name if path.is_file() else path.name, sb.open(path)


def made(folder: Path) -> Iterator[tuple[str, sb.Web]]:
    """Synthetic webs."""
    for pages, links in MADE:
        yield f"synthetic, {pages:,}", sb.make_web(folder / str(pages), pages=pages, links_per_page=links)


def measured(web: sb.Web) -> Column:
    """All figures of one web, by what they are."""
    shape = sb.describe(web, seed=SEED)
    return {**sizes(shape), **on_sites(web), **on_the_web(web)}


def sizes(shape: Shape) -> Column:
    """What `seedbed info` says."""
    pages, tie, law = shape.pages, shape.bow_tie, shape.in_degree.fit.law
    inside = None if shape.inter_host_links is None else shape.links - shape.inter_host_links
    single = sum(one.count for one in shape.in_degree.bins if one.first == one.last == 1)
    return {
        "pages": f"{pages:,}",
        "links a page": f"{shape.links / pages:.2f}",
        "links inside hosts": share(inside, shape.links) if shape.hosts else "unknown",
        "pages without links": share(shape.dangling, pages),
        "pages without a link to them": share(shape.unreachable, pages),
        "pages with one link to them": share(single, pages),
        "in-degree: exponent, from": f"{law.alpha:.2f}, {law.start}" if law else "",
        "strong components": share(shape.scc_count, pages),
        "largest strong component": share(shape.largest_scc, pages),
        "in, out": f"{share(tie.in_, pages)}, {share(tie.out, pages)}",
        "tubes, tendrils": f"{share(tie.tubes, pages)}, {share(tie.tendrils, pages)}",
        "disconnected": share(tie.disconnected, pages),
        "mean distance, longest seen": f"{shape.average_distance:.1f}, {shape.longest_distance}",
    }


def share(part: int | None, whole: int) -> str:
    """In per cent."""
    return "" if part is None else f"{100 * part / whole:.1f} %"


def on_sites(web: sb.Web) -> Column:
    """How the pages of sites hang together, and what random seeds cover of a site: means over sites."""
    if web.urls is None and web.hosts is None:
        return {}
    sites, _ = choose_sites(web, np.ones(web.page_count), SITES, LEAST, SEED)
    hosts = web.sites("host")
    sites = sites[hosts.sizes()[sites] >= LEAST]
    parted = links_by_site(web.links, hosts.of_page, np.isin(np.arange(len(hosts)), sites))
    rows = [of_site(sb.Web(parted.links_of(site)), SEED + site) for site in sites.tolist()]
    means = np.mean(rows, axis=0).tolist()
    names = ("pages that link to the site's most linked page", "largest strong component of a site")
    names += tuple(f"site covered, {hops} {'hop' if hops == 1 else 'hops'}" for hops in HOPS)
    return {"sites": f"{len(sites)}"} | {name: f"{100 * value:.1f} %" for name, value in zip(names, means, strict=True)}


def of_site(site: sb.Web, seed: int) -> list[float]:
    """The figures of one site, as shares of its pages."""
    _, out_idx = site.links.to_csr().arrays()
    together = (np.bincount(out_idx).max(), strong_components(site.links).sizes.max())
    return [*(float(part) / site.page_count for part in together), *coverage(site, SITE_SEEDS, seed)]


def on_the_web(web: sb.Web) -> Column:
    """What random seeds cover of the whole web."""
    values = coverage(web, WEB_SEEDS, SEED)
    names = (f"web covered, {hops} {'hop' if hops == 1 else 'hops'}" for hops in HOPS)
    return {name: f"{100 * value:.1f} %" for name, value in zip(names, values, strict=True)}


def coverage(web: sb.Web, seeds: int, seed: int) -> list[float]:
    """The share of the pages that random seeds cover, by hops."""
    worth = np.ones(web.page_count)
    return [float(covered_at_random(web, worth, seeds, hops, DRAWS, seed)[0, -1]) for hops in HOPS]


def table(columns: dict[str, Column]) -> str:
    """Markdown: a row per figure."""
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    lines = [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    lines += [f"| {row} | {' | '.join(column.get(row, '') for column in columns.values())} |" for row in rows]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

"""How near orders come to the oracle, over webs and over pairs of snapshots: the tables of docs/crawl.md and
docs/again.md.

    python scripts/order_areas.py                                    on synthetic webs that it makes
    python scripts/order_areas.py WEB …                              on webs of yours
    python scripts/order_areas.py --old 2013.web --new 2016.web      crawled again, with and without what was known

A figure is the area under the curve of PageRank against pages fetched, over the whole crawl, as a share of the
oracle's. Seeds: 20 pages of the highest PageRank (for a pair: in the old web, those that are still there), 20 chosen by
cover, 20 drawn at random. Crawls of fewer than 1,000 pages are left out: one page more or less decides them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import seedbed as sb

RIVALS = ("opic", "fpr", "fpr@100", "pagerank")
LIVE, TOLD = "live-pagerank", "live-pagerank, told"
K = 20
LEAST = 1000
SYNTHETIC = ((50_000, 16.0, 1.0), (100_000, 25.0, 1.0), (100_000, 8.0, 2.0), (200_000, 16.0, 0.5), (500_000, 16.0, 1.0))
"""Pages, links a page, and the links to other hosts as a multiple of the usual number."""
SURVIVAL = (0.05, 0.2, 0.6)
PAIR_PAGES = 60_000


def main() -> None:
    """Crawl and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("webs", nargs="*", type=Path)
    parser.add_argument("--old", action="append", default=[], type=Path)
    parser.add_argument("--new", action="append", default=[], type=Path)
    parser.add_argument("--seed", type=int, default=101, help="of the synthetic webs and of the random seeds")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        single = list(given(asked.webs)) if asked.webs or asked.old else list(made(Path(scratch), asked.seed))
        pairs = [
            (f"{old.stem} → {new.stem}", sb.open(old), sb.open(new))
            for old, new in zip(asked.old, asked.new, strict=True)
        ]
        if not asked.webs and not asked.old:
            pairs = list(made_pairs(Path(scratch), asked.seed))
        if single:
            table((*RIVALS, LIVE), (row for name, web in single for row in areas(name, web, None, asked.seed)))
        if pairs:
            table((*RIVALS, LIVE, TOLD), (row for name, old, new in pairs for row in areas(name, new, old, asked.seed)))


def given(paths: list[Path]) -> Iterator[tuple[str, sb.Web]]:
    """The webs at some paths."""
    for path in paths:
        yield path.name.partition(".")[0], sb.open(path)


def made(folder: Path, seed: int) -> Iterator[tuple[str, sb.Web]]:
    """Synthetic webs of several sizes, densities and communities."""
    for number, (pages, links, outside) in enumerate(SYNTHETIC):
        at = folder / str(number)
        web = sb.make_web(at, pages=pages, links_per_page=links, outside=outside, seed=seed + number)
        yield f"synthetic, {pages:,} pages, {links:g} links, outside {outside:g}", web


def made_pairs(folder: Path, seed: int) -> Iterator[tuple[str, sb.Web, sb.Web]]:
    """Pairs of synthetic snapshots in which more or fewer pages survive."""
    for number, survival in enumerate(SURVIVAL):
        at = folder / f"pair{number}"
        old, new = sb.make_web(at, pages=PAIR_PAGES, snapshots=2, survival=survival, seed=seed + 50 + number)
        yield f"synthetic pair, {100 * survival:g} % survive", old, new


def areas(name: str, web: sb.Web, old: sb.Web | None, seed: int) -> Iterator[tuple[str, str, dict[str, float]]]:
    """For each choice of seeds, each order's share of the oracle's area."""
    scores = sb.rank(web).scores
    for choice, seeds in choices(web, old, seed).items():
        oracle = sb.crawl(web, seeds, "oracle", scores=scores)
        if len(oracle) < LEAST:
            continue
        best = np.cumsum(scores[oracle.pages]).sum()
        found = {}
        for order in (*RIVALS, LIVE, *([TOLD] if old is not None else [])):
            if order == "fpr@100" and web.urls is None and web.hosts is None:
                continue
            run = sb.crawl(web, seeds, LIVE if order == TOLD else order, last=old if order == TOLD else None)
            found[order] = float(np.cumsum(scores[run.pages]).sum() / best)
        yield name, choice, found


def choices(web: sb.Web, old: sb.Web | None, seed: int) -> dict[str, list[int]]:
    """Seeds, page ids of the web; chosen on the old one where there is one."""
    base = web if old is None else old
    top = [int(page) for page in sb.rank(base).top(50 * K)]
    cover = [int(page) for page in sb.select(base, "cover", k=5 * K).pages]
    random = [int(page) for page in np.random.default_rng(seed).choice(base.page_count, 50 * K, replace=False)]
    return {
        name: (pages if old is None else still_there(old, web, pages))[:K]
        for name, pages in (("PageRank", top), ("cover", cover), ("random", random))
    }


def still_there(old: sb.Web, new: sb.Web, pages: list[int]) -> list[int]:
    """The pages of the new web with the URLs of these."""
    if old.urls is None or new.urls is None:
        raise SystemExit("pairs are matched by URL, and one of the webs has none")
    found = new.urls.find_many(old.urls.many(pages))
    return [int(page) for page in found[found >= 0]]


def table(orders: tuple[str, ...], rows: Iterator[tuple[str, str, dict[str, float]]]) -> None:
    """Print the rows, and how the last order stands against the best of the rivals."""
    print(f"\n| web | seeds | {' | '.join(orders)} |\n|---|---|{'---:|' * len(orders)}")
    leads: dict[str, list[tuple[float, float]]] = {order: [] for order in orders if order not in RIVALS}
    for name, choice, found in rows:
        cells = " | ".join(f"{found[order]:.3f}" if order in found else "" for order in orders)
        print(f"| {name} | {choice} | {cells} |", flush=True)
        rival = max(share for order, share in found.items() if order in RIVALS)
        for order, lead in leads.items():
            lead.append((found[order] - rival, (found[order] - rival) / (1 - rival)))
    for order, lead in leads.items():
        ahead, closed = (np.array(part) for part in zip(*lead, strict=True))
        print(
            f"\n{order}: ahead of the best rival on {np.count_nonzero(ahead > 0)} of {len(ahead)}; at worst "
            f"{ahead.min():+.3f}; closes {100 * closed.mean():.0f} % of its gap to the oracle on average, "
            f"{100 * np.median(closed):.0f} % in the median"
        )


if __name__ == "__main__":
    main()

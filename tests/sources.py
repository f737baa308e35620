"""Webs written in each format, for tests of the readers."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
from scipy import sparse

from seedbed.graph.web import Web
from tests.archives import page

Link = tuple[int, int]
Write = Callable[[Path, int, list[Link]], Path]


def url(page: int) -> str:
    """URLs whose order is that of their pages."""
    return f"http://h{page:03}.example/p"


def links_of(web: Web) -> list[Link]:
    """All links, in order."""
    return [(page, int(target)) for page in range(web.page_count) for target in web.links.successors(page)]


def url_links_of(web: Web) -> list[tuple[str, str]]:
    """All links by the URLs of their ends, in order."""
    assert web.urls is not None
    return sorted((web.urls[source], web.urls[target]) for source, target in links_of(web))


def _edges(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "web.txt", "# a comment\n" + _lines("{}\t{}", links))


def _csv(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "web.csv", "weight,target,source\n" + _lines('0.5,"{1}", {0}', links))


def _url_edges(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "web.tsv", "".join(f"{url(a)}\t{url(b)}\n" for a, b in links))


def _url_csv(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "web.csv", "from,to\n" + "".join(f'"{url(a)}","{url(b)}"\n' for a, b in links))


def _parquet(folder: Path, pages: int, links: list[Link]) -> Path:
    table = pa.table({"weight": [0.5] * len(links), "dst": [b for _, b in links], "src": [a for a, _ in links]})
    pq.write_table(table, folder / "web.parquet")
    return folder / "web.parquet"


def _url_parquet(folder: Path, pages: int, links: list[Link]) -> Path:
    for k, part in enumerate((links[::2], links[1::2])):
        table = pa.table({"from": [url(a) for a, _ in part], "to": [url(b) for _, b in part]})
        pq.write_table(table.cast(pa.schema({"from": pa.string(), "to": pa.string()})), folder / f"{k}.parquet")
    return folder


def _matrix_market(folder: Path, pages: int, links: list[Link]) -> Path:
    head = f"%%MatrixMarket matrix coordinate real general\n% comment\n{pages} {pages} {len(links)}\n"
    return _put(folder / "web.mtx", head + "".join(f"{a + 1} {b + 1} 0.5\n" for a, b in links))


def _pajek(folder: Path, pages: int, links: list[Link]) -> Path:
    vertices = "".join(f'{page + 1} "{url(page)}" 0.1 0.2\n' for page in range(pages))
    half = len(links) // 2
    arcs = "".join(f" {a + 1} {b + 1} 1\r\n" for a, b in links[:half])
    lists = "".join(f"{a + 1} {b + 1}\n" for a, b in links[half:])
    return _put(folder / "web.net", f"*Vertices {pages}\n{vertices}*Arcs\n{arcs}*Arcslist\n{lists}")


def _kleinberg(folder: Path, pages: int, links: list[Link]) -> Path:
    nodes = "".join(f"n {page} {url(page)}\n" for page in range(pages))
    return _put(folder / "gr0.web", _lines("e {} {}", links) + nodes)


def _ukwa(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "hosts.tsv", "".join(f"1996|{url(a)}|{url(b)}\t3\n" for a, b in links))


def _tables(folder: Path, pages: int, links: list[Link]) -> Path:
    nodes = "".join(f"{10 * page + 5}\t{page % 2}\t{url(page)}\t{page / 4}\n" for page in reversed(range(pages)))
    _put(folder / "web.nodes.tsv", "id\tcrawled\turl\tscore\n" + nodes)
    _put(folder / "web.edges.tsv", "".join(f"{10 * a + 5}\t{10 * b + 5}\n" for a, b in links))
    return folder / "web"


def _common_crawl(folder: Path, pages: int, links: list[Link]) -> Path:
    _put(folder / "cc-main-x-domain-vertices.txt", "".join(f"{k}\texample.h{k:03}\t{k + 7}\n" for k in range(pages)))
    return _put(folder / "cc-main-x-domain-edges.txt", _lines("{}\t{}", links))


def _wdc(folder: Path, pages: int, links: list[Link]) -> Path:
    _put(folder / "web_index", "".join(f"{url(page)}\t{page}\n" for page in range(pages)))
    _put(folder / "web_arcs", _lines("{}\t{}", links))
    return folder


def _archive(folder: Path, pages: int, links: list[Link]) -> Path:
    records = [page(url(a), f"<p><a href='{url(b)}#x'>words</a>") for a, b in links]
    (folder / "web.warc").write_bytes(b"".join(records))
    return folder / "web.warc"


def _crawl_log(folder: Path, pages: int, links: list[Link]) -> Path:
    form = "2016-03-31T14:35:37.711Z   200      24360 {} LL {} text/html #661 20160331143536323+981 - - -\n"
    return _put(folder / "crawl.log", "".join(form.format(url(b), url(a)) for a, b in links))


def _linkdb(folder: Path, pages: int, links: list[Link]) -> Path:
    (folder / "_SUCCESS").write_text("")
    for k, part in enumerate((links[::2], links[1::2])):
        lines = "".join(f"{url(b)}\tInlinks:\n fromUrl: {url(a)} anchor: some words\n\n" for a, b in part)
        _put(folder / f"part-{k:05}", lines)
    return folder


def _scrapy(folder: Path, pages: int, links: list[Link]) -> Path:
    return _put(folder / "items.jl", "".join(json.dumps({"url": url(a), "links": [url(b)]}) + "\n" for a, b in links))


def _urlfrontier(folder: Path, pages: int, links: list[Link]) -> Path:
    infos = [{"url": url(b), "key": "x", "metadata": {"url.path": {"values": [url(a)]}}} for a, b in links]
    return _put(folder / "dump.json", "".join(json.dumps({"discovered": {"info": info}}) + "\n" for info in infos))


def _adjacency(folder: Path, pages: int, links: list[Link]) -> Path:
    """A list for each run of one source; with colons, so that it is told even where all runs are equally long."""
    runs = [(source, [target for _, target in run]) for source, run in groupby(links, key=lambda link: link[0])]
    return _put(folder / "web.adj", "# a comment\n" + "".join(f"{a}: {' '.join(map(str, b))} -1\n" for a, b in runs))


def _url_adjacency(folder: Path, pages: int, links: list[Link]) -> Path:
    runs = [(source, [url(target) for _, target in run]) for source, run in groupby(links, key=lambda link: link[0])]
    return _put(folder / "web.adj", "".join(f"{url(a)}: {' '.join(b)}\n" for a, b in runs))


def _graphml(folder: Path, pages: int, links: list[Link]) -> Path:
    key = '<key id="u" for="node" attr.name="url" attr.type="string"/>'
    nodes = "".join(f'<node id="n{page}"><data key="u">{url(page)}</data></node>\n' for page in range(pages))
    edges = "".join(f'<edge source="n{a}" target="n{b}"/>\n' for a, b in links)
    graph = f'<graph edgedefault="directed">\n{nodes}{edges}</graph>'
    space = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
    return _put(folder / "web.graphml", f'<?xml version="1.0"?>\n<graphml {space}>{key}{graph}</graphml>\n')


def _gexf(folder: Path, pages: int, links: list[Link]) -> Path:
    nodes = "".join(f'<node id="{page}" label="{url(page)}"/>\n' for page in range(pages))
    edges = "".join(f'<edge id="{k}" source="{a}" target="{b}"/>\n' for k, (a, b) in enumerate(links))
    graph = f'<graph defaultedgetype="directed">\n<nodes>{nodes}</nodes><edges>{edges}</edges></graph>'
    return _put(folder / "web.gexf", f'<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">{graph}</gexf>\n')


def _gml(folder: Path, pages: int, links: list[Link]) -> Path:
    nodes = "".join(f'node [ id {page} label "{url(page)}" ]\n' for page in range(pages))
    edges = "".join(f"edge [ source {a} target {b} ]\n" for a, b in links)
    return _put(folder / "web.gml", f'Creator "me"\ngraph [ directed 1 multigraph 1\n{nodes}{edges}]\n')


def _dot(folder: Path, pages: int, links: list[Link]) -> Path:
    nodes = "".join(f'  n{page} [URL="{url(page)}"];\n' for page in range(pages))
    edges = "".join(f"  n{a} -> n{b} [weight=2]\n" for a, b in links)
    return _put(folder / "web.dot", f"// a comment\ndigraph web {{\n{nodes}{edges}}}\n")


def _matlab(folder: Path, pages: int, links: list[Link]) -> Path:
    """A matrix in compressed columns that lists a link as often as it comes; SciPy's own would add them up."""
    by_target = sorted(links, key=lambda link: link[1])
    starts = [sum(b < page for _, b in by_target) for page in range(pages + 1)]
    matrix = sparse.csc_matrix(([1.0] * len(links), [a for a, _ in by_target], starts), (pages, pages))
    scipy.io.savemat(folder / "web.mat", {"A": matrix, "about": "a web"}, do_compression=True)
    return folder / "web.mat"


def _lines(form: str, links: list[Link]) -> str:
    return "".join(form.format(*link) + "\n" for link in links)


def _put(path: Path, text: str) -> Path:
    path.write_text(text, newline="")
    return path


BY_ID: dict[str, tuple[str, Write]] = {
    "edges": ("edges", _edges),
    "edges in CSV": ("edges", _csv),
    "parquet": ("parquet", _parquet),
    "matrix-market": ("matrix-market", _matrix_market),
    "pajek": ("pajek", _pajek),
    "kleinberg": ("kleinberg", _kleinberg),
    "tables": ("tables", _tables),
    "adjacency": ("adjacency", _adjacency),
    "common-crawl": ("common-crawl", _common_crawl),
    "wdc": ("wdc", _wdc),
}
"""Formats that number pages, with what writes them."""

WHOLE: dict[str, tuple[str, Write]] = {
    "graphml": ("graphml", _graphml),
    "gexf": ("gexf", _gexf),
    "gml": ("gml", _gml),
    "dot": ("dot", _dot),
    "matlab": ("matlab", _matlab),
}
"""Formats that number pages and are read as a whole, never through disk."""

BY_NAME: dict[str, tuple[str, Write]] = {
    "url-edges": ("url-edges", _url_edges),
    "url-edges in CSV": ("url-edges", _url_csv),
    "adjacency of URLs": ("adjacency", _url_adjacency),
    "parquet of URLs": ("parquet", _url_parquet),
    "ukwa": ("ukwa", _ukwa),
    "archive": ("archive", _archive),
    "crawl-log": ("crawl-log", _crawl_log),
    "linkdb": ("linkdb", _linkdb),
    "scrapy": ("scrapy", _scrapy),
    "urlfrontier": ("urlfrontier", _urlfrontier),
}
"""Formats that know only the pages with links, by name."""

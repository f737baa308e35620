"""The site of each page: its host, or its registered domain.

Hosts are what a browser calls `host` (the URL standard, via ada-url): without user info, lower case, international
names in punycode, IPv4 addresses in any notation as four decimal numbers, IPv6 in brackets, percent codes decoded. A
trailing dot is kept, and so is a port other than the scheme's default, as in robots.txt and crawlers' queues. Names
without a scheme, as in host graphs, count as a host and a path; a scheme has no dot, so example.com:80 is a host and a
port. URLs without a host (mailto:, data:, a bare path, anything no browser accepts) are on the site named "".

A registered domain is a public suffix plus one label, according to the public suffix list; addresses, and hosts that
are suffixes themselves, are their own domain. Ports are ignored there. Sites are numbered in ascending order of name.

Cost: one pass over the URLs in order, a parse for each host that is not plain, one sort of the hosts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import LONGEST_TEXT, Bytes, Ints, frozen, page_dtype
from seedbed.common.memory import machine_memory
from seedbed.errors import InputError
from seedbed.urls.front_coding import cut_out
from seedbed.urls.host_kernels import NONE, PLAIN, WITHOUT_SCHEME, differs_from_last, locate_hosts
from seedbed.urls.url_table import TextChunk, UrlTable
from seedbed.urls.url_table_writer import STRINGS_PER_CHUNK, checked_chunk, sorted_chunks

SiteKind = Literal["host", "domain"]

_PARSES_KEPT = 1 << 16
_LONGEST_KEPT = 1 << 9


@dataclass(frozen=True, eq=False)
class Sites:
    """of_page[p] is the site of page p, names[s] the name of site s."""

    kind: SiteKind
    of_page: NDArray[np.int32]
    names: UrlTable | Sequence[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "of_page", frozen(self.of_page.astype(np.int32, copy=False)))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Sites({len(self):,} {self.kind}s of {len(self.of_page):,} pages)"

    def check(self) -> None:
        """Refuse site numbers without a name, which a damaged store may hold."""
        if len(self.of_page) and (self.of_page.min() < 0 or self.of_page.max() >= len(self)):
            wrong = int(np.flatnonzero((self.of_page < 0) | (self.of_page >= len(self)))[0])
            raise InputError(
                f"page {wrong} is on {self.kind} {self.of_page[wrong]}, expected a number below {len(self)}. "
                "The store is damaged; convert the web again."
            )

    def only(self, pages: Ints) -> Sites:
        """The sites of some pages, numbered in their old order."""
        self.check()
        used, of_page = np.unique(self.of_page[pages], return_inverse=True)
        names = self.names
        parts = np.split(used, range(STRINGS_PER_CHUNK, len(used), STRINGS_PER_CHUNK))
        kept = UrlTable.build(map(names.pick, parts)) if isinstance(names, UrlTable) else [names[site] for site in used]
        return Sites(self.kind, of_page.astype(np.int32), kept)

    def sizes(self) -> Ints:
        """The number of pages on each site."""
        self.check()
        return np.bincount(self.of_page, minlength=len(self))


def hosts_of(urls: UrlTable) -> Sites:
    """The host of each page, from its URL."""
    of_page = np.full(len(urls), -1, page_dtype(len(urls)))
    runs = _Runs()
    for ids, text, text_ptr in urls.in_order():
        of_page[ids] = runs.add(text, text_ptr, bare=False)
    if len(of_page) and of_page.min() < 0:
        raise InputError("the URL table gives some pages no URL and others two. It is damaged; convert the web again.")
    return runs.sites(of_page)


def sites_from_names(chunks: Iterable[TextChunk], *, bare: bool = True) -> Sites:
    """The host of each page from host names, one per page in page order; a URL stands for its host.

    Not `bare`: from URLs, read as `hosts_of` reads them.
    """
    runs = _Runs()
    parts: list[NDArray[Any]] = [np.empty(0, np.int64)]
    count = 0
    for chunk in chunks:
        text, text_ptr = checked_chunk(*chunk, count)
        parts.append(runs.add(text, text_ptr, bare=bare))
        count += len(text_ptr) - 1
    return runs.sites(np.concatenate(parts))


class _Runs:
    """The host of each run of pages, run after run, not yet numbered by name."""

    def __init__(self) -> None:
        self._count = 0
        self._hosts: list[TextChunk] = []

    def add(self, text: Bytes, text_ptr: Ints, *, bare: bool) -> Ints:
        """Add the runs of a chunk; returns the run of each of its URLs."""
        run_of, starts, stops, kinds = locate_hosts(text, text_ptr, bare)
        odd = np.flatnonzero(kinds != PLAIN).tolist()
        hosts = [_host(int(kinds[run]), text[starts[run] : stops[run]].tobytes()) for run in odd]
        ends = len(text) + np.cumsum([0, *map(len, hosts)])
        starts[odd], stops[odd] = ends[:-1], ends[1:]
        text = np.concatenate([text, np.frombuffer(b"".join(hosts), np.uint8)]) if odd else text
        host_text, host_ptr = cut_out(frozen(text), frozen(starts), frozen(stops))
        self._hosts.append((frozen(host_text), frozen(host_ptr)))
        run_of += self._count
        self._count += len(starts)
        return run_of

    def sites(self, run_of_page: NDArray[Any]) -> Sites:
        """The sites of pages whose runs are known."""
        host_of_run = np.empty(self._count, np.int32)
        names = UrlTable.build(self._distinct(host_of_run))
        return Sites("host", host_of_run[run_of_page], names)

    def _distinct(self, host_of_run: NDArray[np.int32]) -> Iterator[TextChunk]:
        """The distinct host names, ascending; also fills in the number of each run's host."""
        count = 0
        last: bytes | None = None
        for runs, (text, text_ptr) in sorted_chunks(self._hosts, machine_memory() // 2, None):
            new = differs_from_last(text, text_ptr)
            new[0] = text[text_ptr[0] : text_ptr[1]].tobytes() != last
            host_of_run[runs] = count - 1 + np.cumsum(new)
            count += int(new.sum())
            last = text[text_ptr[-2] : text_ptr[-1]].tobytes()
            yield cut_out(text, frozen(text_ptr[:-1][new]), frozen(text_ptr[1:][new]))


def _host(kind: int, start_of_url: bytes) -> bytes:
    """The host that a browser reads from the start of a URL; empty if there is none or it is far too long."""
    if kind == NONE:
        return b""
    parse = _parsed if len(start_of_url) <= _LONGEST_KEPT else _parsed.__wrapped__
    host = parse(kind, start_of_url)
    return host if len(host) <= LONGEST_TEXT else b""


@functools.lru_cache(maxsize=_PARSES_KEPT)
def _parsed(kind: int, start_of_url: bytes) -> bytes:
    from ada_url import URL

    url = start_of_url.decode(errors="replace")
    try:
        host: str = URL(f"http://{url}" if kind == WITHOUT_SCHEME else url).host
    except ValueError:
        return b""
    return host.encode()


def domains_of(hosts: Sites) -> Sites:
    """The registered domain of each page, from its host."""
    hosts.check()
    domains = [registered_domain(host) for host in hosts.names]
    names = sorted(set(domains), key=str.encode)
    number = {name: k for k, name in enumerate(names)}
    domain_of_host = np.fromiter((number[domain] for domain in domains), np.int32, len(domains))
    return Sites("domain", domain_of_host[hosts.of_page], UrlTable.from_strings(names))


def registered_domain(host: str) -> str:
    """The public suffix of a host plus one label, or the host itself. A port is dropped, a trailing dot kept."""
    if host.startswith("["):
        return host[: host.rfind("]") + 1]
    host = host.partition(":")[0]
    name = host.removesuffix(".")
    if name.rpartition(".")[2].isdigit():
        return host
    domain = _public_suffixes().privatesuffix(name)
    return host if domain is None else f"{domain}{host[len(name) :]}"


@functools.cache
def _public_suffixes() -> Any:
    from publicsuffixlist import PublicSuffixList

    return PublicSuffixList()

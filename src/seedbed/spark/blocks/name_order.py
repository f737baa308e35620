"""The order in which pages are numbered: by host, its labels compared from the last one on, then by URL.

    mailto:me                  (nothing)                 what has no host comes first
    http://192.0.2.1/          192.0.2.1                 addresses are read forwards, as one label
    http://example.com/        com, example
    http://example.com:8080/   com, example, :8080       a port is one more label
    http://a.example.com/b     com, example, a

So the pages of a host are consecutive, and so are the hosts of a registered domain. Bytes are compared, in UTF-8. The
key of a host is its labels in that order, with a zero byte between them, which no host contains.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from seedbed.common.arrays import Ints, arrow_bytes, arrow_strings, chunk_of, frozen
from seedbed.sources.text_kernels import reverse_labels
from seedbed.urls.sites import sites_from_names
from seedbed.urls.url_table import UrlTable
from seedbed.urls.url_table_writer import joined

By = Literal["host", "bytes"]
"""How names are sorted: URLs by host, other names by their bytes alone."""

_DOT = ord(".")
_ODD = r"[:\[]|(^|\.)[0-9]+$"
"""Hosts that are addresses or have a port."""


class Sorted(NamedTuple):
    """An order of names, and its runs: names of one key. Run r starts at starts[r]."""

    order: Ints
    keys: Any
    starts: Ints


def sort_names(names: Any, by: By) -> Sorted:
    """The order of distinct names, an Arrow array of strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    by_bytes = pc.array_sort_indices(names).to_numpy().astype(np.int64)
    if by == "bytes" or not len(names):
        one = min(len(names), 1)
        return Sorted(by_bytes, pa.array([b""] * one, pa.large_binary()), np.zeros(one, np.int64))
    hosts = sites_from_names([chunk_of(names.take(pa.array(by_bytes)))], bare=False)
    keys = host_keys(_arrow_names(hosts.names))
    host_order = pc.array_sort_indices(keys).to_numpy()
    rank = np.empty(len(host_order), np.int64)
    rank[host_order] = np.arange(len(host_order))
    page_rank = rank[hosts.of_page]
    starts = np.concatenate([[0], np.cumsum(np.bincount(page_rank))[:-1]])
    return Sorted(by_bytes[np.argsort(page_rank, kind="stable")], keys.take(pa.array(host_order)), starts)


def _arrow_names(names: Any) -> Any:
    return arrow_strings(joined(list(names.chunks() if isinstance(names, UrlTable) else [])))


def host_keys(hosts: Any) -> Any:
    """The key of each host, as Arrow byte strings."""
    import pyarrow as pa
    import pyarrow.compute as pc

    text, ptr = chunk_of(hosts)
    turned = reverse_labels(text, ptr)
    turned[turned == _DOT] = 0
    keys = arrow_bytes((frozen(turned), ptr))
    odd = pc.match_substring_regex(hosts, _ODD)
    replaced = [host_key(host) for host in hosts.filter(odd).to_pylist()]
    return pc.replace_with_mask(keys, odd, pa.array(replaced, pa.large_binary()))


def host_key(host: str) -> bytes:
    """The key of one host."""
    if host.startswith("["):
        return host.encode()
    name, colon, port = host.partition(":")
    is_address = name.rpartition(".")[2].isdigit()
    labels = [name] if is_address else name.split(".")[::-1]
    return "\0".join([*labels, *([colon + port] if colon else [])]).encode()

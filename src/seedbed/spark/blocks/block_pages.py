"""What is known of the pages of a block, as files: URLs, columns, hosts and domains.

Hosts and domains are numbered over the whole web in ascending order of name: each block leaves the names of its own
(a chunk, see `numbering`), and from the numbers that come back writes the site of each page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from seedbed.common.arrays import chunk_of
from seedbed.spark.blocks.numbering import (
    NAME,
    NameChunk,
    Numbering,
    number_names,
    numbers_of,
    numbers_to_chunks,
    received,
    write_chunk,
)
from seedbed.spark.blocks.storage import Folder
from seedbed.spark.tasks import collected
from seedbed.urls.sites import registered_domain, sites_from_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

SITES = "building/sites"
_HOST, _DOMAIN = "h", "d"
"""What the names of each kind start with while both are numbered at once; domains come first."""


def write_urls(folder: Folder, block: int, urls: Any) -> None:
    """The URLs of a block."""
    write_strings(folder, f"urls/{block:05d}.parquet", "url", urls)


def write_strings(folder: Folder, name: str, column: str, strings: Any) -> None:
    """A column of strings as Parquet."""
    import pyarrow as pa
    from pyarrow import parquet

    sink = pa.BufferOutputStream()
    chunks = strings if isinstance(strings, pa.ChunkedArray) else pa.chunked_array([pa.array(strings, pa.string())])
    parquet.write_table(pa.table({column: chunks.cast(pa.string())}), sink, compression="zstd")
    folder.write_bytes(name, sink.getvalue())


def write_column(folder: Folder, name: str, block: int, values: NDArray[Any]) -> None:
    """What is known of each page of a block."""
    folder.write(f"columns/{name}/{block:05d}.f64", values.astype(np.float64))


def write_column_type(folder: Folder, name: str, dtype: Any) -> None:
    """The type that a column has in a web on one machine."""
    folder.write_json(f"columns/{name}/type.json", np.dtype(dtype).name)


def leave_site_names(folder: Folder, block: int, urls: Any) -> NameChunk:
    """Write the hosts and domains that a block has, and which of them each page is on."""
    import pyarrow as pa

    hosts = sites_from_names([chunk_of(urls)], bare=False)
    host_names = list(hosts.names)
    domain_of_host = [registered_domain(host) for host in host_names]
    domains = {domain: place for place, domain in enumerate(dict.fromkeys(domain_of_host))}
    names = [*(_HOST + host for host in host_names), *(_DOMAIN + domain for domain in domains)]
    file = f"{SITES}/{block:05d}"
    places, chunk = write_chunk(folder, file, pa.array(names, pa.large_string()), "bytes", {})
    domain_at = len(host_names) + np.fromiter((domains[name] for name in domain_of_host), np.int64, len(host_names))
    folder.write(f"{file}.host.i64", places[hosts.of_page])
    folder.write(f"{file}.domain.i64", places[domain_at[hosts.of_page]])
    return chunk


def number_sites(session: SparkSession, folder: Folder, chunks: Sequence[NameChunk], bytes_per_part: int) -> None:
    """Number the hosts and domains of all blocks, and write the site of each page."""
    numbering = number_names(session, folder, f"{SITES}/all", chunks, "bytes", bytes_per_part)
    domains = _write_names(folder, numbering)
    uri, starts = folder.uri, numbering.starts

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        block, pieces = received(batches)
        if pieces:
            own, numbers, file = Folder(uri), numbers_of(pieces, starts), f"{SITES}/{block:05d}"
            own.write(f"host/{block:05d}.i64", numbers[own.array(f"{file}.host.i64")] - domains)
            own.write(f"domain/{block:05d}.i64", numbers[own.array(f"{file}.domain.i64")])
            yield pa.record_batch([pa.array([block], pa.int32())], ["block"])

    sent = numbers_to_chunks(session, folder, numbering)
    collected(sent.repartitionById(len(chunks), "to").mapInArrow(write, "block int"))


def _write_names(folder: Folder, numbering: Numbering) -> int:
    """Write hosts.parquet and domains.parquet; returns the number of domains."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = pa.chunked_array(
        [chunk for part in range(len(numbering.counts)) for chunk in numbering.part(folder, part).column(NAME).chunks],
        pa.large_string(),
    )
    found = {}
    for file, start in (("hosts", _HOST), ("domains", _DOMAIN)):
        of_kind = names.filter(pc.starts_with(names, start))
        write_strings(folder, f"{file}.parquet", "name", pc.utf8_slice_codeunits(of_kind, 1))
        found[file] = len(of_kind)
    return found["domains"]

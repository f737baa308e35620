"""Archives made by hand, for tests of their readers."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence

from fastwarc.stream_io import Lz4Writer, ZstdWriter

from seedbed.archives.page_links import PageLinks, references_of, resolved
from seedbed.graph.web import Web
from seedbed.urls.browser_urls import BrowserUrls


def page_links(html: bytes, url: str, charset: str | None = None, urls: BrowserUrls | None = None) -> PageLinks:
    """The links of the page at a URL."""
    listed, encoding, cut = references_of(html, charset)
    links = resolved(listed, url, urls or BrowserUrls(), encoding=encoding)
    return links._replace(cut=links.cut or cut)


def http(body: bytes | str = b"", status: str = "200 OK", **headers: str) -> bytes:
    """An HTTP answer; header names are given with _ for -."""
    named = {"Content_Type": "text/html", **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + (body.encode() if isinstance(body, str) else body)


def warc_record(
    url: str, block: bytes, kind: str = "response", length: int | str | None = None, **headers: str
) -> bytes:
    """A WARC record; `length` where it should be a wrong one."""
    named = {"Content_Type": "application/http; msgtype=response", **headers}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items())
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}"
    return f"{head}Content-Length: {len(block) if length is None else length}\r\n\r\n".encode() + block + b"\r\n\r\n"


def page(url: str, html: bytes | str) -> bytes:
    """The WARC record of a page that was fetched."""
    return warc_record(url, http(html))


def packed(records: Sequence[bytes]) -> bytes:
    """Each record a gzip member of its own."""
    return b"".join(gzip.compress(record, mtime=0) for record in records)


def zstd(data: bytes) -> bytes:
    """A zstd frame."""
    return written(ZstdWriter(out := io.BytesIO()), out, data)


def lz4(data: bytes) -> bytes:
    """An lz4 frame."""
    return written(Lz4Writer(out := io.BytesIO()), out, data)


def written(writer: ZstdWriter | Lz4Writer, out: io.BytesIO, data: bytes) -> bytes:
    """What a writer of FastWARC's writes there."""
    writer.write(data)
    writer.finish()
    writer.flush()
    return out.getvalue()


def arc_record(url: str, block: bytes, length: int | None = None) -> bytes:
    """An ARC record of version 1."""
    size = len(block) if length is None else length
    return f"{url} 192.0.2.1 20080430204825 text/html {size}\n".encode() + block + b"\n"


def arc_start() -> bytes:
    """The record that every ARC file starts with."""
    text = b"1 1 Nobody\nURL IP-address Archive-date Content-type Archive-length\n"
    return f"filedesc://web.arc 0.0.0.0 20080430204825 text/plain {len(text)}\n".encode() + text + b"\n"


def wat_record(url: str, links: list[dict[str, str]], status: str = "200", **head: object) -> bytes:
    """The WAT record of a page."""
    answer = {
        "Response-Message": {"Status": status},
        "Headers": {"Content-Type": "text/html"},
        "HTML-Metadata": {"Head": head, "Links": links},
    }
    about = {"WARC-Header-Metadata": {"WARC-Target-URI": url}, "Payload-Metadata": {"HTTP-Response-Metadata": answer}}
    return warc_record(url, json.dumps({"Envelope": about}).encode(), "metadata", Content_Type="application/json")


def crawled(web: Web) -> list[str]:
    """The URLs that were fetched."""
    assert web.urls is not None
    return [url for url, fetched in zip(web.urls, web.columns["crawled"], strict=True) if fetched]

"""Sites: hosts as a browser reads them, registered domains, host files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.errors import InputError
from seedbed.urls.front_coding import Coded
from seedbed.urls.sites import Sites, domains_of, hosts_of, registered_domain, sites_from_names
from seedbed.urls.url_table import BadUrl, UrlTable, text_chunk
from tests.reference.sites import host_of, numbered
from tests.test_urls import california, najdisi

quick = settings(deadline=None, max_examples=150)

schemes = r"http:// https:// HTTP:// http: http:/ http:/// ftp:\\ ws:// wss: file:// file:/// foo:// foo: foo:/ foo:\\"
no_schemes = r"/ // /// \ \\ /\ ? # : :// mailto: abc1https:// abc1http: a.b:// a.b: x-y+z://"
plain = "www.example.com example.com localhost a_b-c.d a.b. a.0x1g 1.2.3.4 0x7f.1 1.2.3.4.5 a.9 a.9. 127.1 a..b .a . .."
odd = "EXAMPLE.com münchen.de ß.de xn--mnchen-3ya.de xn--a a.xn--b [::1] [1:0:0::2] [x] ex%41mple.com a%2fb a.b.."
starts = st.sampled_from([*schemes.split(), *no_schemes.split(), "", " http://", "\x01\nhttp://", "ht\ttp:/\n/"])
users = st.sampled_from(["", "", "", "user@", "a:b@", "u\\@", "é@", "@", "a@b@"])
names = st.sampled_from([*plain.split(), *odd.split(), "", "exa mple.com", "a" * 300 + ".com"]) | st.text(
    "abxn0189-._", max_size=10
)
ports = st.sampled_from(["", "", "", ":80", ":8080", ":99999", ":", ":x"])
ends = st.sampled_from(["", "/", "/a/b", "/a:b@c", "?q", "#f", "\\p", "\\p/x", " ", " /", "\t", "/ ", "/é"])
url = st.builds("".join, st.tuples(starts, users, names, ports, ends)) | st.text(max_size=8)


def hosts(sites: Sites) -> list[str]:
    return [sites.names[site] for site in sites.of_page]


@quick
@given(st.lists(url, max_size=60))
def test_hosts_are_what_a_browser_reads_url_by_url(urls: list[str]) -> None:
    found = hosts_of(UrlTable.from_strings(urls))
    expected, distinct = numbered([host_of(text) for text in urls])
    assert list(found.names) == distinct
    assert found.of_page.tolist() == expected
    assert found.kind == "host"
    assert found.of_page.dtype == np.int32


@quick
@given(st.lists(url, max_size=60), st.integers(1, 9))
def test_host_names_are_read_in_page_order(lines: list[str], size: int) -> None:
    found = sites_from_names(text_chunk(lines[k : k + size]) for k in range(0, len(lines), size))
    expected, distinct = numbered([host_of(line, bare=True) for line in lines])
    assert list(found.names) == distinct
    assert found.of_page.tolist() == expected


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://www.example.com/path", "www.example.com"),
        ("https://user:word@Example.COM:8080/?q#f", "example.com:8080"),
        ("https://example.com:443/", "example.com"),
        ("http://b\u00fccher.example/", "xn--bcher-kva.example"),
        ("http://0x7f.0.0.1/", "127.0.0.1"),
        ("http://3232235521", "192.168.0.1"),
        ("http://[2001:DB8:0:0::1]:80/", "[2001:db8::1]"),
        ("http://ex%61mple.com/", "example.com"),
        ("http://example.com./", "example.com."),
        ("http:example.com", "example.com"),
        ("http:\\\\example.com\\a/b", "example.com"),
        ("  http://exam\nple.com/", "example.com"),
        ("gopher://Example.com/", "Example.com"),
        ("www.example.com", "www.example.com"),
        ("www.example.com/path", "www.example.com"),
        ("Example.com:80/path", "example.com"),
        ("//example.com/path", "example.com"),
        ("file:///home", ""),
        ("mailto:someone@example.com", ""),
        ("data:text/plain,http://example.com/", ""),
        ("javascript:void(0)", ""),
        ("/path/alone", ""),
        ("http://exa mple.com/", ""),
        ("http://256.256.256.256/", ""),
        ("http://", ""),
        ("", ""),
    ],
)
def test_hosts_by_hand(url: str, host: str) -> None:
    assert hosts(hosts_of(UrlTable.from_strings([url]))) == [host]
    assert host_of(url) == host


def test_a_host_file_may_give_names_ports_and_urls() -> None:
    lines = ["localhost:8080", "b.org", "LOCALHOST", "http://B.org/x", "", "b.org"]
    found = sites_from_names([text_chunk(lines)])
    assert hosts(found) == ["localhost:8080", "b.org", "localhost", "b.org", "", "b.org"]


def test_a_port_is_told_from_a_scheme_though_urls_begin_alike() -> None:
    assert hosts(sites_from_names([text_chunk(["foo:/b.org", "foo://b.org"])])) == ["foo", "b.org"]
    assert hosts(hosts_of(UrlTable.from_strings(["a.b:/b.org", "a.b://b.org"]))) == ["a.b", "b.org"]


def test_a_host_file_that_is_not_utf8_is_refused_by_line() -> None:
    with pytest.raises(BadUrl, match="URL 1 is not UTF-8") as caught:
        sites_from_names([text_chunk(["a"]), (np.frombuffer(b"\xe9", np.uint8), np.array([0, 1]))])
    assert caught.value.id == 1


def test_hosts_of_many_urls_are_one_where_runs_are_many() -> None:
    forms = ("http://h{0:02}.org", "http://h{0:02}.org/{1}", "https://h{0:02}.org", "https://h{0:02}.org/{1}")
    urls = [form.format(k % 70, k) for k in range(40_000) for form in forms]
    found = hosts_of(UrlTable.from_strings(urls))
    assert list(found.names) == [f"h{k:02}.org" for k in range(70)]
    assert found.of_page.tolist() == [k % 70 for k in range(40_000) for _ in range(4)]
    assert found.sizes().sum() == 160_000


def test_every_page_its_own_host() -> None:
    urls = sorted(f"h{k}.example" for k in range(70_000))
    found = hosts_of(UrlTable.from_strings(urls))
    assert list(found.names) == urls
    assert found.of_page.tolist() == list(range(70_000))


def test_a_host_that_grows_past_all_bounds_counts_as_none() -> None:
    urls = ["foo://" + "é" * 700_000 + "/", "foo://é/", "foo://" + "é" * 1000 + "/"]
    assert hosts(hosts_of(UrlTable.from_strings(urls))) == ["", "%C3%A9", "%C3%A9" * 1000]


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("example.co.uk.", "example.co.uk."),
        ("www.example.com.", "example.com."),
        ("co.uk", "co.uk"),
        ("com.", "com."),
        ("a.github.io", "a.github.io"),
        ("b.a.github.io", "a.github.io"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[::1]:8080", "[::1]"),
        ("www.example.com:8080", "example.com"),
        ("127.0.0.1:99", "127.0.0.1"),
        ("localhost", "localhost"),
        ("a..b", "a..b"),
        ("", ""),
        (".", "."),
    ],
)
def test_registered_domains_by_hand(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


@quick
@given(st.lists(url, max_size=40))
def test_domains_of_pages_are_those_of_their_hosts(urls: list[str]) -> None:
    by_host = hosts_of(UrlTable.from_strings(urls))
    found = domains_of(by_host)
    expected, distinct = numbered([registered_domain(host) for host in hosts(by_host)])
    assert found.kind == "domain"
    assert list(found.names) == distinct
    assert found.of_page.tolist() == expected


def test_sizes_count_the_pages_of_every_site() -> None:
    sites = Sites("host", np.array([2, 0, 2], np.int32), ["a", "b", "c"])
    assert sites.sizes().tolist() == [1, 0, 2]
    assert (len(sites), repr(sites)) == (3, "Sites(3 hosts of 3 pages)")


def test_no_pages_have_no_sites() -> None:
    for sites in (hosts_of(UrlTable.from_strings([])), sites_from_names([])):
        assert (len(sites), sites.sizes().tolist(), len(domains_of(sites))) == (0, [], 0)


def test_sites_cannot_be_changed() -> None:
    sites = sites_from_names([text_chunk(["a", "b"])])
    with pytest.raises(ValueError, match="read-only"):
        sites.of_page[0] = 1


@pytest.mark.parametrize("wrong", [-1, 2])
def test_a_number_without_a_name_is_refused(wrong: int) -> None:
    sites = Sites("host", np.array([0, wrong], np.int32), ["a", "b"])
    for use in (sites.sizes, lambda: domains_of(sites)):
        with pytest.raises(InputError, match=f"page 1 is on host {wrong}, expected a number below 2"):
            use()


def test_a_table_that_names_a_page_twice_is_refused() -> None:
    table = UrlTable.from_strings(["b", "a", "c"])
    twice = np.zeros(3, np.uint32)
    with pytest.raises(InputError, match="damaged"):
        hosts_of(UrlTable(table._coded, table._rank_of_id, twice))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=20))
def test_a_damaged_table_gives_hosts_or_an_error(changes: list[tuple[int, int]]) -> None:
    coded = UrlTable.from_strings([f"http://h{k % 5}.example:{k % 3}/{k:03}" for k in range(200)])._coded
    text = coded.text.copy()
    for place, value in changes:
        text[place % len(text)] = value
    try:
        sites = hosts_of(UrlTable(Coded(text, coded.ptr, coded.symbols)))
    except InputError:
        return
    assert len(sites.of_page) == 200
    assert sites.sizes().sum() == 200


@pytest.mark.shared
@pytest.mark.parametrize(("read", "count"), [(najdisi, 14_682), (california, 5_868)])
def test_hosts_of_real_urls_are_what_a_browser_reads(
    shared_data: Path, read: Callable[[Path], list[str]], count: int
) -> None:
    urls = read(shared_data)
    found = hosts_of(UrlTable.from_strings(urls))
    assert len(found) == count
    assert hosts(found) == [host_of(text) for text in urls]

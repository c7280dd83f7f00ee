"""The address that limits count by, behind proxies and forged headers."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from teahouse.core.errors import OptionError
from teahouse.server.web.client_address import TrustedProxies, client_key


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_ipv6_counts_by_network(host: str, key: str) -> None:
    assert client_key(host) == key


@pytest.mark.parametrize(
    ("peer", "values", "client"),
    [
        ("192.0.2.1", ["198.51.100.1"], "192.0.2.1"),  # no proxy of ours: forged
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.1"], "198.51.100.1"),  # the left one is forged
        ("10.0.0.1", ["203.0.113.9", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.1, 10.0.0.2"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense, 10.0.0.2"], "10.0.0.2"),
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["," * 10_000 + "198.51.100.1"], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("", ["198.51.100.1"], ""),
    ],
)
def test_the_last_hop_that_is_no_proxy_is_the_client(
    peer: str, values: list[str], client: str
) -> None:
    proxies = TrustedProxies(["10.0.0.0/8"], "x-forwarded-for")
    raw = [(b"x-forwarded-for", value.encode()) for value in values]
    other = [(b"forwarded", b"for=192.0.2.99"), (b"x-real-ip", b"192.0.2.99")]
    assert proxies.client(peer, Headers(raw=raw + other)) == client


@pytest.mark.parametrize(
    ("header", "value", "client"),
    [
        ("forwarded", 'for="[2001:db8::1]:80";proto=https', "2001:db8::1"),
        ("forwarded", "for=192.0.2.9;by=10.0.0.1, FOR=198.51.100.1", "198.51.100.1"),
        ("forwarded", "for=unknown", "10.0.0.1"),
        ("forwarded", "proto=https", "10.0.0.1"),
        ("x-real-ip", "198.51.100.1", "198.51.100.1"),
    ],
)
def test_other_headers_by_setting(header: str, value: str, client: str) -> None:
    proxies = TrustedProxies(["10.0.0.1"], header)
    assert proxies.client("10.0.0.1", Headers({header: value})) == client


def test_settings_are_validated() -> None:
    with pytest.raises(OptionError, match=r"Invalid trusted proxy.*10\.0\.0\.0/8"):
        TrustedProxies(["proxy.example"], "x-forwarded-for")
    with pytest.raises(OptionError, match="headers: x-forwarded-for, forwarded, x-real-ip"):
        TrustedProxies([], "x-client")
    assert "127.0.0.1" not in TrustedProxies([], "x-forwarded-for")

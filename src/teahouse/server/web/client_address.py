"""The address a request comes from: the peer, or behind trusted proxies the client they report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from teahouse.core.errors import OptionError

PROXY_HEADERS = ("x-forwarded-for", "forwarded", "x-real-ip")
MAX_HOPS = 20
IPV6_PREFIX = 64
"""Bits of an IPv6 address that identify a client: a household gets a /64 or more."""


class TrustedProxies:
    """The networks whose report of a client's address is believed."""

    def __init__(self, networks: Iterable[str], header: str) -> None:
        if header not in PROXY_HEADERS:
            raise OptionError(
                f"Unknown proxy header {header!r}; headers: {', '.join(PROXY_HEADERS)}."
            )
        try:
            self._networks = [ip_network(network, strict=False) for network in networks]
        except ValueError as error:
            raise OptionError(
                f"Invalid trusted proxy: {error}; use an address or a network such as 10.0.0.0/8."
            ) from None
        self._header = header

    def __contains__(self, host: str) -> bool:
        address = parse_address(host)
        return address is not None and any(address in network for network in self._networks)

    def client(self, peer: str, headers: Headers) -> str:
        """Return the right-most hop that is no trusted proxy; the peer if it is not trusted.

        Each proxy appends the address it was called from, so whatever a client has forged stands
        to the left of that.
        """
        client = peer
        for hop in _hops(self._header, headers.getlist(self._header)):
            if client not in self:
                break
            if parse_address(hop) is None:  # not readable: the last proxy is the client
                break
            client = hop
        return client


class ClientAddressMiddleware:
    """Replaces the peer of requests from trusted proxies by the client they report.

    If a proxy says so, the scheme becomes https: links in descriptions of pages are complete.
    """

    def __init__(self, app: ASGIApp, proxies: TrustedProxies) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = scope.get("client")
        if scope["type"] in ("http", "websocket") and peer and peer[0] in self._proxies:
            headers = Headers(scope=scope)
            scope["client"] = (self._proxies.client(peer[0], headers), 0)
            if headers.get("x-forwarded-proto") == "https":
                scope["scheme"] = "https" if scope["type"] == "http" else "wss"
        await self._app(scope, receive, send)


@lru_cache(maxsize=4_096)
def parse_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return an address, IPv4 if it is mapped to IPv6, or None if the text is no address."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=4_096)
def client_key(host: str) -> str:
    """Return what limits count by: an IPv4 address, or the /64 network of an IPv6 address."""
    address = parse_address(host)
    if isinstance(address, IPv6Address):
        return str(IPv6Network((int(address), IPV6_PREFIX), strict=False))
    return host if address is None else str(address)


def scope_client(scope: Scope) -> str:
    """Return the key of the client of a request or a socket."""
    client = scope.get("client")
    return client_key(client[0]) if client else ""


def _hops(header: str, values: list[str]) -> Iterator[str]:
    """Yield the addresses that proxies have appended, the last one first."""
    entries = [entry.strip() for value in values for entry in value.split(",")]
    for entry in reversed(entries[-MAX_HOPS:]):
        yield _host(_forwarded_for(entry) if header == "forwarded" else entry)


def _forwarded_for(element: str) -> str:
    """Return the `for` parameter of an element of a Forwarded header (RFC 7239)."""
    for pair in element.split(";"):
        name, _, value = pair.strip().partition("=")
        if name.lower() == "for":
            return value.strip('"')
    return ""


def _host(text: str) -> str:
    """Return an address without its port and brackets."""
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text

"""A small reverse proxy with TLS, as Caddy or nginx in front of servers."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import ssl
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

MAX_HEAD = 65_536


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a certificate for the loopback address, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


class Proxy:
    """Forwards requests under a path to servers in turn; answers 404 elsewhere.

    Every connection has one request, or one WebSocket.
    """

    def __init__(self, ports: Sequence[int], base_path: str, *, strip: bool) -> None:
        self._ports = cycle(ports)
        self._base = base_path.encode()
        self._strip = strip
        self._closed: list[asyncio.StreamWriter] = []

    def _forwarded(self, head: bytes, client: str) -> bytes | None:
        """Return the head of a request as the server gets it; None outside of the path."""
        method, target, rest = head.split(b" ", 2)
        if not re.match(re.escape(self._base) + rb"(?:[/?]|$)", target):
            return None
        if self._strip:
            target = target.removeprefix(self._base) or b"/"
        lines = [line for line in rest.split(b"\r\n") if line]
        if not any(line.lower().startswith(b"upgrade:") for line in lines):
            lines = [line for line in lines if not line.lower().startswith(b"connection:")]
            lines.append(b"Connection: close")
        lines += [b"X-Forwarded-Proto: https", b"X-Forwarded-For: " + client.encode()]
        return b"%s %s %s\r\n\r\n" % (method, target, b"\r\n".join(lines))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward a connection."""
        upstream: asyncio.StreamWriter | None = None
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            client = writer.get_extra_info("peername")[0]
            forwarded = self._forwarded(head, client)
            if forwarded is None:
                writer.write(
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )
                return
            answers, upstream = await asyncio.open_connection("127.0.0.1", next(self._ports))
            upstream.write(forwarded)
            copies = [_copy(reader, upstream), _copy(answers, writer)]
            tasks = [asyncio.create_task(copy) for copy in copies]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # either side is gone, or the proxy stops
        finally:
            for one in (upstream, writer):
                if one is not None:
                    one.close()
                    self._closed.append(one)

    async def stop(self) -> None:
        """End all connections at once."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for one in self._closed:
            with suppress(AttributeError):  # asyncio's TLS transports cannot be aborted when closed
                one.transport.abort()
        await asyncio.sleep(0)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(MAX_HEAD):
            target.write(data)
            await target.drain()


@contextmanager
def running_proxy(
    ports: Sequence[int], folder: Path, base_path: str = "", *, strip: bool = True
) -> Iterator[str]:
    """Run a proxy in a thread; return the address of the servers behind it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*write_certificate(folder))
    proxy = Proxy(ports, base_path, strip=strip)
    started: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        stopped = asyncio.Event()
        server = await asyncio.start_server(
            proxy.serve, "127.0.0.1", 0, ssl=context, limit=MAX_HEAD
        )
        port = server.sockets[0].getsockname()[1]
        started.set_result((port, asyncio.get_running_loop(), stopped))
        await stopped.wait()
        server.close()
        await proxy.stop()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    port, loop, stopped = started.result()
    try:
        yield f"https://127.0.0.1:{port}{base_path}"
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()

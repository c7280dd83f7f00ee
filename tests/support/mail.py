"""A mail server on the loopback interface that keeps what it gets."""

from __future__ import annotations

import re
from asyncio.base_events import Server
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

ENABLED: dict[str, Any] = {
    "smtp_host": "127.0.0.1",
    "smtp_security": "none",
    "smtp_from": "Teahouse <tea@example.org>",
    "public_url": "https://tea.example.org",
}
"""Settings of a server that sends e-mail, except the port."""


class Inbox:
    """The messages that were accepted, and how the server answers."""

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.answer = "250 OK"
        self.recipient_answer = "250 OK"
        self.refused = 0

    async def handle_RCPT(  # noqa: N802 - named by aiosmtpd
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if self.recipient_answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        else:
            self.refused += 1
        return self.recipient_answer

    async def handle_DATA(  # noqa: N802 - named by aiosmtpd
        self, _server: Any, _session: Any, envelope: Any
    ) -> str:
        if self.answer.startswith("250"):
            parsed = message_from_bytes(envelope.content, policy=policy.default)
            assert isinstance(parsed, EmailMessage)
            self.messages.append(parsed)
        else:
            self.refused += 1
        return self.answer


class _Controller(Controller):
    """A mail server on a free port."""

    def _trigger_server(self) -> None:
        assert isinstance(self.server, Server)
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def mail_server() -> Iterator[tuple[int, Inbox]]:
    """Run a mail server; yield its port and its inbox."""
    inbox = Inbox()
    controller = _Controller(inbox, hostname="127.0.0.1", port=0)
    controller.start()
    try:
        yield controller.port, inbox
    finally:
        controller.stop()


def text_of(message: EmailMessage) -> str:
    """Return the text of a message."""
    return str(message.get_content())


def key_in(message: EmailMessage, page: str) -> str:
    """Return the key of the link to a page in a message."""
    found = re.search(rf"/email/{page}#([\w-]+)", text_of(message))
    assert found is not None, text_of(message)
    return found[1]

"""Sending e-mail by SMTP."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email import policy
from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, localtime, parseaddr

from teahouse.server.settings import ServerSettings
from teahouse.server.storage.lock import StartupError

SECURITIES = ("starttls", "tls", "none")
TIMEOUT = 10.0
MAX_ADDRESS = 254
_POLICY = policy.SMTP.clone(max_line_length=900)
"""A long address in a header stays whole, so that mail programs can read it."""


@dataclass(frozen=True)
class Mail:
    """An e-mail to send."""

    recipient: str
    subject: str
    body: str
    message_id: str
    unsubscribe_url: str | None
    """An address that a mail program may post to with one click (RFC 8058)."""


def check_settings(settings: ServerSettings) -> bool:
    """Return whether e-mail can be sent; raise `StartupError` if settings for it are missing."""
    if not settings.smtp_host:
        return False
    if settings.smtp_security not in SECURITIES:
        allowed = ", ".join(SECURITIES)
        raise StartupError(f"Unknown TEAHOUSE_SMTP_SECURITY; use one of: {allowed}.")
    if "@" not in parseaddr(settings.smtp_from)[1]:
        raise StartupError("E-mail needs a sender: set TEAHOUSE_SMTP_FROM to an address.")
    if not settings.public_url.startswith(("http://", "https://")):
        raise StartupError("E-mail needs the server's address: set TEAHOUSE_URL, https://…")
    if settings.smtp_security == "none" and settings.smtp_password:
        message = "A password is not sent without encryption: set TEAHOUSE_SMTP_SECURITY."
        raise StartupError(message)
    return True


def is_address(text: str) -> bool:
    """Return whether a text has the form of an e-mail address: one, ASCII, without a name."""
    if len(text) > MAX_ADDRESS or not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        address = Address(addr_spec=text)
    except (ValueError, HeaderParseError, IndexError):
        return False
    labels = address.domain.split(".")
    plain = all(label.replace("-", "").isalnum() for label in labels)
    return bool(address.username) and len(labels) > 1 and plain and address.addr_spec == text


def message_of(mail: Mail, sender: str) -> EmailMessage:
    """Return an e-mail with its headers."""
    message = EmailMessage(_POLICY)
    message["From"] = sender
    message["To"] = mail.recipient
    message["Subject"] = " ".join(mail.subject.split())
    message["Date"] = format_datetime(localtime())
    message["Message-ID"] = mail.message_id
    message["Auto-Submitted"] = "auto-generated"
    if mail.unsubscribe_url:
        message["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(mail.body)
    return message


@contextmanager
def connected(settings: ServerSettings) -> Iterator[smtplib.SMTP]:
    """Connect to the mail server and sign in. Blocks: use it in a thread."""
    host, port, context = settings.smtp_host, settings.smtp_port, ssl.create_default_context()
    connection = (
        smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=context)
        if settings.smtp_security == "tls"
        else smtplib.SMTP(host, port, timeout=TIMEOUT)
    )
    with connection:
        if settings.smtp_security == "starttls":
            connection.starttls(context=context)
        if settings.smtp_user:
            connection.login(settings.smtp_user, settings.smtp_password)
        yield connection


def send(settings: ServerSettings, mail: Mail) -> None:
    """Send an e-mail; raise `smtplib.SMTPException` or `OSError` if it was not accepted."""
    with connected(settings) as connection:
        connection.send_message(message_of(mail, settings.smtp_from))


def is_refused(error: Exception) -> bool:
    """Return whether the recipient does not exist or wants no mail: trying again is useless."""
    if not isinstance(error, smtplib.SMTPRecipientsRefused):
        return False
    return all(500 <= code < 600 for code, _ in error.recipients.values())

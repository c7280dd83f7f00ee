"""The mailer: writes due e-mails to the outbox and sends them, with retries."""

from __future__ import annotations

import asyncio
import logging
import smtplib
from functools import partial
from typing import Any

import sqlalchemy as sa

from teahouse.server.correspondence import digest, email_settings, smtp
from teahouse.server.correspondence.presence import Presence
from teahouse.server.correspondence.rows import outbox
from teahouse.server.correspondence.smtp import Mail
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.errors import StoreError
from teahouse.server.storage.store import Store
from teahouse.server.tables.seat_keys import new_secret
from teahouse.server.tasks import BackgroundTasks
from teahouse.server.web.errors import ApiError
from teahouse.server.web.rate_limit import RateLimiter

log = logging.getLogger("teahouse.server.correspondence.mailer")

BACK_OFF = (60.0, 300.0, 1_800.0, 7_200.0, 28_800.0, 86_400.0)
"""Seconds until an e-mail that was not accepted is tried again; then it is dropped."""
BATCH = 20
CLAIM_SECONDS = 120.0
"""Seconds until an e-mail whose process died while sending it is retried."""
VERIFICATIONS = 3
"""Verification links per address and day, from all accounts."""


class Mailer:
    """Sends e-mail. An e-mail is in the outbox until the mail server has accepted it.

    A crash between acceptance and deletion sends it again with the same `Message-ID`, which mail
    programs use to drop duplicates.
    """

    def __init__(self, store: Store, settings: ServerSettings, presence: Presence) -> None:
        self._store = store
        self._settings = settings
        self._presence = presence
        self._verifications = RateLimiter(VERIFICATIONS / 86_400.0, VERIFICATIONS)
        self._wake = asyncio.Event()
        self._busy = asyncio.Lock()
        self._tasks = BackgroundTasks()

    def start(self) -> None:
        """Start sending."""
        self._tasks.start(self._run())

    async def close(self) -> None:
        """Finish the e-mail that is being sent, and stop."""
        async with self._busy:
            await self._tasks.cancel()

    async def verify(self, account_id: str, name: str, address: str) -> None:
        """Set the address of an account, and send the link that verifies it."""
        if self._verifications.reserve(address.lower(), 1.0, 0.0) > 0.0:
            message = "Too many links were sent to this address today. Please try again tomorrow."
            raise ApiError("rate_limited", message)
        key, now = new_secret(), self._store.now().wall

        def job(connection: sa.Connection) -> None:
            if not email_settings.set_email(connection, account_id, address, key, now):
                message = "A link was sent a moment ago. Please wait ten minutes for another one."
                raise ApiError("rate_limited", message)
            digest.post_verification(
                connection, self._settings, account_id, name, address, key, now
            )

        await self._store.write(job)
        self._wake.set()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.compose()
                await self.send_due()
            except StoreError as error:
                log.warning("Sending e-mail failed; retrying: %s", error)
            except Exception:
                log.exception("The mailer failed.")
            try:
                await asyncio.wait_for(self._wake.wait(), self._settings.mail_interval)
            except TimeoutError:
                continue

    async def compose(self) -> int:
        """Write the e-mails that are due to the outbox; return how many."""
        now = self._store.now().wall
        job = partial(
            digest.compose, settings=self._settings, last_seen=self._presence.last_seen, now=now
        )
        return await self._store.write(job)

    async def send_due(self) -> int:
        """Send what is due in the outbox; return how many e-mails were accepted."""
        now, sent = self._store.now().wall, 0
        for row in await self._store.read(partial(_due, now=now)):
            async with self._busy:
                if not await self._store.write(partial(_claim, row=row, now=now)):
                    continue
                error = await self._send(row)
                await self._store.write(partial(_settle, row=row, error=error, now=now))
            if error is None:
                sent += 1
            elif not isinstance(
                error, smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused
            ):
                break  # the mail server cannot be reached: the others wait
        return sent

    async def _send(self, row: sa.Row[Any]) -> Exception | None:
        names = ("recipient", "subject", "body", "message_id", "unsubscribe_url")
        mail = Mail(**{name: getattr(row, name) for name in names})
        try:
            await asyncio.to_thread(smtp.send, self._settings, mail)
        except (smtplib.SMTPException, OSError) as error:
            return error
        return None


def _due(connection: sa.Connection, now: float) -> list[sa.Row[Any]]:
    wanted = sa.select(outbox).where(outbox.c.due <= now).order_by(outbox.c.due).limit(BATCH)
    return list(connection.execute(wanted))


def _claim(connection: sa.Connection, row: sa.Row[Any], now: float) -> bool:
    """Return whether this process may send an e-mail; if it dies, others may after a while."""
    same = (outbox.c.id == row.id) & (outbox.c.due == row.due)
    claimed = outbox.update().where(same).values(due=now + CLAIM_SECONDS)
    return connection.execute(claimed).rowcount == 1


def _settle(
    connection: sa.Connection, row: sa.Row[Any], error: Exception | None, now: float
) -> None:
    """Delete an e-mail that was accepted or is refused for good; try others again later."""
    same = outbox.c.id == row.id
    if error is not None:
        log.warning("E-mail %s was not accepted: %s", row.message_id, _reason(error))
    if error is not None and smtp.is_refused(error):
        email_settings.mark_undeliverable(connection, row.account_id, row.recipient)
    elif error is not None and row.attempts < len(BACK_OFF):
        later = {"attempts": row.attempts + 1, "due": now + BACK_OFF[row.attempts]}
        connection.execute(outbox.update().where(same).values(later))
        return
    connection.execute(outbox.delete().where(same))


def _reason(error: Exception) -> str:
    """Return an error without the recipient's address, which logs need not have."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = sorted({str(code) for code, _ in error.recipients.values()})
        return f"the recipient is refused ({', '.join(codes)})"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"status {error.smtp_code}"
    return type(error).__name__

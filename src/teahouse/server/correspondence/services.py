"""The services of correspondence games, started and stopped with the server."""

from __future__ import annotations

from teahouse.server.correspondence.conditional import ConditionalMoves
from teahouse.server.correspondence.mailer import Mailer
from teahouse.server.correspondence.notices import Notice, Notices
from teahouse.server.correspondence.presence import Presence
from teahouse.server.correspondence.smtp import check_settings
from teahouse.server.correspondence.vacation import Vacations
from teahouse.server.lobby.models import Challenge
from teahouse.server.tables.registry import Registry


class Correspondence:
    """Conditional moves, vacations, notices, and e-mail where it is configured."""

    def __init__(self, registry: Registry) -> None:
        settings, store = registry.settings, registry.store
        self.presence = Presence()
        self.conditional = ConditionalMoves(registry)
        self.vacations = Vacations(registry)
        self.notices = Notices(registry)
        configured = check_settings(settings)
        self.mailer = Mailer(store, settings, self.presence) if configured else None

    def on_challenge(self, challenge: Challenge) -> None:
        """Write a notice to an account that is challenged."""
        to, name = challenge.to, challenge.challenger.name or "A guest"
        if to is not None and to.kind == "person":
            title = f"Challenge: {challenge.game.title} against {name}"
            text = f"{name} wants to play {challenge.game.title} with you."
            key = f"challenge/{challenge.id}"
            self.notices.post([Notice(to.id, key, "challenge", title, text, "/")])

    async def start(self) -> None:
        """Start all services, and catch up with what a stop of the server has left."""
        await self.vacations.start()
        await self.conditional.start()
        await self.notices.start()
        if self.mailer is not None:
            self.mailer.start()

    async def close(self) -> None:
        """Stop."""
        if self.mailer is not None:
            await self.mailer.close()
        for service in (self.notices, self.conditional, self.vacations):
            await service.close()

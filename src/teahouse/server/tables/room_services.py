"""What rooms share, and what they need of the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from teahouse.server.storage.store import Store
from teahouse.server.tables.fair_play import FairPlay
from teahouse.server.tables.shared_snapshots import SharedSnapshots
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.job_pool import JobPool
from teahouse.server.workers.renderer import Renderer
from teahouse.session.state import GameSession

if TYPE_CHECKING:
    from teahouse.server.tables.room import Room


@dataclass(frozen=True)
class Services:
    """What all rooms share."""

    store: Store
    bots: Bots
    renderer: Renderer
    jobs: JobPool
    fair_play: FairPlay
    max_spectators: int
    defer: Callable[[str], None] | None = None
    """Lets any process act at a table; None with a single process."""
    shared_snapshots: SharedSnapshots | None = None
    """Snapshots shared between processes; None with a single process."""


class Rooms(Protocol):
    """What a room needs of the registry."""

    def new_id(self) -> str:
        """Return an unused table id."""

    def add(self, room: Room) -> None:
        """Add the room of a new table."""

    def game_over(self) -> None:
        """Count a game as finished."""

    def notify(self, table_id: str, before: GameSession | None, after: GameSession) -> None:
        """Call the listeners after a commit."""

    def presence_changed(self, room: Room) -> None:
        """Publish who is connected to a table."""

    def discard(self, room: Room) -> None:
        """Forget a room whose state may differ from the database."""

"""The WebSocket of the analysis board: the engine deepens in slices and streams its best lines.

A page has one search at a time. A new request, `stop` or the end of the connection ends it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, Any, Literal

from fastapi import APIRouter, WebSocket
from pydantic import Field, TypeAdapter, ValidationError

from teahouse.core.position import Position
from teahouse.server.tables.ids import new_id
from teahouse.server.tables.registry import Registry
from teahouse.server.web import messages as ms
from teahouse.server.web import prices
from teahouse.server.web.client_socket import (
    Connection,
    invalid_message,
    message_id,
    paced_messages,
    serve,
)
from teahouse.server.web.errors import ApiError
from teahouse.server.web.limits import Limits, RateLimitError
from teahouse.server.web.wire import to_json
from teahouse.server.workers.bots import Bots
from teahouse.server.workers.pool import WorkerError

SLICES = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
"""Seconds of the first slices; all later ones are as long as the last."""
MAX_LINES = 5

log = logging.getLogger("teahouse.server.study.analysis_socket")

router = APIRouter()


class AnalyseIn(ms.StrictModel):
    """Analyse the position after moves from a start; `lines` is the number of best lines."""

    type: Literal["analyse"]
    id: ms.MessageId
    game: ms.GameName
    options: ms.Options = Field(default_factory=dict)
    start: ms.PositionText
    moves: Annotated[list[ms.MoveText], Field(max_length=ms.MAX_VARIATION)] = Field(
        default_factory=list
    )
    lines: Annotated[int, Field(ge=1, le=MAX_LINES)] = 3


class StopIn(ms.StrictModel):
    """Stop the search."""

    type: Literal["stop"]
    id: ms.MessageId


_adapter: TypeAdapter[AnalyseIn | StopIn | ms.PingIn] = TypeAdapter(
    Annotated[AnalyseIn | StopIn | ms.PingIn, Field(discriminator="type")]
)


@router.websocket("/api/analysis")
async def analysis_socket(socket: WebSocket) -> None:
    """Analyse the positions that a page asks for."""
    registry: Registry = socket.app.state.registry
    limits: Limits = socket.app.state.limits

    async def analyse(connection: Connection) -> None:
        analysis = AnalysisSession(registry, limits, connection)
        try:
            async for text in paced_messages(connection):
                analysis.process(text)
        finally:
            analysis.stop()

    await serve(socket, analyse)


class AnalysisSession:
    """The search of one page."""

    def __init__(self, registry: Registry, limits: Limits, connection: Connection) -> None:
        self._registry = registry
        self._limits = limits
        self._connection = connection
        self._page = f"analysis-{new_id()}"
        self._task: asyncio.Task[None] | None = None

    def process(self, text: str) -> None:
        """Carry out a message: stop the search, and start the next one; or answer a ping."""
        try:
            message = _adapter.validate_json(text)
        except ValidationError as error:
            self._connection.send_error(invalid_message(error), message_id(text))
            return
        if isinstance(message, ms.PingIn):
            self._connection.send(to_json({"type": "ack", "id": message.id}))
            return
        self.stop()
        if isinstance(message, AnalyseIn):
            self._task = asyncio.create_task(self._run(message))

    def stop(self) -> None:
        """Stop the search, if one is running."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self, message: AnalyseIn) -> None:
        connection = self._connection
        try:
            position = await self._position(message)
            await self._deepen(message, position)
        except ApiError as error:
            connection.send_error(error, message.id)
        except WorkerError:
            busy = ApiError("busy", "The analysis was interrupted. Please try again.")
            connection.send_error(busy, message.id)
        except Exception:
            log.exception("An analysis failed.")
            failed = ApiError("internal", "Internal server error. It has been logged.")
            connection.send_error(failed, message.id)

    async def _position(self, message: AnalyseIn) -> Position:
        """Return the position to analyse; raise `ApiError` if the computer must not help there."""
        registry, address = self._registry, self._connection.address
        asked = ms.ExploreIn(
            game=message.game, options=message.options, start=message.start, moves=message.moves
        )
        position, _ = await registry.jobs.position(asked, address)
        if position.over:
            raise ApiError("game_over", "The game is over here; there is nothing to analyse.")
        await registry.fair_play.check([position], address)
        return position

    async def _deepen(self, message: AnalyseIn, position: Position) -> None:
        """Search slice by slice, and send the lines after each."""
        bots: Bots = self._registry.bots
        left, slices, seconds = self._registry.settings.analysis_seconds, list(SLICES), 0.0
        while left > 0.0:
            seconds = min(left, slices.pop(0) if slices else seconds)
            left -= seconds
            await self._charge(seconds)
            found = await bots.deepen(
                position, self._page, seconds, message.lines, self._connection.address
            )
            done = left <= 0.0 or found["settled"]
            self._send(message.id, found, done)
            if done:
                return

    async def _charge(self, seconds: float) -> None:
        """Charge the address; wait where it has used up its units instead of failing."""
        while True:
            try:
                await self._limits.charge(self._connection.address, prices.ANALYSIS * seconds)
                return
            except RateLimitError as error:
                await asyncio.sleep(error.retry_after)

    def _send(self, message: int, found: dict[str, Any], done: bool) -> None:
        body = {"type": "analysis", "id": message, "done": done, **found}
        self._connection.send(to_json(body))

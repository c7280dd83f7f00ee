"""Jobs on uploaded records and texts, in a separate process with a time limit."""

from __future__ import annotations

import asyncio
import base64
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from teahouse.core.catalog import games, load_untrusted
from teahouse.core.game import Game
from teahouse.core.options import option_texts
from teahouse.core.position import Position
from teahouse.server.study.explanations import ExplainIn, PreviewIn
from teahouse.server.study.lessons import CoachIn
from teahouse.server.study.openings import OpeningsIn
from teahouse.server.study.position_editor import EditIn
from teahouse.server.tables.event_json import LogRow, checkpoint_adapter
from teahouse.server.tournaments.seating import Entrant, Pairs
from teahouse.server.web import messages as ms
from teahouse.server.web.errors import ApiError
from teahouse.server.web.wire import from_json, to_json
from teahouse.server.workers.ipc import position_fields
from teahouse.server.workers.jobs import read_response
from teahouse.server.workers.pool import Flow, WorkerError, WorkerPool
from teahouse.session.checkpoint import Checkpoint, SavedMove
from teahouse.session.state import ChatMessage

NICENESS = 5
MEMORY = 500  # megabytes until the worker is replaced
JOB_SECONDS = 8.0
REPLAY_SECONDS = 60.0
CACHED_PAGES = 100
PREPARATION_DELAY = 1.0  # seconds; the server starts first


@dataclass(frozen=True)
class ReplayedTable:
    """The result of replaying the events of a table."""

    checkpoint: Checkpoint
    moves: Sequence[SavedMove]
    chat: Sequence[ChatMessage]


class JobPool:
    """A worker process, shared fairly between addresses."""

    def __init__(self) -> None:
        self.pool = WorkerPool(1, str(NICENESS), str(MEMORY))
        self._texts: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._pages: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._preparation: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Warm the cache of the home page."""
        self._preparation = asyncio.create_task(self._prepare())

    async def _prepare(self) -> None:
        await asyncio.sleep(PREPARATION_DELAY)
        await asyncio.gather(*map(self.thumbnail, games()), return_exceptions=True)

    async def close(self) -> None:
        """Stop the worker."""
        for task in (self._preparation, *self._texts.values()):
            if task is not None:
                task.cancel()
        await self.pool.close()

    async def explore(self, body: ms.ExploreIn, address: str) -> bytes:
        """Return the JSON of a record with the snapshot of one of its positions."""
        return await self._run("explore", address, body=body.model_dump(mode="json"))

    async def position(self, body: ms.ExploreIn, address: str) -> tuple[Position, int]:
        """Return the position that a request describes, and its ply in the record."""
        response = await self._run("position", address, body=body.model_dump(mode="json"))
        found = from_json(response)
        game = load_untrusted(found["game"], found["options"])
        state = base64.b64decode(found["state"])
        return Position(game, state, found["ply"]), found["record_ply"]

    async def explain(self, body: ExplainIn, address: str) -> bytes:
        """Return the JSON of what a spot, hand or choice is, and why it cannot be clicked."""
        return await self._run("explain", address, body=body.model_dump(mode="json"))

    async def preview(self, body: PreviewIn, address: str) -> bytes:
        """Return the JSON of an overlay that shows what a move would do."""
        return await self._run("preview", address, body=body.model_dump(mode="json"))

    async def study(self, body: str, address: str) -> bytes:
        """Return the JSON of a study with its moves in words."""
        return await self._run("study", address, body=body)

    async def study_to_store(self, body: str, address: str) -> str:
        """Return the text of a study to store; raise `ApiError` if it is not readable or legal."""
        return (await self._run("study_to_store", address, body=body)).decode()

    async def conditional_lines(
        self, position: Position, seat: int, lines: Sequence[Sequence[str]], address: str
    ) -> list[tuple[list[str], list[int]]]:
        """Return lines of conditional moves in exact notation, with the players of their moves.

        Raise `ApiError` if a move is not legal.
        """
        fields = {**position_fields(position), "seat": seat, "lines": lines}
        response = await self._run("conditional", address, **fields)
        return [(moves, players) for moves, players in from_json(response)]

    async def edit(self, body: EditIn, address: str) -> bytes:
        """Return the JSON of a position after a change, with its palette."""
        return await self._run("edit", address, body=body.model_dump(mode="json"))

    async def position_keys(
        self, game: Game, mirrored: Sequence[bytes], current: Sequence[bytes], address: str
    ) -> dict[str, Any]:
        """Return keys of states and their images, and of others keys of those a move later."""
        states = {"mirrored": mirrored, "current": current}
        fields = {
            name: [base64.b64encode(state).decode() for state in given]
            for name, given in states.items()
        }
        options = option_texts(game.options)
        response = await self._run(
            "position_keys", address, game=game.name, options=options, **fields
        )
        found: dict[str, Any] = from_json(response)
        return found

    async def openings(self, body: OpeningsIn, address: str) -> tuple[Position, dict[str, Any]]:
        """Return the position that a request describes, and what is known of its moves."""
        response = await self._run("openings", address, body=body.model_dump(mode="json"))
        found: dict[str, Any] = from_json(response)
        fields = found["position"]
        game = load_untrusted(fields["game"], fields["options"])
        return Position(game, base64.b64decode(fields["state"]), fields["ply"]), found

    async def finished_game(
        self,
        game: str,
        options: Mapping[str, Any],
        seed: int | None,
        moves: Sequence[str],
        result: str,
    ) -> dict[str, Any]:
        """Return the opening moves of a finished game, to be counted."""
        fields = {"game": game, "options": options, "seed": seed, "moves": moves, "result": result}
        found: dict[str, Any] = from_json(await self._run("finished_game", "", **fields))
        return found

    async def record_text(self, text: str, address: str) -> str:
        """Return the canonical text of an uploaded record."""
        return (await self._run("record", address, text=text)).decode()

    async def record_page(self, record_id: str, text: str, address: str) -> dict[str, Any]:
        """Return what the page of a stored record shows; cached, since records never change."""
        page = self._pages.pop(record_id, None)
        if page is None:
            page = from_json(await self._run("record_page", address, text=text))
        self._pages[record_id] = page
        if len(self._pages) > CACHED_PAGES:
            self._pages.popitem(last=False)
        return page

    async def record_positions(self, text: str, address: str) -> bytes:
        """Return the JSON of a record's states and moves."""
        return await self._run("record_positions", address, text=text)

    async def replay(self, log: Sequence[LogRow]) -> ReplayedTable:
        """Replay the events of a table; raise `WorkerError` if that fails."""
        request = {"kind": "job", "job": "replay", "log": log}
        response = await self.pool.request(request, timeout=REPLAY_SECONDS, attempts=1)
        found = from_json(read_response(response))
        return ReplayedTable(
            checkpoint_adapter.validate_json(to_json(found["checkpoint"])),
            [
                SavedMove(**{**move, "state": base64.b64decode(move["state"])})
                for move in found["moves"]
            ],
            [ChatMessage(**message) for message in found["chat"]],
        )

    async def lab_report(self, game: str, options: Mapping[str, str], address: str) -> str:
        """Return the stored report of a game as HTML."""
        return (await self._run("lab_report", address, game=game, options=options)).decode()

    async def lesson(self, game: str) -> str:
        """Return the JSON of the outline of a game's lesson."""
        return await self._text("lesson", game)

    async def lesson_step(self, game: str, number: int, address: str) -> bytes:
        """Return the JSON of a step of a game's lesson."""
        return await self._run("lesson_step", address, game=game, number=number)

    async def coach(self, body: CoachIn, address: str) -> bytes:
        """Return the JSON of what the coach of a first game says."""
        return await self._run("coach", address, body=body.model_dump(mode="json"))

    async def puzzle(self, job: str, address: str, **fields: Any) -> bytes:
        """Return the JSON of a puzzle, of the verdict on an answer, or of the solution."""
        return await self._run(job, address, **fields)

    async def rules(self, game: str) -> str:
        """Return the rules of a game as HTML."""
        return await self._text("rules", game)

    async def record_ply(self, text: str, ply: int, address: str) -> bytes:
        """Return the JSON of a record's snapshot at a ply."""
        return await self._run("record_ply", address, text=text, ply=ply)

    async def pair_swiss(self, standings: Sequence[Entrant]) -> Pairs:
        """Return the pairs of the next round of a Swiss tournament, and who has the bye."""
        fields = [asdict(entrant) for entrant in standings]
        found = from_json(await self._run("pair_swiss", "", standings=fields))
        return [(first, second) for first, second in found["pairs"]], found["bye"]

    async def small_board(self, table: str, position: Mapping[str, Any]) -> str:
        """Return a position as SVG without hands and coordinates; `table` prefixes its ids."""
        return (await self._run("small_board", "", prefix=f"{table}-", **position)).decode()

    async def picture(self, card: Mapping[str, Any], address: str) -> bytes:
        """Return the PNG of a card (`share_cards.py`) in base64."""
        return await self._run("picture", address, **card)

    async def thumbnail(self, game: str) -> str:
        """Return the thumbnail of a game as SVG."""
        return await self._text("thumbnail", game)

    async def _text(self, job: str, game: str) -> str:
        """Return a text of a game that is computed once."""
        task = self._texts.get((job, game))
        if task is None:
            task = self._texts[job, game] = asyncio.create_task(self._compute(job, game))
        return await asyncio.shield(task)

    async def _compute(self, job: str, game: str) -> str:
        try:
            return (await self._run(job, "", game=game)).decode()
        except BaseException:
            del self._texts[job, game]
            raise

    async def _run(self, job: str, address: str, **fields: Any) -> bytes:
        request = {"kind": "job", "job": job, **fields}
        try:
            response = await self.pool.request(
                request, timeout=JOB_SECONDS, flow=Flow(address), attempts=1
            )
        except WorkerError:
            message = "This could not be computed in time. Please try again later."
            raise ApiError("busy", message) from None
        return read_response(response)

"""What the game screen shows of one position, as text and highlights."""

from __future__ import annotations

import teahouse as th
from teahouse.core.scene import lower_first
from teahouse.session.pointing import Pointing
from teahouse.terminal.app.canvas import Highlights
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.texts import players_text, status_text


class GameView:
    """One position of a game: the last one, or an earlier one in a replay."""

    def __init__(self, local_game: LocalGame, ply: int) -> None:
        self.local_game = local_game
        self.ply = ply
        self.analysis: th.Analysis | None = None
        """The analysis of the position, if one was requested."""
        person_to_move = self.live and not local_game.over and not local_game.bot_to_move
        self.pointing = Pointing.of(self.position) if person_to_move else None
        """The move being entered, if it is a person's turn."""

    @property
    def live(self) -> bool:
        """Whether this is the last position."""
        return self.ply == self.local_game.ply

    @property
    def position(self) -> th.Position:
        return self.local_game.record.positions[self.ply]

    @property
    def title(self) -> str:
        """The game, the number of moves, and the players, who may be cut off."""
        local_game = self.local_game
        where = f"move {self.ply}" if self.live else f"move {self.ply} of {local_game.ply}"
        return f"{local_game.game.title}   {where}   {players_text(local_game)}"

    @property
    def prompt(self) -> str:
        """What to do now, or the result."""
        if not self.live:
            return f"Replay. {self.position.status}"
        if self.pointing is None or not self.pointing.chosen:
            return status_text(self.local_game)
        labels = {choice.name: choice.label for choice in self.position.scene.choices}
        chosen = ", ".join(labels.get(name, name) for name in self.pointing.chosen)
        return f"Chosen: {chosen}. Choose what comes next, or Escape to start over."

    def status(self, cursor: str, label: str) -> str:
        """Return the move that a click at the cursor plays, or what is there, or the last move."""
        move = self.pointing.preview(cursor) if self.pointing and cursor else None
        if move is not None:
            return f"{move}: {lower_first(self.position.describe(move, 'imperative'))}"
        if label or not self.ply:
            return label
        before, last = self._last
        return f"{last}: {before.describe(last)}"

    @property
    def blocked_reason(self) -> str:
        """Why no move can be entered here."""
        if not self.live:
            return "This is a replay. End shows the last move; b plays on from here."
        if self.local_game.over:
            return "The game is over. A comma goes back; b plays on from there as a new game."
        return "It is a bot's turn. Escape makes it move now."

    @property
    def highlights(self) -> Highlights:
        """The highlighted spots and choices."""
        last: tuple[str, ...] = ()
        if self.ply:
            before, move = self._last
            last = before.click_path(move)
        hint = self.position.click_path(self.analysis.best) if self.analysis else ()
        if self.pointing is None:
            return Highlights(last=last, hint=hint)
        return Highlights(
            self.pointing.targets, self.pointing.chosen, last, hint, self.pointing.starts
        )

    @property
    def moves(self) -> list[str]:
        """The moves of the game, a line each."""
        record = self.local_game.record
        return [
            f"{number:3} {record.game.players[position.player]} {move}"
            for number, (move, position) in enumerate(
                zip(record.moves, record.positions, strict=False), 1
            )
        ]

    @property
    def _last(self) -> tuple[th.Position, str]:
        """The move that led here, after its position."""
        record = self.local_game.record
        return record.positions[self.ply - 1], record.moves[self.ply - 1]

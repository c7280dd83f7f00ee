"""What a table's screen shows at a moment, in words and marks."""

from __future__ import annotations

import teahouse as th
from teahouse.terminal.app.canvas import Marks
from teahouse.terminal.app.pointing import Pointing
from teahouse.terminal.seats import who_text
from teahouse.terminal.table import Table


class Showing:
    """One position of a table's game: the last one, or an earlier one in a replay."""

    def __init__(self, table: Table, ply: int) -> None:
        self.table = table
        self.ply = ply
        self.analysis: th.Analysis | None = None
        """A bot's view of the position, if somebody asked for it."""
        decides = self.live and not table.over and not table.bot_decides
        self.pointing = Pointing(self.position) if decides else None
        """How a person makes a move here, if one is to be made."""

    @property
    def live(self) -> bool:
        """Whether this is the last position."""
        return self.ply == len(self.table.record.moves)

    @property
    def position(self) -> th.Position:
        return self.table.record.positions[self.ply]

    @property
    def title(self) -> str:
        """The game, who sits where, and how far it has come."""
        record = self.table.record
        seats = " · ".join(f"{seat} {who_text(who)}" for seat, who in self.table.seats.items())
        where = f"move {self.ply}" if self.live else f"move {self.ply} of {len(record.moves)}"
        return f"{record.game.title}   {seats}   {where}"

    @property
    def prompt(self) -> str:
        """What is to be decided."""
        prompt = self.position.scene.prompt
        if not self.live:
            return f"Replay. {prompt}"
        if self.table.over and not self.position.over:
            return f"The game has ended. Result: {self.table.record.result}."
        if self.pointing is None or not self.pointing.chosen:
            return prompt
        chosen = ", ".join(self.pointing.chosen)
        return f"{prompt}\nChosen: {chosen}. Now choose what goes with it; Escape starts anew."

    @property
    def who(self) -> str:
        """Who decides."""
        return f"{self.table.seat} ({who_text(self.table.seats[self.table.seat])})"

    def under(self, cursor: str, words: str) -> str:
        """What choosing the cursor's place would do, else what is there, else the last move."""
        target = self.pointing.meant(cursor) if self.pointing and cursor else None
        move = self.pointing.made(target) if self.pointing and target else None
        if move is not None:
            return f"{move}: {self.position.describe(move)}"
        if words or not self.ply:
            return words
        before, last = self._last
        return f"{last}: {before.describe(last)}"

    @property
    def why_not(self) -> str:
        """Why nobody can make a move here by hand."""
        if not self.live:
            return "This is a replay: End goes to the last move, b plays on from here."
        if self.table.over:
            return "The game is over."
        return "A bot decides now; Escape makes it play at once."

    @property
    def marks(self) -> Marks:
        """What stands out on the board."""
        last: tuple[str, ...] = ()
        if self.ply:
            before, move = self._last
            last = before.click_path(move)
        hint = self.position.click_path(self.analysis.best) if self.analysis else ()
        if self.pointing is None:
            return Marks(last=last, hint=hint)
        return Marks(self.pointing.targets, self.pointing.chosen, last, hint)

    @property
    def moves(self) -> list[str]:
        """The game's moves, a line each."""
        record = self.table.record
        return [
            f"{number:3} {record.game.players[position.player]} {move}"
            for number, (move, position) in enumerate(
                zip(record.moves, record.positions, strict=False), 1
            )
        ]

    @property
    def _last(self) -> tuple[th.Position, str]:
        """The move that led here, and where it was played."""
        record = self.table.record
        return record.positions[self.ply - 1], record.moves[self.ply - 1]

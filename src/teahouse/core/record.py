"""Game records: a played game with all that belongs to it, as text like chess's PGN."""

from __future__ import annotations

from collections.abc import Mapping

from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import IllegalMove, OptionError, PositionError, RecordError, quoted
from teahouse.core.game import Game
from teahouse.core.options import format_options, parse_options
from teahouse.core.position import Position
from teahouse.core.record_text import Tokens, escape, tag_line, wrap
from teahouse.core.result import DRAW, UNFINISHED, winners_text

_OWN_TAGS = ("Game", "Options", "Seed", "Start", "Result")


class Record:
    """A game's options, setup, players, moves, comments and result."""

    def __init__(self, game: Game, start: Position, seed: int | None = None) -> None:
        self.game = game
        self.seed = seed
        self.names: dict[str, str] = {}
        """Who sits where: a name for each seat that has one."""
        self.tags: dict[str, str] = {}
        """Anything else worth keeping, such as Date."""
        self.comments: dict[int, str] = {}
        """Remarks by ply: 0 stands before the first move."""
        self._ending: str | None = None
        self._moves: list[str] = []
        self._positions = [start]

    @classmethod
    def new(cls, game: Game, seed: int = 0) -> Record:
        """A record of a game about to begin."""
        return cls(game, game.start(seed), seed)

    def copy(self) -> Record:
        """Return an independent copy."""
        other = Record(self.game, self._positions[0], self.seed)
        other.names, other.tags = dict(self.names), dict(self.tags)
        other.comments = dict(self.comments)
        other._ending = self._ending
        other._moves, other._positions = list(self._moves), list(self._positions)
        return other

    @property
    def positions(self) -> tuple[Position, ...]:
        """Every position from the start to the last one."""
        return tuple(self._positions)

    @property
    def position(self) -> Position:
        """The last position."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The texts of the moves played."""
        return tuple(self._moves)

    @property
    def result(self) -> str:
        """The winners' seats joined by `+`, `draw`, or `*` while undecided."""
        if self._ending is not None:
            return self._ending
        return _result(self.position) if self.position.over else UNFINISHED

    def play(self, text: str) -> Position:
        """Play a move at the end of the record; the new last position."""
        if self._ending is not None:
            raise IllegalMove(
                f"{quoted(text)} cannot be played: the game has ended ({self.result})"
            )
        position = self.position.play(text)
        self._moves.append(self.position.exact(text))
        self._positions.append(position)
        return position

    def undo(self) -> Position:
        """Take back the last move, with the remark on it; the new last position."""
        if not self._moves:
            raise IllegalMove("there is no move to take back")
        self._ending = None
        self.comments.pop(len(self._moves), None)
        self._moves.pop()
        self._positions.pop()
        return self.position

    def end(self, result: str) -> None:
        """Decide the game otherwise than by its rules: resignation, agreement, time."""
        if self.position.over:
            raise ValueError(f"the game is over by its rules ({self.result})")
        if result not in _results(self.game):
            raise ValueError(
                f"a result is one of {', '.join(_results(self.game))}, not {quoted(result)}"
            )
        self._ending = result

    def text(self) -> str:
        """The record as text; `Record.parse` reads it back."""
        tags = {
            "Game": self.game.name,
            "Options": format_options(self.game.options),
            **({} if self.seed is None else {"Seed": str(self.seed)}),
            "Start": str(self._positions[0]),
            **self.names,
            **self.tags,
            "Result": self.result,
        }
        words = [escape(self.comments[0])] if 0 in self.comments else []
        for number, move in enumerate(self._moves, 1):
            words += [f"{number}.", move]
            if number in self.comments:
                words.append(escape(self.comments[number]))
        words.append(self.result)
        head = "".join(tag_line(name, value) for name, value in tags.items())
        return f"{head}\n{wrap(words)}\n"

    @classmethod
    def parse(cls, text: str) -> Record:
        """Read a record; a RecordError gives the line and the reason."""
        if not isinstance(text, str):
            raise RecordError(1, f"a record is a text, not {quoted(text)}")
        tokens = Tokens(text)
        tags, lines = tokens.tags()
        record = _empty(tags, lines)
        for name in tags.keys() - set(_OWN_TAGS):
            (record.names if name in record.game.players else record.tags)[name] = tags[name]
        record.names = {
            seat: record.names[seat] for seat in record.game.players if seat in record.names
        }
        record.tags = {name: record.tags[name] for name in tags if name in record.tags}
        for line, kind, word in tokens.moves((*_results(record.game), UNFINISHED)):
            if kind == "comment":
                record.comments[len(record.moves)] = word
            elif kind == "number":
                if int(word) != len(record.moves) + 1:
                    raise RecordError(
                        line, f"move number {word} where {len(record.moves) + 1} is due"
                    )
            else:
                try:
                    record.play(word)
                except IllegalMove as error:
                    raise RecordError(line, str(error)) from None
        record._conclude(
            tokens.result, tokens.result_line, tags.get("Result"), lines.get("Result", 1)
        )
        return record

    def _conclude(self, result: str | None, line: int, tag: str | None, tag_line: int) -> None:
        """Check the stated results against the moves and each other."""
        stated = [(text, at) for text, at in ((tag, tag_line), (result, line)) if text is not None]
        for text, at in stated:
            if text != UNFINISHED and text not in _results(self.game):
                raise RecordError(
                    at,
                    f"a result is one of {', '.join(_results(self.game))} or *, not {quoted(text)}",
                )
            if text != stated[0][0]:
                raise RecordError(at, f"the result {text} is not the {stated[0][0]} of the tags")
            if self.position.over and text != _result(self.position):
                raise RecordError(at, f"the moves lead to {_result(self.position)}, not {text}")
        if stated and stated[0][0] != UNFINISHED and not self.position.over:
            self._ending = stated[0][0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.text() == other.text()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Record of {self.game.title}: {len(self._moves)} moves, {self.result}>"


def _empty(tags: Mapping[str, str], lines: Mapping[str, int]) -> Record:
    """A record without moves from its tags."""
    if "Game" not in tags:
        raise RecordError(1, 'a record begins with its game, such as [Game "orochi"]')
    try:
        name = "Options"
        options = parse_options(text for text in tags.get("Options", "").split("; ") if text)
        name = "Game"
        game = load_untrusted(tags["Game"], options)
        name = "Seed"
        seed = int(tags["Seed"]) if "Seed" in tags else None
        start = game.start(seed or 0)
        name = "Start"
        if "Start" in tags:
            start = game.position(tags["Start"])
    except (OptionError, PositionError, ValueError) as error:
        raise RecordError(lines.get(name, 1), f"{name}: {error}") from None
    return Record(game, start, seed)


def _result(position: Position) -> str:
    return winners_text(position.game, position.winners)


def _results(game: Game) -> tuple[str, ...]:
    """Every way a game can be decided."""
    return (
        *("+".join(game.players[player] for player in sorted(team)) for team in game.teams),
        DRAW,
    )

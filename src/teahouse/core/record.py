"""Game records and their text form, which resembles chess's PGN."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

from teahouse.core.catalog import exact_name, load_untrusted
from teahouse.core.errors import IllegalMove, RecordError, quoted
from teahouse.core.game import Game
from teahouse.core.options import format_options, parse_options
from teahouse.core.position import Position
from teahouse.core.record_text import Tokens, check_tag, escape, split_records, tag_line, wrap
from teahouse.core.result import DRAW, UNFINISHED, winners_text
from teahouse.core.validate import check_int, check_seed, check_type

_OWN_TAGS = ("Game", "Options", "Seed", "Start", "Result")


class Record:
    """A game's options, setup, players, moves, comments and result."""

    def __init__(self, game: Game, start: Position, seed: int | None = None) -> None:
        self.game = game
        self.seed = seed
        self.names: dict[str, str] = {}
        """Player names by seat."""
        self.tags: dict[str, str] = {}
        """Other tags, such as Date."""
        self.comments: dict[int, str] = {}
        """Comments by ply; 0 is before the first move."""
        self._ending: str | None = None
        self._moves: list[str] = []
        self._positions = [start]

    @classmethod
    def new(cls, game: Game, seed: int = 0) -> Record:
        """Return a record without moves."""
        check_type("game", game, Game, "teahouse.load(name)")
        return cls(game, game.start(seed), seed)

    @classmethod
    def played(
        cls,
        game: Game,
        positions: Sequence[Position],
        moves: Sequence[str],
        seed: int | None = None,
    ) -> Record:
        """Return a record of exact moves that were played before, without playing them again."""
        if len(positions) != len(moves) + 1:
            raise ValueError(f"{len(moves)} moves need as many positions and one more.")
        record = cls(game, positions[0], seed)
        record._moves, record._positions = list(moves), list(positions)
        return record

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
        """All positions from the start on."""
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
        """The winners' seats joined by `+`, `draw`, or `*` if unfinished."""
        if self._ending is not None:
            return self._ending
        return _result(self.position) if self.position.over else UNFINISHED

    def play(self, text: str) -> Position:
        """Append a move and return the new last position."""
        if self._ending is not None:
            raise IllegalMove(
                f"Illegal move {quoted(text)}: the game has ended (result {self.result})."
            )
        position = self.position.play(text)
        self._moves.append(self.position.exact(text))
        self._positions.append(position)
        return position

    def undo(self) -> Position:
        """Remove the last move and its comment; return the new last position."""
        if not self._moves:
            raise IllegalMove("There is no move to undo.")
        self._ending = None
        self.comments.pop(len(self._moves), None)
        self._moves.pop()
        self._positions.pop()
        return self.position

    def end(self, result: str) -> None:
        """Set the result of a game that ended by resignation, agreement or time."""
        if self.position.over:
            raise ValueError(f"The game is already over by the rules (result {self.result}).")
        if result not in _results(self.game):
            raise ValueError(
                f"result must be one of {', '.join(_results(self.game))}, got {quoted(result)}."
            )
        self._ending = result

    def text(self) -> str:
        """Return the record as text; `Record.parse` is the inverse.

        Raise `ValueError` for a tag that could not be read again.
        """
        for name in self.tags:
            check_tag(name, _OWN_TAGS)
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
    def parse(cls, text: str, *, max_moves: int | None = None) -> Record:
        """Parse a record; raise `RecordError` with line and reason.

        A record with more than `max_moves` moves is rejected before any of them is played.
        """
        record, error = cls.parse_prefix(text, max_moves=max_moves)
        if error is not None:
            raise error
        return record

    @classmethod
    def parse_all(cls, text: str) -> list[Record]:
        """Parse a text with any number of records; raise `RecordError` at the first error.

        >>> one = Record.new(load_untrusted("orochi", {"side": 2})).text()
        >>> len(Record.parse_all(one + one))
        2
        """
        if not isinstance(text, str):
            raise RecordError(1, f"Records must be a string, got {quoted(text)}.")
        records = []
        for first, part in split_records(text) if text.strip() else ():
            try:
                records.append(cls.parse(part))
            except RecordError as error:
                raise RecordError(first - 1 + error.line, error.reason) from None
        return records

    @classmethod
    def parse_prefix(
        cls, text: str, *, max_moves: int | None = None
    ) -> tuple[Record, RecordError | None]:
        """Parse a record up to its first error after the tags; return that error as well.

        Raise `RecordError` if not even the game can be read, or if there are too many moves.
        """
        if not isinstance(text, str):
            raise RecordError(1, f"A record must be a string, got {quoted(text)}.")
        tokens = Tokens(text)
        tags, lines = tokens.tags()
        record = _empty(tags, lines)
        for name in tags.keys() - set(_OWN_TAGS):
            (record.names if name in record.game.players else record.tags)[name] = tags[name]
        record.names = {
            seat: record.names[seat] for seat in record.game.players if seat in record.names
        }
        record.tags = {name: record.tags[name] for name in tags if name in record.tags}
        words = list(tokens.moves((*_results(record.game), UNFINISHED)))
        if max_moves is not None:
            _check_length(words, max_moves)
        try:
            record._play_words(words)
            if tokens.error is not None:
                raise tokens.error
            record._conclude(
                tokens.result, tokens.result_line, tags.get("Result"), lines.get("Result", 1)
            )
        except RecordError as error:
            parts = split_records(text)
            if len(parts) > 1:
                first, problem = cls.parse_prefix(parts[0][1], max_moves=max_moves)
                if problem is None:
                    reason = "Another record begins here; Record.parse_all reads several."
                    return first, RecordError(parts[1][0], reason)
            return record, error
        return record, None

    def _play_words(self, words: Iterable[tuple[int, str, str]]) -> None:
        """Play the moves of a text and add its comments; raise `RecordError` at the first error."""
        comments: dict[int, list[str]] = {}
        try:
            for line, kind, word in words:
                ply = len(self._moves)
                if kind == "comment":
                    comments.setdefault(ply, []).append(word)
                elif kind == "number":
                    if int(word) != ply + 1:
                        raise RecordError(line, f"Expected move number {ply + 1}, got {word}.")
                else:
                    try:
                        self.play(word)
                    except IllegalMove as error:
                        raise RecordError(line, str(error)) from None
        finally:
            self.comments |= {ply: " ".join(found) for ply, found in comments.items()}

    def _conclude(self, result: str | None, line: int, tag: str | None, tag_line: int) -> None:
        """Set the result; raise `RecordError` if the results of tag, text and moves differ."""
        stated = [(text, at) for text, at in ((tag, tag_line), (result, line)) if text is not None]
        for text, at in stated:
            if text != UNFINISHED and text not in _results(self.game):
                raise RecordError(
                    at,
                    f"The result must be one of {', '.join(_results(self.game))} or *, got"
                    f" {quoted(text)}.",
                )
            if text != stated[0][0]:
                raise RecordError(
                    at, f"The result {text} contradicts the tag, which is {stated[0][0]}."
                )
            if self.position.over and text != _result(self.position):
                raise RecordError(
                    at, f"The moves end with result {_result(self.position)}, not {text}."
                )
        if stated and stated[0][0] != UNFINISHED and not self.position.over:
            self._ending = stated[0][0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.text() == other.text()

    __hash__ = None  # type: ignore[assignment]

    def svg(self, ply: int | None = None, **arguments: Any) -> str:
        """Return the board after a number of moves, by default all, with the last one marked.

        Keyword arguments are those of `Position.svg`.
        """
        last = len(self._moves)
        ply = last if ply is None else check_int("ply", ply, 0, last)
        if ply:
            arguments = {"last": (self._positions[ply - 1], self._moves[ply - 1]), **arguments}
        return self._positions[ply].svg(**arguments)

    def _repr_html_(self) -> str:
        """Return a board with buttons to step through the moves, for notebooks."""
        from teahouse.draw.stepper import stepper

        return stepper(self)

    def _repr_svg_(self) -> str:
        """Return the last position, for notebooks that do not show HTML."""
        return self.svg(size=420, prefix=f"r{crc32(str(self.position).encode()):x}-")

    def __repr__(self) -> str:
        return f"<Record of {self.game.title}: {len(self._moves)} moves, {self.result}>"


def _check_length(words: Sequence[tuple[int, str, str]], max_moves: int) -> None:
    """Raise `RecordError` at the first move beyond a limit."""
    moves = [line for line, kind, _ in words if kind == "word"]
    if len(moves) > max_moves:
        raise RecordError(
            moves[max_moves], f"A record may have at most {max_moves} moves, got {len(moves)}."
        )


def _empty(tags: Mapping[str, str], lines: Mapping[str, int]) -> Record:
    """Return a record without moves from its tags."""
    if "Game" not in tags:
        raise RecordError(1, 'The tag Game is missing, such as [Game "orochi"].')
    try:
        name = "Game"
        exact = exact_name(tags["Game"])
        name = "Options"
        options = parse_options(text for text in tags.get("Options", "").split("; ") if text)
        game = load_untrusted(exact, options)
        name = "Seed"
        seed = _read_seed(tags["Seed"]) if "Seed" in tags else None
        start = game.start(seed or 0)
        name = "Start"
        if "Start" in tags:
            start = game.position(tags["Start"])
    except ValueError as error:
        raise RecordError(lines.get(name, 1), f"{name}: {error}") from None
    return Record(start.game, start, seed)


def _read_seed(text: str) -> int:
    """Return a seed; raise `OptionError` if it is none."""
    return check_seed(int(text) if re.fullmatch(r"\s*[0-9]{1,20}\s*", text) else text)


def _result(position: Position) -> str:
    return winners_text(position.game, position.winners)


def _results(game: Game) -> tuple[str, ...]:
    """Return all possible results of a decided game."""
    return (
        *("+".join(game.players[player] for player in sorted(team)) for team in game.teams),
        DRAW,
    )

"""Fuzzers that know the formats: texts that are valid, nearly valid, or adversarial.

Every text follows from a seed. `check` raises whatever is not the documented error of the format.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

import teahouse as th
from teahouse.core.catalog import load_untrusted
from teahouse.core.errors import IllegalMove, OptionError, PositionError, RecordError
from teahouse.core.game import Game, game_info
from teahouse.core.options import TextOption, option_texts
from teahouse.server.web import messages as ms
from teahouse.server.web.validation import validation_error

MAX_RECORD = 100_000
MAX_TEXT = 5_000
PIECES = ("{", "}", "\\", "\n", "\r", "\t", " ", "[", "]", '"', "(", ")", "*", "draw", "1.", "…")
ODD = ("\0", "\ud800", "\u202e", "\u0661", "é", "\U0001f375", "9" * 30, "-1", "0x10", "1e9", "None")
GAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("orochi", {"side": 2}),
    ("orochi", {}),
    ("oolong", {}),
    ("oolong", {"specials": False}),
    ("fillit", {"mode": "2mini"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 6, "pieces": 3}),
    ("toot", {}),
)


@dataclass(frozen=True)
class Fuzzer:
    """A format: how to write a text from random numbers, and how to read it."""

    name: str
    generate: Callable[[random.Random], Any]
    check: Callable[[Any], None]


@cache
def _game(number: int) -> Game:
    name, options = GAMES[number]
    return th.load(name, **options)


def _random_record(rng: random.Random) -> th.Record:
    """Return a record of random length with names, tags and comments."""
    record = th.Record.new(_game(rng.randrange(len(GAMES))), seed=rng.randrange(1000))
    for ply in range(rng.choice((0, 1, 5, 30, 200))):
        if record.position.over:
            break
        if rng.random() < 0.2:
            record.comments[ply] = "".join(rng.choices((*PIECES, *ODD, "a"), k=rng.randrange(20)))
        record.play(rng.choice(record.position.legal))
    for seat in record.game.players:
        if rng.random() < 0.5:
            record.names[seat] = "".join(rng.choices((*PIECES, *ODD, "Anna"), k=3))
    if rng.random() < 0.5:
        record.tags["Event"] = "".join(rng.choices((*PIECES, *ODD), k=5))
    return record


def mutate(rng: random.Random, text: str, pieces: Iterable[str], limit: int) -> str:
    """Return a text with some of its parts repeated, dropped, swapped or replaced."""
    alphabet = [*pieces, *re.findall(r"\w+|\W", text[:2_000])] or [" "]
    for _ in range(rng.choice((0, 1, 1, 2, 5))):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice((0, 1, 3, 20, 200)))
        part = text[start:end]
        match rng.randrange(6):
            case 0:
                part = rng.choice(alphabet) * rng.choice((1, 2, 10, 1_000, limit))
            case 1:
                part = ""
            case 2:
                part *= rng.choice((2, 3, 50, 1_000))
            case 3:
                part = "".join(rng.choices(alphabet, k=rng.choice((1, 5, 100))))
            case 4:
                part = part[::-1]
            case 5:
                part = rng.choice(alphabet) + part + rng.choice(alphabet)
        text = (text[:start] + part + text[end:])[:limit]
    return text


def _record_text(rng: random.Random) -> str:
    return mutate(rng, _random_record(rng).text(), (*PIECES, *ODD), MAX_RECORD)


def _check_record(text: str) -> None:
    try:
        record = th.Record.parse(text, max_moves=ms.MAX_MOVES)
    except RecordError:
        return
    assert th.Record.parse(record.text()) == record


def _position_text(rng: random.Random) -> tuple[Game, str]:
    position = _random_record(rng).position
    pieces = ("/", ",", ":", ".", "-", "+", "^", "=", " ", *"0123456789", *ODD)
    return position.game, mutate(rng, str(position), pieces, MAX_TEXT)


def _check_position(given: tuple[Game, str]) -> None:
    game, text = given
    try:
        position = game.position(text)
    except PositionError:
        return
    assert game.position(str(position)) == position
    assert position.over or position.legal


def _layout(rng: random.Random) -> tuple[str, dict[str, str]]:
    """Return a game and its options as texts, one of them mutated."""
    game = _game(rng.randrange(len(GAMES)))
    options = option_texts(game.options)
    texts = [
        name
        for name, option in game_info(game.name).options.items()
        if isinstance(option, TextOption)
    ]
    if texts and rng.random() < 0.8:
        option = game_info(game.name).options[texts[0]]
        options[texts[0]] = rng.choice([*option.examples, _drawing(game)])
    if options:
        name = rng.choice([*options, *texts])
        pieces = (".", "#", "R", "r", "B", "b", " ", "\n", ",", "mb", "ro", *ODD)
        options[name] = mutate(rng, options.get(name, ""), pieces, MAX_TEXT)
    return game.name, options


def _drawing(game: Game) -> str:
    """Return the start of a game as a drawing of several lines, where it has one."""
    return "\n".join(line for line in game.start().text().splitlines() if line.strip())


def _check_layout(given: tuple[str, dict[str, str]]) -> None:
    try:
        load_untrusted(*given).start(1)
    except OptionError:
        return


def _move(rng: random.Random) -> tuple[th.Position, str]:
    position = _random_record(rng).position
    words = ("north", "east", "to", "the", "pass", "P", "S", "->", ">", "<>", "!", "@", "-", "~")
    legal = position.legal or ("",)
    return position, mutate(rng, rng.choice(legal), (*words, *PIECES, *ODD), MAX_TEXT)


def _check_move(given: tuple[th.Position, str]) -> None:
    position, text = given
    try:
        position.play(text)
    except IllegalMove:
        return


MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": "join", "protocol": 2, "secrets": ["a" * 22], "after": 3, "snapshots": False},
    {"type": "play", "id": 1, "seat": 0, "ply": 0, "move": "wd4"},
    {"type": "offer", "id": 2, "seat": 0, "offer": "takeback", "ply": 3},
    {"type": "respond", "id": 3, "seat": 1, "offer": "draw", "accept": True},
    {"type": "resign", "id": 4, "seat": 1},
    {"type": "chat", "id": 5, "seat": 0, "text": "Good luck!"},
    {"type": "rename", "id": 6, "seat": 0, "name": "Anna"},
    {"type": "hint", "id": 7, "seat": 0, "ply": 2},
    {"type": "ping", "id": 8},
)
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1 << 70, 0.5, 1e308, "", "x" * 5_000, [], {}, [[[[]]]], {"a": {"b": 1}}),
    *ODD[:6],
)


def _message(rng: random.Random) -> str:
    body = dict(rng.choice(MESSAGES))
    for _ in range(rng.choice((0, 1, 2))):
        body[rng.choice([*body, "extra", "type"])] = rng.choice(VALUES)
    if rng.random() < 0.2:
        del body[rng.choice(list(body))]
    text = json.dumps(body)
    pieces = ("{", "}", "[", "]", '"', ":", ",", "\\u0000", "\\ud800", "null", *ODD)
    return mutate(rng, text, pieces, 4_096) if rng.random() < 0.6 else text


def _check_message(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    for adapter in (ms.join_adapter, ms.message_adapter):
        try:
            message = adapter.validate_json(data)
        except ValidationError as error:
            assert validation_error(error.errors(include_url=False, include_input=False)).message
        else:
            if isinstance(message, ms.CommandIn):
                message.command()


FUZZERS = {
    fuzzer.name: fuzzer
    for fuzzer in (
        Fuzzer("records", _record_text, _check_record),
        Fuzzer("positions", _position_text, _check_position),
        Fuzzer("layouts", _layout, _check_layout),
        Fuzzer("moves", _move, _check_move),
        Fuzzer("messages", _message, _check_message),
    )
}

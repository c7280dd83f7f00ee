"""Toot's scene: the table, prompts and results."""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from teahouse.core.game import Game
from teahouse.core.position import Position
from teahouse.core.result import result_sentence
from teahouse.core.scene import (
    Caption,
    Choice,
    Hand,
    Label,
    Piece,
    Scene,
    Spot,
)
from teahouse.games.toot import bitboards, links, movegen, notation, rules
from teahouse.games.toot.explanations import deciding, explain, scores
from teahouse.games.toot.interaction import animations, cell_point, click_paths, count, describe
from teahouse.games.toot.refusals import refuse

__all__ = ["animations", "click_paths", "describe", "explain", "prompt", "refuse", "scene"]

COUNTDOWN = 3  # in the last 1/N of the quiet turns, prompts announce the end of the game
CELL_WIDTH = 3  # characters, so that all 21 columns fit
FIRST_TILES = {"k12": (bitboards.BLUE, "TO"), "k11": (bitboards.RED, "OT")}
CHOICES = (
    Choice("stop", "Stop jumping"),
    Choice("sacrifice", "Sacrifice"),
    Choice("pass", "Pass"),
)
ACTIONS = {
    movegen.ENTER: "enter a piece on {where}",
    movegen.STEP: "step",
    movegen.JUMP: "jump",
    movegen.RETURN: "return a captured piece",
    movegen.SACRIFICE: "sacrifice a piece",
}
FORMS = {
    movegen.PLACE: "+ and a cell, such as {move}",
    movegen.ENTER: "* to enter",
    movegen.STEP: "from-to to step",
    movegen.JUMP: "from^to to jump",
    movegen.STOP: ". to stop",
    movegen.RETURN: "tile>cell to return",
    movegen.SACRIFICE: "piece!tile>cell to sacrifice",
    movegen.PASS: "- to pass",
}


@dataclass(frozen=True)
class TableGeometry:
    """Coordinates of the cells around the placed tiles."""

    cells: list[tuple[str, int, int]]
    """The tiles and the free cells around them in order, with columns and lines of the text."""
    labels: tuple[Label, ...]
    captions: tuple[Caption, ...]


def scene(position: Position) -> Scene:
    """Return the scene of a position: the tiles and the free cells around them."""
    state = position.state_view
    glyphs = notation.cell_glyphs(state)
    table = _table(tuple(glyphs))
    due = notation.NAMES.get(state.active)
    spots = tuple(
        [
            _spot(name, column, line, glyphs.get(name, "."), name == due)
            for name, column, line in table.cells
        ]
    )
    labels = table.labels
    if due is not None:  # mark the tile just placed or the piece that may jump again
        spot = next(spot for spot in spots if spot.name == due)
        after = spot.column + len(spot.glyph)
        labels += (Label(spot.column - 1, spot.line, "("), Label(after, spot.line, ")"))
    return Scene(
        spots,
        prompt(position),
        labels,
        footer(position),
        colours=("blue", "red"),
        choices=CHOICES,
        hands=hands(position.game, state),
        captions=table.captions,
        notation_hint=notation_hint(position),
        reason=reason(position),
        scores=scores(position),
        deciding=deciding(position),
    )


@lru_cache(maxsize=1024)  # most moves leave the tiles where they are
def _table(tiles: tuple[str, ...]) -> TableGeometry:
    names = sorted({*tiles}.union(*map(_adjacent, tiles)), key=notation.CELLS.__getitem__)
    columns, rows = zip(*map(notation.POINTS.__getitem__, names), strict=True)
    left, right, bottom, top = min(columns), max(columns), min(rows), max(rows)
    return TableGeometry(
        [
            (name, 4 + CELL_WIDTH * (column - left), 1 + top - row)
            for name, column, row in zip(names, columns, rows, strict=True)
        ],
        *_margins(left, right, bottom, top),
    )


@lru_cache(maxsize=1024)
def _margins(
    left: int, right: int, bottom: int, top: int
) -> tuple[tuple[Label, ...], tuple[Caption, ...]]:
    """Return the letters of columns and the numbers of rows, for texts and pictures."""
    columns, rows = range(left, right + 1), range(bottom, top + 1)
    labels = [Label(4 + CELL_WIDTH * (column - left), 0, chr(column)) for column in columns]
    labels += [Label(0, 1 + top - row, f"{row:2}") for row in rows]
    low, near = 11.5 - bottom + 0.78, left - ord("k") - 0.85
    captions = [Caption(column - ord("k"), low, chr(column)) for column in columns]
    captions += [Caption(near, 11.5 - row, str(row)) for row in rows]
    return tuple(labels), tuple(captions)


@lru_cache(maxsize=4096)  # equal spots recur in most positions
def _spot(name: str, column: int, line: int, glyph: str, due: bool) -> Spot:
    return Spot(
        name,
        column,
        line,
        glyph,
        *cell_point(name),
        shape="square",
        kind="free" if glyph == "." else "cell",
        label=f"{name}: {_words(glyph)}",
        pieces=_pieces(name, glyph),
        marks=("due",) if due else (),
    )


def _pieces(name: str, glyph: str) -> tuple[Piece, ...]:
    """Return the pieces on a cell: a tile, with or without a piece."""
    if glyph == ".":
        return ()
    player = notation.LETTERS.index(glyph[0].lower())
    first = FIRST_TILES.get(name)
    tile = Piece("tile", player, text=first[1] if first and first[0] == player else "")
    if glyph.islower():
        return (tile,)
    return (tile, Piece("cylinder", player, turned=glyph.endswith("=")))


def _words(glyph: str) -> str:
    if glyph == ".":
        return "free"
    seat = notation.SEATS[notation.LETTERS.index(glyph[0].lower())].lower()
    if glyph.islower():
        return f"{seat} tile"
    return f"{seat} piece{', lying' if glyph.endswith('=') else ''}"


def hands(game: Game, state: Any) -> tuple[Hand, ...]:
    """Return what each player has in hand, captured once and lost for good."""
    total = game.options["pieces"]
    counts = zip(
        state.tiles_in_hand, state.pieces_in_hand, state.captured, state.remaining, strict=True
    )
    return tuple(
        hand
        for player, (tiles, pieces, aside, remaining) in enumerate(counts)
        for hand in _stacks(player, game.players[player], tiles, pieces, aside, total - remaining)
    )


@lru_cache(maxsize=1024)
def _stacks(
    player: int, seat: str, tiles: int, pieces: int, aside: int, gone: int
) -> tuple[Hand, ...]:
    """Return the four stacks of a player."""
    tile, piece, lying, lost = (
        Piece("tile", player, count=tiles),
        Piece("cylinder", player, count=pieces),
        Piece("cylinder", player, turned=True, count=aside),
        Piece("cylinder", player, count=gone),
    )
    return (
        Hand(f"{seat}'s tiles", player, f"{seat}: {count(tiles, 'tile')} in hand", tile),
        Hand(f"{seat}'s pieces", player, f"{seat}: {count(pieces, 'piece')} in hand", piece),
        Hand(f"{seat}'s captured", player, f"{seat}: {aside} captured, may return", lying),
        Hand(f"{seat}'s lost", player, f"{seat}: {gone} lost for good", lost, captured=True),
    )


@cache
def _adjacent(name: str) -> tuple[str, ...]:
    """Return the cells next to a cell."""
    column, row = ord(name[0]), int(name[1:])
    names = [f"{chr(column + right)}{row + up}" for right, up in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    return tuple(name for name in names if name in notation.CELLS)


def footer(position: Position) -> tuple[str, ...]:
    """Return the legend, the players' supplies, the last capture and the turns without progress."""
    game, state = position.game, position.state_view
    lines = [
        f"{seat}: in hand {count(state.tiles_in_hand[player], 'tile')} and"
        f" {count(state.pieces_in_hand[player], 'piece')}, captured {state.captured[player]},"
        f" lost {game.options['pieces'] - state.remaining[player]},"
        f" sacrifice {'used' if state.sacrificed[player] else 'unused'}"
        for player, seat in enumerate(game.players)
    ]
    if state.last_captor:
        lines.append(f"Last capture: {_last_captor(state)}")
    if state.quiet_turns and not state.over:
        limit = game.all_options["quiet_limit"]
        lines.append(f"Turns without progress: {state.quiet_turns} of {limit}")
    return ("b r tiles   B R pieces   B= R= on their second life   . free cells", *lines)


def prompt(position: Position) -> str:
    """Return what the player has to do, or the result."""
    if position.over:
        return result_sentence(position.game, position.winners, reason(position))
    state, player = position.state_view, position.player
    where = notation.NAMES.get(state.active)
    if state.phase == movegen.FURTHER:
        return f"Jump again with the piece on {where}, or stop."
    kinds = _kinds(position)
    if kinds == [movegen.PLACE]:
        return "Place a tile on a free cell."
    if kinds == [movegen.PASS]:
        return "No move is possible: pass."
    if kinds == [movegen.ENTER] and state.pieces_in_hand[player] > state.tiles_in_hand[player]:
        return f"Enter a piece on {where} (more pieces than tiles are in hand)."
    actions = [ACTIONS[kind].format(where=where) for kind in kinds]
    return f"{_or(actions).capitalize()}.{_countdown(position)}"


def _countdown(position: Position) -> str:
    """Return how a game without progress will end, if that is near (T17, T18)."""
    state = position.unpack()
    limit = position.game.all_options["quiet_limit"]
    turns = limit - state.quiet_turns
    if turns > limit // COUNTDOWN:
        return ""
    rules.adjudicate(position.game.board, state)
    winners = [seat for player, seat in enumerate(notation.SEATS) if state.winners >> player & 1]
    result = f"{winners[0]} wins" if winners else "it is a draw"
    return f" After {count(turns, 'more turn')} without progress {result}."


def notation_hint(position: Position) -> str:
    """Return how to type the moves that are legal now."""
    if position.over:
        return ""
    forms = [FORMS[kind].format(move=position.legal[0]) for kind in _kinds(position)]
    return f"Type {_or(forms)}."


@lru_cache(maxsize=16)  # for the prompt, and for the notation of moves
def _kinds(position: Position) -> list[int]:
    """Return the kinds of moves that the current decision offers."""
    state, player = position.state_view, position.player
    if state.phase == movegen.FURTHER:
        return [movegen.JUMP, movegen.STOP]
    if state.phase == movegen.FIRST and state.tiles_in_hand[player]:
        return [movegen.PLACE]
    if state.phase == movegen.FIRST and movegen.must_pass(state):
        return [movegen.PASS]
    kinds = []
    if state.phase == movegen.SECOND and state.pieces_in_hand[player]:
        kinds.append(movegen.ENTER)
        if state.pieces_in_hand[player] > state.tiles_in_hand[player]:
            return kinds
    if movegen.count_piece_moves(state, player):
        kinds += [movegen.STEP, movegen.JUMP]
    if state.phase == movegen.FIRST:
        vacant = links.vacant_ranks(state, player)
        if state.captured[player] and _can_take(state, vacant):
            kinds.append(movegen.RETURN)
        standing = 0 if state.sacrificed[player] else links.standing_pieces(state, player)
        if standing and _can_take(state, vacant | links.ranks_of(standing)):
            kinds.append(movegen.SACRIFICE)
    return kinds


def _can_take(state: Any, ranks: int) -> bool:
    """Return whether one of these tiles of the player to move has at most three neighbours."""
    return any(
        links.tiles_in_word(state, state.player, ranks, word) & bitboards.loose_cells(state, word)
        for word in range(bitboards.WORDS)
    )


def _or(items: list[str]) -> str:
    return " or ".join([", ".join(items[:-1])] * (len(items) > 1) + items[-1:])


def reason(position: Position) -> str:
    """Return why the game ended (T14, T16 to T18)."""
    if not position.over:
        return ""
    game, state = position.game, position.state_view
    for seat, left in zip(game.players, state.remaining, strict=True):
        if left <= 1:
            return f"{seat} has {'one' if left else 'no'} piece left"
    why = f"{game.all_options['quiet_limit']} turns passed without progress"
    if state.passes == 2:
        why = "both players passed"
    if not game.options["most_pieces"]:
        return why
    blue, red = state.remaining
    why = f"{why}, with {blue} blue and {red} red pieces left"
    if blue != red or not game.board.last_capture:
        return why
    if not state.last_captor:
        return f"{why}, and none was ever captured"
    return f"{why}; {_last_captor(state)} captured last"


def _last_captor(state: Any) -> str:
    """Return the seat of the player who captured last (T18)."""
    return notation.SEATS[state.last_captor - 1]

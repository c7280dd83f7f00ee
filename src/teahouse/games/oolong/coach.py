"""Texts of Oolong's coach for beginners."""

from teahouse.core.position import Position
from teahouse.games.oolong import equipment
from teahouse.games.oolong.geometry import WORDS
from teahouse.games.oolong.notation import NAMES, PLAYERS

ALMOST = equipment.CLAIM - 1


def advise(position: Position) -> str:
    """Return what the player may do: seats that claim a table, and doors to keep shut."""
    own, rival = position.player, 1 - position.player
    state = position.state_view
    if state.pending:
        return (
            "A marker woke up, and it is yours to use. Use it if it helps you to a fifth cup or"
            " keeps your rival from one; else skip, and it can wake up again."
        )
    servings = [move.split(".") for move in position.legal]
    claims = sorted({table for table, _ in servings if _is_almost(position, own, table)})
    doors = sorted({seat for _, seat in servings if _is_almost(position, rival, seat)})
    parts = []
    if claims:
        parts.append(f"Your fifth cup at the {_words(claims)} table wins it.")
    if doors:
        parts.append(
            f"Beware: the {_words(doors)} seat sends {PLAYERS[rival]} to a table with four"
            f" {PLAYERS[rival].lower()} cups."
        )
    if not parts and equipment.servable_seats(state):
        cups = _counts(position, NAMES[state.waiter_table])
        theirs = f"{PLAYERS[rival]} has {cups[rival] or 'none'}"
        parts.append(
            f"At this table you have {_cups(cups[own])}, {theirs}. Each seat points to the table"
            f" of its name: send {PLAYERS[rival]} where little can be won."
        )
    elif not parts:
        parts.append(
            "The waiter's table has no seat for you: pour at any other one, where you collect cups."
        )
    return " ".join(parts)


def remark(position: Position, move: str, viewer: int) -> str:
    """Return why a move mattered: a claimed table, a marker, or where it sent the waiter."""
    player, after = position.player, position.play(move)
    who = "You" if player == viewer else PLAYERS[player]
    before, tables = _tables(position), _tables(after)
    for side in (0, 1):
        if len(tables[side]) > len(before[side]):
            whose = "yours" if side == viewer else f"{PLAYERS[side]}'s"
            won = _words(sorted(tables[side] - before[side]))
            score = f"{len(tables[viewer])} to {len(tables[1 - viewer])}"
            return f"Five cups: the {won} table is {whose}. Tables, yours first: {score}."
    if position.state_view.pending:
        return f"{who} {'skipped' if move == '-' else 'used'} the marker."
    marker = "That cup woke up a marker." if after.state_view.pending else ""
    if player == viewer or after.over:
        return marker
    seat = WORDS[move.split(".")[1]]
    sent = "it sent the waiter and you there."
    if not equipment.servable_seats(after.state_view):
        sent = "it sent the waiter to a table without a seat for you: pour at any other one."
    return f"{who} poured at the {seat} seat: {sent} {marker}".strip()


def _tables(position: Position) -> list[set[str]]:
    """Return the tables that each player has claimed."""
    return [{table for table in NAMES if _owner(position, table) == side} for side in (0, 1)]


def _counts(position: Position, table: str) -> list[int]:
    number = NAMES.index(table)
    return [position.state_view.tokens[player][number].bit_count() for player in (0, 1)]


def _owner(position: Position, table: str) -> int | None:
    counts = _counts(position, table)
    return next((player for player in (0, 1) if counts[player] >= equipment.CLAIM), None)


def _is_almost(position: Position, player: int, table: str) -> bool:
    """Return whether one more cup would claim a table for a player."""
    return _owner(position, table) is None and _counts(position, table)[player] == ALMOST


def _cups(count: int) -> str:
    return f"{count or 'no'} cup{'' if count == 1 else 's'}"


def _words(names: list[str]) -> str:
    return " and ".join(WORDS[name] for name in names)

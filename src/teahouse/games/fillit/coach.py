"""Texts of Fillit's coach for beginners."""

from teahouse.core.position import Position
from teahouse.games.fillit.notation import chips_in_hand

CLOSE = 4
"""Chips in hand from which on a side may win in one slide."""


def advise(position: Position) -> str:
    """Return what the player may do: the best slide, and whether a rival is about to win."""
    side = position.game.side(position.player)
    slides = {
        move: [before - after for before, after in zip(_hands(position), hands, strict=True)]
        for move in position.legal
        if move.startswith("P")
        for hands in [_hands(position.play(move))]
    }
    parts = []
    if slides:
        best = max(slides, key=lambda move: (slides[move][side], -sum(slides[move])))
        laid, others = slides[best][side], sum(slides[best]) - slides[best][side]
        home = f" and sends {_chips(-others)} home" if others else ""
        end = best.split("-")[1]
        if laid:
            parts.append(f"Your best slide, to {end}, lays {_chips(laid)}{home}.")
        else:
            parts.append("No slide lays a chip now: slide where the next one will be long.")
    else:
        parts.append("Move a stone one step: it trades places with whatever is there.")
    hands = _hands(position)
    near = [team for team in range(len(hands)) if team != side and hands[team] <= CLOSE]
    if near:
        left = " and ".join(_left(position, team, hands[team]) for team in near)
        parts.append(f"Beware: {left} left. Use a stone as a brake.")
    elif slides and any(move.startswith("S") for move in position.legal):
        parts.append("A stone moved first may make a slide longer.")
    return " ".join(parts)


def remark(position: Position, move: str, viewer: int) -> str:
    """Return why a move mattered: chips laid and sent home, or a pawn that was moved."""
    game, after = position.game, position.play(move)
    own, side = game.side(viewer), game.side(position.player)
    who = "You" if position.player == viewer else game.players[position.player]
    if move.startswith("S"):
        moved = [
            seat
            for seat, (one, other) in enumerate(
                zip(position.state_view.pawns, after.state_view.pawns, strict=True)
            )
            if one != other
        ]
        if not moved:
            return ""
        whose = "your" if moved[0] == viewer else f"{game.players[moved[0]]}'s"
        return f"{who} traded a stone's place with {whose} pawn."
    before, hands = _hands(position), _hands(after)
    laid = before[side] - hands[side]
    home = {team: hands[team] - before[team] for team in range(len(hands)) if team != side}
    returned = [
        f" and sent {_chips(count)} back to {'your' if team == own else 'another'} hand"
        for team, count in home.items()
        if count
    ]
    where = "in your hand" if side == own else "in theirs"
    return f"{who} laid {_chips(laid)}{''.join(returned)}. Left {where}: {hands[side]}."


def _hands(position: Position) -> list[int]:
    """Return the chips in each side's hand."""
    return chips_in_hand(position.game.board, position.state_view)


def _left(position: Position, side: int, chips: int) -> str:
    """Return how few chips a side has, without the last word."""
    names = [position.game.players[player] for player in position.game.teams[side]]
    return f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} only {_chips(chips)}"


def _chips(count: int) -> str:
    return f"{count or 'no'} chip{'' if count == 1 else 's'}"

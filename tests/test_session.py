"""Game sessions by example: resigning, results in words, takebacks, rematches, clocks."""

from __future__ import annotations

from typing import Any

import pytest

import teahouse as th
from teahouse.session import commands, rematch
from teahouse.session import events as ev
from teahouse.session.clock import DAY
from teahouse.session.errors import CommandError
from teahouse.session.events import Timestamp
from teahouse.session.result import replacement_text, result_text
from teahouse.session.state import GameSession

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("orochi", {"side": 2}),
    ("oolong", {}),
    ("fillit", {"mode": "3"}),
    ("fillit", {"mode": "teams"}),
    ("toot", {"tiles": 4, "pieces": 2}),
]


def created(game: str, control: ev.TimeControl | None = None, **options: Any) -> GameSession:
    """Return a new game of people on one device."""
    loaded = th.load(game, **options)
    event = ev.Created(
        game=game,
        options=loaded.options,
        seed=1,
        seats=tuple(ev.HumanSeat() for _ in loaded.players),
        time_control=control or ev.Untimed(),
    )
    return GameSession(event, Timestamp())


def send(session: GameSession, command: commands.Command) -> list[ev.Event]:
    events = commands.decide(session, command, Timestamp(), lambda: "aaaaaaaaaa")
    session.commit(events, Timestamp())
    return events


@pytest.mark.parametrize(
    ("game", "options", "result", "order"),
    [
        ("orochi", {}, "White", [1, 0]),
        ("orochi", {}, "draw", [1, 0]),
        ("oolong", {}, "Green", [0, 1]),  # O2: the loser was Black and stays Black
        ("oolong", {}, "Black", [1, 0]),
        ("oolong", {}, "draw", [1, 0]),
        ("fillit", {"mode": "3"}, "draw", [2, 0, 1]),
        ("fillit", {"mode": "teams"}, "Red+Blue", [3, 0, 1, 2]),
    ],
)
def test_seats_of_a_rematch(
    game: str, options: dict[str, Any], result: str, order: list[int]
) -> None:
    session = created(game, **options)
    if "+" in result:
        result = "+".join(session.game.players[seat] for seat in session.game.teams[0])
    session.commit([ev.Ended(result=result, reason="resigned", seat=0)], Timestamp())
    assert rematch.seat_order(session) == order


def test_resigning_with_two_sides() -> None:
    session = created("orochi", side=2)
    send(session, commands.Resign(seat=0))
    assert (session.result, session.winners) == ("Black", (1,))
    assert result_text(session) == "White resigned. Black wins."


def test_resigning_with_three_sides_hands_over_to_a_bot() -> None:
    session = created("fillit", mode="3")
    (event,) = send(session, commands.Resign(seat=1))
    assert isinstance(event, ev.Replaced)
    assert not session.over
    assert session.is_bot(1)
    name = session.game.players[1]
    assert replacement_text(session, event) == f"{name} resigned. A level 3 bot takes over."


def test_a_partner_has_to_agree_to_resigning() -> None:
    game = th.load("fillit", mode="teams")
    event = ev.Created(
        game="fillit",
        options=game.options,
        seed=1,
        seats=tuple(ev.HumanSeat(kind="remote") for _ in game.players),
    )
    session = GameSession(event, Timestamp())
    send(session, commands.Resign(seat=0))
    assert not session.over
    assert session.awaiting(session.offers["resign"]) == {2}
    send(session, commands.Respond(seat=2, offer="resign", accept=True))
    assert session.winners == (1, 3)
    first, third = game.players[1], game.players[3]
    assert result_text(session) == f"{game.players[0]} resigned. {first} and {third} win."


def test_draws_and_timeouts_in_words() -> None:
    session = created("orochi", side=2)
    send(session, commands.Offer(seat=0, offer="draw"))  # one device: agreed at once
    assert result_text(session) == "Draw agreed."
    session = created("orochi", ev.Realtime(seconds=10), side=2)
    late = Timestamp(11.0, 11.0)
    session.commit(commands.time_out(session, late), late)
    assert result_text(session) == "White's time ran out. Black wins."


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_an_ending_by_the_rules_names_its_reason(game: str, options: dict[str, Any]) -> None:
    session = created(game, **options)
    while not session.over:
        move = session.position.legal[-1]
        send(session, commands.Play(seat=session.position.player, ply=session.ply, move=move))
    text = result_text(session)
    assert text is not None
    assert session.position.scene.reason
    assert text.endswith(f": {session.position.scene.reason}.")


def test_takebacks_go_to_the_players_own_move() -> None:
    session = created("orochi", side=2)
    for move in ("wa1", "wa2", "bb1"):
        send(session, commands.Play(seat=session.position.player, ply=session.ply, move=move))
    assert [played.player for played in session.moves] == [0, 1, 1]
    assert session.last_ply_of([0]) == 0
    assert session.last_ply_of([0, 1]) == 2
    assert session.last_ply_of([]) is None
    with pytest.raises(CommandError, match="was not yours"):
        send(session, commands.Offer(seat=0, offer="takeback", ply=1))
    send(session, commands.Offer(seat=1, offer="takeback", ply=1))
    assert [played.move for played in session.moves] == ["wa1"]


def test_days_are_renewed_each_turn_and_pass_while_the_server_is_stopped() -> None:
    session = created("orochi", ev.Correspondence(days=2), side=2)
    later = Timestamp(1.5 * DAY, 0.0)
    session.commit([commands.play(session, 0, 0, "wa1")], later)
    assert session.clock.seconds_left(later) == 2 * DAY
    assert not commands.time_out(session, Timestamp(3.4 * DAY, 0.0))
    (event,) = commands.time_out(session, Timestamp(3.6 * DAY, 0.0))
    assert isinstance(event, ev.Ended)
    assert event.result == "White"


def test_a_rematch_of_a_loaded_record_has_a_new_setup() -> None:
    record = th.Record.new(th.load("oolong"), seed=1)
    session = GameSession.from_record(record, [ev.HumanSeat(), ev.BotSeat(level=1)], Timestamp())
    session.commit([ev.Ended(result="Black", reason=None, seat=None)], Timestamp())
    following = GameSession(rematch.next_game(session, seed=2), Timestamp())
    assert following.start == session.game.start(2)
    assert following.start != session.start
    assert [seat.kind for seat in following.seats] == ["bot", "local"]  # O2: the loser is Black
    record = th.Record(session.game, session.start.play(session.start.legal[0]))
    session = GameSession.from_record(record, [ev.HumanSeat(), ev.HumanSeat()], Timestamp())
    assert rematch.next_game(session, seed=2).start == str(record.positions[0])


def test_taking_back_reopens_a_game_that_had_ended() -> None:
    session = created("orochi", side=2)
    send(session, commands.Play(seat=0, ply=0, move="wa1"))
    send(session, commands.Resign(seat=1))
    with pytest.raises(CommandError, match="over"):
        send(session, commands.Offer(seat=0, offer="takeback"))
    session.commit([ev.TookBack(ply=0)], Timestamp())  # as a terminal game may
    assert (session.over, session.result, session.ply, session.player) == (False, "*", 0, 0)

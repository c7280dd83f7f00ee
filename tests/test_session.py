"""Game sessions by example: resigning, results in words, takebacks, rematches, clocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import teahouse as th
from teahouse.session import checkpoint, commands, rematch
from teahouse.session import events as ev
from teahouse.session.clock import DAY
from teahouse.session.consent import REMATCH_SECONDS, awaiting
from teahouse.session.errors import CommandError
from teahouse.session.events import LoggedEvent, Timestamp
from teahouse.session.forfeits import REPLACEMENT_LEVEL
from teahouse.session.result import replacement_text, result_text
from teahouse.session.state import CHAT_WINDOW, GameSession

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


def send(session: GameSession, command: commands.Command, at: float = 0.0) -> list[ev.Event]:
    now = Timestamp(wall=at)
    events = commands.decide(session, command, now, lambda: "aaaaaaaaaa")
    session.commit(events, now)
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
    assert awaiting(session, session.offers["resign"]) == {2}
    send(session, commands.Respond(seat=2, offer="resign", accept=True))
    assert session.winners == (1, 3)
    first, third = game.players[1], game.players[3]
    assert result_text(session) == f"{game.players[0]} resigned. {first} and {third} win."


def _three(*seats: ev.SeatSpec, **more: Any) -> GameSession:
    options = th.load("fillit", mode="3").options
    event = ev.Created(game="fillit", options=options, seed=1, seats=seats, **more)
    return GameSession(event, Timestamp())


def test_who_resigned_against_bots_has_a_rematch_at_once() -> None:
    session = _three(ev.HumanSeat(), ev.BotSeat(level=1), ev.BotSeat(level=2))
    with pytest.raises(CommandError, match="once the game is over"):
        send(session, commands.Offer(seat=0, offer="rematch"))
    send(session, commands.Resign(seat=0))
    assert session.bots_only
    assert not session.over
    with pytest.raises(CommandError, match="played by a bot"):
        send(session, commands.Offer(seat=1, offer="rematch"))
    with pytest.raises(CommandError, match="played by a bot"):
        send(session, commands.Offer(seat=0, offer="draw"))
    assert send(session, commands.Offer(seat=0, offer="rematch")) == [
        ev.Rematched(table="aaaaaaaaaa")
    ]
    again = rematch.next_game(session, seed=2)
    assert [spec.kind for spec in again.seats] == ["bot", "local", "bot"]


def test_all_who_resigned_agree_to_a_rematch_while_bots_play_on() -> None:
    session = _three(*(ev.HumanSeat(kind="remote") for _ in range(2)), ev.BotSeat(level=1))
    send(session, commands.Resign(seat=0))
    with pytest.raises(CommandError, match="once the game is over"):
        send(session, commands.Offer(seat=0, offer="rematch"))
    send(session, commands.Resign(seat=1))
    send(session, commands.Offer(seat=0, offer="rematch"))
    session.commit([commands.play(session, 0, 0, session.position.legal[0])], Timestamp())
    assert awaiting(session, session.offers["rematch"]) == {1}
    log = send(session, commands.Offer(seat=1, offer="rematch"))
    assert isinstance(log[-1], ev.Rematched)
    assert not session.offers


def _three_after_the_game(control: ev.TimeControl | None = None, **more: Any) -> GameSession:
    """Return a game of three people on three devices that is over; seat 1 had resigned."""
    people = (ev.HumanSeat(), ev.HumanSeat(kind="remote"), ev.HumanSeat(kind="remote"))
    session = _three(*people, time_control=control or ev.Untimed(), **more)
    send(session, commands.Resign(seat=1))
    session.commit([ev.Ended(result="draw", reason="agreed", seat=None)], Timestamp())
    return session


def test_who_resigned_is_asked_for_a_rematch_after_the_game() -> None:
    session = _three_after_the_game()
    send(session, commands.Offer(seat=0, offer="rematch"))
    send(session, commands.Respond(seat=2, offer="rematch", accept=True))
    assert awaiting(session, session.offers["rematch"]) == {1}
    log = send(session, commands.Respond(seat=1, offer="rematch", accept=True))
    assert log[-1] == ev.Rematched(table="aaaaaaaaaa", without=())
    assert [spec.kind for spec in rematch.next_game(session, seed=2).seats] == [
        "remote",
        "local",
        "remote",
    ]


@pytest.mark.parametrize("first", ["declines", "agrees"])
def test_who_declines_a_rematch_of_three_leaves_it_to_the_others(first: str) -> None:
    session = _three_after_the_game(rated=True)
    send(session, commands.Offer(seat=0, offer="rematch"))
    answers = [(1, False), (2, True)] if first == "declines" else [(2, True), (1, False)]
    for seat, accept in answers:
        log = send(session, commands.Respond(seat=seat, offer="rematch", accept=accept))
    agreed = log[-1]
    assert agreed == ev.Rematched(table="aaaaaaaaaa", without=(1,))
    assert isinstance(agreed, ev.Rematched)
    again = rematch.next_game(session, 2, agreed.without)
    assert [spec.kind for spec in again.seats] == ["remote", "local", "bot"]
    assert again.seats[2] == ev.BotSeat(level=REPLACEMENT_LEVEL)
    assert not again.rated


def test_who_declined_a_rematch_may_think_again() -> None:
    session = _three_after_the_game()
    send(session, commands.Offer(seat=0, offer="rematch"))
    send(session, commands.Respond(seat=1, offer="rematch", accept=False))
    assert awaiting(session, session.offers["rematch"]) == {2}
    send(session, commands.Offer(seat=1, offer="rematch"))
    log = send(session, commands.Respond(seat=2, offer="rematch", accept=True))
    assert log[-1] == ev.Rematched(table="aaaaaaaaaa", without=())


def test_a_rematch_that_all_others_decline_is_none() -> None:
    session = _three_after_the_game()
    send(session, commands.Offer(seat=0, offer="rematch"))
    for seat in (1, 2):
        send(session, commands.Respond(seat=seat, offer="rematch", accept=False))
    assert not session.offers
    assert session.rematch is None


@pytest.mark.parametrize(
    ("control", "patience"),
    [(ev.Untimed(), REMATCH_SECONDS), (ev.Correspondence(days=2), 2 * DAY)],
)
def test_who_does_not_answer_does_not_block_a_rematch_of_three(
    control: ev.TimeControl, patience: float
) -> None:
    session = _three_after_the_game(control)
    send(session, commands.Offer(seat=0, offer="rematch"), at=100.0)
    send(session, commands.Respond(seat=2, offer="rematch", accept=True), at=101.0)
    with pytest.raises(CommandError, match="already"):
        send(session, commands.Offer(seat=2, offer="rematch"), at=99.0 + patience)
    log = send(session, commands.Offer(seat=2, offer="rematch"), at=100.0 + patience)
    assert log == [ev.Rematched(table="aaaaaaaaaa", without=(1,))]


def test_a_rematch_of_two_needs_both_however_long_it_takes() -> None:
    session = GameSession(
        replace(created("orochi").created, seats=(ev.HumanSeat(), ev.HumanSeat(kind="remote"))),
        Timestamp(),
    )
    send(session, commands.Resign(seat=0))
    send(session, commands.Offer(seat=0, offer="rematch"))
    with pytest.raises(CommandError, match="already"):
        send(session, commands.Offer(seat=0, offer="rematch"), at=10 * DAY)
    send(session, commands.Respond(seat=1, offer="rematch", accept=False))
    assert not session.offers


def test_one_device_agrees_to_a_rematch_of_all_its_seats() -> None:
    session = _three(ev.HumanSeat(), ev.HumanSeat(), ev.BotSeat(level=1))
    for seat in (0, 1):
        send(session, commands.Resign(seat=seat))
    assert isinstance(send(session, commands.Offer(seat=1, offer="rematch"))[-1], ev.Rematched)


def test_draws_and_timeouts_in_words() -> None:
    session = created("orochi", side=2)
    send(session, commands.Offer(seat=0, offer="draw"))  # one device: agreed at once
    assert result_text(session) == "Draw agreed."
    session = created("orochi", ev.Realtime(seconds=10), side=2)
    late = Timestamp(13.0, 13.0)
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


def test_takebacks_against_a_bot_gain_no_time() -> None:
    game = th.load("orochi", side=3)
    event = ev.Created(
        game="orochi",
        options=game.options,
        seed=1,
        seats=(ev.HumanSeat(), ev.BotSeat(level=1)),
        time_control=ev.Realtime(seconds=100, increment=30),
    )
    session = GameSession(event, Timestamp())
    for number in range(1, 11):
        now = Timestamp(0.0, float(number))
        session.commit([commands.play(session, 0, 0, "wa1")], now)
        session.commit([commands.play(session, 1, 1, "wa2")], now)
        assert session.clock.remaining == [130.0 - number, None]
        events = commands.decide(session, commands.Offer(seat=0, offer="takeback"), now, str)
        session.commit(events, now)
        assert session.clock.remaining == [100.0 - number, None]
    late = Timestamp(0.0, 99.0)
    session.commit([commands.play(session, 0, 0, "wa1")], late)
    session.commit([commands.play(session, 1, 1, "wa2")], late)
    session.commit([commands.play(session, 1, 2, "wa3")], late)
    later = Timestamp(0.0, 105.0)  # 25 seconds left, all of them from the increment
    with pytest.raises(CommandError, match="no time left"):
        commands.decide(session, commands.Offer(seat=0, offer="takeback"), later, str)


def test_days_are_not_renewed_by_taking_back_in_ones_own_turn() -> None:
    session = created("orochi", ev.Correspondence(days=2), side=2)
    session.commit([commands.play(session, 0, 0, "wa1")], Timestamp(0.5 * DAY))
    session.commit([ev.TookBack(ply=0)], Timestamp(1.0 * DAY))
    assert session.clock.seconds_left(Timestamp(1.0 * DAY)) == 2 * DAY  # it was Black's turn
    session.commit([commands.play(session, 0, 0, "wa1")], Timestamp(1.0 * DAY))
    session.commit([commands.play(session, 1, 1, "wa2")], Timestamp(1.0 * DAY))
    session.commit([commands.play(session, 1, 2, "bb1")], Timestamp(1.0 * DAY))
    session.commit([ev.TookBack(ply=0)], Timestamp(2.5 * DAY))
    assert session.clock.seconds_left(Timestamp(2.5 * DAY)) == 0.5 * DAY


def test_a_table_has_a_bound_of_events() -> None:
    session = created("orochi", side=2)
    session.seq = commands.MAX_REMARKS
    for command in (
        commands.Chat(seat=0, text="hello"),
        commands.Rename(seat=0, name="Anna"),
        commands.Offer(seat=0, offer="draw"),
        commands.UseHint(seat=0, ply=0),
    ):
        with pytest.raises(CommandError, match="only moves") as error:
            send(session, command)
        assert error.value.code == "at_capacity"
    send(session, commands.Play(seat=0, ply=0, move="wa1"))
    session.seq = commands.MAX_EVENTS
    with pytest.raises(CommandError, match="limit of 10,000 events"):
        send(session, commands.Play(seat=1, ply=1, move="wa2"))
    send(session, commands.Resign(seat=1))
    assert session.result == "White"


def test_chat_is_kept_as_a_window() -> None:
    session = created("orochi", side=2)
    for number in range(CHAT_WINDOW + 5):
        send(session, commands.Chat(seat=0, text=str(number)))
    assert session.chat_count == CHAT_WINDOW + 5
    assert [one.text for one in session.chat] == [str(5 + at) for at in range(CHAT_WINDOW)]


def test_a_damaged_checkpoint_is_rejected() -> None:
    session = created("orochi", side=2)
    first = LoggedEvent(1, Timestamp(), session.created)
    send(session, commands.Play(seat=0, ply=0, move="wa1"))
    send(session, commands.Chat(seat=0, text="hello"))
    saved, moves = checkpoint.save(session), checkpoint.saved_moves(session)
    chat = list(session.chat)
    damaged = [
        (replace(saved, made_by="0"), moves, chat, "another version"),
        (saved, [], chat, "incomplete"),
        (saved, moves, [], "incomplete"),
        (saved, [replace(moves[0], state=b"")], chat, "do not match the game"),
        (replace(saved, seats=saved.seats[:1]), moves, chat, "do not match the game"),
        (replace(saved, position_crc=0), moves, chat, "damaged"),
    ]
    for broken, rows, lines, reason in damaged:
        with pytest.raises(checkpoint.CheckpointError, match=reason):
            checkpoint.restore(first, broken, rows, lines)
    assert checkpoint.restore(first, saved, moves, chat).position == session.position

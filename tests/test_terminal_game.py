"""Local games: the shared session in the terminal, saved after every change."""

from pathlib import Path

import pytest
from support.screens import click_on, local_game, open_game, screen_text

import teahouse as th
from teahouse.session.errors import CommandError
from teahouse.session.events import BotSeat
from teahouse.session.pointing import Pointing
from teahouse.terminal.app.app import TeahouseApp
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.saved_games import folder, saved_games
from teahouse.terminal.seats import HUMAN, assign_seats, parse_seat, seat_tag
from teahouse.terminal.texts import status_text

FILE_OF_0_1_0 = """[Game "oolong"]
[Options "specials=true; markers_stay=false"]
[Seed "5"]
[Start "9/9/9/9/9/9/9/9/9 mg,wb,ro,su,sc,mb,ro,wg C.C b 0"]
[Black "human"]
[Green "level5"]
[Date "2026-11-16"]
[Result "*"]

1. C.NE 2. NE.NE *
"""
RESIGNED_IN_0_1_0 = """[Game "orochi"]
[Options "side=3"]
[Seed "410946785"]
[Start "3/4/5/4/3 w 0"]
[White "human"]
[Black "human"]
[Date "2026-11-16"]
[Result "White"]

1. wa1 White
"""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    return tmp_path


def saved_file(text: str) -> Path:
    folder().mkdir(parents=True, exist_ok=True)
    path = folder() / "saved.txt"
    path.write_text(text)
    return path


def test_a_saved_game_of_0_1_0_is_continued() -> None:
    path = saved_file(FILE_OF_0_1_0)
    played = LocalGame.resume(path)
    assert played.record.moves == ("C.NE", "NE.NE")
    assert [seat.kind for seat in played.session.seats] == ["local", "bot"]
    assert played.session.seats[1].level == 5
    move = played.play(played.position.legal[0])
    text = path.read_text()
    assert text == FILE_OF_0_1_0.replace("NE.NE *", f"NE.NE 3. {move} *")
    played.close()


def test_a_finished_game_of_0_1_0_is_opened() -> None:
    played = LocalGame.resume(saved_file(RESIGNED_IN_0_1_0))
    assert played.over
    assert status_text(played) == "White wins."
    with pytest.raises(CommandError, match="The game is over"):
        played.play("bb2")
    played.close()


def test_resigning_with_two_sides_ends_the_game() -> None:
    played = local_game(th.load("orochi", side=3), plies=3)
    loser, winner = played.seat_to_move, {"White": "Black", "Black": "White"}[played.seat_to_move]
    assert played.resign() is None
    assert played.over
    assert status_text(played) == f"{loser} resigned. {winner} wins."
    assert th.Record.parse(saved_games()[0].path.read_text()).result == winner
    with pytest.raises(CommandError, match="The game is over"):
        played.resign()


def test_a_partner_on_the_same_device_resigns_too() -> None:
    played = local_game(th.load("fillit", mode="teams"), plies=2)
    team = next(team for team in played.game.teams if played.position.player in team)
    played.resign()
    assert played.over
    assert not set(played.session.winners) & set(team)
    assert len(played.session.winners) == 2


def test_resigning_with_three_sides_hands_the_seat_over_to_a_bot() -> None:
    played = local_game(th.load("fillit", mode="3mini"), plies=3, bots=1)
    seat = played.seat_to_move
    message = played.resign()
    assert message == f"{seat} resigned. A level 3 bot takes over."
    assert not played.over
    assert played.bot_to_move
    played.play(played.position.legal[0])  # for the bot
    (info,) = saved_games()
    assert info.names[seat] == "level3"
    path = played.saved.path
    assert path is not None
    played.close()
    again = LocalGame.resume(path)
    assert again.seats[seat].level == 3
    again.close()
    kinds = sorted(seat.kind for seat in played.rematch().session.seats)
    assert kinds == ["bot", "local", "local"]  # the person plays the next game again


@pytest.mark.parametrize("loser", ["Black", "Green"])
def test_the_loser_gets_the_seat_that_the_game_assigns(loser: str) -> None:
    """O2: the loser of the last game plays Black."""
    played = LocalGame(
        th.Record.new(th.load("oolong"), 3), {"Black": HUMAN, "Green": BotSeat(level=2)}
    )
    played.play(played.position.legal[0])
    winner = "Green" if loser == "Black" else "Black"
    played.record.end(winner)
    ended = LocalGame(played.record, {"Black": HUMAN, "Green": BotSeat(level=2)})
    following = ended.rematch()
    kinds = {name: seat.kind for name, seat in following.seats.items()}
    person = "Black" if loser == "Black" else "Green"
    assert kinds[person] == "local"
    assert following.ply == 0
    assert following.record.seed != played.record.seed  # another random setup


def test_players_move_on_by_one_seat_without_such_a_rule() -> None:
    played = LocalGame(
        th.Record.new(th.load("orochi", side=2)), {"White": HUMAN, "Black": BotSeat(level=4)}
    )
    played.resign()
    seats = played.rematch().seats
    assert (seats["White"].level, seats["Black"].kind) == (4, "local")


def test_takebacks_reach_the_last_move_of_a_person() -> None:
    played = local_game(th.load("orochi", side=3), bots=1)
    with pytest.raises(CommandError, match="You have not played a move yet"):
        played.take_back()
    played.play("wa1")
    played.play("wa2")  # for the bot
    played.take_back()
    assert played.record.moves == ()
    assert saved_games() == []  # nothing is left to save
    played.play("wa1")
    while played.bot_to_move:
        played.play(played.position.legal[0])
    played.resign()
    before = played.record.text()
    again = LocalGame(th.Record.parse(before), assign_seats(played.game, {}))
    assert status_text(again) == "White resigned. Black wins."  # the reason is in the record
    assert saved_games()[0].text.endswith(", Black wins (White resigned)")
    with pytest.raises(CommandError, match=r"The game is over: White resigned\. Black wins\."):
        played.take_back()
    assert played.record.text() == before
    branch = played.branch(played.ply)  # playing on is a new game
    assert not branch.over
    assert branch.session.result == branch.record.result == "*"
    assert played.over


def test_a_change_that_cannot_be_saved_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    played = local_game(th.load("orochi", side=3), plies=2)
    played.play(played.position.legal[0])
    before, session = played.record.text(), played.session

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("teahouse.terminal.saved_games.write_atomic", fail)
    for change in (lambda: played.play(played.position.legal[0]), played.take_back, played.resign):
        with pytest.raises(OSError, match="Cannot save the game"):
            change()
        assert played.record.text() == before
        assert played.session is session


def test_a_branch_leaves_the_game_alone() -> None:
    record = local_game(th.load("orochi", side=3), plies=4).record
    record.comments[1] = "a comment"
    played = LocalGame(record, assign_seats(record.game, {}))
    branch = played.branch(2)
    assert branch.record.moves == record.moves[:2]
    assert branch.record.comments == {1: "a comment"}
    branch.play(branch.position.legal[0])
    assert len(record.moves) == 4
    assert played.record.text() == record.text()


def test_a_person_plays_the_first_seat_that_no_bot_is_named_for() -> None:
    game = th.load("orochi")
    white, black = game.players
    bot, person = BotSeat(level=5), parse_seat("human")
    assert assign_seats(game, {}) == {white: person, black: bot}
    assert assign_seats(game, {"white": "human"}) == {white: person, black: bot}
    assert assign_seats(game, {"white": "level5"}) == {white: bot, black: person}
    assert assign_seats(game, {"black": "human"}) == {white: person, black: person}
    both = assign_seats(game, {"white": "level5", "black": "level5"})
    assert both == {white: bot, black: bot}


def test_seats_are_parsed_and_written() -> None:
    for text in ("human", "level1", "level8"):
        assert seat_tag(parse_seat(text)) == text
    assert parse_seat("bot, level 3") == parse_seat("Level 3") == BotSeat(level=3)
    named = [parse_seat(name) for name in ("Beginner", "casual", "MASTER")]
    assert named == [BotSeat(level=level) for level in (1, 2, 8)]
    assert parse_seat("bot") == BotSeat(level=5)
    with pytest.raises(th.OptionError, match="Unknown player 'level9'; allowed: human"):
        parse_seat("level9")


def test_the_status_addresses_a_single_person() -> None:
    alone = local_game(th.load("orochi", side=2), bots=1)
    assert status_text(alone).startswith("Your turn: place a white or a black stone")
    alone.play("wa1")
    assert status_text(alone).startswith("Black to move: ")
    together = local_game(th.load("orochi", side=2))
    assert status_text(together).startswith("White to move: ")
    alone.record.end("White")
    assert status_text(LocalGame(alone.record, {"White": HUMAN, "Black": BotSeat(level=1)})) == (
        "You win."
    )


async def test_forced_steps_of_a_move_are_taken() -> None:
    """The app chooses names without an alternative, as the web page does."""
    app = TeahouseApp()
    async with app.run_test(size=(100, 40)) as pilot:
        screen = await open_game(pilot, local_game(th.load("orochi", side=4)))
        screen.view.pointing = Pointing(
            {"wc3": [("a1", "b2", "c3")], "wd4": [("a1", "b2", "d4")], "wa2": [("a2",)]}
        )
        await click_on(pilot, screen.board, "a1")
        assert screen.view.pointing.chosen == ("a1", "b2")
        assert screen.view.pointing.targets == {"c3", "d4"}
        await click_on(pilot, screen.board, "a1")  # again: start over
        assert not screen.view.pointing.chosen
        await click_on(pilot, screen.board, "a1")
        await click_on(pilot, screen.board, "d4")
        assert screen.local_game.record.moves == ("wd4",)


async def test_resigning_with_three_sides_in_the_app() -> None:
    app = TeahouseApp()
    async with app.run_test(size=(100, 40)) as pilot:
        screen = await open_game(pilot, local_game(th.load("fillit", mode="3mini"), plies=3))
        seat = screen.local_game.seat_to_move
        screen.paused = True
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
        messages = [notification.message for notification in app._notifications]
        assert messages == [f"{seat} resigned. A level 3 bot takes over."]
        assert screen.local_game.bot_to_move
        assert not screen.local_game.over


async def test_a_rematch_in_the_app() -> None:
    app = TeahouseApp()
    async with app.run_test(size=(100, 40)) as pilot:
        screen = await open_game(pilot, local_game(th.load("orochi", side=2), plies=3, bots=1))
        assert screen.local_game.seat_to_move == "White"
        await pilot.press("x")
        await pilot.pause()
        await pilot.press("y")
        await pilot.pause()
        assert "White resigned. Black wins." in screen_text(app)
        screen.paused = True
        await pilot.press("n")
        await pilot.pause()
        assert screen.local_game.ply == 0
        assert "White: Level 1 · Beginner, Black: human" in screen_text(app)

"""The full-screen house, driven by keys and by mouse as a person would."""

import os
from pathlib import Path
from random import Random

import pytest
from support.screens import at_table, click_on, screen_text, table, walk_to
from support.variants import ALL, ids

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.core.options import IntOption
from teahouse.terminal import saved_games
from teahouse.terminal.app.app import House
from teahouse.terminal.app.canvas import Canvas, Marks
from teahouse.terminal.app.colours import DAY
from teahouse.terminal.app.home import HomeScreen
from teahouse.terminal.app.pointing import Pointing
from teahouse.terminal.app.setup import SetupScreen
from teahouse.terminal.app.table import GameScreen
from teahouse.terminal.table import Table

SCREENS = Path(__file__).parent / "screens"
UPDATE = "TEAHOUSE_UPDATE_SCREENS" in os.environ


def short_game(name: str) -> th.Record:
    """The shortest of a few random games, to be played again by hand."""
    options = game_info(name).options.items()
    smallest = {option: kind.low for option, kind in options if isinstance(kind, IntOption)}
    games = [th.load(name, **smallest), *(game for game in ALL if game.name == name)]
    game = min(games, key=lambda game: game.playouts(200, seed=1).moves)
    return min(
        (table(game, 10_000, seed).record for seed in range(20)), key=lambda it: len(it.moves)
    )


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    return tmp_path


@pytest.mark.parametrize("game", ALL, ids=ids)
def test_every_move_can_be_pointed_at_and_every_place_reached(game: Game) -> None:
    chance = Random(1)
    position = game.start(1)
    for _ in range(40):
        if position.over:
            break
        for move in chance.sample(position.legal, min(20, len(position.legal))):
            pointing = Pointing(position)
            made = None
            for name in position.click_path(move):
                assert made is None
                assert pointing.meant(name) == name
                made = pointing.point(name)
            assert made == move
        position = position.play(chance.choice(position.legal))
    for room in ((78, 18), (200, 60)):
        canvas = Canvas(position.scene, room)
        assert canvas.smallest <= 78  # the board is seen at once in 80 columns
        reached, new = set(), {next(iter(canvas.places))}
        while new:
            reached |= new
            steps = ((0, 1), (0, -1), (1, 0), (-1, 0))
            new = {canvas.next(name, *step) for name in new for step in steps} - reached
        assert reached == set(canvas.places)
        for name, (column, line) in canvas.places.items():
            assert canvas.near(column, line) == name
        drawn = "".join(part.text for line in canvas.paint(Marks(), DAY) for part in line)
        assert all(spot.glyph in drawn for spot in position.scene.spots)


@pytest.mark.parametrize("name", th.games())
async def test_screens_look_as_they_did(name: str) -> None:
    house = House()
    async with house.run_test(size=(80, 24)) as pilot:
        await at_table(pilot, table(th.load(name), plies=12))
        await pilot.press("tab")
        await pilot.pause()
        shown = screen_text(house)
    kept = SCREENS / f"{name}.txt"
    if UPDATE:
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(shown, encoding="utf-8")
    assert shown == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", th.games())
async def test_a_whole_game_by_keys(name: str) -> None:
    house = House()
    record = short_game(name)
    async with house.run_test(size=(80, 24)) as pilot:
        screen = await at_table(pilot, table(record.game, seed=record.seed or 0))
        for move in record.moves:
            for step in screen.table.position.click_path(move):
                await walk_to(pilot, screen.board, step)
                await pilot.press("enter")
            assert screen.table.record.moves[-1] == move
        assert screen.table.over
        await pilot.pause()
        assert screen.showing.prompt in " ".join(screen_text(house).split())


@pytest.mark.parametrize("name", th.games())
async def test_a_whole_game_by_mouse(name: str) -> None:
    house = House()
    record = short_game(name)
    async with house.run_test(size=(120, 50)) as pilot:
        screen = await at_table(pilot, table(record.game, seed=record.seed or 0))
        for move in record.moves:
            for step in screen.table.position.click_path(move):
                await click_on(pilot, screen.board, step)
            assert screen.table.record.moves[-1] == move
        (entry,) = saved_games.entries()
        assert entry.result == screen.table.record.result


async def test_from_the_door_to_a_game_with_a_bot_and_back() -> None:
    house = House()
    name = th.games()[0]
    async with house.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert isinstance(house.screen, HomeScreen)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(house.screen, SetupScreen)
        await pilot.press("ctrl+s")
        await pilot.pause()
        screen = house.screen
        assert isinstance(screen, GameScreen)
        assert screen.table.record.game == th.load(name)
        while len({position.player for position in screen.table.record.positions}) == 1:
            for step in screen.table.position.click_path(screen.table.position.legal[0]):
                await walk_to(pilot, screen.board, step)
                await pilot.press("enter")
        await pilot.press("escape")  # the bot plays at once
        await house.workers.wait_for_complete()
        await pilot.pause()
        moves = screen.table.record.moves
        assert len(moves) > 1
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(house.screen, HomeScreen)
        (left,) = saved_games.unfinished()
        await pilot.press("enter")  # it is offered first
        await pilot.pause()
        screen = house.screen
        assert isinstance(screen, GameScreen)
        assert screen.table.kept.path == left.path
        assert screen.table.record.moves[: len(moves)] == moves
        assert saved_games.unfinished() == []  # nobody else can take it up
        await pilot.press("q")


async def test_options_give_the_seats_and_bad_ones_are_named() -> None:
    """Every option's field takes its examples, and the seats follow."""
    for name in th.games():
        house = House()
        async with house.run_test(size=(100, 40)) as pilot:
            setup = SetupScreen(name)
            await house.push_screen(setup)
            await pilot.pause()
            for game in [game for game in ALL if game.name == name]:
                for option, value in game.options.items():
                    field = setup.query_one(f"#option-{option}")
                    field.value = "" if value is None else value  # type: ignore[attr-defined]
                await pilot.pause()
                assert setup.chosen() == game
                assert len(setup.query("#seats Select")) == len(game.players)
            for field in setup.query("#form Input"):
                if (field.id or "").startswith("option-"):
                    field.value = "nonsense"  # type: ignore[attr-defined]
                    await pilot.pause()
                    assert setup.chosen() is None
                    assert "nonsense" in screen_text(house)
                    await pilot.press("ctrl+s")
                    assert house.screen is setup


async def test_undo_replay_branch_save_and_load(tmp_path: Path) -> None:
    house = House()
    game = th.load(th.games()[0])
    async with house.run_test(size=(100, 30)) as pilot:
        screen = await at_table(pilot, table(game, plies=6))
        moves = screen.table.record.moves
        await pilot.press("u")
        assert screen.table.record.moves == moves[:5]
        await pilot.press("comma", "comma")
        assert screen.showing.ply == 3
        assert "Replay" in screen_text(house)
        await pilot.press("enter", "enter")  # nothing can be played in a replay
        assert screen.table.record.moves == moves[:5]
        await pilot.press("home", "full_stop", "b")
        assert screen.table.record.moves == moves[:1]
        await pilot.press("t", *"nonsense", "enter")
        await pilot.pause()
        assert screen.table.record.moves == moves[:1]
        assert "cannot be played" in " ".join(screen_text(house).split())
        await pilot.press("t", *moves[1], "enter")
        assert screen.table.record.moves == moves[:2]
        await pilot.press("s")
        await pilot.pause()
        house.screen.query_one("#answer").value = str(tmp_path / "kept.txt")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.pause()
        assert th.Record.parse((tmp_path / "kept.txt").read_text()) == screen.table.record
        await pilot.press("q")
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        house.screen.query_one("#answer").value = str(tmp_path / "kept.txt")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(house.screen, GameScreen)
        assert house.screen.table.record.moves == moves[:2]
    assert len(saved_games.unfinished()) == 2  # the game, and the branch from it


async def test_hints_show_a_bots_view_and_can_be_stopped() -> None:
    house = House()
    async with house.run_test(size=(80, 24)) as pilot:
        screen = await at_table(pilot, table(th.load(th.games()[0]), plies=2))
        await pilot.press("h", "escape")
        await house.workers.wait_for_complete()
        await pilot.pause()
        assert screen.showing.analysis is not None
        shown = screen_text(house)
        assert "simulations" in shown
        assert screen.showing.analysis.best in shown
        await pilot.press("escape")
        assert "simulations" not in screen_text(house)


async def test_resizing_while_a_piece_is_chosen_keeps_the_choice() -> None:
    house = House()
    for name in th.games():
        async with house.run_test(size=(80, 24)) as pilot:
            screen = await at_table(pilot, table(th.load(name), plies=20))
            pointing = screen.showing.pointing
            assert pointing is not None
            move = next(
                iter(
                    sorted(
                        pointing.moves,
                        key=lambda move: -len(screen.table.position.click_path(move)),
                    )
                )
            )
            first, *rest = screen.table.position.click_path(move)
            if rest:
                await walk_to(pilot, screen.board, first)
                await pilot.press("enter")
            for size in ((40, 12), (200, 60), (20, 5), (81, 25)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert pointing.chosen == ((first,) if rest else ())
            for step in rest or [first]:
                await walk_to(pilot, screen.board, step)
                await pilot.press("enter")
            assert screen.table.record.moves[-1] == move
        house = House()


async def test_garbage_keys_and_clicks_change_nothing() -> None:
    house = House()
    chance = Random(5)
    async with house.run_test(size=(80, 24)) as pilot:
        screen = await at_table(pilot, table(th.load(th.games()[0]), plies=4))
        await pilot.press(
            "f", "k", "1", "0", "ctrl+l", "ctrl+z", "pageup", "f5", "escape", "escape"
        )
        for _ in range(20):
            await pilot.click(offset=(chance.randrange(79), chance.randrange(3)))
        await pilot.press("escape")
        assert len(screen.table.record.moves) == 4


async def test_light_dark_and_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    house = House()
    assert not house.current_theme.dark
    async with house.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
        assert house.current_theme.dark
    assert House().current_theme.dark  # it is remembered
    monkeypatch.setenv("NO_COLOR", "1")
    house = House()
    async with house.run_test(size=(80, 24)) as pilot:
        screen = await at_table(pilot, table(th.load(th.games()[0]), plies=4))
        await pilot.press("tab", "enter", "tab")
        chosen = screen.showing.pointing.chosen if screen.showing.pointing else ()
        assert chosen
        parts = [part for line in screen.board.painted() for part in line]
        assert any(part.style and part.style.reverse for part in parts)  # the cursor
        assert any(part.style and part.style.underline for part in parts)  # targets
        assert any(">" in part.text for part in parts)  # what was chosen


async def test_two_tables_never_share_a_game(tmp_path: Path) -> None:
    played = table(th.load(th.games()[0]), plies=1)
    played.play(played.position.legal[0])
    path = played.kept.path
    assert path is not None
    with pytest.raises(th.OptionError, match="played elsewhere"):
        Table.take_up(path)
    played.let_go()
    again = Table.take_up(path)
    assert again.record == played.record
    again.let_go()


async def test_records_that_cannot_be_read_are_left_alone(data_folder: Path) -> None:
    games = saved_games.folder()
    games.mkdir(parents=True)
    name = th.games()[0]
    (games / "bad.txt").write_bytes(b"\xff\xfe\x00")
    (games / "odd.txt").write_text(f'[Game "{name}"]\n[Start "nonsense"]\n\n*\n')
    house = House()
    async with house.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await pilot.press("enter")  # the odd one is listed by its tags
        await pilot.pause()
        assert isinstance(house.screen, HomeScreen)
        assert "nonsense" in " ".join(screen_text(house).split())
    assert sorted(path.name for path in games.glob("*.txt")) == ["bad.txt", "odd.txt"]

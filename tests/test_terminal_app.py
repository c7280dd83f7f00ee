"""The full-screen app, driven by keys and mouse."""

import os
from functools import cache
from pathlib import Path
from random import Random
from threading import Event

import pytest
from support.screens import (
    click_on,
    enter_move,
    local_game,
    move_cursor,
    open_game,
    random_record,
    screen_text,
)
from support.variants import ALL, STUDIED, ids
from textual.widgets import Input
from textual.widgets._footer import FooterKey

import teahouse as th
from teahouse.core.game import Game, game_info
from teahouse.core.options import IntOption
from teahouse.session.pointing import Pointing
from teahouse.terminal.app.app import TeahouseApp
from teahouse.terminal.app.canvas import Canvas, Highlights
from teahouse.terminal.app.game_screen import GameScreen
from teahouse.terminal.app.home import HomeScreen
from teahouse.terminal.app.layout import MARGIN
from teahouse.terminal.app.new_game import NewGameScreen
from teahouse.terminal.app.themes import LIGHT_BOARD
from teahouse.terminal.local_game import LocalGame
from teahouse.terminal.saved_games import folder, saved_games, unfinished_games

SCREENS = Path(__file__).parent / "screens"
UPDATE = "TEAHOUSE_UPDATE_SCREENS" in os.environ


@cache
def short_game(name: str) -> th.Record:
    """Return the shortest of a few random games of the smallest variants."""
    options = game_info(name).options.items()
    smallest = {option: kind.low for option, kind in options if isinstance(kind, IntOption)}
    games = [th.load(name, **smallest), *(game for game in ALL if game.name == name)]
    records = [random_record(game, seed=1) for game in games]
    game = min(records, key=lambda record: len(record.moves)).game
    return min(
        (random_record(game, seed=seed) for seed in range(20)),
        key=lambda record: len(record.moves),
    )


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLORFGBG", raising=False)
    return tmp_path


@pytest.mark.parametrize("game", ALL, ids=ids)
def test_every_move_can_be_clicked_and_every_place_reached(game: Game) -> None:
    chance = Random(1)
    position = game.start(1)
    for _ in range(40):
        if position.over:
            break
        for move in chance.sample(position.legal, min(20, len(position.legal))):
            pointing = Pointing.of(position)
            entered = None
            for step, name in enumerate(position.click_path(move)):
                if step >= len(pointing.chosen):  # else it was forced
                    assert entered is None
                    assert pointing.target_of(name) == name
                    entered = pointing.click(name)
            assert entered == move
        position = position.play(chance.choice(position.legal))
    for available in ((78, 18), (200, 60)):
        buttons = {choice.name for choice in position.scene.choices}
        canvas = Canvas(position.scene, available, buttons)
        assert canvas.min_width <= 78  # the board fits into 80 columns
        reached, new = set(), {next(iter(canvas.places))}
        while new:
            reached |= new
            steps = ((0, 1), (0, -1), (1, 0), (-1, 0))
            new = {canvas.neighbour(name, *step) for name in new for step in steps} - reached
        assert reached == set(canvas.places)
        for name, (column, line) in canvas.places.items():
            assert canvas.hit_test(column, line) == name
        for line in {canvas.places[name][1] for name in buttons}:  # centred below the board
            row = [it for it in position.scene.choices if canvas.places[it.name][1] == line]
            left, last = canvas.places[row[0].name][0], canvas.places[row[-1].name][0]
            assert abs(left - (canvas.width - last - len(canvas.button(row[-1])))) <= MARGIN
        rendered = canvas.render(Highlights(), LIGHT_BOARD)
        drawn = "".join(part.text for line in rendered for part in line)
        for spot in position.scene.spots:  # an empty cell shows its name where that fits
            assert spot.glyph in drawn or (canvas.named and spot.name in drawn)


@pytest.mark.parametrize("name", th.games() if UPDATE else STUDIED)
async def test_screens_match_the_golden_files(name: str) -> None:
    app = TeahouseApp()
    async with app.run_test(size=(80, 24)) as pilot:
        await open_game(pilot, local_game(th.load(name), plies=12))
        await pilot.press("tab")
        await pilot.pause()
        shown = screen_text(app)
    golden = SCREENS / f"{name}.txt"
    if UPDATE:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", th.games())
async def test_a_whole_game_by_keys(name: str) -> None:
    app = TeahouseApp()
    record = short_game(name)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_game(pilot, local_game(record.game, seed=record.seed or 0))
        for move in record.moves:
            await enter_move(pilot, screen, move)
            assert screen.local_game.record.moves[-1] == move
        assert screen.local_game.over
        await pilot.pause()
        assert screen.view.prompt in " ".join(screen_text(app).split())


@pytest.mark.parametrize("name", th.games())
async def test_a_whole_game_by_mouse(name: str) -> None:
    app = TeahouseApp()
    record = short_game(name)
    async with app.run_test(size=(120, 50)) as pilot:
        screen = await open_game(pilot, local_game(record.game, seed=record.seed or 0))
        for move in record.moves:
            for step in screen.local_game.position.click_path(move):
                if screen.view.pointing and step not in screen.view.pointing.chosen:
                    await click_on(pilot, screen.board, step)
            assert screen.local_game.record.moves[-1] == move
        (info,) = saved_games()
        assert info.result == screen.local_game.record.result


async def test_from_home_to_a_game_with_a_bot_and_back() -> None:
    app = TeahouseApp()
    name = th.games()[0]
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, NewGameScreen)
        await pilot.press("ctrl+s")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, GameScreen)
        assert screen.local_game.record.game == th.load(name)
        while len({position.player for position in screen.local_game.record.positions}) == 1:
            await enter_move(pilot, screen, screen.local_game.position.legal[0])
        await pilot.press("escape")  # the bot moves now
        await app.workers.wait_for_complete()
        await pilot.pause()
        moves = screen.local_game.record.moves
        assert len(moves) > 1
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        (left,) = unfinished_games()
        await pilot.press("enter")  # it is offered first
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, GameScreen)
        assert screen.local_game.saved.path == left.path
        assert screen.local_game.record.moves[: len(moves)] == moves
        assert unfinished_games() == []  # it is locked
        await pilot.press("q")


async def test_options_determine_the_seats_and_bad_ones_are_named() -> None:
    """Every option's field takes its examples, and the seats follow."""
    for name in th.games():
        app = TeahouseApp()
        async with app.run_test(size=(100, 40)) as pilot:
            setup = NewGameScreen(name)
            await app.push_screen(setup)
            await pilot.pause()
            for game in [game for game in ALL if game.name == name]:
                for option, value in game.options.items():
                    field = setup.query_one(f"#option-{option}")
                    text = "" if value is None else str(value)
                    field.value = text if isinstance(field, Input) else value  # type: ignore[attr-defined]
                await pilot.pause()
                assert setup.selected_game() == game
                assert len(setup.query("#seats Select")) == len(game.players)
            for field in setup.query("#form Input"):
                if (field.id or "").startswith("option-"):
                    field.value = "nonsense"  # type: ignore[attr-defined]
                    await pilot.pause()
                    assert setup.selected_game() is None
                    assert "nonsense" in screen_text(app)
                    await pilot.press("ctrl+s")
                    assert app.screen is setup


async def test_undo_replay_branch_save_and_load(tmp_path: Path) -> None:
    app = TeahouseApp()
    game = th.load(th.games()[0])
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_game(pilot, local_game(game, plies=6))
        moves = screen.local_game.record.moves
        await pilot.press("u")
        assert screen.local_game.record.moves == moves[:5]
        await pilot.press("comma", "comma")
        assert screen.view.ply == 3
        assert "Replay" in screen_text(app)
        await pilot.press("enter", "enter")  # nothing can be played in a replay
        assert screen.local_game.record.moves == moves[:5]
        await pilot.press("home", "full_stop", "b")
        assert screen.local_game.record.moves == moves[:1]
        await pilot.press("t", *"nonsense", "enter")
        await pilot.pause()
        assert screen.local_game.record.moves == moves[:1]
        assert "Illegal move" in " ".join(screen_text(app).split())
        await pilot.press("t", *moves[1], "enter")
        assert screen.local_game.record.moves == moves[:2]
        await pilot.press("s")
        await pilot.pause()
        app.screen.query_one("#answer").value = str(tmp_path / "saved.txt")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.pause()
        assert th.Record.parse((tmp_path / "saved.txt").read_text()) == screen.local_game.record
        await pilot.press("q")
        await pilot.pause()
        await pilot.press("o")
        await pilot.pause()
        app.screen.query_one("#answer").value = str(tmp_path / "saved.txt")  # type: ignore[attr-defined]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, GameScreen)
        assert app.screen.local_game.record.moves == moves[:2]
    assert len(unfinished_games()) == 2  # the game, and the branch from it


async def test_hints_show_an_analysis_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    search = th.analyse

    def until_stopped(position: th.Position, *, cancel: Event, **_: object) -> th.Analysis:
        assert cancel.wait(60.0)
        return search(position, simulations=50)

    monkeypatch.setattr(th, "analyse", until_stopped)
    app = TeahouseApp()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_game(pilot, local_game(th.load(th.games()[0]), plies=2))
        await pilot.press("h", "escape")
        await app.workers.wait_for_complete()
        while screen.hint_search is not None:  # until the screen has received the result
            await pilot.pause()
        assert screen.view.analysis is not None
        shown = screen_text(app)
        assert "simulations" in shown
        assert screen.view.analysis.best in shown
        await pilot.press("escape")
        assert "simulations" not in screen_text(app)


async def test_refused_clicks_and_places_are_explained() -> None:
    app = TeahouseApp()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_game(pilot, local_game(th.load(th.games()[-1]), plies=20))
        position = screen.view.position
        refused = next(spot for spot in position.scene.spots if position.refuse(spot.name))
        screen.board.cursor = refused.name
        screen.board.focus()
        for key, text in (
            ("enter", position.refuse(refused.name)),
            ("e", position.explain(refused.name)),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert text in " ".join(screen_text(app).split())


async def test_resizing_keeps_the_selection() -> None:
    app = TeahouseApp()
    for name in th.games():
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await open_game(pilot, local_game(th.load(name), plies=20))
            pointing = screen.view.pointing
            assert pointing is not None
            move = next(
                iter(
                    sorted(
                        pointing.moves,
                        key=lambda move: -len(screen.local_game.position.click_path(move)),
                    )
                )
            )
            first, *rest = screen.local_game.position.click_path(move)
            if rest:
                await move_cursor(pilot, screen.board, first)
                await pilot.press("enter")
            for size in ((40, 12), (200, 60), (20, 5), (81, 25)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                assert pointing.chosen == ((first,) if rest else ())
            for step in rest or [first]:
                await move_cursor(pilot, screen.board, step)
                await pilot.press("enter")
            assert screen.local_game.record.moves[-1] == move
        app = TeahouseApp()


async def test_garbage_keys_and_clicks_change_nothing() -> None:
    app = TeahouseApp()
    chance = Random(5)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_game(pilot, local_game(th.load(th.games()[0]), plies=4))
        await pilot.press(
            "f", "k", "1", "0", "ctrl+l", "ctrl+z", "pageup", "f5", "escape", "escape"
        )
        for _ in range(20):
            await pilot.click(offset=(chance.randrange(79), chance.randrange(3)))
        await pilot.press("escape")
        assert len(screen.local_game.record.moves) == 4


async def test_light_dark_and_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    app = TeahouseApp()
    assert not app.current_theme.dark
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f2")
        assert app.current_theme.dark
    assert TeahouseApp().current_theme.dark  # it is saved
    monkeypatch.setenv("NO_COLOR", "1")
    app = TeahouseApp()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_game(pilot, local_game(th.load(th.games()[0]), plies=4))
        await pilot.press("tab", "enter", "tab")
        chosen = screen.view.pointing.chosen if screen.view.pointing else ()
        assert chosen
        parts = [part for line in screen.board.rendered_lines() for part in line]
        assert any(part.style and part.style.reverse for part in parts)  # the cursor
        assert any(part.style and part.style.underline for part in parts)  # targets
        assert any(">" in part.text for part in parts)  # what was chosen
        keys = {key.key: key for key in screen.query(FooterKey)}
        assert keys["comma"].visible
        assert not keys["full_stop"].visible  # does nothing here


async def test_a_saved_game_is_locked(tmp_path: Path) -> None:
    played = local_game(th.load(th.games()[0]), plies=1)
    played.play(played.position.legal[0])
    path = played.saved.path
    assert path is not None
    with pytest.raises(th.OptionError, match="open in another window"):
        LocalGame.resume(path)
    played.close()
    again = LocalGame.resume(path)
    assert again.record == played.record
    again.close()


async def test_records_that_cannot_be_read_are_left_alone(data_folder: Path) -> None:
    games = folder()
    games.mkdir(parents=True)
    name = th.games()[0]
    (games / "bad.txt").write_bytes(b"\xff\xfe\x00")
    (games / "odd.txt").write_text(f'[Game "{name}"]\n[Start "nonsense"]\n\n*\n')
    app = TeahouseApp()
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        await pilot.press("enter")  # the odd one is listed by its tags
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        assert "nonsense" in " ".join(screen_text(app).split())
    assert sorted(path.name for path in games.glob("*.txt")) == ["bad.txt", "odd.txt"]

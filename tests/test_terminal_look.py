"""The look of the app: boards that fill the screen, buttons, and signs besides colours."""

from pathlib import Path

import pytest
from support.screens import local_game, open_game, screen_text

import teahouse as th
from teahouse.core.game import game_info
from teahouse.core.options import BoolOption
from teahouse.terminal.app.app import TeahouseApp
from teahouse.terminal.app.canvas import Canvas
from teahouse.terminal.app.new_game import NewGameScreen, YesNo

AVAILABLE = ((50, 18), (90, 34), (170, 54))
"""What is left for the board on 80 × 24, 120 × 40 and 200 × 60."""


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEAHOUSE_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("NO_COLOR", raising=False)


async def test_the_focus_and_checkboxes_show_without_colours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = TeahouseApp()
    async with app.run_test(size=(100, 60)) as pilot:
        await app.push_screen(NewGameScreen(game_with_a_flag()))
        await pilot.pause()
        for _ in app.screen.focus_chain:
            focused = app.focused
            assert focused is not None
            region = focused.region
            strips = app.screen._compositor.render_strips()[region.y : region.bottom]
            shown = [part for strip in strips for part in strip.crop(region.x, region.right)]
            assert any(part.style and part.style.reverse for part in shown), focused
            await pilot.press("tab")
        box = app.screen.query(YesNo).first()
        seen = {}
        for _ in range(2):
            seen[box.value] = box.render().plain
            box.toggle()
            await pilot.pause()
        assert ("X" in seen[True], "X" in seen[False]) == (True, False)
        assert seen[True].endswith("yes ")
        assert seen[False].endswith("no ")


def game_with_a_flag() -> str:
    return next(
        name
        for name in th.games()
        if any(isinstance(option, BoolOption) for option in game_info(name).options.values())
    )


@pytest.mark.parametrize("name", th.games())
def test_boards_grow_with_the_terminal_and_keep_their_buttons_in_place(name: str) -> None:
    scene = local_game(th.load(name), plies=12).position.scene
    canvases = [Canvas(scene, size) for size in AVAILABLE]
    areas = [canvas.width * canvas.board_height for canvas in canvases]
    assert areas == sorted(set(areas))
    for canvas, (width, height) in zip(canvases, AVAILABLE, strict=True):
        assert canvas.width <= width
        assert canvas.height <= height
        left = min(block.columns[0] for block in canvas.blocks.values())
        assert left >= 1  # no block is cut off
    if scene.choices:
        first, last = scene.choices[0].name, scene.choices[-1].name
        both = Canvas(scene, (90, 34), {first, last})
        assert Canvas(scene, (90, 34), {last}).places[last] == both.places[last]
        assert last not in Canvas(scene, (90, 34)).places


@pytest.mark.parametrize("name", th.games())
async def test_one_key_chooses_a_button(name: str) -> None:
    choices = th.load(name).start().scene.choices
    if not choices:
        return
    app = TeahouseApp()
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await open_game(pilot, local_game(th.load(name)))
        for number, choice in enumerate(choices, 1):
            pointing = screen.view.pointing
            assert pointing is not None
            usable = choice.name in pointing.starts
            await pilot.press(str(number))
            await pilot.pause()
            assert (choice.name in pointing.chosen) == usable
            shown = f"{number} {choice.label}" in screen_text(app)
            assert shown == usable  # a button that cannot be used is hidden


async def test_a_finished_game_is_not_undone_and_can_be_played_on() -> None:
    app = TeahouseApp()
    played = local_game(th.load("orochi", side=2), plies=3)
    played.resign()
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await open_game(pilot, played)
        await pilot.press("u", "comma", "u", "end", "u")
        assert screen.local_game.over
        assert screen.local_game.ply == 3
        await pilot.press("b")
        assert not screen.local_game.over
        assert screen.local_game.ply == 3
    assert played.over

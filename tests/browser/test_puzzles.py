"""Puzzles in the browser: solved by keyboard, failed, shown, played on; axe; phones."""

from __future__ import annotations

import re

from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser, User

import teahouse as th

SIZES = ((320, 640), (390, 844), (844, 390), (1920, 1080))


def with_one_click() -> th.Puzzle:
    """Return a puzzle with one move to find, all of whose moves take one click."""
    return next(
        puzzle
        for name in th.games()
        for puzzle in th.puzzles(name)
        if len(puzzle.line) == 1
        and all(len(puzzle.position.click_path(move)) == 1 for move in puzzle.position.legal)
    )


def press(user: User, move: str, puzzle: th.Puzzle) -> None:
    """Enter a move of one click with the keyboard alone."""
    (name,) = puzzle.position.click_path(move)
    expect(user.page.locator(".board-box.open")).to_be_visible()
    user.walk_to(f'[data-spot="{name}"]')
    user.page.keyboard.press("Enter")


def test_a_puzzle_by_keyboard(new_user: NewUser) -> None:
    puzzle = with_one_click()
    user = new_user().open(f"/puzzles/{puzzle.game}/{puzzle.number}")
    page = user.page
    expect(page.locator("#task")).to_have_text(puzzle.task)
    wrong = next(move for move in puzzle.position.legal if move != puzzle.line[0])
    press(user, wrong, puzzle)
    expect(page.locator("#answer")).to_have_class("answer wrong")
    expect(page.locator("#answer")).to_contain_text("Not this move.")
    expect(page.get_by_role("button", name="Try again")).to_be_focused()
    assert not violations(user), "failed"
    page.keyboard.press("Enter")
    expect(page.locator(".board-box .spot:focus")).to_have_count(1)
    press(user, puzzle.line[0], puzzle)
    expect(page.locator("#answer")).to_have_class("answer right")
    expect(page.locator("#answer")).to_contain_text("Solved!")
    expect(page.locator("#line > li")).to_have_count(len(puzzle.line) + len(puzzle.then))
    expect(page.locator("#progress")).to_contain_text(f"0 of {len(th.puzzles(puzzle.game))}")
    assert not violations(user), "solved"
    expect(page.get_by_role("link", name="Analyse")).to_have_attribute(
        "href", re.compile(f"^/explore.*game={puzzle.game}")
    )
    expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: not url.endswith(f"/{puzzle.number}"))
    expect(page.locator(".board-box .spot:focus")).to_have_count(1)
    # The number of waiting games is shown before the title of this puzzle, not of the first one.
    page.evaluate("import('/static/js/waiting-games.js').then((m) => m.setWaiting(2))")
    assert page.title().endswith(f"{page.inner_text('#title')} – Teahouse")
    page.get_by_role("button", name="Show solution").click()
    expect(page.locator("#solution")).to_be_visible()
    expect(page.locator("#line .asked.current").first).to_be_visible()
    page.get_by_role("button", name="Play on against the computer").click()
    page.wait_for_url("**/tables/*")


def test_solved_puzzles_count(new_user: NewUser) -> None:
    puzzle = with_one_click()
    user = new_user().open(f"/puzzles/{puzzle.game}/{puzzle.number}?daily=2027-01-01")
    page = user.page
    press(user, puzzle.line[0], puzzle)
    expect(page.locator("#answer")).to_contain_text("Solved!")
    expect(page.locator("#progress")).to_contain_text(f"1 of {len(th.puzzles(puzzle.game))}")
    user.open("/puzzles")
    expect(page.locator(f"[data-game={puzzle.game}] .own-progress")).to_contain_text("1 solved")
    expect(page.locator("#progress")).to_contain_text(re.compile("Solved in a row\\s*1"))
    assert not violations(user), "overview"


def test_sizes(new_user: NewUser) -> None:
    user = new_user()
    for number, name in enumerate(th.games()):
        for width, height in SIZES if number == 0 else SIZES[:1]:
            user.page.set_viewport_size({"width": width, "height": height})
            user.open(f"/puzzles/{name}/1")
            expect(user.page.locator(".board-box.open")).to_be_visible()
            wide = user.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, (name, width)
    user.open("/puzzles")
    for width, height in SIZES:
        user.page.set_viewport_size({"width": width, "height": height})
        assert user.page.evaluate("document.documentElement.scrollWidth") <= width, width

"""A rude guest is muted and reported at the table; an operator closes the game."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect
from support.axe import violations
from support.browser import NewUser
from support.servers import ServerProcess, running_server

import teahouse as th
from teahouse.server.moderation.offline import COMMAND_LINE, OperatorDatabase
from teahouse.server.moderation.rows import OperatorAction
from teahouse.server.tables.ids import new_id

GAME = next(name for name in th.games() if len(th.load(name).players) == 2)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return str(tmp_path / "teahouse.db")


@pytest.fixture
def server(database: str) -> Iterator[ServerProcess]:
    with running_server(database) as started:
        yield started


def grant(database: str, name: str) -> None:
    """Make an account an operator, as the command line does."""
    opened = OperatorDatabase(database)
    account = opened.account(name)
    action = OperatorAction(new_id(), time.time(), COMMAND_LINE, "grant", "", account_id=account.id)
    assert opened.carry_out(action) == f"{name} is an operator now."
    opened.close()


def test_an_invited_friend_sees_and_mutes_who_has_created_the_game(new_user: NewUser) -> None:
    anna, friend = new_user(), new_user()
    anna.create_table(GAME, {}, ["local", "remote"])
    anna.page.click("#share summary")
    friend.page.goto(anna.copied_from("#share button"))
    presence = friend.page.locator(".seat:not(.yours) .presence")
    expect(presence).to_have_text("● online")
    anna.page.fill("#chat-input", "Hello there")
    anna.page.keyboard.press("Enter")
    message = friend.page.locator("#chat-messages li", has_text="Hello there")
    message.get_by_role("button").click()
    dialog = friend.page.locator("#player-dialog")
    dialog.locator("[value=mute]").click()
    expect(dialog.locator(".status")).to_contain_text("You no longer see messages")
    dialog.locator("[value=close]").click()
    expect(friend.page.locator("#chat-messages")).to_have_text("1 message is hidden.")
    anna.open("/")
    expect(presence).to_have_text("○ away")


def test_a_rude_guest_is_muted_reported_and_gone(new_user: NewUser, database: str) -> None:
    anna, guest = new_user(), new_user(size=(390, 844))
    anna.sign_up("Anna Calm")
    page = anna.page
    table = anna.create_table(GAME, {}, ["local", "remote"])
    page.click("#share summary")
    guest.page.goto(anna.copied_from("#share button"))
    guest.page.fill("#chat-input", "You play like a kettle!")
    guest.page.keyboard.press("Enter")
    message = page.locator("#chat-messages li", has_text="kettle")
    message.get_by_role("button").click()
    dialog = page.locator("#player-dialog")
    expect(dialog.locator("blockquote")).to_have_text("You play like a kettle!")
    expect(dialog.locator("[value=block]")).to_be_hidden()  # guests have no account
    assert not violations(anna), "dialog"
    dialog.locator("[name=text]").fill("Rude.")
    dialog.locator("[value=report]").click()
    expect(dialog.locator(".status")).to_contain_text("Thank you")
    dialog.locator("[value=mute]").click()
    expect(dialog.locator(".status")).to_contain_text("You no longer see messages")
    dialog.locator("[value=close]").click()
    expect(page.locator("#chat-messages")).to_have_text("1 message is hidden.")
    page.reload()
    expect(page.locator("#chat-messages")).to_have_text("1 message is hidden.")

    anna.open("/operator")
    expect(page.locator("#signed-out")).to_contain_text("Only operators")
    anna.expect_answers(403)
    grant(database, "Anna Calm")
    anna.open("/operator")
    report = page.locator("#reports li")
    expect(report).to_contain_text("You play like a kettle!")
    expect(report).to_contain_text("Rude.")
    assert not violations(anna), "operator"
    report.get_by_role("button", name="Close table").click()
    expect(page.locator("[name=reason]")).to_be_focused()
    page.keyboard.type("Insults.")
    page.keyboard.press("Enter")
    expect(page.locator("#action-status")).to_have_text(f"The game at table {table} is closed.")
    expect(guest.page.locator("#prompt")).to_contain_text("An operator closed this game: Insults.")
    report.get_by_role("button", name="Done").click()
    expect(page.locator("#no-reports")).to_be_visible()
    expect(page.locator("#actions-log li")).to_have_count(3)


def test_players_are_blocked_on_their_page_and_unblocked_in_the_account(new_user: NewUser) -> None:
    carl, dora = new_user(), new_user(size=(390, 844))
    carl.sign_up("Carl Calm")
    dora.sign_up("Dora Calm")
    page = dora.open("/players/Carl%20Calm").page
    page.click("#moderate-player")
    page.click("#player-dialog [value=block]")
    expect(page.locator("#player-dialog .status")).to_contain_text("You block Carl Calm")
    dora.open("/account/blocked")
    expect(page.locator("#blocked li")).to_contain_text("Carl Calm")
    assert not violations(dora), "blocked"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Unblock Carl Calm").click()
    expect(page.locator("#no-blocked")).to_be_visible()
    page.fill("[name=account]", "carl calm")
    page.get_by_role("button", name="Mute").click()
    expect(page.locator("#muted li")).to_contain_text("Carl Calm")

"""Accounts: a guest signs up, a passkey, a rated game in the profile, a program with a token."""

from __future__ import annotations

import random
import zipfile
from threading import Thread
from typing import Any

from playwright.sync_api import Page, expect
from support.accounts import PASSWORD
from support.axe import violations
from support.browser import OPEN, NewUser
from support.servers import ServerProcess

import teahouse as th
from teahouse.client import AuthenticationError, ChallengeReceived, Client, GameStarted

GAME = next(game for game in th.games() if len(th.load(game).players) == 2)


def test_a_guest_signs_up_and_goes_on_elsewhere(new_user: NewUser) -> None:
    guest = new_user()
    page = guest.page
    table = guest.create_table(GAME, {}, ["local", "bot-1"])
    name = "Rosa"
    guest.play_random_move(random.Random(1))
    page.click("#open-settings")
    page.check("[name=colours][value=colour-blind]")
    page.keyboard.press("Escape")
    page.click("text=Sign in")
    page.wait_for_url("**/sign-in")
    page.click("text=Sign up")
    page.wait_for_url("**/sign-up")
    assert not violations(guest), "sign up"
    page.fill("[name=name]", name)
    page.fill("[name=password]", "password1")
    expect(page.locator("#bring-games input")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("common")
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/tables/{table}")  # where they came from
    expect(page.locator(".seat.yours .profile")).to_have_text(name)
    page.click("#open-account")
    expect(page.locator(".account-name")).to_have_text(name)
    assert not violations(guest), "menu"
    guest.expect_answers(422)

    phone = new_user(size=(390, 844))
    there = phone.page
    phone.open("/mine")
    expect(there.locator("#lists")).to_contain_text("No games yet")
    there.click("text=Sign in")
    there.wait_for_url("**/sign-in")  # and its script: without that it sends nothing
    there.fill("[name=name]", name.lower())
    there.fill("[name=password]", "not the password")
    there.keyboard.press("Enter")
    expect(there.locator("#error")).to_have_text("The name or the password is not right.")
    assert not violations(phone), "sign in"
    there.fill("[name=password]", PASSWORD)
    there.keyboard.press("Enter")
    there.wait_for_url("**/mine")
    expect(there.locator("html")).to_have_attribute("data-colours", "colour-blind")
    there.click(f"a[href='/tables/{table}']")
    there.wait_for_url(f"**/tables/{table}")
    phone.play_random_move(random.Random(2))
    there.click("#open-account")
    there.click("#sign-out")
    expect(there.locator(".sign-in-link")).to_be_visible()
    expect(there.locator(".seat .profile")).to_have_text(name)
    expect(there.locator(".seat.yours")).to_have_count(0)
    phone.expect_answers(401)
    page.keyboard.press("Escape")
    guest.play_random_move(random.Random(3))  # the first browser is still signed in


def add_authenticator(page: Page) -> None:
    """Give the browser a device that keeps passkeys and that somebody always unlocks."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options: dict[str, Any] = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})


def test_an_account_with_a_passkey(new_user: NewUser, server: ServerProcess) -> None:
    site = server.address.replace("127.0.0.1", "localhost")  # passkeys belong to names
    user = new_user(size=(390, 844), accept_downloads=True)
    page = user.page
    add_authenticator(page)
    page.goto(f"{site}/sign-up")
    page.fill("[name=name]", "Anna")
    page.click("#passkey")
    page.wait_for_url(f"{site}/")

    page.goto(f"{site}/account/security")
    passkeys = page.locator("#passkeys > li")
    expect(passkeys).to_have_count(1)
    page.get_by_role("button", name="Remove: Chrome").click()
    expect(page.locator("#passkeys-status")).to_contain_text("only way to sign in")
    page.get_by_role("button", name="Rename").click()
    page.fill("#passkeys input", "My phone")
    page.keyboard.press("Enter")
    expect(passkeys).to_contain_text("My phone")
    page.click("#add-passkey")
    expect(page.locator("#passkeys-status")).to_contain_text("has a passkey for your account")
    page.click("#make-codes")
    expect(page.locator("#codes > li")).to_have_count(10)
    code = page.locator("#codes > li").first.inner_text()
    with page.expect_download() as saved:
        page.click("#download-codes")
    assert code in saved.value.path().read_text()
    assert not violations(user), "security"
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390, width

    page.context.clear_cookies()
    page.goto(f"{site}/sign-in/recovery")
    assert not violations(user), "recovery"
    page.fill("[name=name]", "Anna")
    page.fill("[name=code]", code)
    page.click("#recovery-form button")
    page.wait_for_url("**/account/security#recovered")
    expect(page.locator("#recovered")).to_be_visible()
    page.fill("[name=password]", PASSWORD)
    page.click("text=Set the password")
    expect(page.locator("#password-status")).to_contain_text("Your password is set")
    expect(page.locator("#sessions > li")).to_have_count(1)

    page.context.clear_cookies()
    page.goto(f"{site}/sign-in")
    # The browser offers the passkey, it is accepted at once, and the last page is back.
    page.wait_for_url(f"{site}/account/security")
    expect(page.locator("#sessions > li")).to_have_count(2)
    expect(page.locator("#recovered")).to_be_hidden()
    page.goto(f"{site}/account")
    expect(page.locator("#who-title")).to_have_text("Anna")
    assert not violations(user), "profile"
    with page.expect_download() as saved:
        page.click("#export")
    with zipfile.ZipFile(saved.value.path()) as archive:
        assert '"name": "Anna"' in archive.read("account.json").decode()
    page.click("#delete")
    page.fill("#delete-dialog [name=name]", "Anna")
    page.click("#delete-dialog [value=delete]")
    expect(page.locator("#confirm-identity")).to_be_visible()
    assert not violations(user), "confirmation"
    page.click("#confirm-identity [value=passkey]")
    expect(page.locator("#signed-out")).to_contain_text("Your account was deleted")
    user.expect_answers(409)


def test_a_rated_game_appears_in_the_profile(new_user: NewUser) -> None:
    user = new_user()
    page = user.page
    user.sign_up("Petra")
    user.open(f"/new?game={GAME}")
    expect(page.locator("#create")).to_be_enabled()
    page.select_option("#seat-1", "bot-1")
    page.check("[name=time-control][value=realtime]")
    page.check("[name=rated]")
    page.click("#create")
    page.wait_for_url("**/tables/*")
    own = page.locator(".seat.yours .rating")
    expect(own).to_contain_text("?")
    for seed in range(2):
        user.play_random_move(random.Random(seed))
        assert user.wait_for_turn()
    page.click("[data-action=resign]")
    page.click("#confirm .main")
    expect(own.locator(".down")).to_contain_text("−")
    change = own.locator(".down").inner_text()
    page.click(".seat.yours .profile")

    page.wait_for_url("**/players/Petra")
    card = page.locator(".rating-card")
    expect(card).to_have_count(1)
    expect(card.locator(".rating-graph")).to_be_visible()
    expect(page.locator("#challenge")).to_be_hidden()
    first = page.locator("#games li").first
    expect(first.locator(".outcome")).to_have_text(f"Lost {change}")
    assert not violations(user), "profile"
    page.select_option("[name=result]", "won")
    expect(page.locator("#games-status")).to_have_text("No games to show.")
    page.select_option("[name=result]", "lost")
    expect(page.locator("#games li")).to_have_count(1)
    page.fill("[name=opponent]", "Nobody at all")
    expect(page.locator("#games-status")).to_contain_text("There is no player with this name.")
    page.click(".rating-card summary")
    expect(card.locator("tbody tr")).to_have_count(1)
    page.set_viewport_size({"width": 320, "height": 700})
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(width) <= 0
    page.click(".rating-card h3 a")
    page.wait_for_url("**/ratings?pool=*")
    assert page.evaluate(width) <= 0
    assert not violations(user), "ratings"
    user.expect_answers(404)


def run_bot(server: ServerProcess, token: str, ended: list[AuthenticationError]) -> None:
    """Accept every challenge and play it, until the token is revoked."""
    with Client(server.address, token) as client:
        try:
            for event in client.events(accepts=[GAME]):
                if isinstance(event, ChallengeReceived):
                    client.accept(event.challenge.id)
                elif isinstance(event, GameStarted):
                    table = client.join(event.table)
                    for position in table.turns():
                        table.play(position.legal[0])
        except AuthenticationError as error:
            ended.append(error)


def test_a_program_is_challenged_and_revoked(new_user: NewUser, server: ServerProcess) -> None:
    user = new_user(size=(390, 844))
    page = user.page
    user.sign_up("Owner of bots")
    user.open("/account/tokens")
    page.fill("#bot-form [name=name]", "Samovar")
    page.keyboard.press("Enter")
    expect(page.locator("#bots > li")).to_contain_text("BOT")
    page.fill("#token-form [name=name]", "laptop")
    page.keyboard.press("Enter")
    expect(page.locator("#new-token-box")).to_be_focused()
    token = page.locator("#new-token-box .token").inner_text()
    assert not violations(user), "tokens"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    ended: list[AuthenticationError] = []
    bot = Thread(target=run_bot, args=(server, token, ended))
    bot.start()
    try:
        while not server.request("/api/bots")[1]["bots"]:
            page.wait_for_timeout(50)
        user.open(f"/new?game={GAME}")
        page.get_by_role("link", name="Samovar").click()
        expect(page.locator("h1")).to_have_text("Challenge Samovar")
        page.click("#create")
        page.wait_for_url("**/tables/*")
        expect(page.locator(".bot-mark")).to_have_text("BOT")
        page.wait_for_selector(OPEN)  # it moves
    finally:
        user.open("/account/tokens")
        page.get_by_role("button", name="Revoke laptop of Samovar").click()
        expect(page.locator("#tokens > li")).to_have_count(0)
        bot.join()
    assert ended

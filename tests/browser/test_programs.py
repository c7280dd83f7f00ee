"""A person's program: a bot account and its token, a game with it, and the token's end."""

from __future__ import annotations

from threading import Thread

from playwright.sync_api import expect
from support.axe import violations
from support.browser import OPEN, NewUser
from support.servers import ServerProcess

import teahouse as th
from teahouse.client import AuthenticationError, ChallengeReceived, Client, GameStarted

GAME = next(game for game in th.games() if len(th.load(game).players) == 2)


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

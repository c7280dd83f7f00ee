"""One's own account: a passkey from the browser's virtual authenticator, codes, data, deletion."""

from __future__ import annotations

import zipfile
from typing import Any

from playwright.sync_api import Page, expect
from support.accounts import PASSWORD
from support.axe import violations
from support.browser import NewUser
from support.servers import ServerProcess


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

"""Passkeys: signing up and in, and that replayed, forged and copied answers are refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.accounts import PASSWORD
from support.authenticator import USER_VERIFIED, create_passkey
from support.in_process import HOST, NUMBERS, ORIGIN, Browser, InProcessApp

from teahouse.server.accounts.challenges import LIFETIME

COOKIE = "teahouse_session"


def sign_in_options(browser: Browser) -> dict[str, Any]:
    return browser.done("/sign-in/passkey/options")


@pytest.mark.parametrize("site", [ORIGIN, f"{ORIGIN}:8000", f"https://{HOST}"])
def test_signing_up_and_in_with_a_passkey(app: InProcessApp, site: str) -> None:
    anna = app.browser(site)
    name = f"Person {next(NUMBERS)}"
    options = anna.done("/sign-up/passkey/options", {"name": name})
    passkey, answer = create_passkey(options, site)
    assert anna.done("/sign-up/passkey", {"answer": answer})["account"]["name"] == name
    assert not anna.security["password"]
    anna.refused("last_credential", "/passkeys/remove", {"id": answer["id"]})
    app.person().refused("last_credential", "/password/remove")
    other = app.browser(site)
    other.done("/sign-in/passkey", {"answer": passkey.assertion(sign_in_options(other), site)})
    assert other.account is not None
    assert other.account["name"] == name
    again = app.browser()
    again.refused("name_taken", "/sign-up/passkey/options", {"name": name})
    anna.done("/password", {"password": PASSWORD})
    anna.done("/passkeys/remove", {"id": answer["id"]})
    gone = app.browser(site)
    answered = {"answer": passkey.assertion(sign_in_options(gone), site)}
    gone.refused("invalid_passkey", "/sign-in/passkey", answered)


def test_a_challenge_is_for_one_use(app: InProcessApp) -> None:
    passkey = app.person().add_passkey()
    browser = app.browser()
    answered = {"answer": passkey.assertion(sign_in_options(browser), ORIGIN)}
    browser.done("/sign-in/passkey", answered)
    for replaying in (browser, app.browser()):
        replaying.refused("expired_challenge", "/sign-in/passkey", answered)
    # A challenge that was answered wrongly is used up too.
    options = sign_in_options(browser)
    forged = passkey.assertion(options, "https://evil.example")
    browser.refused("invalid_passkey", "/sign-in/passkey", {"answer": forged})
    right = passkey.assertion(options, ORIGIN)
    browser.refused("expired_challenge", "/sign-in/passkey", {"answer": right})


def test_a_challenge_expires(app: InProcessApp) -> None:
    passkey = app.person().add_passkey()
    browser = app.browser()
    answered = {"answer": passkey.assertion(sign_in_options(browser), ORIGIN)}
    app.seconds += LIFETIME + 1
    browser.refused("expired_challenge", "/sign-in/passkey", answered)


def test_a_challenge_belongs_to_one_browser(app: InProcessApp) -> None:
    """An answer that somebody was tricked into giving is of no use elsewhere."""
    passkey = app.person().add_passkey()
    victim, attacker = app.browser(), app.browser()
    options = sign_in_options(victim)
    sign_in_options(attacker)
    answered = {"answer": passkey.assertion(options, ORIGIN)}
    attacker.refused("expired_challenge", "/sign-in/passkey", answered)
    assert attacker.account is None


def test_a_challenge_has_one_purpose(app: InProcessApp) -> None:
    anna = app.person()
    passkey = anna.add_passkey()
    answered = {"answer": passkey.assertion(anna.done("/confirm/passkey/options"), ORIGIN)}
    anna.refused("expired_challenge", "/sign-in/passkey", answered)
    answered = {"answer": passkey.assertion(sign_in_options(anna), ORIGIN)}
    anna.refused("expired_challenge", "/confirm/passkey", answered)


@pytest.mark.parametrize(
    "forged",
    [
        {"origin": "https://evil.example"},
        {"origin": f"https://{HOST}"},
        {"origin": f"{ORIGIN}:8000"},
        {"rp_id": "evil.example"},
        {"rp_id": "example.org"},
        {"flags": 0},
        {"flags": USER_VERIFIED},  # nobody has touched the key
    ],
)
def test_answers_for_another_site_are_refused(app: InProcessApp, forged: dict[str, Any]) -> None:
    anna = app.person()
    passkey = anna.add_passkey()
    changes = {"origin": ORIGIN, **forged}
    browser = app.browser()
    answer = passkey.assertion(sign_in_options(browser), **changes)
    browser.refused("invalid_passkey", "/sign-in/passkey", {"answer": answer})
    assert browser.account is None
    answer = create_passkey(anna.done("/passkeys/options"), **changes)[1]
    anna.refused("invalid_passkey", "/passkeys", {"answer": answer})
    assert len(anna.security["passkeys"]) == 1


def test_forged_answers_are_refused(app: InProcessApp) -> None:
    anna, bob = app.person(), app.person()
    passkey, other = anna.add_passkey(), bob.add_passkey()
    browser = app.browser()
    for changed in (
        {"signature": "AAAA"},
        {"signature": ""},
        {"id": other.assertion({"challenge": ""}, ORIGIN)["id"]},
        {"id": "AAAA"},
        {"authenticator_data": "AAAA"},
        {"user_handle": "AAAA"},
    ):
        answer = {**passkey.assertion(sign_in_options(browser), ORIGIN), **changed}
        browser.refused("invalid_passkey", "/sign-in/passkey", {"answer": answer})
    for client_data in ("", "AAAA", "e30"):  # no JSON, and an empty object
        answer = {**passkey.assertion(sign_in_options(browser), ORIGIN), "client_data": client_data}
        browser.refused("invalid_passkey", "/sign-in/passkey", {"answer": answer})
    answer = create_passkey(anna.done("/passkeys/options"), ORIGIN)[1]
    anna.refused("invalid_passkey", "/passkeys", {"answer": {**answer, "attestation": "oA"}})
    answer = create_passkey(anna.done("/passkeys/options"), ORIGIN)[1]
    bob.refused("expired_challenge", "/passkeys", {"answer": answer})  # of another browser
    assert browser.account is None


def test_a_copy_of_a_key_is_refused(app: InProcessApp) -> None:
    passkey = app.person().add_passkey()
    copied = passkey.copy()
    browser = app.browser()
    for _ in range(2):
        answer = passkey.assertion(sign_in_options(browser), ORIGIN)
        browser.done("/sign-in/passkey", {"answer": answer})
    thief = app.browser()
    answer = copied.assertion(sign_in_options(thief), ORIGIN)
    thief.refused("cloned_passkey", "/sign-in/passkey", {"answer": answer})
    assert thief.account is None


def test_passkeys_need_not_count(app: InProcessApp) -> None:
    """Passkeys that are synced between devices leave their counter at zero."""
    passkey = app.person().add_passkey(counts=False)
    for _ in range(2):
        browser = app.browser()
        answer = passkey.assertion(sign_in_options(browser), ORIGIN)
        browser.done("/sign-in/passkey", {"answer": answer})


def test_passkeys_need_a_host_name(app: InProcessApp) -> None:
    browser = app.browser("http://127.0.0.1:8000")
    refused = browser.refused("passkeys_unavailable", "/sign-in/passkey/options")
    assert "name" in refused["message"]

"""Authentication: what an attacker tries, and that each of it is refused."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from httpx2 import Response
from starlette.websockets import WebSocketDisconnect
from support.accounts import PASSWORD
from support.authenticator import create_passkey
from support.in_process import HOST, NUMBERS, ORIGIN, Browser, InProcessApp

from teahouse.server.accounts import confirmation
from teahouse.server.accounts.attempts import FREE_ATTEMPTS
from teahouse.server.accounts.rows import account_sessions

COOKIE = "teahouse_session"


# Sessions.


def test_a_planted_session_is_not_used(app: InProcessApp) -> None:
    """Session fixation: signing in gives a new token, and ends the one that was there."""
    eve, anna = app.person(), app.person()
    for planted in (eve.client.cookies[COOKIE], "invented-by-somebody-else"):
        victim = app.browser()
        victim.client.cookies.set(COOKIE, planted)
        victim.client.headers["Cookie"] = f"{COOKIE}={planted}"
        response = victim.post("/sign-in", {"name": anna.name, "password": PASSWORD})
        assert response.cookies[COOKIE] != planted
        attacker = app.browser()
        attacker.client.cookies.set(COOKIE, planted)
        assert attacker.account is None


def test_the_database_has_no_token(app: InProcessApp) -> None:
    anna = app.person()
    token = anna.client.cookies[COOKIE]
    with app.state.registry.store._engine.connect() as connection:
        stored = connection.execute(sa.select(account_sessions)).all()
    assert stored
    assert token not in str(stored)


def test_cookies_are_for_this_site_alone(app: InProcessApp) -> None:
    anna = app.browser()
    name = f"Person {next(NUMBERS)}"
    response = anna.post("/sign-up", {"name": name, "password": PASSWORD})
    for cookie in response.headers.get_list("set-cookie"):
        attributes = cookie.lower()
        assert "httponly" in attributes
        assert "samesite=lax" in attributes
        assert "domain=" not in attributes
    secure = app.browser(f"https://{HOST}")
    response = secure.post("/sign-in", {"name": name, "password": PASSWORD})
    for cookie in response.headers.get_list("set-cookie"):
        assert cookie.startswith("__Host-")
        assert "; secure" in cookie.lower()
        assert "path=/;" in cookie.lower() + ";"


def test_a_revoked_session_is_refused_and_its_socket_closed(app: InProcessApp) -> None:
    anna = app.person()
    stolen = app.browser().sign_in(anna.name)
    with stolen.table_socket() as socket:
        socket.send_json({"type": "join", "protocol": 2, "snapshots": False})
        assert socket.receive_json()["type"] == "table"
        (other,) = [one for one in anna.security["sessions"] if not one["current"]]
        anna.done("/sessions/revoke", {"id": other["id"]})
        with pytest.raises(WebSocketDisconnect) as closed:
            while True:
                socket.receive_json()
        assert closed.value.code == 4401
    assert stolen.account is None
    stolen.refused("sign_in_required", "/passkeys/options")
    assert anna.account is not None
    bob = app.person()
    bob.refused("not_found", "/sessions/revoke", {"id": anna.security["sessions"][0]["id"]})
    assert anna.account is not None


def test_signing_out_closes_the_socket(app: InProcessApp) -> None:
    anna = app.person()
    with anna.table_socket() as socket:
        socket.send_json({"type": "join", "protocol": 2, "snapshots": False})
        assert socket.receive_json()["type"] == "table"
        anna.done("/sign-out")
        with pytest.raises(WebSocketDisconnect) as closed:
            while True:
                socket.receive_json()
        assert closed.value.code == 4401


def test_another_password_ends_all_other_sessions(app: InProcessApp) -> None:
    anna = app.person()
    others = [app.browser().sign_in(anna.name) for _ in range(2)]
    before = anna.client.cookies[COOKIE]
    anna.done("/password", {"password": "a-lid-for-96-teapots"})
    assert anna.client.cookies[COOKIE] != before
    assert [other.account for other in others] == [None, None]
    assert len(anna.security["sessions"]) == 1
    app.browser().refused("sign_in_failed", "/sign-in", {"name": anna.name, "password": PASSWORD})
    third = app.browser()
    third.done("/sign-in", {"name": anna.name, "password": "a-lid-for-96-teapots"})
    assert anna.done("/sessions/revoke-others") == {"revoked": 1}
    assert third.account is None


# Cross-site requests.


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"{ORIGIN}.evil.example", None])
def test_other_sites_cannot_send_requests(app: InProcessApp, origin: str | None) -> None:
    anna = app.person()
    if origin is None:  # a request with a session that does not say where it comes from
        del anna.client.headers["Origin"]
    else:
        anna.client.headers["Origin"] = origin
    for path in ("/sign-out", "/password", "/delete", "/recovery-codes"):
        anna.refused("forbidden_origin", path)
    with (
        pytest.raises(WebSocketDisconnect) as closed,
        anna.client.websocket_connect(f"ws://{HOST}/api/tables/aaaaaaaaaa/socket"),
    ):
        pass
    assert closed.value.code == 4403
    anna.client.headers["Origin"] = ORIGIN
    assert anna.account is not None


@pytest.mark.parametrize(
    "content", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]
)
def test_forms_are_refused(app: InProcessApp, content: str) -> None:
    """What a form of another site can send without a preflight request is not read."""
    anna = app.person()
    for path, body in (
        ("password", '{"password": "a-lid-for-96-teapots"}'),
        ("sign-in", f'{{"name": "{anna.name}", "password": "{PASSWORD}"}}'),
    ):
        response = anna.client.post(
            f"/api/account/{path}", content=body, headers={"Content-Type": content}
        )
        assert response.status_code == 422, response.text


# Tokens.


def test_a_token_does_what_its_scopes_allow(app: InProcessApp) -> None:
    anna = app.person()
    secrets = {
        scope: anna.done("/tokens", {"name": scope, "scopes": [scope]})["token"]
        for scope in ("read", "play", "challenge", "tournament")
    }
    program = app.browser()
    for header in ("Origin", "Cookie"):
        program.client.headers.pop(header, None)
    for scope, secret in secrets.items():
        program.client.headers["Authorization"] = f"Bearer {secret}"
        read = program.client.get("/api/account")
        assert (read.status_code == 200) == (scope == "read"), read.text
        if scope != "read":
            assert read.json()["code"] == "missing_scope"
        # No token reaches the account itself.
        for path in ("/password", "/passkeys/options", "/recovery-codes", "/delete", "/tokens"):
            body = {"password": PASSWORD} if path == "/password" else None
            response = program.post(path, body)
            assert response.status_code in (401, 422), (scope, path, response.text)
        for path in ("security", "export"):
            assert program.client.get(f"/api/account/{path}").status_code == 401
    (first, *_) = anna.client.get("/api/account/tokens").json()["tokens"]
    anna.done(f"/tokens/{first['id']}/revoke")
    program.client.headers["Authorization"] = f"Bearer {secrets[first['name']]}"
    assert program.client.get("/api/account").json()["code"] == "invalid_token"
    program.client.headers["Authorization"] = "Bearer th_invented"
    assert program.client.get("/api/account").json()["code"] == "invalid_token"


# Names and passwords.


def test_signing_in_does_not_tell_which_names_exist(app: InProcessApp) -> None:
    """The same answer, after the same one verification of a password, whatever the name."""
    anna = app.person()
    keyed = app.browser()
    passkey_name = f"Person {next(NUMBERS)}"
    options = keyed.done("/sign-up/passkey/options", {"name": passkey_name})
    keyed.done("/sign-up/passkey", {"answer": create_passkey(options, ORIGIN)[1]})
    answers = set()
    passwords = app.state.passwords
    for name in (anna.name, passkey_name, "Nobody knows me"):
        before = passwords.verifications
        response = app.browser().post("/sign-in", {"name": name, "password": "wrong"})
        assert passwords.verifications == before + 1
        answers.add((response.status_code, response.text))
        response = app.browser().post("/sign-in/recovery", {"name": name, "code": "wrong"})
        assert passwords.verifications == before + 1
        answers.add((response.status_code, response.text))
    assert len(answers) == 2  # one for each way
    before = passwords.verifications
    app.browser().sign_in(anna.name)
    assert passwords.verifications == before + 1
    assert "name" not in str(app.browser().done("/sign-in/passkey/options"))


@pytest.mark.parametrize("way", ["/sign-in", "/sign-in/recovery"])
def test_guesses_are_limited(app: InProcessApp, way: str) -> None:
    anna = app.person()
    home = app.browser().sign_in(anna.name)
    home.done("/sign-out")

    def attempt(browser: Browser, name: str, password: str = "wrong") -> Response:
        secret = "password" if way == "/sign-in" else "code"
        return browser.post(way, {"name": name, secret: password})

    for name in (anna.name, "Nobody at all"):  # unknown names are limited as known ones
        app.forget_failures()
        for _ in range(FREE_ATTEMPTS["name"]):
            assert attempt(app.browser(), name).status_code == 401
        refused = attempt(app.browser(), name)
        assert refused.status_code == 429
        assert int(refused.headers["Retry-After"]) >= 1
        assert attempt(app.browser(), name, PASSWORD).status_code == 429  # also the right one
    app.forget_failures()
    for _ in range(FREE_ATTEMPTS["name"]):
        attempt(app.browser(), anna.name)
    home.sign_in(anna.name)  # nobody can lock others out of a browser they have used before
    app.forget_failures()
    for number in range(FREE_ATTEMPTS["address"]):
        attempt(app.browser(), f"Name number {number}")
    assert attempt(app.browser(), "One more name").status_code == 429  # of this address


def test_a_confirmation_is_limited_too(app: InProcessApp) -> None:
    anna = app.person()
    for _ in range(FREE_ATTEMPTS["device"]):
        anna.refused("sign_in_failed", "/confirm", {"password": "wrong"})
    assert anna.post("/confirm", {"password": PASSWORD}).status_code == 429


# Recovery codes and confirmation.


def test_a_recovery_code_signs_in_once(app: InProcessApp) -> None:
    anna, bob = app.person(), app.person()
    codes = anna.done("/recovery-codes")["codes"]
    assert len(set(codes)) == 10
    assert anna.security["recovery_codes"] == 10
    wrong = {"name": bob.name, "code": codes[0]}
    app.browser().refused("sign_in_failed", "/sign-in/recovery", wrong)
    right = {"name": anna.name.upper(), "code": codes[0].upper().replace("-", " ")}
    recovered = app.browser()
    recovered.done("/sign-in/recovery", right)
    recovered.done("/password", {"password": "a-lid-for-96-teapots"})  # without the lost one
    app.browser().refused("sign_in_failed", "/sign-in/recovery", right)
    assert recovered.security["recovery_codes"] == 9
    newer = recovered.done("/recovery-codes")["codes"]
    replaced = {"name": anna.name, "code": codes[1]}
    app.browser().refused("sign_in_failed", "/sign-in/recovery", replaced)
    app.browser().done("/sign-in/recovery", {"name": anna.name, "code": newer[0]})


def test_an_old_session_has_to_be_confirmed(app: InProcessApp) -> None:
    """A browser that was left open is not enough to take an account over."""
    anna = app.person()
    passkey = anna.add_passkey()
    (session,) = anna.security["sessions"]
    aged = session["created"] - confirmation.LIFETIME - 1
    app.write(
        account_sessions.update().where(account_sessions.c.id == session["id"]).values(created=aged)
    )
    changes: list[tuple[str, Any]] = [
        ("/password", {"password": "a-lid-for-96-teapots"}),
        ("/password/remove", None),
        ("/passkeys/options", None),
        ("/recovery-codes", None),
        ("/tokens", {"name": "for ever", "scopes": ["play"]}),
        ("/delete", None),
    ]
    for path, body in changes:
        anna.refused("confirmation_required", path, body)
    stranger = app.person().add_passkey()
    answer = stranger.assertion(anna.done("/confirm/passkey/options"), ORIGIN)
    anna.refused("invalid_passkey", "/confirm/passkey", {"answer": answer})
    anna.refused("sign_in_failed", "/confirm", {"password": "wrong"})
    anna.refused("confirmation_required", "/recovery-codes")
    answer = passkey.assertion(anna.done("/confirm/passkey/options"), ORIGIN)
    anna.done("/confirm/passkey", {"answer": answer})
    anna.done("/recovery-codes")
    app.seconds += confirmation.LIFETIME + 1
    anna.refused("confirmation_required", "/recovery-codes")
    anna.done("/confirm", {"password": PASSWORD})
    anna.done("/recovery-codes")


def test_a_deletion_is_always_confirmed(app: InProcessApp) -> None:
    anna = app.person()
    anna.refused("confirmation_required", "/delete")  # however fresh the sign-in
    anna.done("/confirm", {"password": PASSWORD})
    anna.done("/delete")
    assert anna.account is None
    wrong = {"name": anna.name, "password": PASSWORD}
    app.browser().refused("sign_in_failed", "/sign-in", wrong)

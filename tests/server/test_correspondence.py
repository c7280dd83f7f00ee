"""Vacations, games that wait, feed and e-mail, on a server with accounts and a mail server."""

from __future__ import annotations

import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from support.accounts import Browser
from support.mail import ENABLED, Inbox, key_in, mail_server, text_of
from support.servers import ServerProcess, running_server

import teahouse as th
from teahouse.server.correspondence.smtp import check_settings
from teahouse.server.settings import ServerSettings
from teahouse.server.storage.lock import StartupError
from teahouse.session.clock import DAY

NAME = th.games()[0]
GAME = th.load(NAME)
ATOM = "{http://www.w3.org/2005/Atom}"
ODD_NAME = "A&B <i>"


@pytest.fixture(scope="module")
def inbox() -> Iterator[tuple[int, Inbox]]:
    with mail_server() as started:
        yield started


@pytest.fixture(scope="module")
def own_server(
    inbox: tuple[int, Inbox], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServerProcess]:
    """A server that sends e-mail at once."""
    database = str(tmp_path_factory.mktemp("server") / "teahouse.db")
    mail = {"smtp_port": inbox[0], "mail_interval": 0.05, "mail_digest_seconds": 0.0}
    with running_server(database, **ENABLED, **mail) as server:
        yield server


def wait_until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 60
    while not (found := condition()):
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)
    return found


def begin(anna: Browser, days: int = 3) -> tuple[str, list[str]]:
    """Create a game by days in which the account has the first seat; return the others' keys."""
    seats: list[dict[str, Any]] = [{"kind": "local"}]
    seats += [{"kind": "remote", "name": ODD_NAME} for _ in GAME.players[1:]]
    control = {"kind": "correspondence", "days": days}
    created = anna.post("/api/tables", game=NAME, seats=seats, seed=1, time_control=control)
    return created["id"], [seat["secret"] for seat in created["seats"]]


def play_turns(server: ServerProcess, anna: Browser, table: str, keys: list[str]) -> None:
    """Play until it is the account's turn again, after the others have played."""
    answered = False
    with anna.join(table) as own, server.join(table, *keys) as others:
        own.receive("table")
        others.receive("table")
        state = server.request(f"/api/tables/{table}")[1]["state"]
        while not (answered and state["player"] == 0):
            legal = server.request(f"/api/tables/{table}")[1]["snapshot"]["legal"]
            move = {"ply": state["ply"], "move": legal[0]["move"]}
            client = own if state["player"] == 0 else others
            reply = client.request(type="play", seat=state["player"], **move)
            assert reply["type"] == "ack", reply
            answered = state["player"] != 0
            state = server.request(f"/api/tables/{table}")[1]["state"]


def test_days_stand_still_during_a_vacation(own_server: ServerProcess) -> None:
    anna = Browser(own_server).sign_up("Vacationer")
    table, keys = begin(anna)
    with own_server.join(table, *keys) as others:
        others.receive("table")
        before = anna.request("/api/notifications")[1]["vacation"]
        assert before == {"until": None, "days_left": 30.0, "days_a_year": 30}
        vacation = anna.post("/api/vacation", days=7)
        assert vacation["days_left"] == 30.0
        until = vacation["until"]
        state = others.receive("update")["state"]
        assert state["seats"][0]["vacation_until"] == until
        assert state["clock"]["paused_until"] == (until if state["player"] == 0 else None)
    (waiting,) = anna.post("/api/waiting")["games"]
    assert waiting["deadline"] == pytest.approx(until + 3 * DAY, abs=60.0)
    status, refused = anna.request("/api/vacation", {"days": 31})
    assert (status, refused["code"]) == (422, "invalid")
    assert "30.0 days" in refused["message"]
    later, _ = begin(anna)  # a game that begins meanwhile
    seat = wait_until(
        lambda: own_server.request(f"/api/tables/{later}")[1]["state"]["seats"][0]["vacation_until"]
    )
    assert seat == until
    ended = anna.post("/api/vacation", days=0)
    assert ended["until"] is None
    assert ended["days_left"] == pytest.approx(29.0, abs=0.02)  # it counts one day at least
    state = own_server.request(f"/api/tables/{table}")[1]["state"]
    assert state["seats"][0]["vacation_until"] is None


def test_waiting_games_are_those_of_the_account_and_of_the_browser(
    own_server: ServerProcess,
) -> None:
    anna = Browser(own_server).sign_up("Waiter")
    tables = [begin(anna, days)[0] for days in (3, 1, 2)]
    for table in tables:
        assert own_server.request(f"/api/tables/{table}")[1]["state"]["player"] == 0
    found = anna.post("/api/waiting", boards=True)["games"]
    clocks = [game["deadline"] for game in found]
    assert {game["id"] for game in found} == set(tables)
    assert clocks == [None] * 3, "clocks start once everybody has joined"
    assert all(game["svg"].startswith("<svg") for game in found)
    assert own_server.request("/api/waiting", {"tables": []})[1]["games"] == []
    seats = [{"kind": "local"} for _ in GAME.players]
    guest, keys = own_server.create_table(game=NAME, seats=seats)
    asked = {"tables": [{"id": guest, "secrets": keys}, {"id": tables[0], "secrets": []}]}
    assert [game["id"] for game in own_server.request("/api/waiting", asked)[1]["games"]] == [guest]
    assert {game["id"] for game in anna.post("/api/waiting", **asked)["games"]} == {*tables, guest}


def test_waiting_games_are_ordered_by_time(own_server: ServerProcess) -> None:
    anna = Browser(own_server).sign_up("Orderly")
    tables = []
    for days in (3, 1, 2):
        table, keys = begin(anna, days)
        tables.append(table)
        own_server.join(table, *keys).receive("table")
    found = anna.post("/api/waiting")["games"]
    assert [game["id"] for game in found] == [tables[1], tables[2], tables[0]]


def test_the_feed_is_valid_and_revocable(own_server: ServerProcess) -> None:
    anna = Browser(own_server).sign_up("Reader")
    table, keys = begin(anna)
    path = anna.post("/api/notifications/feed")["path"]
    play_turns(own_server, anna, table, keys)

    def entries() -> list[ElementTree.Element]:
        feed = ElementTree.fromstring(own_server.request(path)[1])
        assert feed.tag == f"{ATOM}feed"
        for name in ("id", "title", "updated"):
            assert feed.findtext(f"{ATOM}{name}")
        assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Teahouse"
        links = {link.get("rel"): link.get("href") for link in feed.iter(f"{ATOM}link")}
        assert links["self"] == f"{own_server.address}{path}"
        found = feed.findall(f"{ATOM}entry")
        ids = [entry.findtext(f"{ATOM}id") for entry in found]
        assert len(set(ids)) == len(ids)
        times = [entry.findtext(f"{ATOM}updated") for entry in found]
        assert times == sorted(times, key=str, reverse=True)
        assert feed.findtext(f"{ATOM}updated") == (times or [feed.findtext(f"{ATOM}updated")])[0]
        return found

    def told() -> list[ElementTree.Element]:
        return [one for one in entries() if "begins" not in str(one.findtext(f"{ATOM}summary"))]

    (newest,) = wait_until(told)
    assert len(entries()) == 1, "the last turn only"
    assert newest.findtext(f"{ATOM}title", "").startswith("Your turn: ")
    assert ODD_NAME in newest.findtext(f"{ATOM}title", "")
    link = newest.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"{own_server.address}/tables/{table}"
    with anna.join(table) as own:
        own.receive("table")
        own.request(type="resign", seat=0)
    ended = wait_until(lambda: "over" in str(entries()[0].findtext(f"{ATOM}title")) and entries())
    assert "resigned" in str(ended[0].findtext(f"{ATOM}summary"))
    with urllib.request.urlopen(own_server.address + path) as response:
        assert response.headers["Content-Type"].startswith("application/atom+xml")
        tag = response.headers["ETag"]
    assert own_server.request(path, If_None_Match=tag)[0] == 304
    other = anna.post("/api/notifications/feed")["path"]
    assert own_server.request(path)[0] == 404
    assert own_server.request(other)[0] == 200
    anna.post("/api/notifications/feed/revoke")
    assert own_server.request(other)[0] == 404


def test_e_mail_is_verified_sent_once_a_turn_and_unsubscribed(
    own_server: ServerProcess, inbox: tuple[int, Inbox]
) -> None:
    messages = inbox[1].messages
    anna = Browser(own_server).sign_up("Mailer")
    for address in ("nobody", "a@b", "a b@example.org", "a@example.org\nBcc: x@example.org"):
        assert anna.request("/api/notifications/email", {"address": address})[0] == 422
    anna.post("/api/notifications/email", address="mailer@example.org")
    (link,) = wait_until(lambda: [one for one in messages if "Mailer" in text_of(one)])
    assert (link["To"], link["From"]) == ("mailer@example.org", "Teahouse <tea@example.org>")
    status, refused = anna.request("/api/notifications/email", {"address": "b@example.org"})
    assert (status, refused["code"]) == (429, "rate_limited")
    table, keys = begin(anna)
    play_turns(own_server, anna, table, keys)
    assert own_server.request("/api/email/confirm", {"key": "x" * 22})[0] == 404
    key = key_in(link, "confirm")
    assert (
        own_server.request("/api/email/confirm", {"key": key})[1]["address"] == "mailer@example.org"
    )
    assert own_server.request("/api/email/confirm", {"key": key})[0] == 404, "once"
    anna.post("/api/notifications/mail", kinds=["turn", "over"], minutes=0)
    del messages[:]
    play_turns(own_server, anna, table, keys)
    (mail,) = wait_until(lambda: list(messages))
    assert mail["Subject"].startswith("Your turn: ")
    assert f"https://tea.example.org/tables/{table}" in text_of(mail)
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    settings = anna.request("/api/notifications")[1]["email"]
    assert settings == {
        "address": "mailer@example.org",
        "verified": True,
        "kinds": ["turn", "over"],
        "minutes": 0,
    }
    url = (
        mail["List-Unsubscribe"].strip("<>").replace("https://tea.example.org", own_server.address)
    )
    form = urllib.request.Request(url, b"List-Unsubscribe=One-Click")
    with urllib.request.urlopen(form) as response:
        assert response.status == 200
    assert key_in(mail, "unsubscribe") == url.rsplit("/", 1)[-1]
    assert anna.request("/api/notifications")[1]["email"]["kinds"] == []
    play_turns(own_server, anna, table, keys)
    time.sleep(0.3)  # several looks for e-mail to send
    assert len(messages) == 1
    anna.post("/api/notifications/email", address=None)
    assert anna.request("/api/notifications")[1]["email"]["address"] is None


def test_guests_have_no_notifications(own_server: ServerProcess) -> None:
    guest = Browser(own_server)
    for path, body in (
        ("/api/notifications", None),
        ("/api/notifications/feed", {}),
        ("/api/notifications/email", {"address": "a@example.org"}),
        ("/api/vacation", {"days": 1}),
    ):
        assert guest.request(path, body)[0] == 401, path


def test_without_a_mail_server_there_is_no_e_mail(server: ServerProcess) -> None:
    anna = Browser(server).sign_up("NoMail")
    assert anna.request("/api/notifications")[1]["email"] is None
    assert anna.request("/api/notifications/email", {"address": "a@example.org"})[0] == 404
    for page in ("/account/notifications", "/waiting"):
        assert "mail" not in server.request(page)[1].lower()
    for page in ("/email/confirm", "/email/unsubscribe"):
        assert server.request(page)[0] == 404


def test_settings_of_e_mail_are_checked_at_the_start(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("kettle\n")
    assert check_settings(ServerSettings(**ENABLED))
    assert not check_settings(ServerSettings(**{**ENABLED, "smtp_host": ""}))
    for changes, reason in (
        ({"smtp_from": ""}, "TEAHOUSE_SMTP_FROM"),
        ({"public_url": ""}, "TEAHOUSE_URL"),
        ({"smtp_security": "maybe"}, "TEAHOUSE_SMTP_SECURITY"),
        ({"smtp_password": "kettle"}, "encryption"),
    ):
        with pytest.raises(StartupError, match=reason):
            check_settings(ServerSettings(**{**ENABLED, **changes}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TEAHOUSE_SMTP_PASSWORD_FILE", str(secret))
        patch.setenv("TEAHOUSE_SMTP_PORT", "25")
        settings = ServerSettings()
        assert (settings.smtp_password, settings.smtp_port) == ("kettle", 25)
        assert "kettle" not in repr(settings)
        patch.setenv("TEAHOUSE_SMTP_PORT", "many")
        with pytest.raises(StartupError, match="TEAHOUSE_SMTP_PORT"):
            ServerSettings()

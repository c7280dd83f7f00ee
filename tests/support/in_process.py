"""The application in this process, with browsers of its people and a clock that tests set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

import teahouse as th
from support.accounts import PASSWORD
from support.authenticator import Passkey, create_passkey
from teahouse.server.accounts.attempts import Attempts
from teahouse.server.accounts.challenges import Challenges
from teahouse.server.accounts.confirmation import Confirmations
from teahouse.server.app import create_app
from teahouse.server.settings import ServerSettings

HOST = "tea.example.org"
ORIGIN = f"http://{HOST}"
NUMBERS = count(1)
GAME = th.games()[0]


@contextmanager
def open_app(database: str) -> Iterator[TestClient]:
    """Run the application in this process."""
    settings = ServerSettings(
        database=database,
        request_rate=1e9,
        prepare=False,
        hosts=(HOST,),
        password_memory=1,
        max_accounts_per_address=10_000,
    )
    with TestClient(create_app(settings)) as client:
        yield client


class InProcessApp:
    """The application in this process, with a clock that the tests set."""

    def __init__(self, client: TestClient) -> None:
        self.client = client
        self.state: Any = client.app.state  # type: ignore[attr-defined]
        self.seconds = 0.0
        self.state.challenges = Challenges(lambda: self.seconds)
        self.state.confirmations = Confirmations(lambda: self.seconds)
        self.forget_failures()

    def forget_failures(self) -> None:
        """Reset the failed sign-in attempts."""
        self.state.sign_in_attempts = Attempts(lambda: self.seconds)

    def browser(self, origin: str = ORIGIN, **headers: str) -> Browser:
        """Return a browser without cookies."""
        return Browser(self, origin, headers)

    def person(self) -> Browser:
        """Return the browser of a new account."""
        return self.browser().sign_up(f"Person {next(NUMBERS)}")

    def settle(self) -> None:
        """Wait until all finished games are rated."""
        assert self.client.portal is not None
        self.client.portal.call(self.state.ratings.settled)

    def write(self, statement: Any) -> None:
        """Change the database behind the server's back."""
        with self.state.registry.store._engine.begin() as connection:
            connection.execute(statement)


class Browser:
    """A browser with cookies of its own."""

    def __init__(self, app: InProcessApp, origin: str, headers: dict[str, str]) -> None:
        self.app = app
        self.origin = origin
        self.name = ""
        self.client = TestClient(
            app.client.app, base_url=origin, headers={"Origin": origin, **headers}
        )
        self.client.portal = app.client.portal  # the event loop of the application

    def post(self, path: str, body: Any = None, **more: Any) -> Response:
        return self.client.post(f"/api/account{path}", json=body or {}, **more)

    def done(self, path: str, body: Any = None) -> Any:
        """Send a request that must succeed."""
        response = self.post(path, body)
        assert response.status_code in (200, 201), response.text
        return response.json()

    def refused(self, code: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a request that must be refused."""
        response = self.post(path, body)
        assert response.json().get("code") == code, response.text
        return response.json()

    def sign_up(self, name: str) -> Browser:
        self.name = name
        self.done("/sign-up", {"name": name, "password": PASSWORD})
        return self

    def sign_in(self, name: str) -> Browser:
        self.name = name
        self.done("/sign-in", {"name": name, "password": PASSWORD})
        return self

    @property
    def account(self) -> dict[str, Any] | None:
        """Who is signed in."""
        return self.client.get("/api/account").json()["account"]

    @property
    def security(self) -> dict[str, Any]:
        return self.client.get("/api/account/security").json()

    def add_passkey(self, **how: Any) -> Passkey:
        passkey, answer = create_passkey(self.done("/passkeys/options"), self.origin, **how)
        self.done("/passkeys", {"answer": answer})
        return passkey

    def table_socket(self) -> Any:
        """Return a socket of a new table of this person."""
        seats = len(th.load(GAME).players)
        body = {"game": GAME, "seats": [{"kind": "local"}, *[{"kind": "remote"}] * (seats - 1)]}
        table = self.client.post("/api/tables", json=body).json()["id"]
        return self.client.websocket_connect(f"ws://{HOST}/api/tables/{table}/socket")

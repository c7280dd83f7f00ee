"""Browsers that sign in, without a page: cookies, requests and sockets."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

from support.servers import WAIT, Client, ServerProcess

PASSWORD = "kettle-on-a-96-stove"


class Browser:
    """The cookies of a browser, and its requests to a server."""

    def __init__(self, server: ServerProcess, user_agent: str = "") -> None:
        self.server = server
        self.jar = CookieJar()
        self.headers = {"Origin": server.address, "User-Agent": user_agent}
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        self.account: dict[str, Any] | None = None

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies by their names."""
        return {cookie.name: cookie.value or "" for cookie in self.jar}

    def request(self, path: str, body: Any = None) -> tuple[int, Any]:
        """Return the status and the body of a response, parsed if it is JSON."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server.address + path, data, self.headers)
        request.add_header("Content-Type", "application/json")
        try:
            response = self._opener.open(request, timeout=WAIT)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read().decode()
            is_json = "json" in response.headers.get("Content-Type", "")
            return response.status, json.loads(text) if is_json else text

    def post(self, path: str, **body: Any) -> Any:
        """Send a request that must succeed; return its body."""
        status, answer = self.request(path, body)
        assert status in (200, 201), answer
        return answer

    def sign_up(self, name: str, password: str = PASSWORD) -> Browser:
        """Create an account and sign in."""
        answer = self.post("/api/account/sign-up", name=name, password=password)
        self.account = answer["account"]
        return self

    def sign_in(self, name: str, password: str = PASSWORD) -> Browser:
        """Sign in."""
        answer = self.post("/api/account/sign-in", name=name, password=password)
        self.account = answer["account"]
        return self

    @property
    def socket_headers(self) -> dict[str, str]:
        """The headers of a socket that this browser opens."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return {"Origin": self.server.address, **({"Cookie": cookie} if cookie else {})}

    def join(self, table: str, *secrets: str) -> Client:
        """Return a socket that joins a table."""
        return self.server.join(table, *secrets, headers=self.socket_headers)

"""Messages have the keys that docs/protocol.md documents."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.servers import ServerProcess

from teahouse.server.web.errors import CLOSE_CODE, HTTP_STATUS

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
ABBREVIATED = {"comments", "names", "piece", "pieces", "time_control"}
"""Keys whose value the examples show in part only."""
OROCHI: dict[str, Any] = {"game": "orochi", "options": {"side": 2}}


def example(marker: str) -> Any:
    """Return the JSON example that contains a text."""
    blocks: list[str] = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    (found,) = [block for block in blocks if marker in block]
    return json.loads(found)


def assert_same_keys(documented: Any, actual: Any, path: str = "") -> None:
    """Compare the keys of objects recursively; an empty object documents nothing."""
    if isinstance(documented, dict) and isinstance(actual, dict) and documented:
        assert set(documented) == set(actual), path
        for key in set(documented) - ABBREVIATED:
            assert_same_keys(documented[key], actual[key], f"{path}.{key}")
    elif isinstance(documented, list) and documented and actual:
        for entry in actual:
            assert_same_keys(documented[0], entry, f"{path}[]")


def test_snapshots_and_explored_positions(server: ServerProcess) -> None:
    for body in ({**OROCHI, "moves": ["wa1"]}, {"game": "oolong"}, {"game": "fillit"}):
        explored = server.request("/api/explore", body)[1]
        for documented, actual in (
            (example('"comments"'), explored),
            (example('"click_paths"'), explored["snapshot"]),
        ):
            assert_same_keys(documented, {**actual, "options": documented["options"]})


def test_games(server: ServerProcess) -> None:
    documented = example('"choice_labels"')[0]
    for game in server.request("/api/games")[1]:
        assert_same_keys({**documented, "levels": []}, game)
        for option in game["options"]:
            assert option["kind"] in ("int", "bool", "choice", "text")
            assert (option["choice_labels"] is None) or option["kind"] == "choice"


def test_tables_and_updates(server: ServerProcess) -> None:
    seats = [{"kind": "local"}, {"kind": "local"}]
    control = {"kind": "realtime", "seconds": 600}
    table, secrets = server.create_table(**OROCHI, seats=seats, time_control=control)
    with server.join(table, *secrets) as client:
        assert client.receive("table")["protocol"] == 2
        client.request(type="chat", seat=0, text="Good luck!")
        client.request(type="play", seat=0, ply=0, move="wa1")
        update = next(
            message
            for message in client.received
            if message["type"] == "update" and message["events"][0]["type"] == "moved"
        )
        assert_same_keys(example('"type": "update"'), update)
        with server.join(table, *secrets, snapshots=True) as other:
            message = other.receive("table")
        documented = example('"your_seats"')
        assert_same_keys(documented, message)
        body = server.request(f"/api/tables/{table}")[1]
        extra = {"type", "protocol", "your_seats", "spectators"}
        assert set(body) == set(documented) - extra


def test_every_error_code_is_documented() -> None:
    for code in {*HTTP_STATUS, *CLOSE_CODE}:
        assert f"`{code}`" in TEXT
    for close_code in CLOSE_CODE.values():
        assert str(close_code) in TEXT

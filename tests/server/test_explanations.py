"""Explanations, refused clicks and previews over HTTP."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from support.positions import request_of
from support.servers import ServerProcess

import teahouse as th


@pytest.mark.parametrize("name", th.games())
def test_a_position_is_explained_and_its_moves_are_previewed(
    server: ServerProcess, name: str
) -> None:
    position = th.load(name).start(seed=1)
    body = request_of(position)
    spot = position.scene.spots[0].name
    status, found = server.request("/api/explain", {**body, "name": spot})
    assert status == 200
    assert found == {"what": position.explain(spot), "why": position.refuse(spot) or None}
    move = position.legal[0]
    clicked = position.click_path(move)
    accepted = {**body, "name": clicked[-1], "clicked": list(clicked[:-1])}
    assert server.request("/api/explain", accepted)[1]["why"] is None
    status, found = server.request("/api/preview", {**body, "move": move})
    assert status == 200
    overlay = ElementTree.fromstring(found["svg"])
    assert overlay.attrib["class"] == "preview"
    assert not {"style", "onclick"} & {key for part in overlay.iter() for key in part.attrib}


@pytest.mark.parametrize(
    ("path", "more", "message"),
    [
        ("/api/explain", {"name": "z99<script>"}, "Unknown name 'z99<script>'"),
        ("/api/explain", {"name": "a1", "clicked": ["a1"] * 21}, "too many entries (limit 20)"),
        ("/api/explain", {}, "Name is missing."),
        ("/api/preview", {"move": "wz9"}, "Illegal move 'wz9'"),
        ("/api/preview", {"move": "wa1", "position": "4/5 w 0"}, "position"),
        ("/api/preview", {"move": "wa1", "options": {"sice": 3}}, "Unknown option 'sice'"),
    ],
)
def test_bad_requests_say_why(
    server: ServerProcess, path: str, more: dict[str, Any], message: str
) -> None:
    body = {**request_of(th.load("orochi").start()), **more}
    status, found = server.request(path, body)
    assert status in (400, 409, 422), found
    assert message in found["message"]

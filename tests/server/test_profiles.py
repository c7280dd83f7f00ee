"""Profiles: what everybody sees, what only oneself sees, pages and filters."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa
from support.accounts import Browser
from support.servers import ServerProcess

import teahouse as th
from teahouse.server.accounts import rows as account_rows
from teahouse.server.accounts.models import Account
from teahouse.server.profiles import rows
from teahouse.server.profiles.graph import MAX_POINTS, rating_graph
from teahouse.server.profiles.profile import puzzle_progress, read_profile
from teahouse.server.profiles.rows import PAGE, GameFilter, PlayedGame, Tally
from teahouse.server.ratings.pools import pools
from teahouse.server.storage.database import connect, migrate, table_seats, tables

GAME = th.games()[0]
CLOCK = {"kind": "realtime", "seconds": 600}


def test_profiles_over_http(server: ServerProcess) -> None:
    wilma, other = (Browser(server).sign_up(name) for name in ("Wilma", "Xaver"))
    guest = Browser(server)
    seats = [{"kind": "local"}, {"kind": "bot", "level": 1}]
    private = wilma.post("/api/tables", game=GAME, seats=seats)["id"]
    listed = wilma.post("/api/tables", game=GAME, seats=seats, listed=True)["id"]
    status, body = guest.request("/api/players/WILMA")
    assert status == 200 and body["name"] == "Wilma" and body["ratings"] == []
    assert body["watchable"] == [listed]

    def found(viewer: Browser, query: str = "") -> set[str]:
        status, body = viewer.request(f"/api/players/Wilma/games{query}")
        assert status == 200, body
        return {game["id"] for game in body["games"]}

    assert found(guest) == found(other) == {listed}
    assert found(wilma) == {listed, private}
    assert found(wilma, "?against=computer&running=true&rated=false") == {listed, private}
    assert found(wilma, "?against=people") == found(wilma, "?result=won") == set()
    assert found(wilma, "?opponent=Xaver") == set()
    status, page = guest.request("/players/Wilma")
    assert status == 200 and "Member since" in page and private not in page


def test_what_does_not_exist(server: ServerProcess) -> None:
    guest = Browser(server)
    for path in (
        *("/api/players/Nobody", "/api/players/Nobody/games", "/players/Nobody"),
        *(f"/api/players/Nobody/history?pool={GAME}", "/ratings?pool=nothing"),
        *("/api/ratings/leaders?pool=nothing", "/players/" + "x" * 39, "/api/players/%00"),
    ):
        assert guest.request(path)[0] == 404, path
    for query in ("before=1", "before=x,abcdefghjk", "result=mine", "rated=perhaps"):
        assert guest.request(f"/api/players/Nobody/games?{query}")[0] == 422, query


def test_all_pools_have_a_page(server: ServerProcess) -> None:
    guest = Browser(server)
    status, body = guest.request("/api/ratings")
    assert status == 200 and [one["pool"] for one in body["pools"]] == list(pools())
    for pool in pools():
        assert guest.request(f"/ratings?pool={pool}")[0] == 200
        assert guest.request(f"/api/ratings/leaders?pool={pool}")[1]["players"] == []


def _summary(number: int) -> str:
    return json.dumps({"game": GAME, "accounts": ["anna000000", None], "number": number})


@pytest.fixture
def filled(database: str) -> sa.Engine:
    """A database with 120 finished games of Anna's against level 2."""
    engine = connect(database)
    anna = Account("anna000000", "Anna", "person", None, 1.0, None, deleted=False)
    with engine.begin() as connection:
        migrate(connection)
        account_rows.add(connection, anna, None)
        for number in range(120):
            row = {"id": f"{number:010}", "summary": _summary(number), "seq": 2, "over": True}
            row |= {"key_hashes": "[]", "wake_on_start": False, "updated": float(number // 2)}
            row |= {"counted": True, "rated": False, "listed": True}
            connection.execute(tables.insert().values(row))
            outcome = ("won", "lost", "drawn")[number % 3]
            seat = {"table_id": row["id"], "seat": 0, "account_id": anna.id}
            seat |= {"created": float(number // 2), "game": GAME, "pool": GAME}
            seat |= {"outcome": outcome, "against_level": 2}
            connection.execute(table_seats.insert().values(seat))
    return engine


def test_pages_of_games_have_no_gaps(filled: sa.Engine) -> None:
    seen: list[PlayedGame] = []
    before = None
    with filled.connect() as connection:
        while True:
            page = rows.games(connection, "anna000000", GameFilter(), private=False, before=before)
            seen += page
            if len(page) < PAGE:
                break
            before = (page[-1].created, page[-1].id)
        assert [game.summary["number"] for game in seen] == list(range(119, -1, -1))
        won = rows.games(connection, "anna000000", GameFilter(result="won"), private=True)
        assert len(won) == 40
        found = read_profile(connection, "anna", 0.0)
        assert found is not None and found.results == {GAME: Tally(40, 40, 40)}
        assert found.levels == {(GAME, 2): Tally(40, 40, 40)}
    filled.dispose()


def test_graphs() -> None:
    for pool in pools().values():
        history = [(float(number), number % 7 * 40.0) for number in range(MAX_POINTS)]
        for games in (1, 2, MAX_POINTS):
            drawn = rating_graph(pool, history[:games], games)
            assert drawn.startswith("<svg") and "style" not in drawn and "nan" not in drawn


@pytest.mark.parametrize(
    "stored",
    [
        *(None, "{}", "[]", "1", '{"games": []}'),
        *(f'{{"games": {{"{GAME}": {body}}}}}' for body in ("{}", "1", '{"rating": 1}')),
        f'{{"games": {{"{GAME}": {{"rating": "x", "tried": {{}}}}}}}}',
        f'{{"games": {{"{GAME}": {{"rating": 1e999, "tried": {{}}}}}}}}',
    ],
)
def test_progress_in_puzzles_that_is_not_valid(stored: str | None) -> None:
    assert puzzle_progress(stored) == []


def test_progress_in_puzzles() -> None:
    stored = {"games": {GAME: {"rating": 612.4, "tried": {"1": True, "2": False}}, "other": {}}}
    (found,) = puzzle_progress(json.dumps(stored))
    assert (found.game, found.rating, found.tried, found.solved) == (GAME, 612, 2, 1)

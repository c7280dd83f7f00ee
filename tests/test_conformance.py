"""What every game of the house must do; a new game is tested by being there."""

import itertools
import math
import pickle
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.variants import ALL, FOLDER, ids

import teahouse as th
from teahouse.core.game import Game
from teahouse.core.perft import perft

FILES = {
    "__init__.py",
    "board.py",
    "notation.py",
    "perft.txt",
    "planes.py",
    "rules.md",
    "rules.py",
    "test_rules.py",
}
LONGEST = 5000  # decisions; no game of the house comes near it

every_game = pytest.mark.parametrize("name", th.games())
every_variant = pytest.mark.parametrize("game", ALL, ids=ids)


def random_game(game: Game, seed: int) -> Iterator[tuple[th.Position, str]]:
    """A random game as its positions, each with the move that is played there."""
    chance = random.Random(seed)
    position = game.start(seed)
    for _ in range(LONGEST):
        if position.over:
            yield position, ""
            return
        move = chance.choice(position.legal)
        yield position, move
        position = position.play(move)
    pytest.fail(f"no end after {LONGEST} decisions")


def sample(game: Game, seed: int, size: int = 12) -> list[tuple[th.Position, str]]:
    """A few positions of a random game, the first and the last among them."""
    played = list(random_game(game, seed))
    chance = random.Random(seed)
    return [played[0], *chance.sample(played, min(size, len(played))), played[-1]]


@every_game
def test_folders_hold_the_same_files(name: str) -> None:
    found = {path.name for path in (FOLDER / name).iterdir() if path.is_file()}
    assert found >= FILES


@every_variant
def test_random_games_end(game: Game) -> None:
    for seed in range(3):
        *_, (last, _) = random_game(game, seed)
        assert last.over
        assert last.legal == ()
        assert last.winners == () or tuple(sorted(last.winners)) in {
            tuple(sorted(team)) for team in game.teams
        }


@every_variant
def test_the_start(game: Game) -> None:
    start = game.start(seed=1)
    assert (start.ply, start.over, start.winners) == (0, False, ())
    assert start.legal
    assert 0 <= start.player < len(game.players)
    assert start == game.start(seed=1)
    assert sorted(player for team in game.teams for player in team) == [*range(len(game.players))]


@every_variant
def test_legal_moves_are_playable_and_all_else_is_refused(game: Game) -> None:
    for position, _ in sample(game, seed=4, size=6):
        before = str(position)
        assert len(set(position.legal)) == len(position.legal)
        for move in position.legal[:50]:
            assert move == move.strip() and " " not in move
            after = position.play(move)
            assert after.ply == position.ply + 1
        for other in {move for place, _ in sample(game, seed=5) for move in place.legal[:20]} - set(
            position.legal
        ):
            if position.normalize(other) not in position.legal:
                with pytest.raises(th.IllegalMove):
                    position.play(other)
        assert str(position) == before


@every_variant
@settings(max_examples=30, deadline=None)
@given(text=st.text(max_size=12))
def test_garbage_is_refused_as_a_move(game: Game, text: str) -> None:
    position = game.start(seed=2)
    if position.normalize(text) not in position.legal and text not in position.legal:
        with pytest.raises(th.IllegalMove):
            position.play(text)
    for value in (None, 7, b"wd4"):
        with pytest.raises(th.IllegalMove):
            position.play(value)  # type: ignore[arg-type]


@every_variant
def test_position_texts_round_trip(game: Game) -> None:
    for seed in range(2):
        for position, move in sample(game, seed):
            text = str(position)
            assert "\n" not in text
            copy = game.position(text)
            assert copy == position
            assert hash(copy) == hash(position)
            assert (copy.legal, copy.player, copy.over, copy.winners) == (
                position.legal,
                position.player,
                position.over,
                position.winners,
            )
            if move:
                assert copy.play(move) == position.play(move)


@every_variant
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_broken_position_texts_are_refused_or_sound(game: Game, data: st.DataObject) -> None:
    text = str(game.start(seed=1).play(game.start(seed=1).legal[0]))
    at = data.draw(st.integers(0, len(text)))
    put = data.draw(st.text(max_size=3))
    cut = data.draw(st.integers(0, 3))
    broken = text[:at] + put + text[at + cut :]
    try:
        position = game.position(broken)
    except th.PositionError:
        return
    assert game.position(str(position)) == position
    assert position.over == (not position.legal)
    for move in position.legal[:5]:
        position.play(move)


@every_variant
def test_positions_are_values(game: Game) -> None:
    position = game.start(seed=1)
    later = position.play(position.legal[0])
    assert position == game.start(seed=1)
    assert later != position
    assert len({position, later, game.start(seed=1)}) == 2
    assert pickle.loads(pickle.dumps(later)) == later
    with pytest.raises(AttributeError):
        position.ply = 3  # type: ignore[misc]


@every_variant
def test_boards_are_drawn(game: Game) -> None:
    for position, _ in sample(game, seed=6):
        board = position.text()
        assert board.isascii()
        assert all(len(line) <= 80 and line == line.rstrip() for line in board.splitlines())
        scene = position.scene
        assert position.status in " ".join(board.split())
        assert scene.notation_hint in " ".join(board.split())
        assert scene.prompt.endswith(".") and scene.prompt[0].isupper()
        assert position.over or position.status.startswith(game.players[position.player])
        assert position.over == bool(scene.reason) != bool(scene.notation_hint)
        assert f": {scene.reason}." in scene.prompt or not position.over
        names = [spot.name for spot in position.scene.spots]
        assert len(names) == len(set(names))


@every_variant
def test_moves_are_made_by_pointing(game: Game) -> None:
    """Interfaces find a move by what one points at: it is there, and no way begins another."""
    for position, _ in sample(game, seed=7):
        scene = position.scene
        places = {spot.name for spot in scene.spots} | {choice.name for choice in scene.choices}
        click_paths = [way for move in position.legal for way in position.click_paths(move)]
        assert {name for way in click_paths for name in way} <= places
        beginnings = {way[:end] for way in click_paths for end in range(len(way))}
        assert len(set(click_paths)) == len(click_paths)
        assert not beginnings & set(click_paths)
        for move in position.legal[:20]:
            assert position.click_path(move) == position.click_paths(move)[0] != ()


@every_variant
def test_moves_are_said(game: Game) -> None:
    for position, _ in sample(game, seed=7):
        name = "" if position.over else game.players[position.player]
        past = [position.describe(move) for move in position.legal]
        imperative = [position.describe(move, "imperative") for move in position.legal]
        assert all(text.startswith(f"{name} ") for text in past)
        assert all(text[0].isupper() and not text.startswith(name) for text in imperative)
        for texts in (past, imperative):
            assert len(set(texts)) == len(texts)
            assert not any(text.endswith(".") or "/" in text for text in texts)


@every_variant
def test_travels_lead_from_what_is_there_to_what_will_be(game: Game) -> None:
    for position, move in random_game(game, seed=9):
        if not move:
            return
        before, after = _standing(position), _standing(position.play(move))
        for travel in position.animations(move):
            what = (travel.piece.kind, travel.piece.player)
            assert what in before[travel.path[0]]
            assert what in after[travel.path[-1]] or travel.motion == "turn"
            assert all(name in before or name in after for name in travel.path)


def _standing(position: th.Position) -> dict[str, list[tuple[str, int | None]]]:
    """What each spot, hand and choice holds: kinds of pieces and whose they are."""
    scene = position.scene
    holders = [(spot.name, spot.pieces) for spot in scene.spots]
    holders += [(hand.name, (hand.piece,)) for hand in scene.hands]
    holders += [(choice.name, choice.pieces) for choice in scene.choices]
    return {name: [(piece.kind, piece.player) for piece in pieces] for name, pieces in holders}


@every_variant
def test_scenes_are_whole(game: Game) -> None:
    """What pictures are drawn from: places, words and colours for everything."""
    for position, _ in sample(game, seed=6):
        scene = position.scene
        names = [
            *(spot.name for spot in scene.spots),
            *(choice.name for choice in scene.choices),
            *(hand.name for hand in scene.hands),
        ]
        assert len(names) == len(set(names))
        assert len(scene.colours) == len(game.players)
        assert all(spot.label and spot.size > 0 for spot in scene.spots)
        assert len({spot.label for spot in scene.spots}) == len(scene.spots)
        assert {spot.within for spot in scene.spots} <= {"", *names}
        for one, other in itertools.combinations(scene.spots, 2):
            if one.name != other.within:
                assert math.hypot(one.x - other.x, one.y - other.y) > 0.99 * (one.size + other.size)


@every_variant
def test_records_replay(game: Game) -> None:
    record = th.Record.new(game, seed=3)
    for position, move in random_game(game, seed=3):
        assert record.position == position
        if move:
            record.play(move)
    record.names = {game.players[0]: 'Anna "the {cup}"'}
    record.comments = {0: "before\nall", 2: "a } brace"}
    text = record.text()
    copy = th.Record.parse(text)
    assert copy == record
    assert copy.text() == text
    assert copy.positions == record.positions
    assert copy.result == record.result != "*"
    last = record.moves[-1]
    record.undo()
    assert record.result == "*"
    record.play(last)
    assert record.result == copy.result


@every_variant
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_broken_records_are_refused_or_sound(game: Game, data: st.DataObject) -> None:
    record = th.Record.new(game, seed=3)
    for _ in range(4):
        if not record.position.over:
            record.play(record.position.legal[-1])
    text = record.text()
    at = data.draw(st.integers(0, len(text)))
    broken = text[:at] + data.draw(st.text(max_size=3)) + text[at + data.draw(st.integers(0, 9)) :]
    try:
        copy = th.Record.parse(broken)
    except th.RecordError as error:
        assert 1 <= error.line <= broken.count("\n") + broken.count("\r") + 1
        assert error.reason in str(error)
    else:
        assert th.Record.parse(copy.text()) == copy


@every_variant
def test_interpreted_is_compiled(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    from teahouse.core import jit

    position = next(place for place, _ in sample(game, seed=8)[1:] if not place.over)
    depth = 2 if len(position.legal) < 100 else 1

    def figures() -> tuple[object, ...]:
        jit.clear()
        return (
            game.playouts(12, seed=9),
            game.playouts(12, seed=9, threads=3),
            position.playouts(5, seed=9),
            perft(position, depth),
        )

    compiled = figures()
    monkeypatch.setenv("TEAHOUSE_INTERPRETED", "1")
    assert figures() == compiled
    jit.clear()


@every_variant
def test_picked_moves_are_those_of_the_list(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game's own `pick` finds what the default finds in the written list."""
    from teahouse.core import jit
    from teahouse.core.defaults import rules as defaults

    if game.rules.random_move is defaults.random_move:
        return
    picked = [game.playouts(200, seed=seed) for seed in range(3)]
    monkeypatch.setattr(game.rules, "random_move", defaults.random_move)
    jit.clear()
    assert [game.playouts(200, seed=seed) for seed in range(3)] == picked
    monkeypatch.undo()
    jit.clear()


@every_variant
def test_playouts_are_the_games_that_positions_play(game: Game) -> None:
    """The counts are those of real games, whose every move is legal."""
    from teahouse.core.playouts import SETUP
    from teahouse.core.random import advance, below, game_seed, generator

    counts = game.playouts(2, seed=11)
    moves, winners = 0, [0] * len(game.players)
    for number in range(2):
        seed = game_seed(11, number)
        position = game.start(seed ^ SETUP)
        chance = generator(seed)
        while not position.over:
            chance = advance(chance)
            position = position.play(position.legal[below(chance, len(position.legal))])
            moves += 1
        for player in position.winners:
            winners[player] += 1
    assert (counts.games, counts.moves, counts.wins) == (2, moves, tuple(winners))


def perft_lines() -> Iterator[tuple[str, str]]:
    for name in th.games():
        for line in (FOLDER / name / "perft.txt").read_text().splitlines():
            if line and not line.startswith("#"):
                yield name, line


@pytest.mark.parametrize(("name", "line"), list(perft_lines()))
def test_perft(name: str, line: str) -> None:
    options, where, counts = (part.strip() for part in line.split(" ; "))
    game = th.load(name, **dict(pair.split("=", 1) for pair in options.split()))
    position = game.start() if where == "start" else game.position(where)
    assert [perft(position, depth) for depth in range(1, len(counts.split()) + 1)] == [
        int(count) for count in counts.split()
    ]


@every_game
def test_bad_options_are_refused(name: str) -> None:
    with pytest.raises(th.OptionError, match="has no option 'colour'"):
        th.load(name, colour="red")
    for option in th.load(name).options:
        for value in ("nonsense", -1, 10**9, 2.5, b"", "\n"):
            with pytest.raises(th.OptionError, match=option):
                th.load(name, **{option: value})


@every_game
def test_every_rule_has_a_test(name: str) -> None:
    """Each numbered rule of rules.md is named by a test beside it."""
    import re

    page = (FOLDER / name / "rules.md").read_text()
    numbers = set(re.findall(r"\*\*([A-Z]\d+)\*\*", page))
    tests = (FOLDER / name / "test_rules.py").read_text()
    tested = {found.upper() for found in re.findall(r"def test_([a-z]\d+)_", tests)}
    assert numbers
    assert numbers <= tested


@every_variant
def test_who_only_reads_a_state_leaves_it_alone(game: Game) -> None:
    """All of them share one copy."""
    for position, _ in sample(game, seed=11, size=6):
        position.text()
        str(position)
        for move in position.legal:
            position.click_paths(move), position.describe(move), position.animations(move)
        assert vars(position.state_view) == vars(position.unpack())

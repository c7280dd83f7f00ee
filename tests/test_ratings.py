"""The mathematics of ratings: Glicko-2, OpenSkill's model, pools and the scale of the levels."""

import math

import pytest
from rating_simulation import calibration_error, simulate

import teahouse as th
from teahouse.search.arena.ratings import expected_score as arena_score
from teahouse.server.ratings import glicko2, plackett_luce
from teahouse.server.ratings.pools import Pool, pool_of, pools
from teahouse.server.ratings.rating import (
    Entrant,
    PlayerRating,
    RatedGame,
    current,
    expected_scores,
    rate,
)
from teahouse.server.ratings.scale import MAX_DEVIATION, Rating

YEAR = 365 * 86_400.0


def test_glickmans_example() -> None:
    games = [
        glicko2.Game(Rating(1400, 30), 1.0),
        glicko2.Game(Rating(1550, 100), 0.0),
        glicko2.Game(Rating(1700, 300), 0.0),
    ]
    after = glicko2.update(Rating(1500, 200, 0.06), games, periods=1.0)
    assert after.value == pytest.approx(1464.06, abs=0.02)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=1e-5)


def test_a_deviation_grows_with_time_up_to_that_of_a_new_player() -> None:
    assert glicko2.aged(Rating(900, 60), 365).deviation == pytest.approx(110, abs=1)
    assert plackett_luce.aged(Rating(900, 60), 365).deviation == pytest.approx(110, abs=1)
    assert glicko2.aged(Rating(900, 60), 1e6).deviation == MAX_DEVIATION
    assert glicko2.aged(Rating(900, 60), -5).deviation == 60  # a clock that was set back


def test_extreme_ratings_stay_finite() -> None:
    certain = glicko2.rate(Rating(1e5, 60), Rating(-1e5, 0), 0.0, 0, 0)
    assert math.isfinite(certain.value)
    sides = [[Rating(1e5, 60)], [Rating(-1e5, 500)], [Rating(0, 0)]]
    for winner in range(3):
        rated = plackett_luce.rate(sides, [winner])
        assert all(math.isfinite(one.value) for side in rated for one in side)


@pytest.mark.parametrize("difference", [-300, 0, 100, 400, 900])
def test_known_strengths_win_as_in_the_arena(difference: float) -> None:
    strong, weak = Rating(500 + difference, 0), Rating(500, 0)
    two = arena_score(difference, 2)
    assert glicko2.expected_score(strong, weak) == pytest.approx(two)
    team = plackett_luce.expected_scores([[strong, strong], [weak, weak]])
    assert team[0] == pytest.approx(two)
    odds = 10 ** (difference / 400)
    three = plackett_luce.expected_scores([[strong], [weak], [weak]])
    assert three == pytest.approx([odds / (odds + 2), 1 / (odds + 2), 1 / (odds + 2)])


def test_losers_are_not_compared_with_each_other() -> None:
    """At the true strengths, a game changes no rating on average, whoever loses."""
    sides = [[Rating(900, 80)], [Rating(500, 80)], [Rating(300, 80)]]
    chances = plackett_luce.expected_scores(sides)
    outcomes = [plackett_luce.rate(sides, [winner]) for winner in range(3)]
    for side, (before,) in enumerate(sides):
        mean = sum(p * after[side][0].value for p, after in zip(chances, outcomes, strict=True))
        assert mean == pytest.approx(before.value, abs=1e-6)


def test_a_draw_moves_ratings_together() -> None:
    rated = plackett_luce.rate([[Rating(900, 80)], [Rating(500, 80)], [Rating(300, 80)]], [0, 1, 2])
    assert rated[0][0].value < 900 and rated[2][0].value > 300
    strong = glicko2.rate(Rating(900, 80), Rating(500, 80), 0.5, 0, 0)
    assert strong.value < 900


def test_pools_are_the_games_whose_levels_were_measured() -> None:
    assert {pool.game.name for pool in pools().values()} <= set(th.games())
    for name in th.games():
        pool = pool_of(th.load(name))
        assert pool is not None and pool.id == name
        assert pool.level(1) == Rating(0, 0)
        assert pool.start.provisional
        assert 2 * pool.start.value == pool.levels[-1][1].value  # in the middle
    assert all(pool_of(pool.game) is pool for pool in pools().values())


def test_unmeasured_options_have_no_pool() -> None:
    measured = {pool.game for pool in pools().values()}
    for name in th.games():
        game = th.load(name)
        numbers = [key for key, value in game.options.items() if type(value) is int]
        for key in numbers:
            other = th.load(name, **{key: game.options[key] + 1})
            assert other in measured or pool_of(other) is None


@pytest.mark.parametrize("pool", pools().values(), ids=lambda pool: pool.id)
def test_bots_stay_and_people_move(pool: Pool) -> None:
    seats: tuple[Entrant, ...] = ("anna", *([1] * (len(pool.game.players) - 1)))
    before = {"anna": PlayerRating(pool.start)}
    side = next(n for n, team in enumerate(pool.game.teams) if 0 in team)
    won = rate(pool, RatedGame("t", pool.id, YEAR, seats, (side,)), before)
    others = tuple(n for n in range(len(pool.game.teams)) if n != side)
    lost = rate(pool, RatedGame("t", pool.id, YEAR, seats, others[:1]), before)
    assert set(won) == {"anna"}
    assert won["anna"].rating.value > pool.start.value > lost["anna"].rating.value
    assert won["anna"].games == 1 and won["anna"].updated == YEAR
    assert won["anna"].rating.deviation < pool.start.deviation
    later = current(pool, won["anna"], 2 * YEAR)
    assert later.deviation > won["anna"].rating.deviation


@pytest.mark.parametrize("pool", pools().values(), ids=lambda pool: pool.id)
def test_chances_add_up_to_one(pool: Pool) -> None:
    seats = [Rating(100.0 * seat, 90) for seat in range(len(pool.game.players))]
    assert sum(expected_scores(pool, seats)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("pool", "games"),
    [
        (one, 10_000 if one.duel else 3_500)
        for one in pools().values()
        if not one.duel or one.game == th.load(one.game.name)
    ],
    ids=lambda value: value.id if isinstance(value, Pool) else str(value),
)
def test_known_strengths_are_found(pool: Pool, games: int) -> None:
    """`studies/ratings.py` does it with all pools and more games."""
    found = simulate(pool, games, people=60 if pool.duel else 30)
    assert calibration_error(found.predictions) <= 0.03
    right, pairs = found.order
    assert right >= 0.995 * pairs


def test_ratings_as_players_read_them() -> None:
    assert Rating(1239.6, 80).text == "1,240"
    assert Rating(1239.6, 120).text == "1,240?"
    assert Rating(-59.6, 80).text == "−60"
    pool = next(iter(pools().values()))
    top, rating = pool.levels[-1]
    assert pool.level_text(rating.value) == f"about level {top}"
    assert pool.level_text(rating.value + 1_000) == f"above level {top}"
    assert pool.level_text(-500) == "below level 1"

"""Invariants of random games of Fillit, with every layout and other numbers of chips."""

from hypothesis import given, settings
from hypothesis import strategies as st

import teahouse as th
from teahouse.games.fillit import notation
from teahouse.games.fillit.layouts import MODES, NAMES
from teahouse.games.fillit.test_rules import board, fields, hands

every_layout = st.builds(
    lambda mode, layout, chips: th.load("fillit", mode=mode, layout=layout, chips=chips),
    st.sampled_from(list(MODES)),
    st.sampled_from(NAMES),
    st.sampled_from((0, 0, 3, 28)),
)


@settings(max_examples=60, deadline=None)
@given(game=every_layout, data=st.data())
def test_invariants(game: th.Game, data: st.DataObject) -> None:
    """Chips and stones are conserved, pawns stay on chips, a stone move can be made backwards."""
    mode = MODES[game.options["mode"]]
    position = game.start()
    for _ in range(data.draw(st.integers(0, 60))):
        if position.over:
            break
        move = data.draw(st.sampled_from(position.legal))
        after = position.play(move)
        state = fields(after)
        glyphs = "".join(spot.glyph for spot in after.scene.spots)
        for side, seats in enumerate(mode.sides):
            lying = glyphs.count(notation.chip_glyphs(mode)[side]) + len(seats)
            assert lying + hands(after)[side] == game.board.chips
            assert glyphs.count(mode.stone_letters[side]) == mode.stones
            assert all(state.chips[side] >> state.pawns[player] & 1 for player in seats)
            assert not state.chips[side] & sum(state.stones)
        if move[0] == "S" and not after.over:
            # Let the same side move a stone again.
            parts = str(after).split()
            again = game.position(
                f"{parts[0]} {mode.pawn_letters[position.player]} stone {parts[3]} {parts[4]}"
            )
            back = f"S{move[4:]}-{move[1:3]}"
            assert board(again.play(back)) == board(position)
        if move[0] == "S":
            assert hands(after) == hands(position)
        position = after

"""Toot: slow reference implementation of rules T1-T19.

State: tiles (cell -> player) and pieces (cell -> Piece) on the table, the pieces put aside and gone, who has
sacrificed, the quiet-turn count, and where in the turn we are.  What a player has in hand is recomputed as the total
less everything that is elsewhere.  Cells are (column, row) pairs of numbers from 1 to 21.
"""

from dataclasses import dataclass

SEATS = ("Blue", "Red")
SIZE = 21


def cell_text(cell):
    column, row = cell
    return f"{chr(ord('a') + column - 1)}{row}"


def parse_cell(text):
    return (ord(text[0]) - ord("a") + 1, int(text[1:]))


def adjacent(cell):
    """The cells of the table that share an edge with `cell`."""
    column, row = cell
    around = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
    return [(c, r) for c, r in around if 1 <= c <= SIZE and 1 <= r <= SIZE]


@dataclass(frozen=True)
class Piece:
    owner: int
    life: int  # 1 standing, 2 lying on its side


class Reference:
    def __init__(self, tiles=10, pieces=4, most_pieces="last_capture", quiet_limit=60):
        if not (3 <= tiles <= 20 and 2 <= pieces < tiles):
            raise ValueError("tiles must be 3 to 20, pieces 2 to tiles-1")
        self.seats = SEATS
        self.tiles_each, self.pieces_each, self.most_pieces = tiles, pieces, most_pieces
        self.tiles = {parse_cell("k12"): 0, parse_cell("k11"): 1}  # T1
        self.pieces = {}
        self.aside = [[], []]  # captured once, may return (T15)
        self.gone = [[], []]  # captured twice (T15)
        self.sacrificed = [False, False]  # T12
        self.player = 0  # T2
        self.placed = None  # the tile just placed, when decision 2 is due
        self.jumper = None  # the cell of the piece that may jump again, when a further jump is due
        self.eventful = False  # an entry, capture, return or sacrifice in the present turn (T17)
        self.quiet_limit = int(quiet_limit)
        self.quiet_turns = 0
        self.passes_in_a_row = 0
        self.captors = []  # the player of each capturing jump so far (T18)
        self.over = False
        self.winners = ()

    # ------------------------------------------------------------ looking at the table
    def tiles_in_hand(self, player):
        return self.tiles_each - sum(1 for owner in self.tiles.values() if owner == player)

    def pieces_on_table(self, player):
        return sum(1 for piece in self.pieces.values() if piece.owner == player)

    def pieces_in_hand(self, player):
        elsewhere = self.pieces_on_table(player) + len(self.aside[player]) + len(self.gone[player])
        return self.pieces_each - elsewhere

    def pieces_left(self, player):
        return (
            self.pieces_in_hand(player) + self.pieces_on_table(player) + len(self.aside[player])
        )  # T16

    def my_piece_cells(self):
        return [cell for cell, piece in self.pieces.items() if piece.owner == self.player]

    def empty_cells_touching(self, tiles):
        """Cells without a tile (on the real table) that are adjacent to one of `tiles`."""
        return {n for cell in tiles for n in adjacent(cell) if n not in self.tiles}

    # ------------------------------------------------------------ single kinds of move
    def steps(self):
        """T5: (from, to)."""
        return [
            (start, end)
            for start in self.my_piece_cells()
            for end in adjacent(start)
            if self.tiles.get(end) == self.player and end not in self.pieces
        ]

    def jumps_of(self, start):
        """T6: {landing cell: cells jumped over} for the piece on `start`."""
        found = {}
        for dc, dr in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            crossed = []
            cell = (start[0] + dc, start[1] + dr)
            while self.tiles.get(cell) == 1 - self.player:
                crossed.append(cell)
                cell = (cell[0] + dc, cell[1] + dr)
            # cell is now a gap, off the table, or the first tile of the own colour
            if crossed and self.tiles.get(cell) == self.player and cell not in self.pieces:
                found[cell] = crossed
        return found

    def relocations(self, lifted=None):
        """T11, T13: (tile, new cell); `lifted` is the cell of a sacrificed piece, whose tile counts as empty."""
        found = []
        for tile, owner in self.tiles.items():
            if owner != self.player or (tile in self.pieces and tile != lifted):
                continue
            if sum(1 for n in adjacent(tile) if n in self.tiles) > 3:
                continue
            staying = [other for other in self.tiles if other != tile]
            # the old cell still carries its tile in self.tiles, so it is never among the empty cells (T13)
            found += [(tile, cell) for cell in self.empty_cells_touching(staying)]
        return found

    def step_and_jump_texts(self):
        texts = [f"{cell_text(a)}-{cell_text(b)}" for a, b in self.steps()]
        texts += [
            f"{cell_text(a)}^{cell_text(b)}"
            for a in self.my_piece_cells()
            for b in self.jumps_of(a)
        ]
        return texts

    # ------------------------------------------------------------ legal moves
    def second_decisions(self):
        """T4-T6 and T9, after the tile self.placed has been put down."""
        in_hand = self.pieces_in_hand(self.player)
        enter = ["*"] if in_hand > 0 else []  # T4
        if in_hand > self.tiles_in_hand(self.player):  # T9
            return enter
        return enter + self.step_and_jump_texts()

    def late_decisions(self):
        """T10-T12, for a player with no tile in hand."""
        texts = self.step_and_jump_texts()  # T10
        if self.aside[self.player]:  # T11
            texts += [f"{cell_text(tile)}>{cell_text(cell)}" for tile, cell in self.relocations()]
        if not self.sacrificed[self.player]:  # T12
            for start in self.my_piece_cells():
                if self.pieces[start].life == 1:
                    texts += [
                        f"{cell_text(start)}!{cell_text(tile)}>{cell_text(cell)}"
                        for tile, cell in self.relocations(lifted=start)
                    ]
        return texts

    def legal(self):
        if self.over:
            return []
        if self.jumper is not None:  # T7
            return [
                f"{cell_text(self.jumper)}^{cell_text(b)}" for b in self.jumps_of(self.jumper)
            ] + ["."]
        if self.placed is not None:
            return self.second_decisions()
        if self.tiles_in_hand(self.player) > 0:  # T3, decision 1
            return ["+" + cell_text(cell) for cell in self.empty_cells_touching(self.tiles)]
        return self.late_decisions() or ["-"]  # T14

    # ------------------------------------------------------------ playing
    def play(self, text):
        if text not in self.legal():
            raise ValueError(f"illegal move {text!r} in {self.summary()}")
        if text != "-":
            self.passes_in_a_row = 0
        if text == "-":  # T14
            self.passes_in_a_row += 1
            if self.passes_in_a_row == 2:
                self._end_undecided()
            else:
                self._end_turn()
        elif text == ".":  # T7
            self._end_turn()
        elif text == "*":  # T4
            self.pieces[self.placed] = Piece(self.player, life=1)
            self.eventful = True
            self._end_turn()
        elif text[0] == "+":  # T3
            self.placed = parse_cell(text[1:])
            self.tiles[self.placed] = self.player
            if not self.second_decisions():  # T8
                self._end_turn()
        elif "!" in text:  # T12
            lifted, rest = text.split("!")
            del self.pieces[parse_cell(lifted)]
            self.sacrificed[self.player] = True
            self._relocate(rest)
        elif ">" in text:  # T11
            self.aside[self.player].pop()
            self._relocate(text)
        elif "^" in text:  # T6
            self._jump(*map(parse_cell, text.split("^")))
        else:  # T5
            start, end = map(parse_cell, text.split("-"))
            self.pieces[end] = self.pieces.pop(start)
            self._end_turn()

    def _relocate(self, text):
        tile, cell = map(parse_cell, text.split(">"))
        self.tiles[cell] = self.tiles.pop(tile)
        self.pieces[cell] = Piece(self.player, life=2)
        self.eventful = True
        self._end_turn()

    def _jump(self, start, end):
        opponent = 1 - self.player
        crossed = self.jumps_of(start)[end]
        self.pieces[end] = self.pieces.pop(start)
        victims = [cell for cell in crossed if cell in self.pieces]
        for cell in victims:  # T7: they leave the table at once
            piece = self.pieces.pop(cell)
            (self.aside if piece.life == 1 else self.gone)[opponent].append(piece)  # T15
        if not victims:  # T7: the turn ends, also for a further jump
            self._end_turn()
            return
        self.eventful = True
        self.captors.append(self.player)
        if self.pieces_left(opponent) <= 1:  # T16: at once, in mid-chain too
            self.over = True
            self.winners = (self.player,)
            return
        # T7: a further decision.  A jump is always among the answers: back to the tile just left, over the same tiles.
        self.jumper = end

    def _end_turn(self):
        self.quiet_turns = 0 if self.eventful else self.quiet_turns + 1
        self.placed = self.jumper = None
        self.eventful = False
        if self.quiet_turns == self.quiet_limit:  # T17, T19
            self._end_undecided()
            return
        self.player = 1 - self.player

    def _end_undecided(self):
        """T14, T17, T18."""
        self.over = True
        if self.most_pieces is False:
            return
        left = [self.pieces_left(0), self.pieces_left(1)]
        if left[0] != left[1]:
            self.winners = (0,) if left[0] > left[1] else (1,)
        elif self.most_pieces == "last_capture" and self.captors:
            self.winners = (self.captors[-1],)

    # ------------------------------------------------------------ text
    def summary(self):
        lines = [
            f"Toot tiles={self.tiles_each} pieces={self.pieces_each} most_pieces={self.most_pieces} "
            f"to_decide={SEATS[self.player]} placed={self.placed and cell_text(self.placed)} "
            f"jumper={self.jumper and cell_text(self.jumper)} eventful={self.eventful} "
            f"quiet_turns={self.quiet_turns} passes_in_a_row={self.passes_in_a_row} over={self.over} winners={self.winners}"
        ]
        for p, seat in enumerate(SEATS):
            tiles = " ".join(sorted(cell_text(c) for c, owner in self.tiles.items() if owner == p))
            pieces = " ".join(
                sorted(
                    cell_text(c) + ("/" if piece.life == 2 else "")
                    for c, piece in self.pieces.items()
                    if piece.owner == p
                )
            )
            lines.append(
                f"{seat}: tiles {tiles}; pieces (/ second life) {pieces or 'none'}; in hand "
                f"{self.tiles_in_hand(p)} tiles {self.pieces_in_hand(p)} pieces; aside {len(self.aside[p])}; "
                f"gone {len(self.gone[p])}; sacrificed {self.sacrificed[p]}"
            )
        return "\n".join(lines)


# Options beyond one at a time: the smallest and the largest sets, and each end of T14 and T17.
VARIANTS = [
    {"tiles": 3, "pieces": 2, "quiet_limit": 10},
    {"tiles": 4, "pieces": 3, "quiet_limit": 10, "most_pieces": False},
    {"tiles": 5, "pieces": 2, "quiet_limit": 30, "most_pieces": True},
    {"tiles": 20, "pieces": 19, "quiet_limit": 120},
]

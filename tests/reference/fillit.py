"""Fillit: slow reference implementation of rules F1-F11.

State: three dicts keyed by cell name - chips (cell -> side), stones (cell -> side), pawns (cell -> seat name).
Chips in hand are recomputed as the side's total less its chips on the board.
"""

DIRECTIONS = ("E", "W", "NE", "NW", "SE", "SW")
TURN_LIMIT = 300  # F10

# mode -> (side of the board, seats in turn order, chips per side)
MODES = {
    "2": (5, ("Red", "Blue"), 25),
    "3": (5, ("Red", "Yellow", "Blue"), 18),
    "teams": (5, ("Red", "Blue", "Yellow", "Green"), 25),
    "2mini": (4, ("Red", "Blue"), 14),
    "3mini": (4, ("Red", "Yellow", "Blue"), 11),
}
TEAM_SIDE = {"Red": "Red", "Yellow": "Red", "Blue": "Blue", "Green": "Blue"}  # mode teams only
STONE_STEM = {"r": "Red", "b": "Blue", "y": "Yellow", "g": "Green"}

# The drawings of the rules page, top row first; capitals pawns, small letters stones, # the wall.
LAYOUTS = {
    ("2", "A"): """
        . . . . .
        . . r b . .
        . . . . . . .
        . . r . . b . .
        R . . . # . . . B
        . . r . . b . .
        . . . . . . .
        . . r b . .
        . . . . .""",
    ("2", "B"): """
        . . . . B
        . . . . b .
        . . . b . . .
        . . . r . . b .
        . . . . # . . . .
        . r . . b . . .
        . . . r . . .
        . r . . . .
        R . . . .""",
    ("3", "A"): """
        Y . . . .
        . y . . . .
        . . . y b . .
        . . . . . . . .
        . . y . # . . b B
        . . r . . b . .
        . . . . r . .
        . r . . . .
        R . . . .""",
    ("3", "B"): """
        . . . . Y
        . . y . . .
        . r . . . . .
        . . . . y . y .
        R . . r # . . . .
        . . . . b . b .
        . r . . . . .
        . . b . . .
        . . . . B""",
    ("teams", "A"): """
        B . . . Y
        . . . . . .
        . . b . r . .
        . b . . . . r .
        . . . . # . . . .
        . r . . . . b .
        . . r . b . .
        . . . . . .
        R . . . G""",
    ("teams", "B"): """
        B . . . Y
        . b . . r .
        . . . . . . .
        . . . b r . . .
        . . . . # . . . .
        . . . r b . . .
        . . . . . . .
        . r . . b .
        R . . . G""",
    ("2mini", "A"): """
        . . . .
        . r . b .
        . . . . . .
        R . r # b . B
        . . . . . .
        . r . b .
        . . . .""",
    ("2mini", "B"): """
        . . . B
        . . . b .
        . r b . . .
        . . . # . . .
        . . . r b .
        . r . . .
        R . . .""",
    ("3mini", "A"): """
        Y . . .
        . y . . .
        . . . b . .
        . . y # . b B
        . . . r . .
        . r . . .
        R . . .""",
    ("3mini", "B"): """
        . . . Y
        . . y . .
        . . . y . .
        R . r # . . .
        . r . b b .
        . . . . .
        . . . B""",
}


# ---------------------------------------------------------------- the hex board (README, "Hex boards")
def row_lengths(side):
    count = 2 * side - 1
    lengths = list(range(side, count + 1)) + list(range(count - 1, side - 1, -1))
    return {chr(ord("a") + i): length for i, length in enumerate(lengths)}


def step(lengths, cell, direction):
    """The next cell in `direction`, or None off the board.  Wording of the README."""
    row, number = cell[0], int(cell[1:])
    if direction == "E":
        number += 1
    elif direction == "W":
        number -= 1
    else:
        new_row = chr(ord(row) + (1 if direction[0] == "N" else -1))
        if new_row not in lengths:
            return None
        if lengths[new_row] > lengths[row]:  # to a longer row: west keeps, east adds one
            number += 1 if direction[1] == "E" else 0
        else:  # to a shorter row: east keeps, west subtracts one
            number -= 1 if direction[1] == "W" else 0
        row = new_row
    return f"{row}{number}" if 1 <= number <= lengths[row] else None


def cell_order(cell):
    """F8: the earlier row, then the smaller number."""
    return (cell[0], int(cell[1:]))


# ---------------------------------------------------------------- the game
class Reference:
    def __init__(self, mode="2", layout="A", first="Red", chips=0):
        self.mode = str(mode)
        if self.mode not in MODES or layout not in ("A", "B"):
            raise ValueError(f"bad mode {mode!r} or layout {layout!r}")
        self.layout = layout
        side_length, self.seats, self.chips_per_side = MODES[self.mode]
        self.chips_per_side = int(chips) or self.chips_per_side  # F12
        first = str(first).capitalize()
        if first not in self.seats:
            raise ValueError(f"{first!r} is not a seat of mode {self.mode}")
        self.lengths = row_lengths(side_length)
        self.chips, self.stones, self.pawns = {}, {}, {}
        self._set_up(LAYOUTS[self.mode, layout])  # F1
        self.sides = tuple(dict.fromkeys(self.side_of(seat) for seat in self.seats))
        self.player = self.seats.index(first)  # F2
        self.pawn_moved = False  # what has been done in the present turn
        self.stone_moved = False
        self.turns_ended = 0  # F10
        self.over = False
        self.winners = ()

    def _set_up(self, drawing):
        capitals = {seat[0]: seat for seat in self.seats}
        for row, line in zip(reversed(self.lengths), drawing.split("\n")[1:], strict=True):
            marks = line.split()
            assert len(marks) == self.lengths[row]
            for number, mark in enumerate(marks, start=1):
                cell = f"{row}{number}"
                if mark == "#":
                    self.wall = cell
                elif mark in capitals:
                    self.pawns[cell] = capitals[mark]
                    self.chips[cell] = self.side_of(
                        capitals[mark]
                    )  # F1: each pawn stands on a chip of its side
                elif mark in STONE_STEM:
                    self.stones[cell] = STONE_STEM[mark]

    # ------------------------------------------------------------ looking at the board
    def side_of(self, seat):
        return TEAM_SIDE[seat] if self.mode == "teams" else seat

    def hand(self, side):
        return self.chips_per_side - sum(1 for owner in self.chips.values() if owner == side)

    def my_seat(self):
        return self.seats[self.player]

    def my_side(self):
        return self.side_of(self.my_seat())

    def pawn_cell(self, seat):
        (cell,) = [c for c, owner in self.pawns.items() if owner == seat]
        return cell

    def slide_path(self, start, direction):
        """F6: the cells a pawn would pass, the last being where it stops; [] if it cannot move that way."""
        path, cell = [], start
        while True:
            cell = step(self.lengths, cell, direction)
            if cell is None or cell == self.wall or cell in self.stones or cell in self.pawns:
                return path
            path.append(cell)

    def pawn_moves(self):
        """{text: path} for the pawn of the player on turn."""
        start = self.pawn_cell(self.my_seat())
        paths = [self.slide_path(start, direction) for direction in DIRECTIONS]
        return {f"P{start}-{path[-1]}": path for path in paths if path}

    def stone_moves(self):
        """F8: {text: (from, to)} for all stones of the side on turn, whatever it means for the pawn."""
        moves = {}
        for start, owner in self.stones.items():
            if owner != self.my_side():
                continue
            for direction in DIRECTIONS:
                end = step(self.lengths, start, direction)
                if end is None or end == self.wall:
                    continue
                a, b = start, end
                if self.stones.get(end) == owner:  # two own stones: one move, earlier cell first
                    a, b = sorted((start, end), key=cell_order)
                moves[f"S{a}-{b}"] = (a, b)
        return moves

    def _exchange(self, a, b):
        """F8: everything on the two cells changes places."""
        for layer in (self.chips, self.stones, self.pawns):
            on_a, on_b = layer.pop(a, None), layer.pop(b, None)
            if on_a is not None:
                layer[b] = on_a
            if on_b is not None:
                layer[a] = on_b

    def pawn_can_move_after(self, a, b):
        self._exchange(a, b)
        result = bool(self.pawn_moves())
        self._exchange(a, b)  # an exchange undoes itself
        return result

    # ------------------------------------------------------------ legal moves
    def legal(self):
        if self.over:
            return []
        if (
            self.stone_moved
        ):  # the stone came first: now the pawn, which F4 has seen to be able to move
            return list(self.pawn_moves())
        if self.pawn_moved:
            return list(self.stone_moves())
        pawn = list(self.pawn_moves())
        freeing = [
            text for text, (a, b) in self.stone_moves().items() if self.pawn_can_move_after(a, b)
        ]
        if pawn or freeing:
            # F4.  The pawn can move now: any pawn move, or a stone move that leaves it a move.
            # It cannot now (pawn == []), but could after some stone moves: just those.
            return pawn + freeing
        return list(self.stone_moves())  # F5

    # ------------------------------------------------------------ playing
    def play(self, text):
        if text not in self.legal():
            raise ValueError(f"illegal move {text!r} in {self.summary()}")
        if text[0] == "P":
            self._slide(self.pawn_moves()[text])
            if self.over:
                return
            self.pawn_moved = True
        else:
            a, b = self.stone_moves()[text]
            self._exchange(a, b)
            self.stone_moved = True
        if self.pawn_moved and self.stone_moved:
            self._end_turn()
        elif self.stone_moved and not self.pawn_moves():
            self._end_turn()  # F5: legal() lets a stone go first and leave the pawn stuck in no other case

    def _slide(self, path):
        side = self.my_side()
        start = self.pawn_cell(self.my_seat())
        end = path[-1]
        for cell in path:  # F7, in the order of travel
            self.chips[cell] = (
                side  # from the hand, or back to another side's hand and replaced, or already there
            )
            if self.hand(side) == 0:  # F9
                end = cell
                self.over = True
                self.winners = tuple(
                    i for i, seat in enumerate(self.seats) if self.side_of(seat) == side
                )
                break
        self.pawns[end] = self.pawns.pop(start)

    def _end_turn(self):
        self.pawn_moved = self.stone_moved = False
        self.turns_ended += 1
        if self.turns_ended == TURN_LIMIT:  # F10
            self.over = True
            return
        self.player = (self.player + 1) % len(self.seats)  # F2, F11

    # ------------------------------------------------------------ text
    def summary(self):
        hands = " ".join(f"{side}:{self.hand(side)}" for side in self.sides)
        lines = [
            f"Fillit mode={self.mode} layout={self.layout} turn_of={self.my_seat()} pawn_moved={self.pawn_moved} "
            f"stone_moved={self.stone_moved} turns_ended={self.turns_ended} hands {hands} "
            f"over={self.over} winners={self.winners}",
            "(+x chip of side x, capital pawn, small letter stone, # wall)",
        ]
        widest = max(self.lengths.values())
        for row in reversed(self.lengths):
            marks = []
            for number in range(1, self.lengths[row] + 1):
                cell = f"{row}{number}"
                if cell == self.wall:
                    mark = "#"
                elif cell in self.stones:
                    mark = self.stones[cell][0].lower()
                else:
                    mark = self.pawns.get(cell, "")[:1]
                if cell in self.chips:
                    mark += "+" + self.chips[cell][0].lower()
                marks.append((mark or ".").ljust(3))
            lines.append(row + "  " * (widest - self.lengths[row] + 1) + " ".join(marks).rstrip())
        return "\n".join(lines)


# Options beyond one at a time, to compare with as well.
VARIANTS = [
    {"mode": mode, "layout": layout, "first": first}
    for mode, firsts in {"3": ("Yellow", "Blue"), "teams": ("Green",), "2mini": ("Blue",)}.items()
    for layout in "AB"
    for first in firsts
]
VARIANTS += [
    {"mode": "teams", "layout": "B", "first": "Yellow", "chips": 3},
    {"mode": "3mini", "layout": "B", "chips": 28},
]

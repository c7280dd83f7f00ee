"""Orochi: slow reference implementation of rules C1-C10.

Board cells are kept by their names ("d4").  The only state is: which piece lies on which cell, whose turn it is,
whether that player has replaced a piece in the present turn, and who placed last.  Everything else is recomputed.
"""

SEATS = ("White", "Black")
COLOURS = ("w", "b")  # COLOURS[i] is the colour owned by player i
OTHER_COLOUR = {"w": "b", "b": "w"}


# ---------------------------------------------------------------- the hex board (README, "Hex boards")
def row_lengths(side):
    """{row letter: number of cells}; a board of side n has 2n-1 rows, lettered from the bottom."""
    count = 2 * side - 1
    lengths = list(range(side, count + 1)) + list(range(count - 1, side - 1, -1))
    return {chr(ord("a") + i): length for i, length in enumerate(lengths)}


def all_cells(side):
    return [
        f"{row}{number}"
        for row, length in row_lengths(side).items()
        for number in range(1, length + 1)
    ]


def neighbour(side, cell, direction):
    """The cell next to `cell` in `direction` (E W NE NW SE SW), or None off the board.  Wording of the README."""
    lengths = row_lengths(side)
    row, number = cell[0], int(cell[1:])
    if direction == "E":
        number += 1
    elif direction == "W":
        number -= 1
    else:
        new_row = chr(ord(row) + (1 if direction[0] == "N" else -1))
        if new_row not in lengths:
            return None
        if lengths[new_row] > lengths[row]:  # to a longer row: west keeps the number, east adds one
            number += 1 if direction[1] == "E" else 0
        else:  # to a shorter row: east keeps the number, west subtracts one
            number -= 1 if direction[1] == "W" else 0
        row = new_row
    return f"{row}{number}" if 1 <= number <= lengths[row] else None


def neighbour_table(side):
    """{cell: set of neighbouring cells}"""
    table = {}
    for cell in all_cells(side):
        found = {
            neighbour(side, cell, direction) for direction in ("E", "W", "NE", "NW", "SE", "SW")
        }
        table[cell] = found - {None}
    return table


# ---------------------------------------------------------------- the game
class Reference:
    def __init__(self, side=4, opening="two"):
        side = int(side)
        if not 2 <= side <= 8:
            raise ValueError("side must be 2 to 8")
        self.seats = SEATS
        self.side = side
        self.opening = opening
        self.cells = all_cells(side)
        self.neighbours = neighbour_table(side)
        self.board = {}  # cell -> "w" or "b"; empty cells are absent
        self.player = 0  # C1: White first
        self.replaced_this_turn = False  # C6
        self.last_placer = None  # C9
        self.over = False
        self.winners = ()

    # ------------------------------------------------------------ looking at the board
    def empty_cells(self):
        return [cell for cell in self.cells if cell not in self.board]

    def over_connected(self):
        """C4: pieces with four or more neighbours of their own colour."""
        found = []
        for cell, colour in self.board.items():
            same = [n for n in self.neighbours[cell] if self.board.get(n) == colour]
            if len(same) >= 4:
                found.append(cell)
        return found

    def group_of(self, cell):
        """C8: the maximal connected set of pieces of one colour that contains `cell`."""
        colour = self.board[cell]
        group, frontier = {cell}, [cell]
        while frontier:
            for n in self.neighbours[frontier.pop()]:
                if self.board.get(n) == colour and n not in group:
                    group.add(n)
                    frontier.append(n)
        return group

    # ------------------------------------------------------------ moves
    def legal(self):
        if self.over:
            return []
        picks = self.over_connected()
        if picks:  # C5
            return ["x" + cell for cell in picks]
        moves = [colour + cell for colour in COLOURS for cell in self.empty_cells()]  # C1, C3
        return [*moves, "swap"] if self.may_swap() else moves

    def may_swap(self):
        """C10: the second decision of the game is Black's, who may swap."""
        return self.opening == "swap" and len(self.board) == 1 and self.player == 1

    def play(self, text):
        if text not in self.legal():
            raise ValueError(f"illegal move {text!r} in {self.summary()}")
        if text == "swap":  # C10
            self.board = {cell: OTHER_COLOUR[colour] for cell, colour in self.board.items()}
            self.player = 0
            return
        kind, cell = text[0], text[1:]
        if kind == "x":  # C5
            self.board[cell] = OTHER_COLOUR[self.board[cell]]
            self.replaced_this_turn = True
        else:  # C1, C3
            self.board[cell] = kind
            self.last_placer = self.player
        if self.over_connected():  # C5: the same player goes on replacing
            return
        if len(self.empty_cells()) == 1:  # C7
            self._finish()
            return
        self._next_turn()

    def _next_turn(self):
        if self.replaced_this_turn:  # C6: another full turn for the same player
            self.replaced_this_turn = False
            return
        if (
            len(self.board) == 2 and self.opening == "two"
        ):  # C1: Black's opening turn is two placements, this was the first of them
            # (Replacements keep the number of pieces, so two pieces on the board means two placements so far.)
            return
        self.player = 1 - self.player  # C2

    def _finish(self):
        (last_cell,) = self.empty_cells()
        largest = {"w": 0, "b": 0}
        for n in self.neighbours[
            last_cell
        ]:  # C8 (every neighbour of the last empty cell holds a piece)
            colour = self.board[n]
            largest[colour] = max(largest[colour], len(self.group_of(n)))
        self.over = True
        if largest["w"] > largest["b"]:
            self.winners = (0,)
        elif largest["b"] > largest["w"]:
            self.winners = (1,)
        else:  # C9
            self.winners = (1 - self.last_placer,)

    # ------------------------------------------------------------ text
    def summary(self):
        rows = []
        for row, length in reversed(row_lengths(self.side).items()):
            line = " ".join(self.board.get(f"{row}{i}", ".") for i in range(1, length + 1))
            rows.append(row + " " * (2 * self.side - length) + line)
        placer = None if self.last_placer is None else SEATS[self.last_placer]
        head = (
            f"Orochi side={self.side} to_decide={SEATS[self.player]} replaced_this_turn={self.replaced_this_turn} "
            f"last_placer={placer} over={self.over} winners={self.winners}"
        )
        return "\n".join([head, *rows])


VARIANTS = [{"side": side, "opening": "swap"} for side in (2, 3)]

"""Oolong: slow reference implementation of rules O1-O22.

The room is a dict from place names to Table objects; a swap really exchanges the objects.  Counts, claims, tokens in
hand and triggers are recomputed from the tables whenever they are needed.
"""

from dataclasses import dataclass, field

SEATS = ("Black", "Green")  # player 0 and player 1; their token colours carry the same names
CIRCLE = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")  # clockwise, 45 degrees apart
NAMES = ("C",) + CIRCLE  # the order used by the text form of a swap
TOKENS_EACH = 40
TO_CLAIM = 5
TO_WIN = 5

# code -> (how many of them, threshold, who acts: a player index, or None for "the trigger")
MARKER_KINDS = {
    "mb": (1, 3, 0),
    "mg": (1, 3, 1),
    "ro": (2, 4, None),
    "su": (1, 4, None),
    "sc": (1, 5, None),
    "wb": (1, 5, 0),
    "wg": (1, 5, 1),
}


@dataclass
class Marker:
    code: str
    face_up: bool = True

    def __str__(self):
        return self.code if self.face_up else f"({self.code})"


@dataclass
class Table:
    tokens: dict = field(default_factory=dict)  # seat name -> colour; empty seats are absent
    marker: Marker | None = None  # O17; not used with markers_stay

    def count(self, colour):
        return sum(1 for token in self.tokens.values() if token == colour)

    def empty_seats(self):
        return [seat for seat in NAMES if seat not in self.tokens]

    def claimant(self):
        """O10.  No token ever leaves a claimed table (mb/mg take from unclaimed ones), so five present = claimed."""
        for colour in SEATS:
            if self.count(colour) >= TO_CLAIM:
                return colour
        return None


@dataclass
class Pending:
    """A triggered action waiting for its decision (O14)."""

    marker: Marker
    actor: int


class Reference:
    def __init__(self, markers=None, specials=True, markers_stay=False, stock=1):
        self.seats = SEATS
        self.specials = bool(specials)
        self.markers_stay = bool(markers_stay)
        self.room = {place: Table() for place in NAMES}  # O1
        self.floor = {}  # markers_stay only: place -> Marker
        if self.specials:
            for place, marker in zip(CIRCLE, self._parse_layout(markers, int(stock)), strict=False):
                if self.markers_stay:
                    self.floor[place] = marker
                else:
                    self.room[place].marker = marker
        self.waiter_place = "C"  # O2
        self.waiter_seat = "C"
        self.server = 0  # whose turn it is: Black first (O2)
        self.pending = None
        self.over = False
        self.winners = ()

    @staticmethod
    def _parse_layout(markers, stock):
        if markers is None:
            raise ValueError("a marker layout is required when specials are played")
        codes = markers.split(",")
        supply = {code: stock * number for code, (number, _, _) in MARKER_KINDS.items()}  # O23
        if len(codes) != 8 or any(codes.count(code) > supply[code] for code in codes):
            raise ValueError(f"bad marker layout {markers!r}")
        return [Marker(code) for code in codes]

    # ------------------------------------------------------------ looking at the room
    @property
    def player(self):
        return self.pending.actor if self.pending else self.server

    def marker_at(self, place):
        """O17: the marker belonging to the table at `place`."""
        if self.markers_stay:
            return self.floor.get(place)  # the centre never has one
        return self.room[place].marker

    def tokens_in_hand(self, player):
        return TOKENS_EACH - sum(table.count(SEATS[player]) for table in self.room.values())

    def tables_claimed_by(self, player):
        return sum(1 for table in self.room.values() if table.claimant() == SEATS[player])

    def unclaimed_places(self):
        return [place for place in NAMES if self.room[place].claimant() is None]  # O18

    def under_waiter(self, place, seat):
        return (place, seat) == (self.waiter_place, self.waiter_seat)

    # ------------------------------------------------------------ legal moves
    def servings(self):
        """O3-O7: list of (place, seat)."""
        here = self.waiter_place
        ordinary = [
            (here, seat)
            for seat in self.room[here].empty_seats()
            if not self.under_waiter(here, seat)
        ]  # O3, O4
        if ordinary:
            return ordinary
        # O5 (complete) or O6 (its only empty seat is under the waiter): any empty seat of any other table (O7)
        return [
            (place, seat)
            for place in NAMES
            if place != here
            for seat in self.room[place].empty_seats()
        ]

    def actions(self, marker, actor):
        """The texts of all legal ways to take the action of `marker` (declining not included)."""
        if marker.code in ("mb", "mg"):
            colour = SEATS[actor]
            unclaimed = self.unclaimed_places()
            return [
                f"{a}.{s}>{b}.{t}"
                for a in unclaimed
                for s, token in self.room[a].tokens.items()
                if token == colour  # also from under the waiter, O18
                for b in unclaimed
                if b != a
                for t in self.room[b].empty_seats()
                if not self.under_waiter(b, t)
            ]  # O18
        if marker.code == "ro":
            return [f"@{k}" for k in range(1, 8)]  # O19
        if marker.code in ("su", "sc"):
            unclaimed = self.unclaimed_places()
            texts = []
            for i, a in enumerate(NAMES):
                for b in NAMES[i + 1 :]:
                    free = (a in unclaimed) + (b in unclaimed)
                    if free == (2 if marker.code == "su" else 1):
                        texts.append(f"{a}<>{b}")
            return texts
        if marker.code in ("wb", "wg"):
            return [f"!{place}" for place in NAMES if place != self.waiter_place]  # O21
        raise AssertionError(marker.code)

    def legal(self):
        if self.over:
            return []
        if self.pending:
            return self.actions(self.pending.marker, self.pending.actor) + ["-"]  # O14: optional
        return [f"{place}.{seat}" for place, seat in self.servings()]

    # ------------------------------------------------------------ playing
    def play(self, text):
        if text not in self.legal():
            raise ValueError(f"illegal move {text!r} in {self.summary()}")
        if self.pending is None:
            self._serve(*text.split("."))
        elif text == "-":
            self.pending = None  # O16: the marker stays face up
            self._next_turn()
        else:
            self._act(text)

    def _serve(self, place, seat):
        self.room[place].tokens[seat] = SEATS[self.server]  # O3
        self.waiter_place, self.waiter_seat = seat, place  # O8
        self._token_arrived(place, by=self.server)

    def _act(self, text):
        marker, actor = self.pending.marker, self.pending.actor
        self.pending = None
        marker.face_up = False  # O15: first face down, then the effect
        if marker.code in ("mb", "mg"):
            source, target = text.split(">")
            a, s = source.split(".")
            b, t = target.split(".")
            self.room[b].tokens[t] = self.room[a].tokens.pop(s)
            self._token_arrived(b, by=actor)  # O22: may claim, win, trigger
            return
        if marker.code == "ro":
            self._rotate(int(text[1:]))
        elif marker.code in ("su", "sc"):
            self._swap(*text.split("<>"))
        else:
            self.waiter_place = text[1:]  # O21: his seat keeps its name
        self._next_turn()  # rotating, swapping, sending the waiter bring no token (O13)

    def _rotate(self, eighths):
        """O19: the waiter's table; outer tokens and the waiter turn, the centre seat stays."""

        def turned(seat):
            return seat if seat == "C" else CIRCLE[(CIRCLE.index(seat) + eighths) % 8]

        table = self.room[self.waiter_place]
        table.tokens = {turned(seat): token for seat, token in table.tokens.items()}
        self.waiter_seat = turned(self.waiter_seat)

    def _swap(self, a, b):
        """O17, O20: the tables (with their markers, unless those stay: self.floor is not touched) change places."""
        self.room[a], self.room[b] = self.room[b], self.room[a]
        if self.waiter_place == a:
            self.waiter_place = b
        elif self.waiter_place == b:
            self.waiter_place = a

    def _token_arrived(self, place, by):
        """A token of player `by` has just come to the table at `place` (players only ever serve or move own tokens)."""
        if self.tables_claimed_by(by) >= TO_WIN:  # O11: before any special action
            self.over = True
            self.winners = (by,)
            return
        marker = self.marker_at(place)
        if marker is not None and marker.face_up:
            _, threshold, fixed_actor = MARKER_KINDS[marker.code]
            if self.room[place].count(SEATS[by]) == threshold:  # O13
                actor = by if fixed_actor is None else fixed_actor
                if self.actions(marker, actor):  # O16: no legal way, no decision
                    self.pending = Pending(marker, actor)
                    return
        self._next_turn()

    def _next_turn(self):
        self.server = 1 - self.server  # O9
        if self.tokens_in_hand(self.server) == 0 or not self.servings():  # O12
            self.over = True
            self.winners = ()

    # ------------------------------------------------------------ text
    def summary(self):
        state = (
            f"action {self.pending.marker.code} by {SEATS[self.pending.actor]}"
            if self.pending
            else "serving"
        )
        lines = [
            f"Oolong specials={self.specials} markers_stay={self.markers_stay} turn_of={SEATS[self.server]} "
            f"decision={state} waiter={self.waiter_place}.{self.waiter_seat} over={self.over} winners={self.winners}"
        ]
        for place in NAMES:
            table = self.room[place]
            seats = " ".join(f"{seat}:{table.tokens.get(seat, '.')[0]}" for seat in NAMES)
            claim = f" claimed by {table.claimant()}" if table.claimant() else ""
            lines.append(f"{place:>2} marker={self.marker_at(place) or '--'} {seats}{claim}")
        return "\n".join(lines)


def begin(options, start):
    """The game that begins with this position's text, whose second word names the markers."""
    if options["specials"]:
        options["markers"] = start.split()[1]
    return Reference(**options)


# Options beyond one at a time: many markers of a kind, which chain (O22) or swap again and again.
VARIANTS = [
    {"stock": 8, "markers": "mb,mb,mb,mg,mg,mg,mb,mg", "markers_stay": True},
    {"stock": 8, "markers": "mb,su,mb,su,mg,sc,mg,sc"},
    {"stock": 8, "markers": "su,sc,su,sc,su,sc,su,sc", "markers_stay": True},
    {"stock": 4, "markers": "wb,wb,wg,wg,ro,ro,ro,ro"},
]

"""Proof-number search: the kernels that prove whether some sides can force some outcomes.

The sides that try to force them are the attackers; all others defend together. A position has two
numbers: how many positions at least have still to be won to prove the claim (`pn`) and to disprove
it (`dn`). The search goes where fewest are missing, depth first, and keeps in a table what it has
found out (df-pn by Nagai). It trusts that no game goes on for ever: positions never come again.

    states   a record for each level of the path, and one more for trying moves
    raw      the same records as bytes
    moves    the moves at each level, and one list more as scratch space
    keys     what lies behind each move: a hash, or one of the signs below
    frames   int64  FRAME numbers for each level
    table    int64  ENTRY numbers for each position kept
    notes    int64  facts about the game and the claim, and where the search stands

A path that is as long as there is room for counts as refuted, and a note is made of that: then the
claim may hold though it was not proven.
"""

from typing import Any

from teahouse.core.compiling import rules
from teahouse.core.random import scramble

INFINITE = 1 << 30

PROVEN, REFUTED = -1, -2  # instead of a key

COUNT, PLACE, PN_LIMIT, DN_LIMIT, KEY, ATTACKING, WORK = range(7)
FRAME = 7

# In the table: the key, both numbers, and how much work they took. A key has four places.
TABLE_KEY, PN, DN, SPENT = range(4)
ENTRY = 4
PLACES = 4

MOST_PLAYERS = 8
# In the notes: the level, positions looked at, whether a draw and the end of a path were met, the
# outcomes to be forced, in how many decisions from states[0] on (0 if that does not matter), moves
# tried, whether each player attacks, and the outcome for each set of winners.
LEVEL = 0
LOOKED_AT = 1
DRAWS = 2
CUT = 3
GOAL = 4
WITHIN = 5
TRIED = 6
ATTACKS = 7
OUTCOME = ATTACKS + MOST_PLAYERS
NOTES = OUTCOME + (1 << MOST_PLAYERS)

DRAW_BIT = 1 << MOST_PLAYERS  # of an outcome; the bits below are the sides

NEW = 0  # the COUNT of a level that has not looked at its moves yet


def hashed(row: Any) -> int:
    """A number below 2⁶² from a state's bytes: different states have different ones, but for one
    chance in 10¹⁸. A proof is checked without them."""
    value = 0
    place = 0
    while place < len(row):
        part = 0
        for offset in range(7):
            if place + offset < len(row):
                part |= int(row[place + offset]) << 8 * offset
        value = scramble(value ^ part)
        place += 7
    return value


def key_of(row: Any, left: int) -> int:
    """A state's key; where decisions are counted, how many are left belongs to it."""
    key = hashed(row)
    return scramble(key ^ left) if left > 0 else key


def prove(
    boards: Any,
    states: Any,
    raw: Any,
    moves: Any,
    keys: Any,
    frames: Any,
    table: Any,
    notes: Any,
    most: int,
) -> int:
    """Look at so many positions more, or until the claim about states[0] is settled; 1 if it is."""
    board = boards[0]
    stop = notes[LOOKED_AT] + most
    while notes[LOOKED_AT] < stop:
        level = notes[LEVEL]
        frame = frames[level]
        if frame[COUNT] == NEW:
            look(board, states, raw, moves, keys, frame, notes, level)
        if weigh(keys, frames, table, level):
            if level == 0:
                return 1
            notes[LEVEL] = level - 1
            frames[level - 1][WORK] += frame[WORK]
            continue
        states[level + 1] = states[level]
        rules.play(board, states[level + 1], moves[level][frame[PLACE]])
        frames[level + 1][COUNT] = NEW
        notes[LEVEL] = level + 1
    return 0


def look(
    board: Any, states: Any, raw: Any, moves: Any, keys: Any, frame: Any, notes: Any, level: int
) -> None:
    """Note what lies behind every move of a position."""
    notes[LOOKED_AT] += 1
    last = len(states) - 1
    trial = states[last]
    left = notes[WITHIN] - level
    frame[KEY] = key_of(raw[level], left)
    frame[ATTACKING] = notes[ATTACKS + states[level].player]
    frame[COUNT] = rules.legal(board, states[level], moves[level])
    frame[WORK] = 1
    notes[TRIED] += frame[COUNT]
    for place in range(frame[COUNT]):
        states[last] = states[level]
        rules.play(board, trial, moves[level][place])
        if trial.over:
            outcome = notes[OUTCOME + rules.winners(board, trial, moves[last])]
            notes[DRAWS] |= int(outcome == DRAW_BIT)
            keys[level][place] = PROVEN if outcome & notes[GOAL] else REFUTED
        elif left == 1:
            keys[level][place] = REFUTED
        elif level + 2 == last:
            notes[CUT] = 1
            keys[level][place] = REFUTED
        else:
            keys[level][place] = key_of(raw[last], left - 1)


def weigh(keys: Any, frames: Any, table: Any, level: int) -> bool:
    """Reckon a position's numbers from its moves'; whether they pass its limits.

    If they do they are kept. If not, the next level gets its limits, and PLACE is the move.

    With transpositions the sum of what is missing would count the same positions again and again,
    so it is the largest of the moves' numbers and one for each other move.
    """
    frame = frames[level]
    attacking = frame[ATTACKING]
    best = 0
    least = INFINITE  # to win by the best move for who decides
    second = INFINITE
    most = 0  # to refute every move
    alive = 0
    for place in range(frame[COUNT]):
        pn, dn = looked_up(table, keys[level][place])
        own = pn if attacking else dn
        other = dn if attacking else pn
        if own < least:
            second = least
            least = own
            best = place
        elif own < second:
            second = own
        if other > most:
            most = other
        alive += other > 0
    if alive > 1 and most < INFINITE:
        most = min(most + alive - 1, INFINITE - 1)
    if least == 0:
        most = INFINITE
    own_limit = frame[PN_LIMIT] if attacking else frame[DN_LIMIT]
    other_limit = frame[DN_LIMIT] if attacking else frame[PN_LIMIT]
    if least >= own_limit or most >= other_limit:
        if attacking:
            keep(table, frame[KEY], least, most, frame[WORK])
        else:
            keep(table, frame[KEY], most, least, frame[WORK])
        return True
    frame[PLACE] = best
    below = frames[level + 1]
    own_limit = min(own_limit, second + 1 + second // 4)
    if other_limit < INFINITE:
        other_limit -= alive - 1
    below[PN_LIMIT] = own_limit if attacking else other_limit
    below[DN_LIMIT] = other_limit if attacking else own_limit
    return False


def looked_up(table: Any, key: int) -> tuple[int, int]:
    """The numbers of a position: 1 and 1 if nothing is known."""
    if key < 0:
        return (0, INFINITE) if key == PROVEN else (INFINITE, 0)
    at = first_place(table, key)
    for place in range(at, at + PLACES):
        if table[place][TABLE_KEY] == key:
            return int(table[place][PN]), int(table[place][DN])
    return 1, 1


def first_place(table: Any, key: int) -> int:
    """Where a key's places begin; the table's size is a power of 2."""
    return int(key & (len(table) - 1) & -PLACES)


def keep(table: Any, key: int, pn: int, dn: int, work: int) -> None:
    """Put a position's numbers into the table, in place of what took the least work.

    Work counts half each time something else finds no free place, so that nothing stays for ever.
    """
    at = first_place(table, key)
    chosen = at
    found = False
    for place in range(at, at + PLACES):
        if table[place][TABLE_KEY] == key:
            work += table[place][SPENT]
            chosen = place
            found = True
            break
        if table[place][SPENT] < table[chosen][SPENT]:
            chosen = place
    if not found and table[chosen][SPENT] > 0:
        for place in range(at, at + PLACES):
            table[place][SPENT] //= 2
    entry = table[chosen]
    entry[TABLE_KEY] = key
    entry[PN] = pn
    entry[DN] = dn
    entry[SPENT] = min(work, INFINITE)


def look_once(
    boards: Any,
    states: Any,
    raw: Any,
    moves: Any,
    keys: Any,
    frames: Any,
    table: Any,
    notes: Any,
) -> int:
    """Note what lies behind every move of states[0]; how many there are."""
    look(boards[0], states, raw, moves, keys, frames[0], notes, 0)
    return int(frames[0][COUNT])

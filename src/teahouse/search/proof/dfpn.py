"""Proof-number search: the kernels that prove whether some sides can force some outcomes.

The sides that try to force them are the attackers; all others defend together. A position has two
numbers: how many positions at least have still to be won to prove the claim (`pn`) and to disprove
it (`dn`). The search goes where fewest are missing, depth first, and keeps in a table what it has
found out (df-pn by Nagai). It trusts that no game goes on for ever: positions never come again.

    states   a record for each level of the path, and one more for trying moves
    raw      the same records as bytes
    codes    a random number for each of those bytes and each value it can have
    moves    the moves at each level, and one list more as scratch space
    behind   int64  MOVE numbers for each move at each level: a hash of what lies behind it or one
                    of the signs below, and pn and dn as they were last read from the table
    frames   int64  FRAME numbers for each level
    table    int64  ENTRY numbers for each position kept
    notes    int64  facts about the game and the claim, and where the search stands

A path that is as long as there is room for counts as refuted, and a note is made of that: then the
claim may hold though it was not proven.

Numba counts references to every array or part of one that is passed on, so most lie flat.
"""

from typing import Any

from teahouse.core.jit import rules
from teahouse.core.random import scramble

INFINITE = (1 << 20) - 1
CHOICE = 8  # how many positions a choice is thought to stand for until it is looked at

PROVEN, REFUTED = -1, -2  # instead of a key

KEY_BEHIND, PN_BEHIND, DN_BEHIND = range(3)
MOVE = 3

COUNT, PLACE, PN_LIMIT, DN_LIMIT, KEY, ATTACKING, WORK = range(7)
FRAME = 7

# In the table: the key, and in one word both numbers and how much work they took. A key has four
# places, which fill a line of the processor's cache.
TABLE_KEY, FOUND = range(2)
ENTRY = 2
PLACES = 4
PN_SHIFT, DN_SHIFT = 42, 22
MAX_SPENT = (1 << DN_SHIFT) - 1

MAX_PLAYERS = 8
# In the notes: the level, positions looked at, whether a draw and the end of a path were met, the
# outcomes to be forced, in how many decisions from states[0] on (0 if that does not matter), moves
# tried, how many a level has room for, whether each player attacks, and the outcome for each set of
# winners.
LEVEL = 0
LOOKED_AT = 1
DRAWS = 2
CUT = 3
GOAL = 4
WITHIN = 5
TRIED = 6
MAX_MOVES = 7
ATTACKS = 8
OUTCOME = ATTACKS + MAX_PLAYERS
NOTES = OUTCOME + (1 << MAX_PLAYERS)

DRAW_BIT = 1 << MAX_PLAYERS  # of an outcome; the bits below are the sides

NEW = 0  # the COUNT of a level that has not looked at its moves yet


def hashed(codes: Any, row: Any) -> int:
    """A number below 2⁶² from a state's bytes: different states have different ones, but for one
    chance in 10¹⁸. A proof is checked without them."""
    value = 0
    for place in range(len(row)):
        value ^= codes[place << 8 | row[place]]
    return value


def key_of(codes: Any, row: Any, left: int, attacking: int) -> int:
    """A state's key. Its lowest bit says whether the attackers decide.

    Where decisions are counted, how many are left belongs to it.
    """
    key = hashed(codes, row)
    if left > 0:
        key = scramble(key ^ left)
    return key & -2 | attacking


def prove(
    boards: Any,
    states: Any,
    raw: Any,
    codes: Any,
    moves: Any,
    behind: Any,
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
        frame = level * FRAME
        if frames[frame + COUNT] == NEW:
            look(boards, states, raw, codes, moves, behind, frames, table, notes)
        if weigh(behind, frames, table, notes):
            if level == 0:
                return 1
            notes[LEVEL] = level - 1
            frames[frame - FRAME + WORK] += frames[frame + WORK]
            recall(behind, frames, table, notes)
        elif not recall(behind, frames, table, notes):  # it was not met elsewhere since
            states[level + 1] = states[level]
            rules.play(board, states[level + 1], moves[level][frames[frame + PLACE]])
            frames[frame + FRAME + COUNT] = NEW
            notes[LEVEL] = level + 1
    return 0


def look(
    boards: Any,
    states: Any,
    raw: Any,
    codes: Any,
    moves: Any,
    behind: Any,
    frames: Any,
    table: Any,
    notes: Any,
) -> int:
    """Note what lies behind every move of the position at the LEVEL; how many there are."""
    notes[LOOKED_AT] += 1
    board = boards[0]
    level = notes[LEVEL]
    frame = level * FRAME
    left = notes[WITHIN] - level
    last = len(states) - 1
    trial = states[last]
    state = states[level]
    own_moves = moves[level]
    scratch = moves[last]
    attacking = notes[ATTACKS + state.player]
    count = rules.legal(board, state, own_moves)
    frames[frame + KEY] = key_of(codes, raw[level], left, attacking)
    frames[frame + ATTACKING] = attacking
    frames[frame + WORK] = 1
    frames[frame + COUNT] = count
    notes[TRIED] += count
    for place in range(count):
        states[last] = states[level]
        rules.play(board, trial, own_moves[place])
        if trial.over:
            outcome = notes[OUTCOME + rules.winners(board, trial, scratch)]
            notes[DRAWS] |= int(outcome == DRAW_BIT)
            key = PROVEN if outcome & notes[GOAL] else REFUTED
        elif left == 1:
            key = REFUTED
        elif level + 2 == last:
            notes[CUT] = 1
            key = REFUTED
        else:
            key = key_of(codes, raw[last], left - 1, notes[ATTACKS + trial.player])
        pn, dn = looked_up(table, key)
        move = (level * notes[MAX_MOVES] + place) * MOVE
        behind[move + KEY_BEHIND] = key
        behind[move + PN_BEHIND] = pn
        behind[move + DN_BEHIND] = dn
    return int(count)


def weigh(behind: Any, frames: Any, table: Any, notes: Any) -> bool:
    """Reckon a position's numbers from its moves'; whether they pass its limits.

    If they do they are kept. If not, the next level gets its limits, and PLACE is the move.

    With transpositions the sum of what is missing would count the same positions again and again,
    so it is the largest of the moves' numbers and one for each other move.
    """
    level = notes[LEVEL]
    frame = level * FRAME
    attacking = frames[frame + ATTACKING]
    best = 0
    least = INFINITE  # to win by the best move for who decides
    second = INFINITE
    most = 0  # to refute every move
    alive = 0
    move = level * notes[MAX_MOVES] * MOVE
    for place in range(frames[frame + COUNT]):
        own = behind[move + (PN_BEHIND if attacking else DN_BEHIND)]
        other = behind[move + (DN_BEHIND if attacking else PN_BEHIND)]
        move += MOVE
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
    own_limit = frames[frame + (PN_LIMIT if attacking else DN_LIMIT)]
    other_limit = frames[frame + (DN_LIMIT if attacking else PN_LIMIT)]
    if least >= own_limit or most >= other_limit:
        pn = least if attacking else most
        dn = most if attacking else least
        keep(table, frames[frame + KEY], pn, dn, frames[frame + WORK])
        return True
    frames[frame + PLACE] = best
    own_limit = min(own_limit, second + 1 + second // 4)
    if other_limit < INFINITE:
        other_limit -= alive - 1
    frames[frame + FRAME + PN_LIMIT] = own_limit if attacking else other_limit
    frames[frame + FRAME + DN_LIMIT] = other_limit if attacking else own_limit
    return False


def recall(behind: Any, frames: Any, table: Any, notes: Any) -> bool:
    """Note what the table has for the move PLACE; whether that is news."""
    level = notes[LEVEL]
    move = (level * notes[MAX_MOVES] + frames[level * FRAME + PLACE]) * MOVE
    pn, dn = looked_up(table, behind[move + KEY_BEHIND])
    news = pn != behind[move + PN_BEHIND] or dn != behind[move + DN_BEHIND]
    behind[move + PN_BEHIND] = pn
    behind[move + DN_BEHIND] = dn
    return bool(news)


def looked_up(table: Any, key: int) -> tuple[int, int]:
    """The numbers of a position; if nothing is known, those of a choice that has to be refuted."""
    if key < 0:
        return (0, INFINITE) if key == PROVEN else (INFINITE, 0)
    first = first_entry(table, key)
    for entry in range(first, first + PLACES * ENTRY, ENTRY):
        if table[entry + TABLE_KEY] == key:
            found = int(table[entry + FOUND])
            return found >> PN_SHIFT, found >> DN_SHIFT & INFINITE
    return (1, CHOICE) if key & 1 else (CHOICE, 1)


def first_entry(table: Any, key: int) -> int:
    """Where a key's entries begin; there are a power of 2 in the table."""
    return int(key & (len(table) // ENTRY - 1) & -PLACES) * ENTRY


def keep(table: Any, key: int, pn: int, dn: int, work: int) -> None:
    """Put a position's numbers into the table, in place of what took the least work.

    Work counts half each time something else finds no free place, so that nothing stays for ever.
    """
    first = first_entry(table, key)
    end = first + PLACES * ENTRY
    chosen = first
    least = MAX_SPENT + 1
    for entry in range(first, end, ENTRY):
        spent = table[entry + FOUND] & MAX_SPENT
        if table[entry + TABLE_KEY] == key:
            work += spent
            chosen = entry
            least = 0
            break
        if spent < least:
            chosen = entry
            least = spent
    if least > 0:
        for entry in range(first, end, ENTRY):
            spent = table[entry + FOUND] & MAX_SPENT
            table[entry + FOUND] -= spent - spent // 2
    table[chosen + TABLE_KEY] = key
    table[chosen + FOUND] = pn << PN_SHIFT | dn << DN_SHIFT | min(work, MAX_SPENT)

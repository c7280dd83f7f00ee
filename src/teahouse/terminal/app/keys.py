"""Help text for the keys of the game screen."""

KEYS = """
# Keys

| key | action |
|---|---|
| arrows | move the cursor |
| Tab, Shift+Tab | go to the next or previous target |
| Enter or space | choose the place at the cursor, as a click does |
| 1, 2, 3 … | choose the button with that number below the board |
| Escape | make a bot move now; clear the selection; close a hint |
| t | type a move |
| e | explain what is at the cursor |
| u | take back your last move, until the end of the game |
| h | hint: the best moves and their values |
| , and . | replay: one move back, one forward; Home and End: first and last position |
| b | during a replay or after the end: play on from here, as a new game |
| m | show or hide the list of moves; Enter on a move shows the position after it |
| p | pause or resume the bots |
| n | after the end: a rematch, with seats by the game's rule or moved on by one |
| s | save the record to a file |
| x | resign; with three sides a bot takes over your seat |
| r | the rules |
| F2 | theme: light or dark |
| q | leave; the game is saved and offered again |
"""

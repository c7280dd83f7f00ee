"""What the keys of the table do, to be read there."""

KEYS = """
# Keys at the table

| key | what it does |
|---|---|
| arrows | walk over the board |
| Tab, Shift+Tab | hop from one possible place to the next |
| Enter or space | choose the place, as a click does |
| Escape | make a thinking bot play now; drop what was chosen; put a hint away |
| t | type a move |
| u | take back your last move |
| h | a bot's view: the best moves and how good they are |
| , and . | replay: one move back, one on; Home and End: to the start, to the end |
| b | during a replay: play on from here as a new game |
| m | show or hide the list of moves; Enter there shows the position after a move |
| p | let bots wait, or go on |
| n | when the game is over: another one with the same options and seats |
| s | save the record in a file |
| x | resign |
| r | the rules |
| F2 | light or dark |
| q | leave; the game is kept and offered again |
"""

"""Game sessions without I/O: seats, turns, offers, clocks, result texts, move entry by clicking.

`GameSession` is the state, `commands.decide` turns a player's command into events, and
`GameSession.commit` applies them. The web server and the terminal both play through it.
"""

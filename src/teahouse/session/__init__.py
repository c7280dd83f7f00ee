"""A game session, without I/O: seats, turns, offers, clocks, results in words, pointing.

`GameSession` is the state, `commands.decide` turns a player's command into events, and
`GameSession.commit` applies them. The web server and the terminal both play through it.
"""

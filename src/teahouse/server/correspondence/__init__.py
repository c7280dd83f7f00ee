"""Slow games: conditional moves, vacations, games that wait, and notices by feed and e-mail."""

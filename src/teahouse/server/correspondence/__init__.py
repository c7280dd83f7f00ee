"""Correspondence: conditional moves, vacations, waiting games, notices by feed and e-mail."""

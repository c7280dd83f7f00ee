"""The arena: matches between bots with sides balanced, kept game by game, and what they show."""

from teahouse.search.arena.entrants import Player, player
from teahouse.search.arena.match import ArenaError, Progress, play_match
from teahouse.search.arena.results import Results

__all__ = ["ArenaError", "Player", "Progress", "Results", "play_match", "player"]

"""The arena: matches between bots from balanced openings, with ratings and a sequential test."""

from teahouse.search.arena.match import MatchProgress, play_match
from teahouse.search.arena.players import Player, parse_player
from teahouse.search.arena.results import MatchResults
from teahouse.search.arena.runner import ArenaError
from teahouse.search.arena.selfplay import play_against_itself
from teahouse.search.arena.sprt import Sprt

__all__ = [
    "ArenaError",
    "MatchProgress",
    "MatchResults",
    "Player",
    "Sprt",
    "parse_player",
    "play_against_itself",
    "play_match",
]

"""The lobby: open challenges, quick pairing, games to watch, and messages to those who wait."""

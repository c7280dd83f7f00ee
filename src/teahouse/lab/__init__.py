"""The designer's lab: figures of a game, measured on games between bots."""

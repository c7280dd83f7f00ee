"""The designer's lab: what kind of game this is, measured on games that bots play."""

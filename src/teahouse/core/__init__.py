"""The game contract and what follows from it alone. Nothing here reads or writes but the cache."""

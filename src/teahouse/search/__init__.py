"""Analysis and bots for any game, through the contract alone."""

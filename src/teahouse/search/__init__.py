"""Search for any game of the contract: MCTS, proof search, arena, analysis and bots."""

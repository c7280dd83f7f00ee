"""Tree search with a policy and value network (PUCT, as in AlphaZero)."""

"""Moderation: blocked and muted players, reports, and the actions of operators."""

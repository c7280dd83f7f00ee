"""Proof-number search, strategies and solving."""

"""Slow, plain reference implementations, written from the text of the rules alone."""

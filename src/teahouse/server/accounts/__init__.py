"""Accounts: names, passwords, sessions, and who sends a request."""

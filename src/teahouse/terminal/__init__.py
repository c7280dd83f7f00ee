"""The command line, playing line by line, and the full-screen app."""

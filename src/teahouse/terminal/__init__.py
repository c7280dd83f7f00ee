"""The house in the terminal: the command line and playing line by line."""

"""The house in the terminal: a full-screen app to choose games and to play them."""

"""`teahouse connect`: a bot account of a server, played by a level or by a UGI engine."""

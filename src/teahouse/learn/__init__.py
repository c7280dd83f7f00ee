"""Learned players: self-play, training and networks (requires `teahouse[learn]`)."""

"""Order: blocked and muted players, reports, and what operators do about them."""

"""What happens at a table, pure: seats, turns, offers, clocks, results in words."""

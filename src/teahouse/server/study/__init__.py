"""What people learn by: lessons, puzzles, openings, analysis, reviews, studies, reports."""

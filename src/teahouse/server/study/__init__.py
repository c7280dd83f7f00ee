"""Learning and analysis: lessons, puzzles, openings, analysis, reviews, studies, reports."""

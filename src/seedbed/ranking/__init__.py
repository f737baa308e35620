"""Scores of pages: one algorithm per file, each returning a Ranking."""

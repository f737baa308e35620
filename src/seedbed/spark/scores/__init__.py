"""Scores of pages, round by round."""

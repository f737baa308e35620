"""Scores of pages: one algorithm a file, each giving a Ranking."""

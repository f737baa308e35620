"""Crawls simulated on a known web: orders, the record of a run, checkpoints."""

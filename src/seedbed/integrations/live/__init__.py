"""A crawl as it happens: what waits, what is in flight, scores, and the job on disk."""

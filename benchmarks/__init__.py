"""Benchmarks; see README.md here."""

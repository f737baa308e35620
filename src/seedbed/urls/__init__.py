"""The URLs of a web as a compressed table, and the sites they belong to."""

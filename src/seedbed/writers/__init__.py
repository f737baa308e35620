"""Writers of webs: one file a format or family, each with functions `write(job) -> Saved`."""
